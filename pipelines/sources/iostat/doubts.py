"""Values of iostat that are no measurements: counters that wrapped, waits and shares where no request completed."""

import polars as pl

from pipelines.sources.iostat.rows import CPU_MEASURES, DEVICE_MEASURES

# Beyond these a value is no measurement but a counter that wrapped, or went back; in units of the contract.
_MOST = {
    **dict.fromkeys((name for name in DEVICE_MEASURES if name.endswith("_bytes_s")), 1e12),
    **dict.fromkeys((name for name in DEVICE_MEASURES if name.endswith("_rate")), 1e8),
    **dict.fromkeys((name for name in DEVICE_MEASURES if name.endswith("wait_s") or name == "service_s"), 86_400.0),
    "queue": 1e6,
    "busy": 1.1,
}
_OF_TICKS = ("queue", "busy", "wait_s", "service_s")  # made from the counter that wraps when a queue is impossible


def believe(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with impossible values null and named in `note`, and waits of no request null."""
    rows = _unmeasured(rows)
    impossible = {name: (pl.col(name) < 0) | (pl.col(name) > most) for name, most in _MOST.items()}
    if not rows.select(pl.any_horizontal(*impossible.values()).any()).item():
        return rows.with_columns(note=_merged_note())
    is_queue_impossible = impossible["queue"].fill_null(False)
    wrong = {
        name: (
            is_impossible.fill_null(False) | is_queue_impossible
            if name in _OF_TICKS
            else is_impossible.fill_null(False)
        )
        & pl.col(name).is_not_null()
        for name, is_impossible in impossible.items()
    }
    doubt = _naming(wrong, "impossible, counter wrapped: ")
    return rows.with_columns(
        *(pl.when(~is_wrong).then(name).alias(name) for name, is_wrong in wrong.items()),
        note=pl.concat_str(_merged_note(), doubt, separator="; ", ignore_nulls=True).replace("", None),
    )


def _naming(wrong: dict[str, pl.Expr], what: str) -> pl.Expr:
    """What is wrong, and the columns that are; null where none is."""
    named = pl.concat_list(pl.when(is_wrong).then(pl.lit(name)) for name, is_wrong in wrong.items()).list.drop_nulls()
    return pl.when(named.list.len() > 0).then(pl.lit(what) + named.list.join(", "))


def _merged_note() -> pl.Expr:
    """Writes and discards in one figure: no value for either unless it is zero. Or a value printed as nan."""
    return (
        pl.when(pl.col("changed_bytes_s") > 0)
        .then(pl.lit("writes and discards are counted together, so write_bytes_s is unknown"))
        .when("is_nan")
        .then(pl.lit(_NAN))
    )


_NAN = "value printed as nan"


def _unmeasured(rows: pl.DataFrame) -> pl.DataFrame:
    """A wait printed as zero where no request completed was not measured."""
    reads, writes, discards, both = (
        pl.col(name) for name in ("read_request_rate", "write_request_rate", "discard_request_rate", "request_rate")
    )
    is_idle = (pl.coalesce(both, reads + writes + discards.fill_null(0)) == 0).fill_null(False)
    idle = {"read_wait_s": (reads == 0).fill_null(False), "write_wait_s": (writes == 0).fill_null(False)}
    idle |= {"wait_s": is_idle, "service_s": is_idle}
    return rows.with_columns(
        *(pl.when(~(none & (pl.col(name) == 0))).then(name).alias(name) for name, none in idle.items()),
        write_bytes_s=pl.coalesce("write_bytes_s", pl.when(pl.col("changed_bytes_s") == 0).then(0.0)),
    )


def believe_shares(rows: pl.DataFrame) -> pl.DataFrame:
    """Shares of processors; null and named in `note` where a share is negative or more than 100 %."""
    impossible = {name: ((pl.col(name) < 0) | (pl.col(name) > 1.01)).fill_null(False) for name in CPU_MEASURES}
    return rows.with_columns(
        *(pl.when(~is_impossible).then(name).alias(name) for name, is_impossible in impossible.items()),
        note=pl.coalesce(_naming(impossible, "impossible share: "), pl.when("is_nan").then(pl.lit(_NAN))),
    )
