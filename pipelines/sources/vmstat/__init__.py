"""vmstat: load of a host and the bytes its disks moved, one row per sample; and its counters of disks.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 CDT
     1  0      0 803444  49984 124916    0    0    87    17 1006   57 47 23 28  1  1 2010-06-15 08:00:00
     1  2      0 803444  49984 124940    0    0     0 104960  992   59 75 25  0  0  0 2010-06-15 08:00:01

**The table** (`table`) of Linux is written by procps of any age: 16 columns with `w` (to 3.0.5) or `wa`, 17 with
`st`, 18 with `gu`, with `-a`, `-n`, `-w`, `-t`. The header decides the columns, see `headers`; without one the figures
may, see `headerless`. Overflowing columns shift a row, so rows are split at blanks. bi and bo are KiB/s whatever the
manual says. Memory and swap are KiB unless `-S` was given; only the figures can show that, see `doubts`, also for wrong
figures of some versions. For Solaris, AIX, HP-UX and the BSD systems the source reads run queue, processor shares,
interrupts, switches and, where its unit is known, free memory.

**Counters** since boot of disks (`-d`, `-p`, `-D`) and of the host (`-s`) are differenced, see `disks` and `counts`.

**Clock.** With `-t` a row has its stamp (zone: see `_shared/stamps.py`); a wrapper may put one in front of each line,
see `prefixes`. A `date` or OSWatcher `zzz ***` line dates the row after it, `origin.start_at` the file's first row.
Rows after those follow at `origin.interval_s`, whatever header comes between them.

**Runs.** The first row of a run holds averages since boot: it is skipped, but its stamp begins the next sample. A run
begins

- at the file's first row;
- where stamps go back, or jump by more than three times the usual step (the median of the five before);
- at a header that comes sooner or later than those before it (which are 15 rows or more apart);
- at any header if the step over it is an unusual one, or if the figures of the row below are averages since boot, see
  `runs`.

In doubt a row starts a run: that loses a row, while the opposite would take averages since boot for a second.
"""

import re

import polars as pl

from pipelines.sources._shared.stamps import microseconds
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed
from pipelines.sources.vmstat import clock, counts, disks, doubts, table
from pipelines.sources.vmstat.headerless import layout_of
from pipelines.sources.vmstat.headers import is_group_line, is_like_header, read_header
from pipelines.sources.vmstat.text import ROW_START, Look, look

TITLE = "vmstat"
VERSION = 6
TABLES = ("device_sample", "host_sample")
SPEAKS_FOR = "hosts"

_HEAD_LINES = 200


def recognise(head: list[str]) -> Claim:
    """A header of vmstat and lines that belong to it; anything else is named as far as it is known."""
    found = look(head)
    if found.what:
        return Claim(False, 0.7, f"this is {found.what}")
    if found.mode == "table":
        return _claim_table(found)
    if found.mode:
        return _claim_counters(found)
    if unknown := next((flat for flat in found.flats if is_like_header(flat)), ""):
        return Claim(False, 0.6, f"a header like that of vmstat, but with unknown or cut columns: {unknown[:120]}")
    if any(is_group_line(flat) for flat in found.flats):
        return Claim(False, 0.5, "vmstat's group titles, but no known line of column names")
    if headerless := layout_of(found.flats):
        return Claim(True, 0.9, f"rows of vmstat without a header; their values fit only one layout: {headerless[0]}")
    rows = sum(re.match(ROW_START, flat) is not None and len(flat.split(" ")) >= 16 for flat in found.flats)
    if rows and 2 * rows > len(found.flats):
        return Claim(False, 0.4, "rows of numbers as vmstat prints them, but no header line to name the columns")
    return Claim(False, 0.0, "no vmstat header line")


def _claim_table(found: Look) -> Claim:
    others = [flat for flat in found.flats if not re.match(ROW_START, flat)]
    headers = [header for flat in others if (header := read_header(flat))]
    fitting = sum(table.classify(flat).kind not in ("junk", "unknown") for flat in others)
    rows = [flat for flat in found.flats if re.match(ROW_START, flat) and len(flat.split(" ")) >= 16]
    if 2 * (fitting + len(rows)) < len(found.flats):
        return Claim(False, 0.5, "a vmstat header, but most lines are neither rows nor headers of vmstat")
    return Claim(True, 1.0, f"a vmstat header with {len(headers[0].names)} columns")


def _claim_counters(found: Look) -> Claim:
    of = {"disks": "for each disk (-d)", "partition": "for a partition (-p)", "sums": "for all disks together (-D)"}
    what = f"vmstat's counters {of.get(found.mode, 'for a host (-s)')} since boot"
    belonging = counts.belongs if found.mode == "counts" else disks.belongs
    if 2 * sum(belonging(flat, found.mode) for flat in found.flats) < len(found.flats):
        return Claim(False, 0.5, f"a header of {what}, but most lines do not belong to it")
    return Claim(True, 1.0, what)


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples with the instants they begin and end at; raises UnreadableFile for an unknown header or no clock."""
    state = {**carry} if carry else _start(lines, origin)
    mode = {"counts": counts.parse, "table": table.parse}.get(state["mode"], disks.parse)
    return mode(lines, origin, state)


def _start(lines: pl.DataFrame, origin: Origin) -> Carry:
    found = look(origin.head or lines["text"].head(_HEAD_LINES).to_list())
    state = {
        "mode": found.mode or "table",
        "form": found.form,
        "n_rows": 0,  # rows (or snapshots) so far, good or bad: the rank of one is its clock
        **clock.START,
    }
    if state["mode"] == "table":
        state |= {**table.START, **doubts.first_doubts(found.flats)}
        if headerless := None if found.mode else layout_of(found.flats):
            state["header"] = [headerless[0], "", headerless[1], 0]
    else:
        state |= counts.START if state["mode"] == "counts" else disks.START
    if origin.start_at is not None:
        state["anchor_at"] = microseconds(origin.start_at)
    return state
