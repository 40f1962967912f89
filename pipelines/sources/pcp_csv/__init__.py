"""Performance Co-Pilot as delimited text: `pmrep -o csv` and pmdumptext.

    Time,"disk.dev.read_bytes-sda","disk.dev.write_bytes-sda","kernel.all.load-1 minute"
    2010-06-15 08:00:00,,,0.250
    2010-06-15 08:00:10,0.000,51200.000,0.310

    Time,"disk.dev.read_bytes[sda](Kbyte)","kernel.all.load[1 minute]"       pmrep 7.1.3 and later, --csv-unit-info

    Time,arch/disk.dev.read_bytes["sda"]            pmdumptext -m -u: instances in brackets, a row of units
    none,Kbyte / second
    2010-06-15 08:00:10,51200.000

Delimiters: comma, semicolon, tab, bar, blank (predefined reports such as `:vmstat` separate "csv" by blanks, and the
stamp then holds one more). Metrics of the processor, memory, disks, interfaces and load are read, see `metrics`; other
columns are not, and a row without any of them only moves the clock on. Empty cells, `?`, `N/A` and `xxx` (too wide for
its column) are null.

**Units** are in pmrep's header only under `--csv-unit-info`. Otherwise those of the metrics are taken (disk Kbyte,
network byte), which only `-b`, `-B` or a configuration changes. Where a predefined report prints another unit the value
is null, with a note. pmdumptext scales every column as it likes: without its units row (`-u`) nothing is certain.

**Counters** are rates already. Values in the first row below a header can only be raw counters (`-r`): null from there
on, with a note. Raw counters that begin after an empty row cannot be distinguished from rates. Parts of processor time
come in ms or in seconds a second of all processors: shares are their parts of the sum, where user, sys, idle and wait
are all present; interrupts count as the kernel's.

**Clock.** Stamps are in the zone pmrep was run in, or the archive's under `-z`. The file does not show which;
`site.toml` decides, unless the stamps have an offset (`-f %FT%T%z`) or are seconds since 1970 (`-f %s`). A row's sample
begins at the row before; the first row below a header only starts the next one.
Under `--dynamic-header` pmrep writes a header wherever devices come or go, and the rows below continue the run: a
counter has a value in the first of them, one step after the row above. Such a run begins with a stamp alone.
pmdumptext's default stamp has no year: it is the one nearest to `origin.date`.
"""

import re

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import TABLES as TABLES
from pipelines.sources._shared.columns import join_parts, no_rows
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import (
    GIVE_DATE,
    MONTH_NUMBERS,
    dated,
    from_microseconds,
    instant_of,
    offset_of,
    read_stamp,
)
from pipelines.sources.pcp_csv.metrics import Header, is_header, read_header
from pipelines.sources.pcp_csv.rows import has_counter, read_cells, tables
from pipelines.sources.protocol import COVERAGE, Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "PCP as CSV"
VERSION = 5
SPEAKS_FOR = "hosts"

_OFFSET = r"(?:Z|[+-]\d\d:?\d\d)"
_ISO = rf"\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?{_OFFSET}?"
_EPOCH = r"\d{9,10}(?:\.\d+)?"
_YEARLESS = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
_STAMPED = rf'^"?({_ISO}|{_EPOCH}|{_YEARLESS}(?: [12]\d{{3}})?)"?(.?)(.*)$'
_BARE = rf'^"?{_ISO}"?\r?$'
_LONGEST_STEP = 1.5  # of the step before: no longer one is a step of the same run
_START: Carry = {
    "header": None,  # the line, and the units row below it
    "units": "",
    "is_first": True,  # no row since the header
    "is_raw": False,
    "at": None,  # microseconds: the stamp of the row before
    "step": None,  # microseconds between the last two rows
    "above": None,  # both, of the last row above the header
    "fold": None,  # see _stamps
}


