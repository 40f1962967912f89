"""Log of Enstore's migration and duplication tools, and the table of `migrate --status`.

    Tue Jun 15 08:30:06 2010 READ_0 COPYING_TO_DISK copying ABC110000000100000 VOL021 0000_000000000_0000001
    Tue Jun 15 08:32:41 2010 READ_0 COPYING_TO_DISK ABC110000000100000 /pnfs/old/f1 to /data/ABC110000000100000 ... OK
    Tue Jun 15 08:34:37 2010 WRITE_0 SWAPPING_METADATA ABC110000000100000 /pnfs/old/f1 ABC127660887600000 ... OK

    (VOL397) src_bfid SDB            dst_bfid SDB copied swapped checked closed
    ABC120685047500000 PN  ABC121088793700000 CN       y      y      y

A log is `MigrationLog@<date>.<time>#<process>` or `DuplicationLog@…`: local time with its date, since 2009-06-11 the
thread, the task in capitals, a text, and how it ended. Each line about a file is a step; the steps of one file, from
the read of its old copy to the new one's taking its place, also make one row. What encp prints between the lines is
skipped. Described in the source code of Enstore (migrate.py).
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.coverage import coverage_of
from pipelines.sources._shared.enstore import read_ctime, reported_at
from pipelines.sources._shared.heads import filled, share_of
from pipelines.sources._shared.stamps import dated
from pipelines.sources.enstore_migration import status, steps, stories
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected

TITLE = "Enstore migration log"
VERSION = 2
TABLES = (steps.TABLE, stories.TABLE, status.TABLE)
SPEAKS_FOR = "transfers"
CAN_BE_CUT = True


def recognise(head: list[str]) -> Claim:
    """A line of a known task after a time stamp, or the head of the status table."""
    texts = filled(head)
    if texts.str.contains(status.HEADER).any():
        return Claim(True, 1.0, "the header of the table that migrate --status prints")
    share = share_of(texts, steps.LINE)
    if share >= 0.2:
        return Claim(True, share, f"{share:.0%} of the lines have a time stamp and a task of Enstore's migration")
    if texts.str.contains(status.ROW).any():
        return Claim(False, 0.5, "rows of migrate --status without their header, so their volume is unknown")
    return Claim(False, share, "fewer than 1 of 5 lines have a ctime time stamp and a task of Enstore's migration")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk: steps, the files whose last step is in it, and rows of a status table."""
    memory: dict[str, Any] = carry or {"fold": None, "at": None, "open": [], "volume": None}
    rows = lines.with_columns(is_step=pl.col("text").str.contains(steps.LINE))
    table, strange, volume = status.read(rows.filter(~pl.col("is_step")).drop("is_step"), memory["volume"])
    dated_at = pl.lit(None) if volume is None else reported_at(origin, "the table")
    steps_logged = rows.filter("is_step").with_columns(local=read_ctime(pl.col("text")))
    clocked, fold = dated(steps_logged, origin.zone, memory["fold"])
    head = {"system": pl.lit(origin.system or origin.host), "host": pl.lit(origin.host or origin.system)}
    clocked = clocked.rename({"at": "logged_at"}).with_columns(**head)
    read = steps.read(clocked)
    found = fitted(read.filter(pl.col("reason").is_null()), steps.TABLE)
    files, still_open = stories.tell(found, memory["open"])
    bad_time = steps_logged.filter(pl.col("local").is_null()).with_columns(reason=pl.lit("bad_time"))
    return Parsed.of(
        lines,
        found.height + table.height,
        rejected(bad_time, read, strange),
        tables={
            steps.TABLE: found,
            stories.TABLE: files,
            status.TABLE: fitted(table.with_columns(reported_at=dated_at, **head), status.TABLE),
        },
        coverage=coverage_of(clocked.select("line_no", at="logged_at"), origin.host or origin.system, memory["at"]),
        carry={
            "fold": fold,
            "at": clocked["logged_at"].to_physical()[-1] if clocked.height else memory["at"],
            "open": still_open,
            "volume": volume,
        },
    )
