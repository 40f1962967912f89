"""Raw samples of an exporter's series into rows of the shared relations. A row covers one sample to the next.

A counter's value is its increase (per second, except for tape drives), a gauge's its value at the end. There is no row
where

- a counter of the same host, disk, interface or drive fell: it started again from zero, and its last value before that
  is not known. Only 32-bit counters of a switch wrap: a fall then means 2^32 bytes more, if the unit has the switch's
  uptime and that rose meanwhile. Where a switch has 64-bit counters too, these count;
- the step is longer than two usual steps of the series (plus a tenth, because scrapers are not exact): samples are
  missing.

The usual step is the median of the steps in the same unit (a line of JSON, or a scrape), or, if there are fewer than
three, of the last three before. Samples that are no newer than the last one of their series were read before.

The host is the label's value without its port. Without a label, or if it is localhost, the host is the one that
site.toml gives the file. So a file may hold many hosts, and site.toml maps their names ([[station]], [[host]]).

A unit holds all that makes its rows. `last` has what a series needs of earlier units, by the name of the series.
"""

from typing import Any, NamedTuple

import polars as pl

from pipelines.sources._shared.columns import DEVICE, DRIVE, HOST, NETWORK, as_column, over
from pipelines.sources._shared.contract import complete, schema_of
from pipelines.sources._shared.device_kinds import disk_kind, interface_kind, kinds_of
from pipelines.sources._shared.exporters import FACTORS, METRICS, MODES, NARROW, NEEDED_MODES, SHARES, UPTIME
from pipelines.sources._shared.metrics import CPU, DIVISORS, shares
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.stamps import instant_us
from pipelines.sources.protocol import COVERAGE, Carry, Origin, rejected

TABLES = (HOST, DEVICE, NETWORK, DRIVE)
SAMPLES = pl.Schema(
    {
        "unit": pl.Int64,  # what is read as one piece: a line, or a scrape
        "line_no": pl.Int64,
        "metric": pl.String,
        "instance": pl.String,  # host and port the exporter answers at
        "item": pl.String,  # disk or interface; empty of the host
        "description": pl.String,  # of a switch's port (ifAlias); empty of all else
        "cpu": pl.String,
        "mode": pl.String,
        "at": pl.Int64,  # microseconds since 1970
        "value": pl.Float64,
    }
)
Tables = dict[str, pl.DataFrame]
Last = dict[str, Any]  # of a series: its last instants, at most four, and its last value

EARLIEST_US, LATEST_US = 315_532_800_000_000, 4_102_444_800_000_000  # 1980 to 2100
_HOLE = 2.1
_N_STEPS = 3
_SERIES = ("metric", "instance", "item", "cpu", "mode")
_ROW = ("unit", "table", "instance", "item", "description", "from_us", "at")
_TURN = 2.0**32
_LOOPBACK = r"^(?:localhost(?:\.localdomain)?|127\.[0-9.]+|::1)$"
_NAMES = {DEVICE: "device", NETWORK: "interface", DRIVE: "device"}
_KINDS = {DEVICE: disk_kind, NETWORK: interface_kind}


class Rows(NamedTuple):
    """What some units of samples became."""

    tables: Tables
    coverage: pl.DataFrame
    used: pl.Series  # units with a row
    old: pl.Series  # units all of whose samples are older than what was read before
    columns: pl.DataFrame  # `unit`, `table`, `instance`, `item` and `columns`, the parts that were there

    def rejected(self, read: pl.DataFrame) -> pl.DataFrame:
        """Lines that are units and have a `reason`, or are all older than what was read before."""
        is_old = pl.col("line_no").is_in(self.old.implode())
        return rejected(read.with_columns(reason=pl.when(is_old).then(pl.lit("out_of_order")).otherwise("reason")))


