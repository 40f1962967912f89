"""tapestat of sysstat: what each tape drive of a host read and wrote, and how long it was busy, by the kernel's count.

    Linux 5.14.0-70.el9.x86_64 (tpsrv01)   07/13/2015   _x86_64_   (16 CPU)

    07/13/2015 10:00:00 AM
    Tape:     r/s     w/s   kB_read/s   kB_wrtn/s  %Rd  %Wr  %Oa    Rs/s    Ot/s
    st0         0     766           0      195312    0   70   84       0       0

Text, and JSON (`-o JSON`) with an object a line. A row of `bronze.drive_counter` is a report's rates times its
interval: kB are 1024 bytes, MB (`-m`) 2^20; percent are of the interval, %Oa of all commands, reads and writes among
them. tapestat cuts its figures to whole ones: each is low by up to one kB/s, percent or request a second. What is more
than 998 % it prints as 999, which is null here.

**Clock.** A report's stamp (`-t`) ends its interval, the stamp before begins it. Without `-t` the first report is of
`origin.start_at`, and each that follows is `origin.interval_s` later. How dates are read: see `_shared/sysstat`.

**Runs.** Each banner begins a run, and the first report of a run holds averages since boot: it is left out.
"""

import re
from typing import Any, NamedTuple

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.units import KIB, MIB
from pipelines.sources._shared.columns import DRIVE, as_column, over
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.flat import flatten
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import microseconds
from pipelines.sources._shared.sysstat import (
    IS_STAMP,
    UNDATED,
    date_order,
    numbers,
    read_banner,
    read_date,
    read_stamps,
    without_colours,
)
from pipelines.sources.protocol import AVERAGES, COVERAGE, REJECTS, Carry, Claim, Origin, Parsed

TITLE = "tapestat"
VERSION = 1
TABLES = (DRIVE,)
SPEAKS_FOR = "hosts"

_BANNER, _DATE, _STAMP, _HEADER, _ROW, _SKIP, _JUNK = "banner", "date", "stamp", "header", "row", "skip", "junk"
_HEAD = re.compile(r"Tape: r/s w/s (?:(k|M)B_read/s \1B_wrtn/s|B_read/s B_wrtn/s) %Rd %Wr %Oa Rs/s Ot/s")
_LIKE_HEAD = re.compile(r"Tape:? ")
_OBJECT = re.compile(r'\{ *"tape_device": *"([^"]*)", *(.*)\},?')
_PAIR = re.compile(r'"([^"]+)": *("[^"]*"|[^",\s{}]+)')
_ONE_PAIR = re.compile(rf"{_PAIR.pattern},?")
_FRAME = re.compile(r'(?:\{"sysstat": ?|"(?:sysstat|hosts|statistics|tape)": ?)?[][{}, ]*')
_KEYS = ("r/s", "w/s", "_read/s", "_wrtn/s", "Rd", "Wr", "Oa", "Rs/s", "Ot/s")
_COLUMNS = ("n_read", "n_write", "read_bytes", "write_bytes", "read_s", "write_s", "io_s", "n_residual", "n_other")
_FIGURES = pl.Schema(
    {
        "line_no": pl.Int64,
        "text": pl.String,
        "host": pl.String,
        "from_us": pl.Int64,
        "to_us": pl.Int64,
        "unit": pl.String,
        "flat": pl.String,
    }
)
_UNITS = {"": 1, "B": 1, "kB": KIB, "MB": MIB}
_MOST_PERCENT = 999
_START: Carry = {
    "run": 0,
    "host": "",
    "date": "",  # of the banner, as printed
    "clock": None,  # see _shared/sysstat
    "stamp": None,  # microseconds, if a stamp precedes the next report
    "is_stamped": False,
    "report": 0,  # reports so far, of all runs
    "unit": None,  # of the header above; None without one
    "is_begun": False,  # the run has a report, and whether the last one is its first
    "is_first": True,
    "from_us": None,
    "to_us": None,
}


class _Line(NamedTuple):
    """What a line is, and of it what counts: host and date, a stamp, a drive and its figures."""

    line_no: int
    text: str
    kind: str
    flat: str = ""
    unit: str = ""  # of bytes, in a header, and in JSON in each row