def recognise(head: list[str]) -> Claim:
    """A header line with metric names of PCP."""
    lines = [line for line in head if line.strip()]
    headers = [line for line in lines if is_header(line)]
    if headers:
        if any(read_header(header).fields for header in headers):
            return Claim(True, 1.0, "a header with metrics of PCP")
        return Claim(False, 0.7, "this is CSV of PCP without any metric that tapescope uses")
    if lines and all(re.match(rf"{_YEARLESS}\t", line) for line in lines):
        return Claim(False, 0.7, "this is output of pmdumptext without -m: no line names the columns")
    return Claim(False, 0.0, "no header line of pmrep or pmdumptext")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of the host, its disks and interfaces; raises UnreadableFile where no year is to be had."""
    state = {**_START, **(carry or {})}
    text = pl.col("text")
    kinds = lines.with_columns(
        kind=first_of(
            header=text.str.contains(r'^"?Time"?[,;|\t ]'),
            units=text.str.contains(r"^none[,;|\t]"),
            # pmdumptext begins with a row of no time, pmrep -x with comments
            blank=(text.str.strip_chars() == "") | text.str.contains(r"^(?:\?[,;|\t]|#)"),
            otherwise="row",
        )
    )
    marks = kinds.filter(pl.col("kind").is_in(["header", "units"]))
    rows = kinds.filter(kind="row")
    parts, begin = [], 0
    for line_no, mark, kind in marks.select("line_no", "text", "kind").rows():
        if (above := rows.filter(pl.col("line_no").is_between(begin, line_no))).height:
            parts.append(_part(above, origin, state))
        _turn(state, mark, kind, line_no)
        begin = line_no
    parts.append(_part(rows.filter(pl.col("line_no") > begin), origin, state))
    n_left = kinds.filter(kind="blank").height + sum(part.rejects.height for part in parts)
    return join_parts(parts, lines.height - n_left, lines, state)


def _turn(state: Carry, text: str, kind: str, line_no: int) -> None:
    """A header, or the units row below one."""
    if kind == "units":
        if state["header"] is not None and state["is_first"]:
            state["units"] = text
        return
    if not is_header(text):
        raise UnreadableFile(
            f"line {line_no}: the header has no names of metrics: {text[:120]}", "use the header line that pmrep wrote"
        )
    above = state["above"] if state["at"] is None else [state["at"], state["step"]]
    state.update(header=text, units="", is_first=True, at=None, step=None, above=above)


def _part(rows: pl.DataFrame, origin: Origin, state: Carry) -> Parsed:
    """The rows below one header; `state` moves on."""
    rows = rows.select("line_no", "text")
    if state["header"] is None:
        bare = rows["text"].str.contains(_BARE)
        unread = _split(rows.filter(bare)).with_columns(reason=pl.lit(None, dtype=pl.String))
        _date(_local(unread, origin), origin, state)
        lost = rows.filter(~bare).with_columns(reason=pl.lit("no_header"))
        return Parsed(tables=no_rows(), rejects=rejected(lost))
    header = read_header(state["header"], state["units"])
    split = _local(_shaped(_split(rows), header), origin)
    cells = read_cells(split["rest"], header)
    split = split.hstack(cells.values).with_columns(is_bad=cells.is_bad)
    _begin(split, header, origin, state)
    split = _date(split, origin, state)
    is_whole = pl.col("reason").is_null()
    split = split.with_columns(reason=pl.coalesce("reason", pl.when("is_bad").then(pl.lit("bad_number"))))
    good = split.filter(is_whole & pl.col("from_at").is_not_null())
    good = good.with_columns(host=pl.lit(origin.host or stem_of(origin.path), dtype=pl.String))
    coverage = good.select("line_no", "host", "from_at", "to_at").cast(COVERAGE)
    return Parsed(tables=tables(good, header, state["is_raw"]), rejects=rejected(split), coverage=coverage)


def _split(rows: pl.DataFrame) -> pl.DataFrame:
    """Stamp and cells of each row."""
    parts = rows["text"].str.strip_chars_end("\r").str.extract_groups(_STAMPED).struct
    return rows.with_columns(stamp=parts.field("1"), mark=parts.field("2"), rest=parts.field("3"))


def _shaped(rows: pl.DataFrame, header: Header) -> pl.DataFrame:
    """Why a row is rejected for its form."""
    n_cells = pl.col("rest").str.count_matches(header.delimiter, literal=True) + 1
    width = pl.when(pl.col("mark") == "").then(0).otherwise(n_cells)
    return rows.with_columns(
        reason=first_of(
            bad_time=pl.col("stamp").is_null(),
            wrong_width=(width != header.n_fields) | (pl.col("mark") != header.delimiter),
        )
    )


def _local(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Stamps as local time; those with an offset and epochs as UTC, which `word` states."""
    stamp, offset = pl.col("stamp"), pl.col("stamp").str.extract(rf":\d\d(?:\.\d+)?({_OFFSET})$")
    local = read_stamp(
        stamp.str.replace(rf"{_OFFSET}$", "").str.replace("T", " ", literal=True), "%Y-%m-%d %H:%M:%S%.f"
    )
    epoch = instant_of(pl.when(stamp.str.contains(rf"^{_EPOCH}$")).then(stamp).cast(pl.Float64, strict=False))
    full = read_stamp(stamp.str.slice(4).str.replace("  ", " 0", literal=True), "%b %d %H:%M:%S %Y")
    rows = rows.with_columns(
        local=pl.coalesce(local - offset_of(offset.fill_null("Z")), epoch, full),
        word=pl.when(offset.is_not_null() | epoch.is_not_null()).then(pl.lit("UTC")).otherwise(pl.lit("")),
    )
    is_yearless = rows["stamp"].str.contains(rf"^{_YEARLESS}$").fill_null(False)
    if is_yearless.any():
        rows = rows.with_columns(local=pl.coalesce("local", _with_year(pl.col("stamp"), origin)))
    return rows