def host_of(instance: pl.Expr, origin: Origin) -> pl.Expr:
    """The label without its port, or where it names no host the one of site.toml, or the file's name."""
    name = instance.str.replace(r":\d+$", "").str.strip_chars("[]")
    given = origin.host or stem_of(origin.path)
    return pl.when((name != "") & ~name.str.contains(_LOOPBACK)).then(name).otherwise(pl.lit(given))


def begin_unit(state: Carry, unit: str, clock: str, zone: str) -> str | None:
    """A comment with the time begins the next unit; why it is rejected, if it is. `state` moves on.

    It has the number of the unit under its name, `at` and `latest`, its instant and the latest so far.
    """
    at, latest = instant_us(clock, zone), state["latest"]
    reason = "bad_time" if at is None else "out_of_order" if latest is not None and at <= latest else None
    known = {} if reason else {"at": at, "latest": at}
    state.update({unit: state[unit] + 1, "at": None, **known})
    return reason


def to_rows(samples: pl.DataFrame, origin: Origin, state: Carry, tool: str, end: int | None = None) -> Rows:
    """Rows of whole units of SAMPLES; `state` has `last`, which moves on.

    Units after `end` are not whole yet: they wait in `pending` of the state.
    """
    if end is not None:
        samples = pl.concat([pl.DataFrame(state["pending"], schema=SAMPLES, orient="row"), samples])
        state["pending"] = [list(row) for row in samples.filter(pl.col("unit") > end).rows()]
        samples = samples.filter(pl.col("unit") <= end)
    state["last"] = dict(state["last"])
    steps = _steps(samples, state["last"])
    tables, coverage, used = _finished(_rises(steps), origin, tool)
    units = samples["unit"].unique()
    old = units.filter(~units.is_in(steps["unit"].unique().implode()))
    columns = _parts(steps).group_by("unit", "table", "instance", "item").agg(columns=pl.col("part").unique())
    return Rows(tables, coverage, used, old, columns)


def gauges(samples: pl.DataFrame, origin: Origin, tool: str) -> tuple[Tables, pl.DataFrame]:
    """Gauges that no sample comes before, as rows and coverage: each is a row of its own, of the second up to it."""
    alone = [name for name, metric in METRICS.items() if not metric.is_counter and metric.column in schema_of(HOST)]
    rises = _parts(samples.filter(pl.col("metric").is_in(alone))).with_columns(
        unit="line_no", from_us=pl.col("at") - 1_000_000
    )
    tables, coverage, _ = _finished(rises, origin, tool)
    return tables, coverage


def _finished(rises: pl.DataFrame, origin: Origin, tool: str) -> tuple[Tables, pl.DataFrame, pl.Series]:
    """Rows of the relations, what they cover, and the units that have one."""
    rows = _wide(rises).with_columns(
        host=host_of(pl.col("instance"), origin),
        tool=pl.lit(tool),
        from_at=pl.col("from_us").cast(pl.Datetime("us")),
        to_at=pl.col("at").cast(pl.Datetime("us")),
    )
    covered = rows.group_by("host", "from_at", "to_at", "unit", maintain_order=True).agg(pl.col("line_no").min())
    return (
        {table: _of_table(rows, table) for table in TABLES},
        covered.select(COVERAGE.names()).cast(COVERAGE),
        rows["unit"].unique(),
    )


def _steps(samples: pl.DataFrame, last: Last) -> pl.DataFrame:
    """Samples that are newer than the one before in their series, with that one's instant and value."""
    series = pl.concat_str(_SERIES, separator="\t")
    new = samples.with_columns(series=series).with_columns(is_new=pl.lit(True))
    names = new["series"].unique()
    before = pl.DataFrame(
        [(name, at, last[name][1]) for name in names if name in last for at in last[name][0]],
        schema={"series": pl.String, "at": pl.Int64, "value": pl.Float64},
        orient="row",
    ).with_columns(unit=pl.lit(-1, dtype=pl.Int64), is_new=pl.lit(False))
    every = pl.concat([before, new], how="diagonal").sort("series", "unit", "at", maintain_order=True)
    highest = pl.col("at").cum_max().shift(1).over("series")
    every = every.filter((pl.col("at") > highest).fill_null(True))
    every = every.with_columns(
        from_us=pl.col("at").shift(1).over("series"), before=pl.col("value").shift(1).over("series")
    ).with_columns(step=pl.col("at") - pl.col("from_us"))
    _note_last(every, last)
    past = pl.col("step").rolling_median(_N_STEPS, min_samples=1).shift(1).over("series")
    here = pl.col("step").median().over("series", "unit")
    is_many = pl.col("step").count().over("series", "unit") >= _N_STEPS
    every = every.with_columns(usual=pl.when(is_many).then(here).otherwise(pl.coalesce(past, here)))
    return every.filter("is_new")