def recognise(head: list[str]) -> Claim:
    """A header of tapestat, or an object of its JSON."""
    flats = [" ".join(line.split()) for line in head]
    if any(_HEAD.fullmatch(flat) for flat in flats):
        return Claim(True, 1.0, "a header of tapestat")
    if flats and flats[0].startswith('{"sysstat"') and any(_OBJECT.fullmatch(flat) for flat in flats):
        return Claim(True, 1.0, "JSON of tapestat")
    if any(_LIKE_HEAD.match(flat) and "%Rd" in flat for flat in flats):
        return Claim(False, 0.7, "a header like that of tapestat, but with unknown or cut columns")
    return Claim(False, 0.0, "no header of tapestat")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Intervals of tape drives; raises UnreadableFile for an unknown header or no clock."""
    state: Carry = {**_START, **(carry or {})}
    flat = flatten(without_colours(lines)).with_columns(is_stamp=pl.col("flat").str.contains(IS_STAMP))
    read = [_line(*row) for row in flat.select("line_no", "text", "flat", "is_stamp").rows()]
    stamps = _stamps(read, origin, state)
    rows: list[list[Any]] = []
    bad: list[tuple[int, str, str]] = []
    n_averages = 0
    for line in read:
        _turn(line, stamps, origin, state)
        if reason := _why_not(line, stamps, state):
            bad.append((line.line_no, line.text, reason))
        elif line.kind == _ROW and state["is_first"]:
            n_averages += 1
        elif line.kind == _ROW:
            host = origin.host or state["host"] or stem_of(origin.path)
            unit = line.unit or state["unit"]
            rows.append([line.line_no, line.text, host, state["from_us"], state["to_us"], unit, line.flat])
    good, unread = _figures(rows)
    rejects = pl.concat([pl.DataFrame(bad, schema=REJECTS, orient="row"), unread]).sort("line_no")
    n_skipped = n_averages + sum(line.kind == _SKIP for line in read)
    return Parsed(
        tables={DRIVE: complete(good, DRIVE)},
        n_used=lines.height - n_skipped - rejects.height,
        n_skipped=n_skipped,
        rejects=rejects,
        coverage=good.unique(["host", "from_at", "to_at"], keep="first", maintain_order=True)
        .select(COVERAGE.names())
        .cast(COVERAGE),
        carry=state,
        notes={AVERAGES: n_averages},
    )


def _line(line_no: int, text: str, flat: str, is_stamp: bool) -> _Line:
    if not flat:
        return _Line(line_no, text, _SKIP)
    if flat[0] in '{["]}':
        return _of_json(line_no, text, flat)
    if banner := read_banner(flat):
        return _Line(line_no, text, _BANNER, f"{banner.host} {banner.date}")
    if head := _HEAD.fullmatch(flat):
        return _Line(line_no, text, _HEADER, unit=f"{head[1] or ''}B")
    if _LIKE_HEAD.match(flat):
        raise UnreadableFile(
            f"line {line_no}: the header of tapestat is not known: {flat[:120]}",
            "provide the output as tapestat printed it, with all columns from r/s to Ot/s",
            reason="unknown_header",
        )
    if is_stamp:
        return _Line(line_no, text, _STAMP, flat)
    return _Line(line_no, text, _ROW if flat.startswith("st") else _JUNK, flat)


def _of_json(line_no: int, text: str, flat: str) -> _Line:
    if match := _OBJECT.fullmatch(flat):
        pairs = {key: value.strip('"') for key, value in _PAIR.findall(match[2])}
        unit = next((unit for unit in _UNITS if f"{unit}_read/s" in pairs), "")
        named = [pairs.get(unit + key if key.startswith("_") else key, "") for key in _KEYS]
        return _Line(line_no, text, _ROW, " ".join([match[1], *named]), unit)
    if flat.startswith('"tape": ['):
        return _Line(line_no, text, _HEADER)
    if match := _ONE_PAIR.fullmatch(flat):
        kind = {"nodename": _BANNER, "date": _DATE, "timestamp": _STAMP}.get(match[1], _SKIP)
        return _Line(line_no, text, kind, match[2].strip('"'))
    return _Line(line_no, text, _SKIP if _FRAME.fullmatch(flat) else _JUNK)


def _stamps(read: list[_Line], origin: Origin, state: Carry) -> dict[int, int | None]:
    """Microseconds since 1970 of the lines of stamps; None where one cannot be read."""
    run, day = state["run"], state["date"]
    found = []
    for line in read:
        if line.kind == _BANNER:
            run, day = run + 1, line.flat.partition(" ")[2]
        elif line.kind == _DATE:
            day = line.flat
        elif line.kind == _STAMP:
            found.append((line.line_no, line.flat, day, run))
    if not found:
        return {}
    stamps = pl.DataFrame(found, schema=["line_no", "flat", "printed", "run"], orient="row")
    order = date_order(origin.head, origin)
    needs_day = stamps["flat"].str.contains(UNDATED).any()
    days = {text: read_date(text, order) if needs_day else None for text in stamps["printed"].unique()}
    dated = stamps.with_columns(day=pl.Series([days[text] for text in stamps["printed"]], dtype=pl.Date))
    at, state["clock"] = read_stamps(dated, origin, order, state["clock"])
    return dict(zip(stamps["line_no"], at.dt.epoch("us"), strict=True))


def _turn(line: _Line, stamps: dict[int, int | None], origin: Origin, state: Carry) -> None:
    """Update the state from a line that is no row, for the rows below it."""
    if line.kind == _BANNER:
        host, _, day = line.flat.partition(" ")
        state.update(run=state["run"] + 1, host=host, date=day, unit=None, to_us=None, stamp=None)
        state.update(is_begun=False, is_stamped=False)
    elif line.kind == _DATE:
        state["date"] = line.flat
    elif line.kind == _STAMP:
        state.update(stamp=stamps[line.line_no], is_stamped=True)
    elif line.kind == _HEADER:
        at = state["stamp"] if state["is_stamped"] else _counted(origin, state["report"])
        state.update(unit=line.unit, from_us=state["to_us"], to_us=at, stamp=None, report=state["report"] + 1)
        state.update(is_first=not state["is_begun"], is_begun=True)


def _counted(origin: Origin, n_before: int) -> int:
    """The instant of a report without a stamp, `n_before` reports after the first."""
    if origin.start_at is None or origin.interval_s is None:
        raise UnreadableFile(
            "the reports of tapestat in this file have no time stamps",
            "give `start_at` and `interval_s` in the file's [[input]] of site.toml, or run tapestat with -t",
            reason="no_clock",
        )
    return microseconds(origin.start_at) + round(n_before * origin.interval_s * 1_000_000)


def _why_not(line: _Line, stamps: dict[int, int | None], state: Carry) -> str:
    """Why a line is rejected; empty where it is not."""
    if line.kind == _JUNK:
        return "bad_syntax"
    if line.kind == _STAMP:
        return "bad_time" if stamps[line.line_no] is None else ""
    if line.kind != _ROW:
        return ""
    if state["unit"] is None:
        return "no_header"
    if len(line.flat.split()) != 1 + len(_COLUMNS):
        return "wrong_width"
    if state["is_first"]:
        return ""
    if state["from_us"] is None or state["to_us"] is None:
        return "bad_time"
    return "out_of_order" if state["from_us"] >= state["to_us"] else ""


def _figures(rows: list[list[Any]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of figures as totals of their intervals, and those with a figure that is no number as rejects."""
    frame = pl.DataFrame(rows, schema=_FIGURES, orient="row")
    parts = [
        part.hstack(numbers(_cells(part["flat"]), dict.fromkeys(("read_bytes", "write_bytes"), _UNITS[str(unit)])))
        for (unit,), part in frame.group_by("unit", maintain_order=True)
    ]
    empty = frame.hstack(_cells(frame["flat"]).cast(pl.Float64)) if not parts else frame.clear()
    read = pl.concat([*parts, empty], how="diagonal").sort("line_no")
    figures = pl.col(_COLUMNS)
    is_bad = pl.any_horizontal(figures.is_null() | figures.is_nan() | (figures < 0))
    bad = read.filter(is_bad).select("line_no", "text", reason=pl.lit("bad_number")).cast(REJECTS)
    good = read.filter(~is_bad).with_columns(
        tool=pl.lit("tapestat"),
        device=pl.col("flat").str.extract(r"^(\S+)"),
        from_at=pl.col("from_us").cast(pl.Datetime("us")),
        to_at=pl.col("to_us").cast(pl.Datetime("us")),
        seconds=over(pl.col("to_us") - pl.col("from_us"), 1_000_000),
    )
    return good.with_columns(as_column(_total(name), DRIVE, name).alias(name) for name in _COLUMNS), bad


def _cells(flats: pl.Series) -> pl.DataFrame:
    """The figures after the drive's name, by their columns."""
    cells = flats.str.split(" ").list
    return pl.DataFrame({name: cells.get(place, null_on_oob=True) for place, name in enumerate(_COLUMNS, 1)})


def _total(name: str) -> pl.Expr:
    """A rate, or a percentage of time, over the interval."""
    if name.endswith("_s"):
        return pl.when(pl.col(name) < _MOST_PERCENT).then(over(pl.col(name), 100) * pl.col("seconds"))
    return pl.col(name) * pl.col("seconds")
