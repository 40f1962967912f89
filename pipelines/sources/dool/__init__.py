"""CSV files of dstat and of dool, its successor: processor, disks, network, paging, load; one row per sample.

    "Dstat 0.7.3 CSV output"
    "Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
    "Host:","stage07",,,,"User:","root"
    "Cmdline:","dstat -tcd --output stage07.csv 10",,,,"Date:","15 Jun 2010 08:00:00 CDT"

    "system","total cpu usage",,,,,,"dsk/total",
    "time","usr","sys","idl","wai","hiq","siq","read","writ"
    15-06 08:00:00,2.134,1.211,95.011,1.500,0.044,0.100,1048576.0,524288.0

Each run appends its preamble and its rows. Only the first preamble of a file has the lines of program and author. The
first row of a run holds averages since boot: it is skipped, but its stamp begins the next sample.

**Bits.** dstat writes bytes, also with `--bits`; dool from 1.3 on counts bits in disks and network unless called with
`--bytes` or `--dstat`. Only the preamble shows which, as the columns are the same. The unit of older dools is unknown:
null, with a note. Paging, memory and swap are bytes, `io` requests, processor shares percent; hiq and siq count as the
kernel's.

**Clock.** `-t` stamps have day and month but no year: it is that of the preamble's date, or the next one. `-T` is
seconds since 1970. Without either, a row's time is the preamble's date plus one delay (the number at the end of the
command) for each row before it. The zone is that of the preamble's date, read by `_shared/stamps.py`.
"""

import re
from datetime import datetime

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import TABLES as TABLES
from pipelines.sources._shared.columns import join_parts, no_rows, sampled
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import MONTH_NUMBERS, announced, dated, from_microseconds, read_stamp
from pipelines.sources.dool.preamble import PROGRAM, Preamble, cells, delay_s, read_preamble, read_start
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "dstat and dool"
VERSION = 3
SPEAKS_FOR = "hosts"

_START: Carry = {
    "program": "",  # of the run, and the rest of its preamble
    "host": "",
    "command": "",
    "begin": None,
    "word": "",
    "groups": None,
    "columns": None,
    "n_rows": 0,  # since the preamble
    "at": None,  # microseconds: the stamp of the row before
    "fold": None,  # see _stamps
}
_OTHER = re.compile(r'^"[^"]*(?:dstat|dool)[^"]* CSV output"', re.IGNORECASE)
_LARGEST = 2.0**62


