"""Messages of ENDIT's daemons about their workers: one form for each wording, newer ones first."""

import re

import polars as pl

from pipelines.primitives.clock import to_utc
from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.stamps import read_stamp
from pipelines.sources.protocol import Origin

# stamp, name of the instance, pid of the daemon and of its child; the oldest logs have the stamp alone
_HEAD = (
    r"^(?P<head>(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) {1,9}"
    r"(?:(?:(?P<pool>[^\[\]]{1,128}?) )?\[(?P<pids>\d{1,10}(?:\]\[\d{1,10})?)\] )?)"
)
_HEAD_CHARS = 200

_STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_VOLUME = r"(?P<volume>\S{1,128})"
_SIZE = r"(?P<gib>\d{1,9}(?:\.\d{1,20})?) GiB"
_COUNT = r"(?P<n_files>\d{1,9})"
_RATE = r"average rate (?P<mib_s>\d{1,9}\.\d\d) MiB/s \(\d{1,9}\.\d\d files/s\)"
_WHY = r"(?P<error>.*)"
_DSMC = r"\S{0,200}dsmc\S{0,200}"  # the client of TSM, with any path
# (operation, step, what the message is)
_FORMS = (
    (
        "retrieve",
        "begin",
        rf"^Running worker (?:PID (?P<child>\d{{1,10}}) )?on volume {_VOLUME} \({_SIZE} in {_COUNT} files"
        rf"(?:, oldest (?P<oldest>{_STAMP}) newest (?P<newest>{_STAMP}))?\)$",
    ),
    ("retrieve", "begin", rf"^Running worker on volume {_VOLUME} \({_COUNT} entries\)$"),
    ("retrieve", "try", rf"^Trying to retrieve files from (?:volume|tape) {_VOLUME}(?: using file list \S+)?$"),
    (
        "retrieve",
        "done",
        rf"^Retrieve operation from volume {_VOLUME} successful, {_SIZE} in {_COUNT} files"
        rf" took (?P<took>\d{{1,9}}) seconds, {_RATE}$",
    ),
    ("retrieve", "done", rf"^Successfully retrieved files from (?:volume|tape) {_VOLUME}$"),
    ("retrieve", "failed", rf"^{_DSMC} retrieve failure(?: volume {_VOLUME} file list \S+)?: {_WHY}$"),
    ("archive", "begin", rf"^Spawning worker #\d{{1,9}} to archive {_SIZE} in {_COUNT} files? from \S+$"),
    ("archive", "begin", rf"^Trying to archive files from \S+ - {_SIZE}(?: in {_COUNT} files| used\.)$"),
    ("archive", "done", rf"^Archive operation successful, duration (?P<took>\d{{1,9}}) seconds, {_RATE}$"),
    ("archive", "done", r"^Successfully archived files from \S+$"),
    ("archive", "failed", rf"^{_DSMC} archive failure: {_WHY}$"),
    ("delete", "begin", rf"^Trying to delete {_COUNT} files(?: (?:using|from) file list \S+)?$"),
    ("delete", "done", rf"^Successfully deleted {_COUNT} files(?: from file list \S+)?$"),
    ("delete", "partial", rf"^Partial success, deleted (?P<n_done>\d{{1,9}}) of {_COUNT} files$"),
    ("delete", "failed", rf"^{_DSMC} delete failure: {_WHY}$"),
    (None, "stopped", r"^(?:Child got|Got) (?P<error>SIG[A-Z0-9]{1,10}), exiting\.\.\.$"),
    ("retrieve", "daemon", r"^(?:\S*/)?tsmretriever\.pl[^:]{0,80}: Starting.*\.\.\.$"),
    ("archive", "daemon", r"^(?:\S*/)?tsmarchiver\.pl[^:]{0,80}: Starting.*\.\.\.$"),
    ("delete", "daemon", r"^(?:\S*/)?tsmdeleter\.pl[^:]{0,80}: Starting.*\.\.\.$"),
)
_ABOUT = (
    r"^(?:Running worker |Trying to (?:retrieve|archive|delete) |Retrieve operation |Archive operation "
    r"|Spawning worker #|Successfully (?:retrieved|archived|deleted) |\S*dsmc\S* (?:retrieve|archive|delete) failure"
    r"|Partial success, )"
)
_OF_A_PROCESS = r"^(?:(?:Child got|Got) SIG|(?:\S*/)?tsm(?:retriever|archiver|deleter)\.pl[^:]{0,80}: Starting)"
# Messages between runs: enough to know the log by, and skipped.
_BETWEEN = (
    r"^(?:Tape (?:hint file|list) \S+ (?:re)?loaded, \d+ entries\.|reading tape (?:hints|list)"
    r"|Using configuration file \S|Conf: (?:Changed|Removed|Added): |Skipping volume \S+, |Volume \S+ last mounted at "
    r"|Jobs on volume \S+: |Oldest job on volume |Job already running for volume |At \d+, not starting more jobs"
    r"|Filesystem \S+ (?:avail|space low)|\d+\.\d+ GiB in \d+ files? total, |Only \d\S* GiB"
    r"|\S{0,200}dsmc\S{0,200} output: "
    r"|Queued \d+ files for deletion|\d+ files in deletion queue|Not doing [0-9A-Fa-f]+ due to )"
)
# The list of files after a start; version 1 has none.
_LIST = r"(?: files:| \(files:)(?: [0-9A-Fa-f]{1,64})*\)?$"
_ERROR_CHARS = 300
_GIB, _MIB = 2**30, 2**20
EVENTS, FILES = "endit_event", "endit_file"
_GROUPS = ("volume", "gib", "n_files", "n_done", "took", "mib_s", "error", "child", "oldest", "newest")


