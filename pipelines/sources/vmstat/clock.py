"""When a row was printed: its own stamp, the stamp in front of it, or the clock line before it and the step."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import EPOCH, GIVE_START, MONTHS, announced, dated, instants, read_stamp
from pipelines.sources.protocol import Carry, Origin
from pipelines.sources.vmstat.headers import is_group_line, is_like_header, mode_of

_TIME = r"(?P<time>\d\d?:\d\d:\d\d)(?: (?P<half>[AP]M))?"
_CLOCKS = [
    re.compile(pattern)
    for pattern in (
        rf"(?:zzz \*+ ?)?[A-Z][a-z]{{2}} (?P<month>[A-Z][a-z]{{2}}) (?P<dom>\d\d?) {_TIME}"
        r" (?:(?P<zone>\S+) )?(?P<year>\d{4})",
        rf"[A-Z][a-z]{{2}} (?P<dom>\d\d?) (?P<month>[A-Z][a-z]{{2}}) (?P<year>\d{{4}}) {_TIME}(?: (?P<zone>\S+))?",
        rf"(?P<day>\d{{4}}-\d\d-\d\d)[ T]{_TIME}(?:[.,]\d+)? ?(?P<zone>[A-Z]{{1,5}}|[+-]\d\d:?\d\d)?",
        r"(?P<epoch>\d{10})",
    )
]
START: Carry = {"anchor_at": None, "anchor_rank": 0, "fold": None, "clock_fold": None}  # see `date_rows`


class OtherLine(NamedTuple):
    """A line that is no row: its kind, and the facts that lines of that kind hold."""

    kind: str  # clock, skip, facts, group, field, junk or unknown
    names: str = ""  # of a header's columns
    zone: str = ""
    clock: str = ""  # local time
    is_stamped: bool = False  # it announces stamps at the end of rows
    era: int = 0  # see `rows.Announced`


def read_clock(flat: str) -> OtherLine | None:
    """A line that `date`, OSWatcher or Solaris' `-T` prints before a sample.

    >>> read_clock("zzz ***Tue Jun 15 08:00:00 CDT 2010").clock
    '2010 Jun 15 08:00:00'
    """
    match = next((match for pattern in _CLOCKS if (match := pattern.fullmatch(flat))), None)
    if match is None:
        return OtherLine("skip") if flat.startswith("zzz ") else None
    found = match.groupdict()
    if found.get("epoch"):
        at = EPOCH + timedelta(seconds=int(found["epoch"]))
        return OtherLine("clock", zone="UTC", clock=f"{at:%Y %b %d %H:%M:%S}")
    hour, rest = found["time"].split(":", 1)
    if found["half"]:
        hour = str(int(hour) % 12 + (12 if found["half"] == "PM" else 0))
    day = found.get("day")
    if day:
        year, month, dom = day.split("-")
        found.update(year=year, dom=dom, month=MONTHS[int(month) - 1] if 0 < int(month) < 13 else "?")
    clock = f"{found['year']} {found['month']} {int(found['dom']):02d} {int(hour):02d}:{rest}"
    return OtherLine("clock", zone=found["zone"] or "", clock=clock)


_LINE = {
    "flat": pl.String,
    "kind": pl.String,
    "names": pl.String,
    "zone": pl.String,
    "clock": pl.String,
    "announces": pl.Boolean,
    "era": pl.Int64,
}


def others_of(
    others: pl.DataFrame, rows: pl.DataFrame, classify: Callable[[str], OtherLine], state: Carry
) -> pl.DataFrame:
    """The lines that are no rows: what each is, and the rank of the row that is next."""
    unique = others["flat"].unique(maintain_order=True).to_list()
    known = pl.DataFrame([(flat, *classify(flat)) for flat in unique], schema=_LINE, orient="row")
    ranks = rows.select("line_no", rank=pl.col("rank") + 1)
    return (
        others.join(known, on="flat", how="left", maintain_order="left")
        .set_sorted("line_no")
        .join_asof(ranks.set_sorted("line_no"), on="line_no")
        .with_columns(pl.col("rank").fill_null(state["n_rows"]))
    )


def counter_lines(
    others: pl.DataFrame, rows: pl.DataFrame, is_header: Callable[[str], bool], what: str, state: Carry
) -> pl.DataFrame:
    """The lines among counters since boot that are no rows. Raises UnreadableFile for a header of another mode."""

    def classify(flat: str) -> OtherLine:
        if line := read_clock(flat):
            return line
        if is_header(flat):
            return OtherLine("field")
        return OtherLine("unknown" if mode_of(flat) or is_like_header(flat) or is_group_line(flat) else "junk")

    found = others_of(others, rows, classify, state)
    unread = found.filter(kind="unknown")
    if unread.height:
        line_no, flat = unread.select("line_no", "flat").row(0)
        raise UnreadableFile(
            f"line {line_no}: a header of another mode of vmstat among {what}: {flat[:120]}",
            "keep the output of each mode in a file of its own",
        )
    return found


def date_rows(rows: pl.DataFrame, others: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Give every row its instant `at`: its own stamp, or the last clock line plus one step for each row since.

    Raises UnreadableFile if a good row has neither.
    """
    has_stamp = rows["local"].is_not_null()
    stamped = rows if has_stamp.all() else rows.filter(has_stamp)
    words = {word: announced(word, origin.zone) for word in stamped["word"].unique().to_list()}
    word = pl.col("word").replace_strict(words, return_dtype=pl.String) if words else pl.col("word")
    at, state["fold"] = instants(stamped.select("local", word), origin.zone, state["fold"])
    clocks = _anchors(others, origin, state)
    if stamped.height == rows.height and not clocks.height:
        return rows.with_columns(at)
    rows = rows.join(stamped.select("line_no").with_columns(at), on="line_no", how="left", maintain_order="left")
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
        raise UnreadableFile("the rows have no date", GIVE_START, "no_clock")
    return rows


def _anchors(others: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """Instants of the clock lines, and the rank of the row that is next."""
    local = read_stamp(pl.col("clock"), "%Y %b %d %H:%M:%S")
    clocks = others.filter(kind="clock").with_columns(local=local, word="zone")
    clocks, state["clock_fold"] = dated(clocks, origin.zone, state["clock_fold"])
    return clocks.select("line_no", anchor_at=pl.col("at").dt.epoch("us"), anchor_rank="rank")
