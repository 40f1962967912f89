"""Log of CTA's frontend (CERN Tape Archive, `cta-frontend`): each request to archive or to retrieve a file, as queued.

    Mar 13 20:07:58.367037 ctafe01 cta-frontend: LVL="INFO" PID="15" TID="15" MSG="Queued archive request" fileId=…
    {"epoch_time":1787644692.075508000,"hostname":"ctafe01","program":"cta-frontend","message":"In Scheduler::…

`/var/log/cta/cta-frontend*.log`, as text, JSON, through syslog or from the journal, with the same clock and the same
form of lines as the tape daemon's. The message is that of the scheduler, with or without the name of its function.

**No such line of a site in production is public**: the few public lines of a frontend are of events before the
request. This rests on CTA's message templates (3.x to 5.11), as the tape daemon's log does. What must be known:

* A file is archived once, in one or two copies, with one request; it may be retrieved again and again.
* `fileId` is CTA's number of the file, the same in the tape daemon's lines; `instanceName` is the disk system that
  asks, `instance` the archive. Without `instance` the archive is that of site.toml, as for the tape daemon.
* The least age of the mount policy is how long CTA lets a request wait by choice, for more to come for the same tape.
* Requests of repacks are queued by another program, and not logged here.
"""

import polars as pl

from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import so_far
from pipelines.sources._shared.cta_log import alike, clock, envelope
from pipelines.sources._shared.cta_log.typed import Fields, disk_host, fields, keys_of, torn, typed
from pipelines.sources.protocol import COVERAGE, OTHER_PROGRAM, Carry, Claim, Origin, Parsed, rejected

TITLE = "CTA frontend log"
VERSION = 4
TABLE = "cta_request"
TABLES = (TABLE,)
SPEAKS_FOR = "requests"
CAN_BE_CUT = True
PROGRAM = "cta-frontend"

_QUEUED = r"\bQueued (archive|retrieve) request$"
_MODES = {"archive": "write", "retrieve": "read"}
_FIELDS: Fields = {
    **fields("text", system="instance", disk_instance="instanceName", disk_url="dstURL srcURL"),
    **fields("whole", archive_file_id="fileId", bytes="fileSize criteriaFileSize"),
    **fields("text", volume="selectedVid", tape_pool="tapePool1 tapePool0", storage_class="storageClass"),
    **fields("text", policy="policyName", activity="activity"),
    **fields("seconds", min_age_s="policyArchiveMinAge policyMinAge"),
    **fields("flag", is_verify="verifyOnly isVerifyOnly"),
}
_START: Carry = {"fold": None, "latest": {}}


def recognise(head: list[str]) -> Claim:
    """Lines of the frontend, as text or JSON, among others or alone."""
    return envelope.claim_of(head, PROGRAM)


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of a log; raises UnreadableFile where lines have no year and nothing gives it."""
    memory = {**_START, **(carry or {})}
    own, fold = clock.dated(envelope.own_lines(lines, PROGRAM), origin, memory["fold"])
    mode = pl.col("message").str.extract(_QUEUED).replace_strict(_MODES, default=None, return_dtype=pl.String)
    own = own.with_columns(mode=mode)
    found = alike.read(own.filter(pl.col("mode").is_not_null()), keys_of(_FIELDS))
    rows = typed(found, _FIELDS, origin.system, "mode").with_columns(disk_host=disk_host())
    rows = torn(rows, pl.any_horizontal(pl.col("archive_file_id", "host").is_null())).rename({"reject": "reason"})
    cut = own.filter(pl.col("message").is_null()).with_columns(reason=pl.lit("bad_syntax"))
    good = rows.filter(pl.col("reason").is_null())
    coverage, latest = _coverage(own, memory["latest"])
    return Parsed.of(
        lines,
        good.height,
        rejected(rows, cut),
        tables={TABLE: complete(good, TABLE)},
        coverage=coverage,
        carry={"fold": fold, "latest": latest},
        notes={OTHER_PROGRAM: envelope.n_others(lines, own, PROGRAM)},
    )


def _coverage(own: pl.DataFrame, latest: dict[str, int | None]) -> tuple[pl.DataFrame, dict[str, int | None]]:
    """Per host of a frontend, which logs at each event: from its first line to its latest."""
    stamped = own.drop_nulls(["logged_at", "host"]).select("line_no", "host", at="logged_at")
    parts, after = [pl.DataFrame(schema=COVERAGE)], dict(latest)
    for (host,), proof in stamped.partition_by("host", as_dict=True, maintain_order=True).items():
        part, after[host] = so_far(proof, host, latest.get(host))
        parts.append(part)
    return pl.concat(parts), after
