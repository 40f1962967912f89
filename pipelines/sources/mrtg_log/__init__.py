"""MRTG log file (`<target>.log`, `<target>.old`): traffic averages of one link, newest first, coarser with age.

    1276578301 48211093342 9120031884          last poll: epoch and the raw counters, as text
    1276578301 2310016 428636 2310016 428636   last poll: epoch, average in and out, maximum in and out (bytes/s)
    1276578000 2194574 436086 2729568 436086   300 s rows, then 1800 s, 7200 s and 86400 s
    1276577700 …

MRTG's `rateup` rewrites the file at each poll. The row at T covers (T of the next line, T], whatever the tier: no
tier's size is assumed. So a row becomes a record when the next older line arrives, and the oldest row only bounds its
neighbour. Very old files have three columns per row; like `rateup`, the source then takes the average for the maximum,
and never a maximum below the average.

A line of the wrong width or with bad numbers still bounds its newer neighbour if its T can be trusted. If a line
without a usable T (unreadable, or newer than the first line) is between two rows, the newer one gives no record: its
length is unknown.

A new file is filled with zero rows for two years back. Zeros become rows too, but `coverage` starts at the oldest
row that is not zero; older zeros prove nothing. In and out are those of the polled interface, and the unit is taken
to be bytes/s: only MRTG's configuration shows `perminute`, `perhour` or a gauge.

Rows that `rateup` made up are passed on with a `note` (see `notes.py`) and are not in `coverage`. The counters of line
1 are kept as text next to the newest row: they may be -1, decimal, or longer than any integer.
"""

import re
from itertools import pairwise

import polars as pl

from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import at_second, microseconds
from pipelines.sources.mrtg_log import notes
from pipelines.sources.mrtg_log.notes import BOUND, VALUES
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of, rejected

TITLE = "MRTG log"
VERSION = 2
TABLE = "link_sample"
TABLES = (TABLE,)
SPEAKS_FOR = "links"
IS_SNAPSHOT = True  # rewritten at each poll, coarser with age: an older version knows what a newer one has lost

_EARLIEST, _LATEST = 631_152_000, 4_102_444_800  # 1990 to 2100: an epoch outside is no poll time
_MODIFIED_S = 86_400  # so much may a poll be later than the file was last written
_PAGE = re.compile(r"<!-- (?:max|av|cu|avmx)(?:in|out) [dwmy] |<meta[^>]*content=.?mrtg", re.IGNORECASE)
_SPAN_S = 4 * 366 * 86_400  # a file reaches back 2.2 years; an older T would make all lines after it look disordered
_START: Carry = {
    "first": None,  # T of the first line: nothing may be newer
    "lowest": None,  # T of the oldest line in order so far
    "newest": None,  # T of the newest row, the end of the covered time
    "newest_line": None,
    "holes": 0,  # lines without a usable T so far
    "counters": None,  # the two raw counters of the first line, as text
    "pending": [],  # the row that waits for its lower bound, and one like it before that
    "n_above": 0,  # rows like these directly above them, counted to 2
    "seen": None,  # see notes.coverage_of
}


def recognise(head: list[str]) -> Claim:
    """A first line of an epoch and raw counters, then rows with a Unix time and rates, newest first."""
    rows = [fields for line in head if (fields := line.split())]
    if not rows:
        return Claim(False, 0.0, "the file is empty")
    if any(_PAGE.search(line) for line in head):
        why = "this is a web page of MRTG with a few rounded averages; read MRTG's .log or .rrd file instead"
        return Claim(False, 0.7, why)
    times = [int(fields[0]) for fields in rows if _looks_like_row(fields)]
    likeness = len(times) / len(rows)
    falling = sum(later <= earlier for earlier, later in pairwise(times))
    if likeness < 0.7 or len(times) < 2:
        return Claim(False, likeness / 2, "fewer than 7 of 10 lines have a Unix time and two or four rates")
    if falling < 0.7 * (len(times) - 1):
        return Claim(False, likeness / 2, "rows with a Unix time and rates, but not newest first")
    return Claim(True, likeness, f"{len(times)} rows with a Unix time and rates, newest first")


def _looks_like_row(fields: list[str]) -> bool:
    if len(fields) not in (3, 5) or not (fields[0].isascii() and fields[0].isdigit() and len(fields[0]) <= 10):
        return False
    return _EARLIEST <= int(fields[0]) < _LATEST and all(_is_number(field) for field in fields[1:])


