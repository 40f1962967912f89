"""Which rows of an MRTG log are no measurement, and which of the log's time is therefore not covered.

`rateup` never leaves a hole. After a pause of more than an hour, or while a poll fails, it repeats the last rate: the
same two averages in row after row, with maxima equal to them. Three such rows in succession are `stale`. (Below
1000 bytes/s whole numbers repeat by themselves, and there is no traffic to mistake; with MRTG's `unknaszero` holes are
zeros, so silver looks at the configuration before it believes the note.)

A 32-bit counter that was reset is taken for one that ran over: a port of a machine that was started again shows 2^32
bytes in one poll of 300 s, near 14.3 MB/s, in both directions at once: `wrap`. If a counter of line 1 is above 2^32,
the counter is wider, and such a rate is real.

-1 for a counter on line 1 means that the last poll failed: the newest row repeats the one before it, `poll_failed`.
"""

import polars as pl

from pipelines.sources._shared.stamps import at_second
from pipelines.sources.protocol import COVERAGE, Carry, first_of

VALUES = ("in_bytes_s", "out_bytes_s", "in_max_bytes_s", "out_max_bytes_s")
BOUND = pl.Schema(
    {
        "line_no": pl.Int64,
        "t": pl.Int64,
        **dict.fromkeys(VALUES, pl.Float64),
        "is_row": pl.Boolean,
        "holes": pl.Int64,
    }
)
_STALE_BYTES_S = 1000
_WRAP = 2**32
_WRAP_BYTES_S = (0.9 * _WRAP / 300, 1.01 * _WRAP / 300)  # polls are a little more or less than 300 s apart


def marked(bounds: pl.DataFrame, n_above: int) -> tuple[pl.DataFrame, list[Carry], int]:
    """The bounds with `is_stale` and `is_decided`, which of them must wait for the next chunk, and `n_above` for it.

    For a row like the one before it, only the next row shows whether the two are the start of a run of three.
    `n_above` counts the rows like the first of these that are already decided.
    """
    if not bounds.height:
        return bounds.with_columns(is_stale=pl.lit(False), is_decided=pl.lit(False)), [], n_above
    flat = (pl.col("in_bytes_s") == pl.col("in_max_bytes_s")) & (pl.col("out_bytes_s") == pl.col("out_max_bytes_s"))
    can_repeat = pl.col("is_row") & flat & (pl.max_horizontal("in_bytes_s", "out_bytes_s") >= _STALE_BYTES_S)
    rows = bounds.with_columns(can_repeat=can_repeat.fill_null(False))
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in (*VALUES, "holes"))
    # like the row above, like the row below, and the same of these two
    above = (pl.col("can_repeat") & pl.col("can_repeat").shift(1) & same).fill_null(n_above >= 1)
    rows = rows.with_columns(above=above).with_columns(
        above_2=pl.col("above").shift(1, fill_value=n_above >= 2), below=pl.col("above").shift(-1, fill_value=False)
    )
    below_2 = pl.col("below").shift(-1, fill_value=False)
    rows = rows.with_columns(
        is_stale=(pl.col("above") & (pl.col("above_2") | pl.col("below"))) | (pl.col("below") & below_2)
    )
    from_last = pl.len() - pl.int_range(pl.len())
    rows = rows.with_columns(is_decided=(from_last > 2) | (from_last == 2) & (~pl.col("below") | pl.col("is_stale")))
    waiting = rows.filter(~pl.col("is_decided"))
    first = waiting.row(0, named=True)
    return rows, waiting.select(list(BOUND)).to_dicts(), int(first["above"]) + int(first["above"] and first["above_2"])


def judged(records: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """The records with their note, the newest one with the raw counters of line 1."""
    counters = state["counters"] or [None, None]
    is_newest = pl.col("line_no") == pl.lit(state["newest_line"], dtype=pl.Int64)
    # the counters are those of the last poll, and belong to a row that ends with it
    is_newest = is_newest & (pl.col("t") == pl.lit(state["first"], dtype=pl.Int64))
    is_wide = any(text is not None and _above_32_bits(text) for text in counters)
    in_band = [pl.col(name).is_between(*_WRAP_BYTES_S) for name in ("in_max_bytes_s", "out_max_bytes_s")]
    return records.with_columns(
        in_counter=pl.when(is_newest).then(pl.lit(counters[0], dtype=pl.String)),
        out_counter=pl.when(is_newest).then(pl.lit(counters[1], dtype=pl.String)),
        note=first_of(
            stale=pl.col("is_stale"),
            poll_failed=is_newest & pl.lit("-1" in counters),
            wrap=pl.all_horizontal(in_band) & pl.lit(not is_wide),
        ),
    )


def _above_32_bits(text: str) -> bool:
    try:
        return float(text) >= _WRAP
    except ValueError:
        return False


def coverage_of(records: pl.DataFrame, state: Carry, link: str) -> pl.DataFrame:
    """The stretches between stale rows; zeros older than any traffic prove nothing, but the newest row does.

    The state holds the end of the stretch that is open at the end of the chunk, and the line it ends with.
    """
    if not records.height:
        return pl.DataFrame(schema=COVERAGE)
    open_to, open_line = state["seen"] or [None, None]
    is_newest = pl.col("line_no") == pl.lit(state["newest_line"], dtype=pl.Int64)
    rows = records.with_columns(
        is_proof=(pl.max_horizontal(*VALUES) > 0) | is_newest,
        stretch=pl.col("is_stale").cast(pl.Int64).cum_sum(),
    )
    tops = (
        rows.filter(~pl.col("is_stale"))
        .group_by("stretch", maintain_order=True)
        .agg(to_t=pl.col("t").first(), line_no=pl.col("line_no").first())
    )
    if open_to is not None and not rows["is_stale"][0]:
        opened = pl.col("stretch") == 0
        tops = tops.with_columns(
            to_t=pl.when(opened).then(pl.lit(open_to, dtype=pl.Int64)).otherwise("to_t"),
            line_no=pl.when(opened).then(pl.lit(open_line, dtype=pl.Int64)).otherwise("line_no"),
        )
    elif open_to is not None:  # the stale row that comes first is above zero, so all the stretch before it counts
        tops = pl.concat([tops, pl.DataFrame([[0, open_to, open_line]], schema=tops.schema, orient="row")])
    bottoms = pl.concat(
        [
            rows.filter(~pl.col("is_stale") & pl.col("is_proof")).select("stretch", "from_t"),
            rows.filter("is_stale").select(stretch=pl.col("stretch") - 1, from_t="t"),
        ]
    )
    proof = bottoms.group_by("stretch").agg(pl.col("from_t").min()).join(tops, on="stretch").sort("line_no")
    last = tops.sort("line_no").tail(1)
    state["seen"] = None if rows["is_stale"][-1] else [last["to_t"].item(), last["line_no"].item()]
    return proof.select(
        "line_no",
        host=pl.lit(link, dtype=pl.String),
        from_at=at_second("from_t"),
        to_at=at_second("to_t"),
    ).cast(COVERAGE)