def split(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines as stamp, pool, pids and message, each null where there is none; lists of files make lines long."""
    heads = pl.col("text").str.head(_HEAD_CHARS).str.extract_groups(_HEAD)
    rows = lines.with_columns(heads.struct.unnest())
    return rows.with_columns(message=pl.col("text").str.strip_prefix(pl.col("head"))).drop("head")


_MOST_CHARS = 2_000  # of a line, to know it by: lists of files are cut
_HEAD_OF_LINE = re.compile(_HEAD)
_LIST_OF_FILES = re.compile(_LIST)
_OWN = [re.compile(form) for form in (_BETWEEN, *(form for operation, _, form in _FORMS if operation is not None))]


def message_of(line: str) -> str | None:
    """The message after a line's stamp and pids, as `split` has it; without Polars, for the few lines of a head."""
    head = _HEAD_OF_LINE.match(line[:_HEAD_CHARS])
    return line[head.end() : _MOST_CHARS] if head else None


def is_known(message: str) -> bool:
    """Whether a message is ENDIT's own, and cannot be anybody else's."""
    bare = _LIST_OF_FILES.sub("", message)
    return any(own.match(text) for own, text in zip(_OWN, [message] + [bare] * (len(_OWN) - 1), strict=True))


def read(stamped: pl.DataFrame, origin: Origin) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Messages about workers and the files they name; and those that begin like one and go on otherwise."""
    message = pl.col("message")
    is_about = message.str.contains(_ABOUT)
    about = stamped.filter(is_about | message.str.contains(_OF_A_PROCESS)).with_columns(
        bare=message.str.replace(_LIST, "").str.strip_chars_end()
    )
    found = [
        rows.with_columns(
            pl.col("bare").str.extract_groups(form).struct.unnest(),
            operation=pl.lit(operation, pl.String),
            step=pl.lit(step),
        )
        for operation, step, form in _FORMS
        if (rows := about.filter(pl.col("bare").str.contains(form))).height
    ]
    lacking = about.clear().with_columns(**dict.fromkeys((*_GROUPS, "operation", "step"), pl.lit(None, pl.String)))
    rows = pl.concat([lacking, *found], how="diagonal").sort("line_no")
    events = _events(rows, origin)
    is_read = pl.col("line_no").is_in(rows["line_no"].implode())
    cut = stamped.filter(is_about & ~is_read).with_columns(reason=pl.lit("bad_syntax"))
    return fitted(events, EVENTS), _files(events), cut


def _events(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    pids = pl.col("pids").str.split("][")
    own = pids.list.last().cast(pl.Int64)
    # of version 1 the daemon says that a worker runs, and not which
    is_daemon_line = (pl.col("operation") == "retrieve") & (pl.col("step") == "begin")
    child = pl.col("child").cast(pl.Int64)
    whole = {name: pl.col(name).cast(pl.Int64) for name in ("n_files", "n_done")}
    return rows.with_columns(
        **whole,
        system=pl.lit(origin.system or origin.host),
        host=pl.lit(origin.host or origin.system),
        daemon_pid=pids.list.first().cast(pl.Int64),
        worker_pid=pl.when(pl.col("step") != "daemon").then(
            pl.when(is_daemon_line.fill_null(False)).then(child).otherwise(own)
        ),
        bytes=(pl.col("gib").cast(pl.Float64) * _GIB).round().cast(pl.Int64),
        rate_bytes_s=pl.col("mib_s").cast(pl.Float64) * _MIB,
        took_s=pl.col("took").cast(pl.Int64),
        error=pl.col("error").str.head(_ERROR_CHARS),
        oldest_at=to_utc(read_stamp(pl.col("oldest")), origin.zone),
        newest_at=to_utc(read_stamp(pl.col("newest")), origin.zone),
    )


def _files(events: pl.DataFrame) -> pl.DataFrame:
    """One row for each file that a start lists."""
    listed = pl.col("message").str.strip_prefix(pl.col("bare")).str.strip_chars_end(")").str.split(" ")
    begun = events.filter(pl.col("step") == "begin").with_columns(pnfsid=listed).drop("bare", "message", "text")
    files = begun.explode("pnfsid").filter(pl.col("pnfsid").str.contains(r"^[0-9A-Fa-f]{1,64}$"))
    return fitted(files, FILES)
