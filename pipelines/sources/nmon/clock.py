"""When the snapshots of nmon began and ended."""

from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import EPOCH, instants, read_stamp
from pipelines.sources.protocol import Carry, Origin

MARKS = pl.Schema({"line_no": pl.Int64, "shot": pl.Int64, "at": pl.Int64, "from_at": pl.Int64})  # times in microseconds
_INSTANT = pl.Datetime("us")
_CLOCK = pl.Schema([("shot", pl.Int64()), ("from_at", _INSTANT), ("to_at", _INSTANT), ("note", pl.String())])


def read_marks(rows: pl.DataFrame, origin: Origin, state: Carry) -> tuple[pl.DataFrame, pl.DataFrame]:
    """ZZZZ lines with `shot` and the microseconds at which its sample began and ended; and those without a time."""
    if not rows.height:
        return pl.DataFrame(schema=MARKS), rows.with_columns(reason=pl.lit("bad_time"))
    stamp = pl.col("text").str.extract(r"^ZZZZ,T\d+,(\d\d:\d\d:\d\d,\d\d-[A-Za-z]{3}-\d{4})")
    rows = rows.with_columns(local=read_stamp(stamp.str.to_titlecase(), "%H:%M:%S,%d-%b-%Y"))
    rows = rows.with_columns(
        reason=pl.when(pl.col("local").is_null() | pl.col("shot").is_null()).then(pl.lit("bad_time"))
    )
    highest = pl.when(pl.col("reason").is_null()).then("shot").cum_max().forward_fill().shift(1)
    is_back = pl.col("shot") <= pl.max_horizontal(highest, pl.lit(state["shot"], pl.Int64))
    rows = rows.with_columns(reason=pl.coalesce("reason", pl.when(is_back).then(pl.lit("out_of_order"))))
    marks = rows.filter(pl.col("reason").is_null())
    at, state["fold"] = instants(marks.select("local", word=pl.lit("")), origin.zone, state["fold"])
    marks = marks.select("line_no", "shot", at=at.dt.epoch("us"))
    start, first = _begin(origin, state)
    marks = marks.with_columns(
        before=pl.col("at").shift(1).fill_null(pl.lit(state["at"] if state["at"] is not None else start, pl.Int64)),
        last=pl.col("shot").shift(1).fill_null(pl.lit(state["shot"] if state["shot"] is not None else 0, pl.Int64)),
    )
    step = pl.col("at") - pl.col("before")
    ahead = pl.col("shot") - pl.col("last")
    usual = pl.lit(first, pl.Int64)
    marks = marks.with_columns(
        from_at=pl.when((step > 0) & (ahead > 0)).then(pl.col("at") - step // ahead).otherwise(pl.col("at") - usual)
    )
    return marks.select(MARKS.names()), rows.filter(pl.col("reason").is_not_null())


def repeated(marks: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The marks of `shot` and `at`, and that of the chunk before, that are within an earlier run of the same host."""
    last = pl.DataFrame({"shot": [state["shot"]], "at": [state["at"]]}, schema={"shot": pl.Int64, "at": pl.Int64})
    host = state["about"].get("host", "")
    within = [pl.col("at").is_between(first, end) for known, first, end in state["runs"] if known == host]
    return pl.concat([last, marks.select("shot", "at")]).filter(pl.any_horizontal(pl.lit(False), *within))


def clock_of(whole: pl.DataFrame, marks: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """When the samples of these snapshots began and ended."""
    shots = whole.select("shot").unique(maintain_order=True)
    if state["is_sorted"]:
        if not shots.height:
            return pl.DataFrame(schema=_CLOCK)
        start, step = _begin(origin, state)
        if start is None or step is None:
            raise UnreadableFile(
                "this nmon file is sorted, and its AAA lines lack the date, the time or the interval",
                "provide the file as nmon wrote it, before it was sorted",
                reason="no_clock",
            )
        begin = pl.lit(EPOCH + timedelta(microseconds=start), pl.Datetime("us"))
        to_at = begin + pl.duration(microseconds=pl.col("shot") * step)
        note = pl.lit("times are computed from start and interval, because the file is sorted")
        return shots.select("shot", from_at=to_at - pl.duration(microseconds=step), to_at=to_at, note=note)
    last: dict[str, Any] = {"shot": [state["shot"]], "from_at": [state["from_at"]], "to_at": [state["at"]]}
    known = pl.DataFrame(last, schema={"shot": pl.Int64, "from_at": pl.Int64, "to_at": pl.Int64})
    known = pl.concat([known, marks.select("shot", "from_at", to_at="at")]).unique("shot", keep="last")
    return known.select("shot", pl.col("from_at", "to_at").cast(_INSTANT), note=pl.lit(None, dtype=pl.String))


def _begin(origin: Origin, state: Carry) -> tuple[int | None, int | None]:
    """Microseconds of the AAA date and time, and of the interval; None where AAA has none."""
    about = state["about"]
    time = about.get("time", "").replace(".", ":")
    stamps = pl.DataFrame({"text": [f"{time},{about.get('date', '').title()}"], "word": [""]})
    stamps = stamps.with_columns(local=read_stamp(pl.col("text"), "%H:%M:%S,%d-%b-%Y"))
    start = None
    if not stamps["local"].null_count():
        start = int(instants(stamps, origin.zone, None)[0].dt.epoch("us")[0])
    interval = about.get("interval", "")
    return start, int(interval) * 1_000_000 if interval.isdigit() and 0 < int(interval) <= 86_400 else None
