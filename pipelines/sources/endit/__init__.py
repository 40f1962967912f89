"""Logs of ENDIT, which brings files between dCache's tape pools and IBM's tape archiver TSM (Storage Protect).

    2024-03-05 10:20:00 pool1 [1400] Running worker PID 2001 on volume A00017 (12.50 GiB in 2 files, oldest … newest …)
    2024-03-05 10:20:00 pool1 [1400][2001] Trying to retrieve files from volume A00017 using file list /grid/…
    2024-03-05 10:22:05 pool1 [1400][2001] Retrieve operation from volume A00017 successful, 12.50 GiB in 2 files took …
    2024-03-05 10:23:00 pool1 [1500][1502] Spawning worker #1 to archive 120.500 GiB in 60 files from /grid/pool/out

Three daemons, each with a log: `tsmretriever.log`, `tsmarchiver.log`, `tsmdeleter.log`. Local clock without zone, a
short name of the instance (advised: dCache's name of the pool), the daemon's pid, and for a child also its own. A
retrieve worker reads one volume. Files that no hint file (source endit_hints) assigns to a volume go to a worker of the
volume `default`, which reads one volume after another.

**Written from the program's print statements**: those of version 2 (neicnordic/endit, 2024), where a worker has a
child's pid, and the wordings of version 1 back to 2017, without pids, sizes or ages. Checked against logs that the
retriever and the archiver of March 2026 wrote with a substitute for TSM's client. No log of a production site, of the
deleter or of version 1 was available.
Note:

* Sizes are printed in GiB with two or three decimals: a worker of small files may have moved "0.00 GiB".
* A retrieve's size covers the requested files of known size, not the files that came.
* Seconds and rate are printed only with completed work; they are dsmc's own time, with mount and positioning in it.
* `oldest` and `newest` are when requests came, in local time as the stamp is.
* The output of dsmc is logged unchanged, over many lines without stamps: skipped, as are states between runs.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.coverage import so_far
from pipelines.sources._shared.stamps import dated, read_stamp
from pipelines.sources.endit import messages
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "ENDIT log"
VERSION = 1
TABLES = (messages.EVENTS, messages.FILES)
SPEAKS_FOR = "pools"
CAN_BE_CUT = True

_START: Carry = {
    "fold": None,
    "at": None,  # latest instant so far, microseconds: the log was being written until then
    "may_go_on": False,  # lines of dsmc's output may follow the last stamped line
}


def recognise(head: list[str]) -> Claim:
    """A stamp and one of the daemons' own messages."""
    texts = [line for line in head if line.strip()]
    stamped = [message for line in texts if (message := messages.message_of(line)) is not None]
    n_known = sum(messages.is_known(message) for message in stamped)
    if n_known and n_known * 10 >= len(stamped):
        return Claim(True, max(0.6, n_known / len(texts)), f"{n_known} messages of ENDIT's daemons")
    if n_known:
        return Claim(False, 0.5, "few of the lines with a time stamp are messages of ENDIT's daemons")
    return Claim(False, 0.0, "no line has a time stamp, a process id and a message of ENDIT's daemons")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One chunk of a log: the records of workers, and the files listed for them."""
    memory: dict[str, Any] = {**_START, **(carry or {})}
    rows = messages.split(lines)
    rows = rows.with_columns(local=read_stamp(pl.col("stamp")))
    stamped, fold = dated(rows, origin.zone, memory["fold"])
    stamped = stamped.rename({"at": "logged_at"})
    events, files, cut = messages.read(stamped, origin)
    about = events["line_no"].implode()
    goes_on = pl.when(pl.col("local").is_not_null()).then(~pl.col("line_no").is_in(about)).forward_fill()
    rows = rows.with_columns(goes_on=goes_on.fill_null(memory["may_go_on"]))
    coverage, last_us = so_far(stamped.select("line_no", at="logged_at"), origin.host or origin.system, memory["at"])
    return Parsed.of(
        lines,
        events.height,
        rejected(rows.with_columns(reason=_strange()), cut),
        tables=dict(zip(TABLES, (events, files), strict=True)),
        coverage=coverage,
        carry={
            "fold": fold,
            "at": last_us,
            "may_go_on": rows["goes_on"][-1] if rows.height else memory["may_go_on"],
        },
    )


def _strange() -> pl.Expr:
    """Stamps that cannot be read, and lines without a stamp where no output of dsmc can be."""
    has_stamp = pl.col("stamp").is_not_null()
    reason = first_of(bad_time=has_stamp & pl.col("local").is_null(), bad_syntax=~has_stamp & ~pl.col("goes_on"))
    return pl.when(pl.col("text").str.strip_chars() != "").then(reason)
