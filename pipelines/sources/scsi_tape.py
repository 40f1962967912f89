"""The kernel's own counters of tape drives, as `/sys/class/scsi_tape` shows them, dumped again and again.

    # 2026-03-11T10:00:00Z
    /sys/class/scsi_tape/st0/stats/io_ns:1829381723
    /sys/class/scsi_tape/st0/stats/read_byte_cnt:1048576

This is the output of `grep`; no exporter is needed, so one without a tape collector is no obstacle. A row of
`bronze.drive_counter` is the increase of a drive's counters from one dump to the next, as for node_exporter's
`node_tape_*` (`_shared/scrapes.py`): a counter that fell, or a pause of more than two usual steps, gives no row.

**Clock.** A comment with the time precedes each dump: ISO, without a zone that of site.toml, or seconds since 1970.
Dumps are best collected (`tapescope collect`), which writes it:

    [[collect]]
    name = "tps1-tape"
    command = ["sh", "-c", "grep -H '' /sys/class/scsi_tape/st*/stats/*"]
    stamp = true
    host = "tps1"
    every = "1m"

or by cron: `(date -u +'# %FT%TZ'; grep -H '' /sys/class/scsi_tape/st*/stats/*) >> tps1.scsi_tape`. A dump ends where
the next begins: the last one waits until the file grows.
"""

from typing import Any

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import DRIVE
from pipelines.sources._shared.scrapes import SAMPLES, begin_unit, to_rows
from pipelines.sources.protocol import COUNTERS, Carry, Claim, Origin, Parsed, rejected

TITLE = "Counters of tape drives in /sys/class/scsi_tape"
VERSION = 2
TABLES = (DRIVE,)
SPEAKS_FOR = "hosts"

_SAMPLE = r"^(?:[^ \t]*/)?scsi_tape/(st[0-9]{1,6})/stats/([a-z_]{1,40}):[ \t]*([^ \t]{1,40})[ \t]*$"
_CLOCK = r"^#[ \t]*(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?|\d{10}(?:\.\d{1,6})?)[ \t]*$"
# the kernel's names, and those of node_exporter's counters of the same; times are in nanoseconds
_METRICS = {
    "read_byte_cnt": "node_tape_read_bytes_total",
    "write_byte_cnt": "node_tape_written_bytes_total",
    "read_ns": "node_tape_read_time_seconds_total",
    "write_ns": "node_tape_write_time_seconds_total",
    "io_ns": "node_tape_io_time_seconds_total",
    "read_cnt": "node_tape_reads_completed_total",
    "write_cnt": "node_tape_writes_completed_total",
    "other_cnt": "node_tape_io_others_total",
    "resid_cnt": "node_tape_residual_total",
}
_NS = 1e9
_START: Carry = {"last": {}, "dump": 0, "at": None, "latest": None, "pending": []}


def recognise(head: list[str]) -> Claim:
    """Paths of the kernel's files with their values."""
    texts = pl.Series([line for line in head if line.strip() and not line.startswith("#")], dtype=pl.String)
    n_found = int(texts.str.contains(_SAMPLE).sum())
    if n_found and 2 * n_found >= len(texts):
        return Claim(True, 1.0, "counters of /sys/class/scsi_tape")
    return Claim(False, 0.0, "no lines with a path of /sys/class/scsi_tape and a value")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """The increase of each drive's counters; raises UnreadableFile if no time precedes a dump."""
    state: Carry = {**_START, **(carry or {})}
    groups = lines["text"].str.extract_groups(_SAMPLE).struct
    read = lines.with_columns(
        item=groups.field("1"),
        metric=groups.field("2").replace_strict(_METRICS, default=None, return_dtype=pl.String),
        number=groups.field("3"),
        clock=pl.col("text").str.extract(_CLOCK),
        is_time=groups.field("2").str.ends_with("_ns"),
    )
    read = read.hstack(_placed(read, origin, state))
    known = pl.col("metric").is_not_null() & pl.col("reason").is_null()
    value = pl.col("number").cast(pl.Int64, strict=False).cast(pl.Float64)
    read = read.with_columns(value=pl.when("is_time").then(value / _NS).otherwise(value)).with_columns(
        reason=pl.when(known & ~(pl.col("value") >= 0).fill_null(False)).then(pl.lit("bad_number")).otherwise("reason")
    )
    kept = read.filter(known).with_columns(
        *(pl.lit("").alias(name) for name in ("instance", "description", "cpu", "mode"))
    )
    rows = to_rows(kept.select(SAMPLES.names()), origin, state, "scsi_tape", state["dump"] - 1)
    n_first = int((kept["unit"] == 1).sum())
    return Parsed.of(
        lines,
        kept.height - n_first,
        rejected(read),
        tables={DRIVE: rows.tables[DRIVE]},
        coverage=rows.coverage,
        carry=state,
        notes={COUNTERS: n_first},
    )


def _placed(read: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """The dump of each line, its instant, and why a line is rejected. `state` moves on."""
    placed: list[tuple[int, int | None, str | None]] = []
    for text, metric, item, clock in read.select("text", "metric", "item", "clock").rows():
        reason = None
        if clock is not None:
            reason = begin_unit(state, "dump", clock, origin.zone)
        elif metric is not None and not state["dump"]:
            raise UnreadableFile(
                "the counters in this file have no time",
                "write the time above each dump: date -u +'# %FT%TZ'. Or collect the counters with a [[collect]] entry"
                " that has `stamp = true`",
                reason="no_clock",
            )
        elif metric is not None and state["at"] is None:
            reason = "bad_time"
        elif item is None and text.strip() and not text.startswith("#"):
            reason = "bad_syntax"
        placed.append((state["dump"], state["at"], reason))
    schema: dict[str, Any] = {"unit": pl.Int64, "at": pl.Int64, "reason": pl.String}
    return pl.DataFrame(placed, schema=schema, orient="row")