def _note_last(every: pl.DataFrame, last: Last) -> None:
    tails = every.group_by("series").agg(pl.col("at").tail(_N_STEPS + 1), pl.col("value").last())
    last.update({name: [ats, value] for name, ats, value in tails.rows()})


def _parts(steps: pl.DataFrame) -> pl.DataFrame:
    """Add `table` and `part`: the column a value goes to, or is part of."""
    table = {name: metric.table for name, metric in METRICS.items()}
    column = {name: metric.column for name, metric in METRICS.items()}
    return steps.with_columns(
        table=pl.col("metric").replace_strict(table, return_dtype=pl.String),
        part=pl.when(pl.col("metric") == "node_cpu_seconds_total")
        .then(pl.lit(f"{CPU} ") + pl.col("mode"))
        .otherwise(pl.col("metric").replace_strict(column, return_dtype=pl.String)),
    )


def _rises(steps: pl.DataFrame) -> pl.DataFrame:
    """The value of each sample for the time since the one before, where known: a rate, or a gauge's value."""
    counters = [name for name, metric in METRICS.items() if metric.is_counter]
    factors = {name: float(FACTORS.get(metric.unit, 1)) for name, metric in METRICS.items()}
    divisors = {name: float(DIVISORS.get(metric.unit, 1)) for name, metric in METRICS.items()}
    known = _parts(steps.filter(pl.col("step") <= _HOLE * pl.col("usual"))).with_columns(
        is_counter=pl.col("metric").is_in(counters),
        factor=pl.col("metric").replace_strict(factors, return_dtype=pl.Float64),
        divisor=pl.col("metric").replace_strict(divisors, return_dtype=pl.Float64),
        seconds=over(pl.col("step"), 1_000_000),
        rise=pl.col("value") - pl.col("before"),
    )
    known = _unwound(known)
    fell = (pl.col("is_counter") & (pl.col("rise") < 0)).any().over(_ROW)
    rate = pl.col("rise") / pl.col("seconds")
    value = pl.when(~pl.col("is_counter")).then("value").when(table=DRIVE).then("rise").otherwise(rate)
    return known.filter(~fell).with_columns(value=value * pl.col("factor") / pl.col("divisor"))


def _unwound(known: pl.DataFrame) -> pl.DataFrame:
    """Rises of counters of 32 bits that went round while their switch stayed up; without the samples of uptimes."""
    of = ["unit", "instance", "from_us", "at"]
    up = known.filter((pl.col("metric") == UPTIME) & (pl.col("rise") > 0)).select(of).unique()
    went_round = pl.col("metric").is_in(NARROW) & (pl.col("rise") < 0) & pl.col("is_up").fill_null(False)
    return (
        known.filter(pl.col("metric") != UPTIME)
        .join(up.with_columns(is_up=pl.lit(True)), on=of, how="left", maintain_order="left")
        .with_columns(rise=pl.when(went_round).then(pl.col("rise") + _TURN).otherwise("rise"))
    )


