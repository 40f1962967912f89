"""nmon's files, of Linux and AIX: everything of a host, a line a tag and snapshot.

    AAA,host,stage07
    AAA,date,15-JUN-2010
    CPU_ALL,CPU Total stage07,User%,Sys%,Wait%,Idle%,Busy,CPUs
    DISKREAD,Disk Read KB/s stage07,sda,sdb
    ZZZZ,T0001,08:05:00,15-JUN-2010
    CPU_ALL,T0001,10.1,4.0,20.3,65.6,,8
    DISKREAD,T0001,1024.0,0.0

Columns are those of each tag's header. The source reads CPU_ALL, MEM, PROC, NET, NETPACKET and DISKBUSY, DISKREAD,
DISKWRITE, DISKXFER, with their continuations DISKREAD1, DISKREAD2, … beyond `disks_per_line`; all other tags are
skipped. KB and MB are KiB and MiB. Values that nmon could not measure, -1 and nan, are null. The first snapshot is an
interval like the others.

**Clock.** ZZZZ gives the local time of the lines after it; a sample begins at the ZZZZ before, the first at the AAA
time. Where ZZZZ numbers are missing, the time since the last one is divided equally. A file that went through `sort`,
as nmon's own notes advise, has its ZZZZ at its end. Then the snapshot T0003 ends three intervals after the AAA time,
which is off by a second or so, and the rows' note records that.

**Snapshots.** The lines of a snapshot become one row a host, disk and interface when the last tag of each kind is
there (PROC, DISKXFER, NETPACKET) or the next snapshot begins; the lines of a sorted file are held until then, in
memory. A last snapshot that was cut off is lost. A line that comes later, or not after its own ZZZZ, is rejected; so
are, in a sorted file, snapshots up to 9999 that `sort` puts after T10000. A file appended to another begins a new run;
snapshots of it within an earlier run of the same host are repeated ones, and rejected.
"""

from typing import Any

import polars as pl

from pipelines.sources._shared.columns import TABLES as TABLES
from pipelines.sources._shared.columns import join_parts, no_rows
from pipelines.sources._shared.names import stem_of
from pipelines.sources.nmon.clock import MARKS, clock_of, read_marks, repeated
from pipelines.sources.nmon.figures import FIGURES, figures, split, together
from pipelines.sources.nmon.layout import KNOWN, is_header, relation_of
from pipelines.sources.nmon.whole import judge
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, rejected

TITLE = "nmon"
VERSION = 3
SPEAKS_FOR = "hosts"

_START: Carry = {
    "about": {},  # of the AAA lines: host, date, time, interval
    "has_begun": False,  # data or ZZZZ came
    "headers": {},  # by tag
    "is_sorted": None,  # data before any ZZZZ; None before the first of either
    "shot": None,  # number and instant (microseconds) of the last ZZZZ, and when its sample began
    "at": None,
    "from_at": None,
    "first_at": None,  # of the run
    "runs": [],  # before this one: host, first and last instant
    "done": {},  # by relation the last snapshot that became rows
    "held": [],  # lines whose snapshot is not whole yet, see _hold
    "held_headers": [],
    "last_tag": "",  # of the line before
    "fold": None,  # see _stamps
}
_MOST_RUNS = 100
_HELD = ("line_no", "text", "header")
_ABOUT = ("host", "date", "time", "interval")


