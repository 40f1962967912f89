"""Lines of a migration log: which task, of which thread, about which file, and how it ended."""

import polars as pl

from pipelines.sources._shared.enstore import BFID, CTIME

TABLE = "enstore_migration"

# Duplication and cloning have the same tasks under names of their own.
_KINDS = {
    "COPYING_TO_DISK": "read",
    "COPYING_TO_TAPE": "write",
    "COPYING_DELETED_TO_TAPE": "write",
    "SWAPPING_METADATA": "swap",
    "DUPLICATING_METADATA": "swap",
    "FINAL_SCAN": "scan",
    "FINAL_SCAN_VOLUME": "scan",
    "FINAL_SCAN_DELETED": "scan",
    "MIGRATION": "command",
    "DUPLICATION": "command",
    "CLONING": "command",
    "MIGRATING_VOLUME": "volume",
    "DUPLICATING_VOLUME": "volume",
    "CLONING_VOLUME": "volume",
    "RESTORE": "restore",
    "RESTORE_VOLUME": "restore",
    "LOG_HISTORY": "history",
    "LOG_HISTORY_CLOSED": "history",
}
_TASKS = "|".join(sorted(_KINDS, key=len, reverse=True))
# A thread may bear the name of a task: the second of two tasks is the task.
_TASK_LINE = rf"^{CTIME} (?:(?P<thread>\S+) )?(?P<task>{_TASKS})(?: (?P<words>.*))?$"
_THREAD_LINE = rf"^{CTIME} (?P<by>\S+) (?P<by_task>{_TASKS})(?: (?P<by_words>.*))?$"
LINE = rf"^{CTIME} (?:\S+ )?(?:{_TASKS})(?: |$)"

_RESULT = r" ?\.\.\. \(?(OK|ERROR|WARNING|RETRY)\)?\s*$"
_COOKIE = r"\d{4}_\d{9}_(?P<file_number>\d{7})"
_READ = rf"^copying (?P<bfid>{BFID}) (?P<volume>\S+) (?:{_COOKIE}|\S+)$"
_READ_DONE = rf"^(?P<bfid>{BFID}) (?P<source_path>.*) to (?P<target_path>\S.*)$"
_WRITE = rf"^copying (?P<bfid>{BFID}) (?P<source_path>\S+) (?P<target_path>.*)$"
_WRITE_DONE = rf"^(?P<bfid>{BFID}) (?P<source_path>.*) is copied to (?P<target_path>.*)$"
_FAILED = (
    rf"^failed (?:to copy|on) (?P<bfid>{BFID}) (?P<source_path>\S+)(?: (?P<target_path>/.*?))??"
    r"(?: error = (?P<error>.*))?$"
)
_SWAP = rf"^swapping (?P<bfid>{BFID}) (?P<source_path>.*) (?P<dst_bfid>{BFID}) (?P<target_path>.*)$"
_SWAP_DONE = (
    rf"^(?P<bfid>{BFID}) (?P<source_path>.*?) (?:(?P<dst_bfid>{BFID}) )?(?P<target_path>\S+)"
    r" have (?:already )?been swapped$"
)
_SWAP_FAILED = (
    rf"^(?P<bfid>{BFID}) (?P<source_path>.*?) (?:(?P<dst_bfid>{BFID}) )?(?P<target_path>\S+)"
    r" failed due to (?P<error>.*)$"
)
_SCAN = rf"^verifying (?P<bfid>{BFID}) (?:{_COOKIE} )?(?P<source_path>.*)$"
_SCAN_DONE = rf"^(?P<bfid>{BFID}) (?P<source_path>/.*)$"
_VOLUME = (
    r"^(?:start (?:migrating|duplicating|cloning) volume|verifying volume|set comment of|set)"
    r" (?P<volume>[A-Z0-9]{4,}(?:\.deleted)?)(?: to (?P<state>.*?))?$"
)
_COPIED = rf"^(?P<bfid>{BFID}) has already been copied to (?P<dst_bfid>{BFID})$"
_RESTORE = rf"^(?:set )?(?P<bfid>{BFID}) (?P<state>.*)$"
# Beginnings of messages that always have the shape; a line without it was cut.
_BEGINS = r"^(?:copying|swapping) "
_SECONDS = r"^Time to (?P<what>.*): (?P<seconds>\d+(?:\.\d+)?(?:e[-+]?\d+)?) sec\.?$"
# kind, phase and shape, the first that fits; where a result decides, the phase listed is that of success.
_SHAPES = (
    (("read", "write", "swap", "scan"), "timed", _SECONDS),
    (("read", "write", "scan"), "failed", _FAILED),
    (("read",), "begun", _READ),
    (("read",), "ended", _READ_DONE),
    (("write",), "begun", _WRITE),
    (("write",), "ended", _WRITE_DONE),
    (("swap",), "begun", _SWAP),
    (("swap",), "ended", _SWAP_DONE),
    (("swap",), "failed", _SWAP_FAILED),
    (("scan",), "begun", _SCAN),
    (("scan",), "ended", _SCAN_DONE),
    (("volume", "scan", "history"), "other", _VOLUME),
    (("write",), "other", _COPIED),
    (("restore",), "other", _RESTORE),
)
_GROUPS = ("bfid", "dst_bfid", "volume", "file_number", "source_path", "target_path", "state", "error", "seconds")


