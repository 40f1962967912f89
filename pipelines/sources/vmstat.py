"""vmstat of Linux: load of a host and the bytes its disks moved, one row per sample.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 CDT
     1  0      0 803444  49984 124916    0    0    87    17 1006   57 47 23 28  1  1 2010-06-15 08:00:00
     1  2      0 803444  49984 124940    0    0     0 104960 992   59 75 25  0  0  0 2010-06-15 08:00:01

Written by procps of any age: 16 columns with `w` (to 3.0.5) or `wa`, 17 with `st`, 18 with `gu`, with `-a`, `-n`,
`-w`, `-t`. The header decides the columns, see `_vmstat_header`; overflowing columns shift a row, so rows are split
at blanks. Memory and swap are taken as KiB: nothing in the text tells of `-S`, which is not supported yet. bi and bo
are KiB/s whatever the manual says. Files of other systems and other modes (`-d`, `-s`, …) are refused.

**Clock.** With `-t` a row has its stamp (zone: see `_stamps`). A `date` or OSWatcher `zzz ***` line dates the row
behind it, `origin.start_at` the file's first row, and rows behind those follow at `origin.interval_s`, whatever
header stands between them.

**Runs.** The first row of a run holds averages since boot: it is skipped, but its stamp begins the next sample. A
run begins at the file's first row; where stamps go back, or jump by more than three times the usual step (the median
of the five before); and at a header that is not due. A header is due after 21 rows, or, in a file with stamps, after
as many rows as last time (at least 15, so that a loop over short runs is not taken for a low terminal window) if the
step over it is a usual one. In doubt we see a run start: that loses a row, while the opposite passes averages since
boot off as a second.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import polars as pl

from pipelines.errors import UnreadableFile
from pipelines.records import REJECTS, Carry, Claim, Origin, Parsed
from pipelines.sources._names import stem_of
from pipelines.sources._stamps import instants, read_stamp
from pipelines.sources._vmstat_header import LAYOUTS, foreign, is_group_line, is_like_header, read_header
from pipelines.sources._vmstat_rows import COLUMNS, find_runs, seen_of, split

TITLE = "vmstat"
VERSION = 1
TABLES = ("vmstat",)

_CLOCK = re.compile(r"(?:zzz \*+ ?)?[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d?) (\d\d:\d\d:\d\d) (?:(\S+) )?(\d{4})")
_ROW_START = r"^-?\d"
# Blanks replaced by one, in this order: all runs vmstat prints are gone then, in half the time of a regular expression.
_SQUEEZES = (5, 3, 2, 2)
_START: Carry = {
    "n_rows": 0,  # rows of numbers so far, good or bad: the rank of a row is its clock and tells when a header is due
    "layout": None,  # of the last header: index into LAYOUTS, zone, whether it announces stamps
    "zone": "",
    "is_stamped": False,
    "header_rank": None,  # n_rows at the last header, and the rows between it and the one before
    "gap": None,
    "last_kind": "",  # of the last line that is no row
    "last_rank": 0,
    "anchor_at": None,  # microseconds: the instant of the row behind rank anchor_rank
    "anchor_rank": 0,
    "fold": None,  # see _stamps
    "due": 0,  # see _vmstat_rows
    "at": None,
    "steps": [],
}
_OTHERS = {"flat": pl.String, "kind": pl.String, "layout": pl.Int64, "zone": pl.String, "clock": pl.String}


def recognise(head: list[str]) -> Claim:
    """A vmstat header of Linux; anything else is named as far as it is known."""
    flats = [flat for line in head if (flat := " ".join(line.split()))]
    for flat in flats:
        if what := foreign(flat):
            return Claim(False, 0.7, f"this is {what}; only the table of Linux's vmstat is read")
    headers = [header for flat in flats if not re.match(_ROW_START, flat) and (header := read_header(flat))]
    rows = sum(re.match(_ROW_START, flat) is not None and len(flat.split(" ")) >= 16 for flat in flats)
    if headers:
        fitting = rows + sum(
            _classify(flat)[0] not in ("junk", "unknown") for flat in flats if not re.match(_ROW_START, flat)
        )
        if 2 * fitting < len(flats):
            return Claim(False, 0.5, "a vmstat header, but most lines are neither its rows nor headers")
        return Claim(True, 1.0, f"a vmstat header with {len(headers[0].names)} columns")
    if unknown := next((flat for flat in flats if is_like_header(flat)), ""):
        return Claim(False, 0.6, f"begins like a vmstat header, but its columns are unknown or cut: {unknown[:120]}")
    if any(is_group_line(flat) for flat in flats):
        return Claim(False, 0.5, "vmstat's group titles, but no line of column names that is known")
    if rows and 2 * rows > len(flats):
        return Claim(False, 0.4, "rows of numbers as vmstat prints them, but no header line to name the columns")
    return Claim(False, 0.0, "no vmstat header line" if flats else "the file is empty")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples with the instants they begin and end at; raises UnreadableFile for an unknown header or no clock."""
    state = {**_START, **(carry or {})}
    if carry is None and origin.start_at is not None:
        state["anchor_at"] = _microseconds(origin.start_at)
    flat = _flatten(lines)
    is_row = pl.col("flat").str.contains(_ROW_START)
    rows = flat.filter(is_row).with_row_index("rank", offset=state["n_rows"]).cast({"rank": pl.Int64})
    others = _others(flat.filter(~is_row & (pl.col("flat") != "")), rows, state)
    headers = _headers(others, state)
    rows = _announce(rows, headers, state)
    rows = _date(split(rows), others, origin, state)
    rows = find_runs(rows, headers, state)
    _close(rows, others, headers, state)
    host = origin.host or stem_of(origin.path)
    records = rows.filter("is_record").with_columns(host=pl.lit(host, dtype=pl.String))
    junk = others.filter(kind="junk").select("line_no", "text", reason=pl.lit("bad_syntax"))
    bad = rows.filter(pl.col("reason").is_not_null()).select("line_no", "text", "reason")
    rejects = pl.concat([junk.cast(REJECTS), bad.cast(REJECTS)]).sort("line_no")
    n_used = records.height + others.filter(~pl.col("kind").is_in(["junk", "skip"])).height
    return Parsed(
        tables={"vmstat": records.select("line_no", "host", "from_at", pl.col("at").alias("to_at"), *COLUMNS)},
        n_used=n_used,
        n_skipped=lines.height - n_used - rejects.height,
        rejects=rejects,
        seen=seen_of(records),
        carry=state,
    )