def _is_number(field: str) -> bool:
    return field.lstrip("-").replace(".", "", 1).isdecimal()


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Rows whose lower bound arrived become records; the last one waits in `carry`."""
    state = {**_START, **(carry or {})}
    fields = _fields(lines, _latest(origin))
    judged = _judge(fields, state, *_begin(fields, state))
    ordered = judged.filter("in_order").select(list(BOUND)).cast(BOUND)
    bounds = pl.concat([pl.DataFrame(state["pending"], schema=BOUND), ordered])
    _remember(judged, bounds, state)
    bounds, state["pending"], state["n_above"] = notes.marked(bounds, state["n_above"])
    records = notes.judged(_records(bounds), state)
    link = origin.link or origin.host or stem_of(origin.path)
    return Parsed.of(
        lines,
        judged.filter(~pl.col("is_blank") & pl.col("reason").is_null()).height,
        rejected(judged),
        tables={TABLE: _table(records, link)},
        coverage=notes.coverage_of(records, state, link),
        carry=state,
    )


def _latest(origin: Origin) -> int:
    """The last instant a row may have: a poll long after the file was last written has a clock that is wrong."""
    if origin.modified_at is None:
        return _LATEST
    return microseconds(origin.modified_at) // 1_000_000 + _MODIFIED_S


def _fields(lines: pl.DataFrame, latest: int) -> pl.DataFrame:
    """Every line split at blanks: width, T and the four values, null where they are no rate."""
    flat = pl.col("text").str.strip_chars()
    if lines["text"].str.contains(r"\s\s|[^\S ]").any():
        flat = flat.str.replace_all(r"\s+", " ")
    split = lines.with_columns(flat=flat).with_columns(
        part=pl.col("flat").str.split_exact(" ", 5).struct.rename_fields([f"f{i}" for i in range(6)]),
        width=pl.when(pl.col("flat") == "").then(0).otherwise(pl.col("flat").str.count_matches(" ", literal=True) + 1),
    )
    part = pl.col("part").struct
    rate = [part.field(f"f{i}").cast(pl.Float64, strict=False) for i in (1, 2, 3, 4)]
    mean_in, mean_out, max_in, max_out = (pl.when(r.is_finite() & (r >= 0)).then(r) for r in rate)
    t = part.field("f0").cast(pl.Int64, strict=False)
    return split.select(
        "line_no",
        "text",
        is_blank=pl.col("width") == 0,
        width="width",
        t=pl.when(t.is_between(_EARLIEST, min(latest, _LATEST))).then(t),
        counters=pl.concat_list(part.field("f1"), part.field("f2")),
        in_bytes_s=mean_in,
        out_bytes_s=mean_out,
        in_max_bytes_s=_maximum(pl.col("width"), mean_in, max_in),
        out_max_bytes_s=_maximum(pl.col("width"), mean_out, max_out),
    )


def _maximum(width: pl.Expr, mean: pl.Expr, maximum: pl.Expr) -> pl.Expr:
    given = pl.when(maximum.is_not_null()).then(pl.max_horizontal(mean, maximum))
    return pl.when(width == 3).then(mean).otherwise(given)


def _begin(fields: pl.DataFrame, state: Carry) -> tuple[int, int | None]:
    """Find the file's first readable line: its number, and again if it is the line with the raw counters.

    If that line is in an earlier chunk, the number is 0.
    """
    if state["first"] is not None:
        return 0, None
    begin = fields.filter(pl.col("t").is_not_null() & pl.col("width").is_in([3, 5])).head(1)
    if not begin.height:
        return 0, None
    line_no, first = int(begin["line_no"].item()), int(begin["t"].item())
    state["first"] = first
    state["lowest"] = first + 1  # the newest row has the same T as the first line
    if begin["width"].item() != 3:
        return line_no, None
    state["counters"] = begin["counters"].item().to_list()
    return line_no, line_no


def _judge(fields: pl.DataFrame, state: Carry, begin_line: int, head_line: int | None) -> pl.DataFrame:
    """Which lines are in order, which are rows, and why the others are rejected.

    Accepted T only fall, so the lowest T of all lines so far is that of the last accepted one.
    """
    first = pl.lit(state["first"], dtype=pl.Int64)
    is_head = pl.lit(False) if head_line is None else pl.col("line_no") == head_line
    # before the first readable line nothing says which times may be true
    can_be_true = ~is_head & (pl.col("line_no") >= begin_line) & pl.col("t").is_between(first - _SPAN_S, first)
    trusted = pl.when(can_be_true).then(pl.col("t"))
    before = pl.col("trusted").cum_min().forward_fill().shift(1)
    lowest = pl.min_horizontal(before, pl.lit(state["lowest"], dtype=pl.Int64))
    is_hole = pl.col("trusted").is_null() & ~pl.col("is_blank") & ~pl.col("is_head")
    has_width = pl.col("width").is_in([3, 5])
    reason = first_of(
        wrong_width=~has_width,
        bad_time=pl.col("t").is_null() | (pl.col("t") < first - _SPAN_S),
        out_of_order=~pl.col("in_order"),
        bad_number=pl.any_horizontal(pl.col(*VALUES).is_null()),
    )
    reason = pl.when(~pl.col("is_blank"), ~pl.col("is_head")).then(reason)
    return (
        fields.with_columns(trusted=trusted, is_head=is_head)
        .with_columns(
            in_order=(pl.col("trusted") < lowest).fill_null(False),
            holes=is_hole.cast(pl.Int64).cum_sum() + state["holes"],
        )
        .with_columns(reason=reason)
        .with_columns(is_row=pl.col("in_order") & pl.col("reason").is_null())
    )


def _remember(judged: pl.DataFrame, bounds: pl.DataFrame, state: Carry) -> None:
    if judged.height:
        state["holes"] = int(judged["holes"][-1])
    if not bounds.height:
        return
    state["lowest"] = int(bounds["t"][-1])
    newest = bounds.filter("is_row").head(1)
    if state["newest"] is None and newest.height:
        state["newest"], state["newest_line"] = newest["t"].item(), newest["line_no"].item()


def _records(bounds: pl.DataFrame) -> pl.DataFrame:
    """The rows whose lower bound is known, with no unreadable line between the two."""
    return bounds.with_columns(from_t=pl.col("t").shift(-1), holes_below=pl.col("holes").shift(-1)).filter(
        pl.col("is_row") & pl.col("is_decided") & (pl.col("holes") == pl.col("holes_below"))
    )


def _table(records: pl.DataFrame, link: str) -> pl.DataFrame:
    rows = records.with_columns(
        link=pl.lit(link), log_format=pl.lit("native"), from_at=at_second("from_t"), to_at=at_second("t")
    )
    return fitted(rows, TABLE)