def recognise(head: list[str]) -> Claim:
    """AAA lines, or the CPU_ALL header of a file that lost them."""
    lines = [line for line in head if line.strip()]
    n_about = sum(line.startswith("AAA,") for line in lines)
    if n_about >= 3 or any(line.startswith("AAA,progname,nmon") for line in lines):
        return Claim(True, 1.0, "nmon's AAA lines")
    if any(line.startswith(("ZZZZ,T", "CPU_ALL,")) for line in lines):
        return Claim(False, 0.6, "lines of nmon, but without the AAA lines, which have date and host")
    return Claim(False, 0.0, "no AAA lines of nmon")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of host, disks and interfaces; raises UnreadableFile for a sorted file without date and interval."""
    state = {**_START, **(carry or {})}
    parts = lines["text"].str.splitn(",", 3).struct
    tagged = lines.with_columns(tag=parts.field("field_0"), second=parts.field("field_1").str.strip_chars())
    begins = _begins(tagged, state)
    results = []
    for begin, end in zip([None, *begins], [*begins, None], strict=True):
        if begin is not None:
            results.append(_emit(pl.DataFrame(), pl.DataFrame(schema=MARKS), origin, state, is_end=True))
            kept = {name: state[name] for name in ("fold", "last_tag")}
            state = {**_START, **kept, "runs": _ended(state)}
        of_run = tagged if begin is None else tagged.filter(pl.col("line_no") >= begin)
        results.append(_run(of_run if end is None else of_run.filter(pl.col("line_no") < end), origin, state))
    return join_parts(results, sum(result.n_used for result in results), lines, state)


def _ended(state: Carry) -> list[list[Any]]:
    """The runs so far, the last ones of many."""
    if state["at"] is None:
        return list(state["runs"])
    return [*state["runs"], [state["about"].get("host", ""), state["first_at"], state["at"]]][-_MOST_RUNS:]


def _begins(tagged: pl.DataFrame, state: Carry) -> list[int]:
    """Lines with which another run begins: the first AAA line as nmon writes it (in a sorted file it is another)."""
    last = pl.col("tag").shift(1, fill_value=state["last_tag"])
    begins = tagged.filter((pl.col("tag") == "AAA") & (pl.col("second") == "progname") & (last != "AAA"))
    state["last_tag"] = tagged["tag"][-1] if tagged.height else state["last_tag"]
    return begins["line_no"].to_list()


def _run(tagged: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """The lines of one run; `state` moves on."""
    is_shot = pl.col("second").str.contains(r"^T\d{1,6}$").fill_null(False)
    tagged = tagged.with_columns(shot=pl.when(is_shot).then(pl.col("second").str.slice(1).cast(pl.Int64, strict=False)))
    known = tagged.filter(pl.col("tag").str.contains(KNOWN))
    headers = known.filter(pl.col("shot").is_null())
    named = [is_header(tag, text) for tag, text in headers.select("tag", "text").rows()]
    is_good = pl.Series(named, dtype=pl.Boolean)
    headers, others = headers.filter(is_good), headers.filter(~is_good)
    data = known.filter(pl.col("shot").is_not_null())
    about = tagged.filter(tag="AAA")
    _note_about(about, data, tagged.filter(tag="ZZZZ"), state)
    marks, bad_marks = read_marks(tagged.filter(tag="ZZZZ"), origin, state)
    again = repeated(marks, state)["shot"].implode()
    is_again = pl.when(pl.col("shot").is_in(again)).then(pl.lit("out_of_order"))
    data = judge(data, headers, marks, state).with_columns(reason=pl.coalesce("reason", is_again))
    late_lines = marks.filter(pl.col("shot").is_in(again))["line_no"].implode()
    late = tagged.filter((pl.col("tag") == "ZZZZ") & pl.col("line_no").is_in(late_lines))
    late = late.with_columns(reason=pl.lit("out_of_order"))
    is_ours = pl.col("tag").is_in(["AAA", "ZZZZ"]) | pl.col("tag").str.contains(KNOWN)
    is_tagged = pl.col("text").str.contains(r"^[A-Z][\w+-]*,") | (pl.col("text").str.strip_chars() == "")
    junk = tagged.filter(~is_tagged & ~is_ours.fill_null(False))
    junk = pl.concat([junk, others]).with_columns(reason=pl.lit("bad_syntax"))
    result = _emit(data.filter(pl.col("reason").is_null()), marks, origin, state)
    result.rejects = rejected(junk, bad_marks, late, data)
    n_good = data.filter(pl.col("reason").is_null()).height
    result.n_used = about.height + headers.height + n_good + marks.height - late.height
    if marks.height:
        last = marks.row(-1, named=True)
        if state["first_at"] is None:
            state["first_at"] = marks["at"][0]
        state.update(shot=last["shot"], at=last["at"], from_at=last["from_at"])
    for tag, text in headers.select("tag", "text").rows():
        state["headers"] = {**state["headers"], tag: text}
    return result


def _note_about(about: pl.DataFrame, data: pl.DataFrame, marks: pl.DataFrame, state: Carry) -> None:
    """Keep the values of the AAA lines; they do not change after a run's first data."""
    first = min([*data["line_no"].head(1), *marks["line_no"].head(1)], default=None)
    for line_no, text in about.select("line_no", "text").rows():
        _, key, value = [*text.split(",", 2), "", ""][:3]
        if key in _ABOUT and not state["has_begun"] and (first is None or line_no < first):
            state["about"] = {**state["about"], key: value.strip(" ,\r")}
    state["has_begun"] = state["has_begun"] or first is not None