def _microseconds(at: datetime) -> int:
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _flatten(lines: pl.DataFrame) -> pl.DataFrame:
    """Every line without outer blanks and with single blanks inside."""
    text = pl.col("text")
    if lines["text"].str.contains("\t", literal=True).any():
        text = text.str.replace_all("\t", " ", literal=True)
    flat = text
    for width in _SQUEEZES:
        flat = flat.str.replace_all(" " * width, " ", literal=True)
    lines = lines.with_columns(flat=flat)
    if lines["flat"].str.contains("  ", literal=True).any():
        lines = lines.with_columns(pl.col("flat").str.replace_all("  +", " "))
    return lines.with_columns(pl.col("flat").str.strip_chars(" \r"))


def _classify(flat: str) -> tuple[str, int | None, str, str]:
    """Kind of a line that is no row; layout and zone of a header; the clock time and zone word of a clock line."""
    if clock := _CLOCK.fullmatch(flat):
        month, day, time, word, year = clock.groups()
        return "clock", None, word or "", f"{year} {month} {int(day):02d} {time}"
    if flat.startswith("zzz "):
        return "skip", None, "", ""
    if foreign(flat):
        return "unknown", None, "", ""
    if is_group_line(flat):
        return ("stamped" if "timestamp" in flat else "group"), None, "", ""
    if header := read_header(flat):
        return "field", LAYOUTS.index(header.names), header.zone, ""
    return ("unknown" if is_like_header(flat) else "junk"), None, "", ""


def _refuse(line_no: int, flat: str) -> NoReturn:
    what = foreign(flat)
    raise UnreadableFile(
        f"line {line_no}: "
        + (f"this is {what}" if what else f"a header of unknown columns, or a cut one: {flat[:120]}"),
        "keep other output in files of its own, and header lines as vmstat prints them",
        reason="unknown_header",
    )