def recognise(head: list[str]) -> Claim:
    """The first line of a preamble."""
    first = next((line.strip() for line in head if line.strip()), "")
    if found := PROGRAM.match(first):
        return Claim(True, 1.0, f"the preamble of {found[1].lower()}")
    if _OTHER.match(first):
        return Claim(False, 0.7, f"CSV like that of dstat, but from a program whose units are not known: {first[:80]}")
    if any(PROGRAM.match(line) for line in head):
        return Claim(False, 0.6, "a preamble of dstat or dool, but not on the first line")
    return Claim(False, 0.0, "no preamble of dstat or dool")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of the host, its disks and interfaces; raises UnreadableFile for an unknown program or no clock."""
    state = {**_START, **(carry or {})}
    text = pl.col("text")
    kinds = lines.with_columns(
        kind=first_of(
            blank=text.str.strip_chars() == "",
            mark=text.str.starts_with('"') & ~text.str.contains(r'^"\d'),
            otherwise="row",
        )
    )
    marks, rows = kinds.filter(kind="mark"), kinds.filter(kind="row").select("line_no", "text")
    parts, begin = [], 0
    for line_no, mark in marks.select("line_no", "text").rows():
        parts.append(_part(rows.filter(pl.col("line_no").is_between(begin, line_no)), origin, state))
        _turn(state, mark, line_no)
        begin = line_no
    parts.append(_part(rows.filter(pl.col("line_no") > begin), origin, state))
    return join_parts(parts, sum(part.n_used for part in parts) + marks.height, lines, state)


def _turn(state: Carry, text: str, line_no: int) -> None:
    """One line of a preamble."""
    if found := PROGRAM.match(text):
        state.update(_START, program=f"{found[1].replace('Dool', 'dool')} {found[2]}.{found[3]}", fold=state["fold"])
    elif _OTHER.match(text):
        raise UnreadableFile(f"line {line_no}: the units of this program's columns are not known: {text[:80]}")
    elif text.startswith('"Host:"'):
        if state["columns"] is not None:  # a run appended to a file does not name the program again
            state.update(_START, program=state["program"], fold=state["fold"])
        state["host"] = [*cells(text), "", ""][1]
    elif text.startswith('"Cmdline:"'):
        state.update(read_start(text))
    elif text.startswith('"Author:"'):
        pass
    elif state["groups"] is None:
        state["groups"] = text
    elif state["columns"] is None:
        state["columns"] = text
    else:
        raise UnreadableFile(f"line {line_no}: a header without a preamble: {text[:120]}")


def _part(rows: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """Rows below one preamble; `state` moves on."""
    if state["columns"] is None or not rows.height:
        return Parsed(tables=no_rows(), rejects=rejected(rows.with_columns(reason=pl.lit("no_header"))))
    preamble = read_preamble(state["program"], state["command"], state["groups"], state["columns"])
    rows = rows.with_columns(
        cells=pl.col("text").str.strip_chars_end("\r").str.replace_all('"', "", literal=True).str.split(",")
    )
    rows = rows.with_columns(
        reason=pl.when(pl.col("cells").list.len() != preamble.n_columns).then(pl.lit("wrong_width"))
    )
    rows = _read_values(_date(rows, preamble, origin, state), preamble)
    is_first = pl.int_range(pl.len()) + state["n_rows"] == 0
    state["n_rows"] += rows.height
    is_sample = pl.col("reason").is_null() & ~is_first & pl.col("from_at").is_not_null()
    host = origin.host or state["host"] or stem_of(origin.path)
    rows = rows.with_columns(is_sample=is_sample, host=pl.lit(host, dtype=pl.String))
    good = rows.filter("is_sample")
    return Parsed(
        tables=sampled(good, preamble.targets, "dool"),
        n_used=good.height,
        rejects=rejected(rows),
        coverage=good.select("line_no", "host", "from_at", "to_at").cast(COVERAGE),
    )


def _read_values(rows: pl.DataFrame, preamble: Preamble) -> pl.DataFrame:
    """The cells that are read as numbers, by place."""
    places = [target.place for target in preamble.targets] + list(preamble.interrupts)
    if not places:
        raise UnreadableFile("the file has no column that tapescope uses")
    texts = rows.select(pl.col("cells").list.get(int(place), null_on_oob=True).alias(place) for place in places)
    known = texts.select(pl.when(~pl.all().is_in(["", "-"])).then(pl.all().str.strip_chars()))
    values = known.select(pl.all().cast(pl.Float64, strict=False))
    values = values.select(pl.when(pl.all().abs() < _LARGEST).then(pl.all()))
    is_bad = pl.Series([False] * rows.height, dtype=pl.Boolean)
    for place in places:
        is_bad = is_bad | (known[place].is_not_null() & values[place].is_null())
    system = next((target.place for target in preamble.targets if target.column == "cpu_system"), None)
    if system and preamble.interrupts:
        values = values.with_columns(pl.sum_horizontal(system, *preamble.interrupts, ignore_nulls=False).alias(system))
    rows = rows.hstack(values).with_columns(is_bad=is_bad)
    return rows.with_columns(reason=pl.coalesce("reason", pl.when("is_bad").then(pl.lit("bad_number"))))


def _date(rows: pl.DataFrame, preamble: Preamble, origin: Origin, state: Carry) -> pl.DataFrame:
    """Instants at which samples begin and end; the stamp of a row that is rejected still bounds the next one."""
    if preamble.is_epoch:
        stamp = _cell(preamble.clock).cast(pl.Float64, strict=False)
        stamp = pl.when(stamp.is_between(315_532_800, 4_102_444_800)).then(stamp)
        known = rows.select("line_no", to_at=(stamp * 1_000_000).round().cast(pl.Int64).cast(pl.Datetime("us")))
    else:
        local = _counted(state) if preamble.clock is None else _stamped(_cell(preamble.clock), state)
        rows = rows.with_columns(local=local, word=pl.lit(announced(state["word"], origin.zone)))
        known, state["fold"] = dated(rows, origin.zone, state["fold"])
        known = known.select("line_no", to_at="at")
    known = known.filter(pl.col("to_at").is_not_null())
    known = known.with_columns(
        from_at=pl.col("to_at").shift(1).fill_null(pl.lit(from_microseconds(state["at"]), dtype=pl.Datetime("us")))
    )
    if known.height:
        state["at"] = known["to_at"].dt.epoch("us")[-1]
    return rows.join(known, on="line_no", how="left", maintain_order="left").with_columns(
        reason=pl.coalesce(
            "reason", first_of(bad_time=pl.col("to_at").is_null(), out_of_order=pl.col("from_at") >= pl.col("to_at"))
        )
    )


def _cell(place: int | None) -> pl.Expr:
    return pl.col("cells").list.get(place or 0, null_on_oob=True).str.strip_chars()


def _begin(state: Carry) -> datetime:
    if state["begin"] is None:
        raise UnreadableFile(
            "the preamble has no readable date, and the rows have no year",
            "repair the Date in the preamble",
            reason="no_clock",
        )
    return datetime.strptime(state["begin"], "%Y %b %d %H:%M:%S")


def _counted(state: Carry) -> pl.Expr:
    """Local times of rows without a stamp: the start plus one delay for each row before."""
    rank = pl.int_range(pl.len()) + state["n_rows"]
    step = delay_s(state["command"])
    return pl.lit(_begin(state), dtype=pl.Datetime("us")) + pl.duration(seconds=rank * step)


def _stamped(stamp: pl.Expr, state: Carry) -> pl.Expr:
    """Local times of `15-06 08:00:00` (dstat) or `Jun-15 08:00:00` (dool), in the year of the start or the next."""
    begin = _begin(state)
    groups = stamp.str.extract_groups(r"^(\w+)-(\w+) (\d\d:\d\d:\d\d(?:\.\d+)?)$").struct
    one, two, time = groups.field("1"), groups.field("2"), groups.field("3")
    named = one.replace_strict(MONTH_NUMBERS, default=None, return_dtype=pl.Int64).cast(pl.String).str.zfill(2)
    month = pl.when(named.is_not_null()).then(named).otherwise(two)
    day = pl.when(named.is_not_null()).then(two).otherwise(one)
    is_later = month.cast(pl.Int64, strict=False) >= begin.month
    year = pl.when(is_later).then(begin.year).otherwise(begin.year + 1)
    date = pl.concat_str([year.cast(pl.String), month, day], separator="-")
    return read_stamp(pl.concat_str([date, time], separator=" "), "%Y-%m-%d %H:%M:%S%.f")