def _emit(data: pl.DataFrame, marks: pl.DataFrame, origin: Origin, state: Carry, is_end: bool = False) -> Parsed:
    """Rows of the snapshots that are complete; the lines of the others are held."""
    if not (data.height or (state["held"] and (marks.height or is_end))):
        return Parsed(tables=no_rows())
    waiting = _waiting(state)
    both = pl.concat([waiting, data.select(waiting.columns)]) if data.height else waiting
    limit = pl.col("table").replace_strict(state["done"], default=0, return_dtype=pl.Int64) if state["done"] else 0
    is_whole = pl.lit(True) if is_end else pl.col("shot") <= limit
    _hold(both.filter(~is_whole), state)
    whole = both.filter(is_whole)
    clock = clock_of(whole, marks, origin, state)
    host = origin.host or state["about"].get("host") or stem_of(origin.path)
    found: dict[str, list[pl.DataFrame]] = {table: [pl.DataFrame(schema=FIGURES)] for table in TABLES}
    for (tag, header, table), lines in whole.group_by("tag", "header", "table", maintain_order=True):
        found[str(table)].append(figures(split(lines, str(tag), str(header)), str(tag), str(header)))
    tables = {table: together(pl.concat(parts), clock, table, host) for table, parts in found.items()}
    coverage = pl.concat([rows.select(COVERAGE.names()) for rows in tables.values()])
    return Parsed(
        tables=tables, coverage=coverage.unique(["host", "from_at", "to_at"], keep="first", maintain_order=True)
    )


def _hold(lines: pl.DataFrame, state: Carry) -> None:
    """Keep lines for the next chunk, each with the place of its header among those kept."""
    headers = lines["header"].unique(maintain_order=True).to_list()
    places = {header: place for place, header in enumerate(headers)}
    state["held"] = [[number, text, places[header]] for number, text, header in lines.select(_HELD).rows()]
    state["held_headers"] = headers


def _waiting(state: Carry) -> pl.DataFrame:
    """Lines kept from the chunk before as they were judged: their tag, snapshot, header and relation."""
    held = pl.DataFrame(
        [(number, text, state["held_headers"][place]) for number, text, place in state["held"]],
        schema=dict(zip(_HELD, (pl.Int64, pl.String, pl.String), strict=True)),
        orient="row",
    )
    parts = held["text"].str.splitn(",", 3).struct
    held = held.with_columns(tag=parts.field("field_0"), second=parts.field("field_1"))
    tables = {tag: relation_of(tag) for tag in held["tag"].unique()}
    return held.select(
        *_HELD,
        "tag",
        shot=pl.col("second").str.strip_chars().str.slice(1).cast(pl.Int64),
        table=pl.col("tag").replace_strict(tables, default=None, return_dtype=pl.String),
    )