def read(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the columns of the table, and a `reason` where a line was cut.

    A text of no known shape is kept unchanged, with phase `other`.
    """
    text, words = pl.col("text"), pl.col("words")
    rows = rows.with_columns(text.str.extract_groups(_TASK_LINE).struct.unnest())
    rows = rows.with_columns(text.str.extract_groups(_THREAD_LINE).struct.unnest())
    rows = rows.with_columns(
        thread=pl.coalesce("by", "thread"),
        task=pl.coalesce("by_task", "task"),
        words=pl.coalesce("by_words", "words").fill_null(""),
    ).with_columns(
        kind=pl.col("task").replace_strict(_KINDS, return_dtype=pl.String),
        result=words.str.extract(_RESULT),
        words=words.str.replace(_RESULT, "").str.replace(r"(?: \.\.\.)?\s*$", ""),
    )
    rows = rows.with_columns(
        pl.when(pl.col("kind").is_in(kinds)).then(words).str.extract_groups(shape).alias(f"of_{number}")
        for number, (kinds, _, shape) in enumerate(_SHAPES)
    )
    found = [pl.col(f"of_{number}").struct for number in range(len(_SHAPES))]
    fits = [pl.when(parts[0].is_not_null()).then(number) for number, parts in enumerate(found)]
    rows = rows.with_columns(shape=pl.coalesce(fits))
    filled = {
        name: pl.coalesce(
            pl.when(shape=number).then(parts.field(name))
            for number, parts in enumerate(found)
            if f"<{name}>" in _SHAPES[number][2]
        )
        for name in _GROUPS
    }
    phases = {number: phase for number, (_, phase, _) in enumerate(_SHAPES)}
    return rows.with_columns(
        phase=pl.col("shape").replace_strict(phases, default=None, return_dtype=pl.String),
        **filled | {"file_number": filled["file_number"].cast(pl.Int64), "seconds": filled["seconds"].cast(pl.Float64)},
        message=words.str.slice(0, 300),
    ).with_columns(
        reason=pl.when(
            pl.col("phase").is_null() & pl.col("kind").is_in(["read", "write", "swap"]) & words.str.contains(_BEGINS)
        ).then(pl.lit("bad_syntax")),
        phase=_phase(),
    )


def _phase() -> pl.Expr:
    phase, result = pl.col("phase"), pl.col("result")
    about_file = pl.col("bfid").is_not_null() & ~phase.is_in(["timed", "other"])
    return (
        pl.when(phase.is_null())
        .then(pl.lit("other"))
        .when(about_file & (result == "RETRY"))
        .then(pl.lit("retried"))
        .when(about_file & (result == "ERROR"))
        .then(pl.lit("failed"))
        # the result of a check may follow its start
        .when(about_file & (result == "OK"))
        .then(pl.lit("ended"))
        .otherwise(phase)
    )