def _others(others: pl.DataFrame, rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The lines that are no rows: what each is, and how many rows stand before it."""
    unique = others["flat"].unique(maintain_order=True).to_list()
    known = pl.DataFrame([(flat, *_classify(flat)) for flat in unique], schema=_OTHERS, orient="row")
    ranks = rows.select("line_no", rank=pl.col("rank") + 1)
    others = (
        others.join(known, on="flat", how="left", maintain_order="left")
        .set_sorted("line_no")
        .join_asof(ranks.set_sorted("line_no"), on="line_no")
        .with_columns(pl.col("rank").fill_null(state["n_rows"]))
        .with_columns(
            last_kind=pl.col("kind").shift(1, fill_value=state["last_kind"]),
            last_rank=pl.col("rank").shift(1, fill_value=state["last_rank"]),
        )
    )
    behind_titles = pl.col("last_kind").is_in(["group", "stamped"]) & (pl.col("last_rank") == pl.col("rank"))
    unread = others.filter((pl.col("kind") == "unknown") | (behind_titles & (pl.col("kind") == "junk")))
    if unread.height:  # the rows behind such names must not be read by the header before
        _refuse(*unread.select("line_no", "flat").row(0))
    return others.with_columns(is_stamped=behind_titles & (pl.col("last_kind") == "stamped"))


def _headers(others: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The lines of column names with `gap`, the rows since the header before, and the gap before that."""
    return (
        others.filter(kind="field")
        .with_columns(is_stamped=pl.col("is_stamped") | (pl.col("zone") != ""))
        .with_columns(gap=pl.col("rank") - pl.col("rank").shift(1, fill_value=state["header_rank"]))
        .with_columns(last_gap=pl.col("gap").shift(1, fill_value=state["gap"]))
    )


def _announce(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Each row with what the header above it says."""
    told = headers.select("line_no", "layout", "zone", "is_stamped").set_sorted("line_no")
    return (
        rows.set_sorted("line_no")
        .join_asof(told, on="line_no")
        .with_columns(
            pl.col("layout").fill_null(pl.lit(state["layout"], dtype=pl.Int64)),
            pl.col("zone").fill_null(state["zone"]),
            pl.col("is_stamped").fill_null(state["is_stamped"]),
        )
    )


def _date(rows: pl.DataFrame, others: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Give every row its instant: its own stamp, or so many steps behind the last clock line."""
    has_stamp = rows["local"].is_not_null()
    stamped = rows.filter(has_stamp)
    at, state["fold"] = instants(stamped.select("local", "word"), origin.zone, state["fold"])
    stamped = stamped.select("line_no").with_columns(at)
    clocks = _clocks(others.filter(kind="clock"), origin)
    if has_stamp.all() and not clocks.height:
        return rows.with_columns(at)
    rows = rows.join(stamped, on="line_no", how="left", maintain_order="left")
    step = None if origin.interval_s is None else round(origin.interval_s * 1_000_000)
    ahead = pl.col("rank") - pl.col("anchor_rank")
    counted = (
        pl.when(ahead == 0).then(pl.col("anchor_at")).otherwise(pl.col("anchor_at") + ahead * pl.lit(step, pl.Int64))
    )
    rows = (
        rows.set_sorted("line_no")
        .join_asof(clocks.set_sorted("line_no"), on="line_no")
        .with_columns(
            pl.col("anchor_at").fill_null(pl.lit(state["anchor_at"], dtype=pl.Int64)),
            pl.col("anchor_rank").fill_null(state["anchor_rank"]),
        )
        .with_columns(at=pl.coalesce("at", pl.when(~pl.col("is_stamped")).then(counted.cast(pl.Datetime("us")))))
    )
    if clocks.height:
        state["anchor_at"], state["anchor_rank"] = clocks.row(-1)[1:]
    if rows.filter(pl.col("at").is_null() & pl.col("reason").is_null()).height:
        raise UnreadableFile(
            "its rows carry no date",
            "give `start_at` (the UTC instant of the first row) and `interval_s` with its [[input]] in site.toml",
            reason="no_clock",
        )
    return rows


def _clocks(clocks: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """Instants of the clock lines, and the rank of the row that is next."""
    clocks = clocks.with_columns(local=read_stamp(pl.col("clock"), "%Y %b %d %H:%M:%S"))
    clocks = clocks.filter(pl.col("local").is_not_null())
    at, _ = instants(clocks.select("local", word="zone"), origin.zone, None)
    return clocks.select("line_no", anchor_at=at.dt.epoch("us"), anchor_rank="rank")


def _close(rows: pl.DataFrame, others: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> None:
    """Note for the next chunk what the lines so far say of it."""
    state["n_rows"] += rows.height
    if others.height:
        state["last_kind"], state["last_rank"] = others.select("kind", "rank").row(-1)
    if headers.height:
        last = headers.row(-1, named=True)
        state.update({key: last[key] for key in ("layout", "zone", "is_stamped", "gap")}, header_rank=last["rank"])