def _date(rows: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Instants at which samples begin and end; the stamp of a row that is rejected still bounds the next one."""
    known, state["fold"] = dated(rows, origin.zone, state["fold"])
    known = known.select("line_no", to_at="at")
    known = known.with_columns(
        from_at=pl.col("to_at").shift(1).fill_null(pl.lit(from_microseconds(state["at"]), dtype=pl.Datetime("us")))
    )
    if known.height:
        begin, state["at"] = known.tail(1).select(pl.col("from_at", "to_at").dt.epoch("us")).row(0)
        state["step"] = None if begin is None else state["at"] - begin
    rows = rows.join(known, on="line_no", how="left", maintain_order="left")
    return rows.with_columns(
        reason=pl.coalesce(
            first_of(bad_time=pl.col("to_at").is_null()),
            "reason",
            first_of(out_of_order=pl.col("from_at") >= pl.col("to_at")),
        )
    )


def _with_year(stamp: pl.Expr, origin: Origin) -> pl.Expr:
    """Stamps without a year in the one that brings them nearest to the day of the file's first line."""
    if origin.date is None:
        raise UnreadableFile("the time stamps have no year", GIVE_DATE, "no_clock")
    short = stamp.str.slice(4).str.replace("  ", " 0", literal=True)
    month = short.str.head(3).replace_strict(MONTH_NUMBERS, default=None, return_dtype=pl.Int64)
    ahead = month - origin.date.month
    year = origin.date.year + pl.when(ahead > 6).then(-1).when(ahead < -6).then(1).otherwise(0)
    return read_stamp(pl.concat_str([year, short], separator=" "), "%Y %b %d %H:%M:%S")


def _begin(rows: pl.DataFrame, header: Header, origin: Origin, state: Carry) -> None:
    """What the first whole row below a header shows: a run that begins, one that continues, or raw counters.

    A counter has a value there if the row above is of the same run, one step before. Otherwise it can only be raw.
    """
    if not state["is_first"]:
        return
    is_whole = pl.col("reason").is_null() & ~pl.col("is_bad") & pl.col("local").is_not_null()
    first = rows.filter(is_whole).head(1)
    if not first.height:
        return
    state["is_first"] = False
    has_value = bool(has_counter(first.select(str(f.place) for f in header.fields), header)[0])
    at = int(dated(first, origin.zone, state["fold"])[0]["at"].dt.epoch("us")[0])
    above, step = state["above"] or (at, None)
    is_continued = has_value and 0 < at - above <= _LONGEST_STEP * (step or at - above)
    if not is_continued:
        state["is_raw"] = has_value
    elif state["at"] is None:
        state["at"] = above