def _wide(rises: pl.DataFrame) -> pl.DataFrame:
    """One row per host, disk or interface and step; parts as columns, those of several processors summed."""
    idle = rises.filter(pl.col("part") == f"{CPU} idle").with_columns(part=pl.lit("n_cpus"), value=pl.lit(1.0))
    parts = pl.concat([rises, idle]).select(*_ROW, "part", "line_no", "value")
    one = parts.group_by(*_ROW, "part", maintain_order=True).agg(pl.col("line_no").min(), pl.col("value").sum())
    firsts = one.group_by(_ROW, maintain_order=True).agg(pl.col("line_no").min())
    values = one.pivot("part", index=_ROW, values="value", aggregate_function="first")
    rows = firsts.join(values, on=_ROW, how="left", maintain_order="left", nulls_equal=True)
    columns = [*(metric.column for metric in METRICS.values()), *(f"{CPU} {mode}" for mode in MODES), "n_cpus"]
    lacking = [name for name in dict.fromkeys(columns) if name not in rows.columns]
    return rows.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in lacking).sort(
        "line_no", *_ROW, maintain_order=True
    )


def _of_table(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    """The rows of one relation, with what follows from several parts."""
    rows = rows.filter(table=table)
    if table == HOST:
        swapped = pl.coalesce("swapped_bytes", pl.col("swap_total") - pl.col("swap_free"))
        rows = rows.with_columns(**_processors(), swapped_bytes=swapped)
    else:
        rows = rows.with_columns(pl.col("item").alias(_NAMES[table]))
    if table == NETWORK:
        sides = {f"{side}_bytes_s": pl.coalesce(f"{side}_bytes_s", f"{side}_narrow") for side in ("in", "out")}
        description = pl.when(pl.col("description") != "").then("description")
        rows = rows.with_columns(**sides, description=description, capacity_bytes_s=_capacity())
    if table in _KINDS:
        rows = rows.with_columns(kinds_of(rows["item"], _KINDS[table]))
    if table == DEVICE:
        reads, writes = pl.col("read_request_rate"), pl.col("write_request_rate")
        rows = rows.with_columns(
            read_wait_s=pl.coalesce(_above_zero("read_wait_s"), _mean(pl.col("read_s"), reads)),
            write_wait_s=pl.coalesce(_above_zero("write_wait_s"), _mean(pl.col("write_s"), writes)),
            wait_s=_mean(pl.col("read_s") + pl.col("write_s"), reads + writes),
        )
    numbers = [name for name, kind in schema_of(table).items() if kind.is_numeric() and name in rows.columns]
    numbers.remove("line_no")
    return complete(rows.with_columns(as_column(pl.col(name), table, name).alias(name) for name in numbers), table)


def _capacity() -> pl.Expr:
    """Speed in bytes/s: a switch's 32-bit gauge has its highest value where the port is faster."""
    slow = pl.when(pl.col("capacity_bit_s") < _TURN - 1).then("capacity_bit_s")
    bits = pl.coalesce(_above_zero("capacity_mbit_s") * (pl.int_range(pl.len()) * 0 + 1_000_000), slow)
    speed = pl.coalesce("capacity_bytes_s", over(bits, 8))
    return pl.when(speed > 0).then(speed)


def _above_zero(name: str) -> pl.Expr:
    """A tool's own mean wait, which is zero where no request completed."""
    return pl.when(pl.col(name) > 0).then(name)


def _mean(seconds: pl.Expr, requests: pl.Expr) -> pl.Expr:
    """Seconds a completed request; null where none completed."""
    return pl.when(requests > 0).then(seconds / requests)


def _processors() -> dict[str, pl.Expr]:
    """Shares as they were sampled; else from the modes, where those are there that every system has."""
    part = {mode: pl.col(f"{CPU} {mode}") for mode in MODES}
    counted = {mode: value if mode in NEEDED_MODES else value.fill_null(0) for mode, value in part.items()}
    found = shares(counted.values(), {share: [counted[mode] for mode in modes] for share, modes in SHARES.items()})
    return {
        share: pl.coalesce(
            share, pl.when(pl.any_horizontal(part[mode].is_not_null() for mode in SHARES[share])).then(value)
        )
        for share, value in found.items()
    }
