"""Files of collectd's plugin csv: one a day for one series, whose name is only in its path.

    DataDir/tpsrv01/disk-sda/disk_octets-2026-03-02         DataDir/tpsrv01/cpu-0/cpu-idle-2026-03-02

    epoch,read,write                                         epoch,value
    1772409600.716,3871298560,10268119040                    1772409600.718,22872

The folders are the host and the plugin with its instance (disk, interface, processor), the file is the type with its
instance and the local day. `_shared/exporters.py` lists the series and where they go; `_shared/scrapes.py` describes
how samples become rows. Lines of other series are skipped and counted. Ports of switches come by the plugin snmp, as
`snmp/if_octets-PORT`. Nothing shows how wide such a counter is, so a fall is never taken for a wrap.

**Counters and rates.** A counter is written as an integer. Under `StoreRates true` collectd writes the rate, with
decimals, and `nan` before the first; each line shows which it is. Other values (load, memory) are gauges, always with
decimals. A row reaches from the sample before in the same file. So the first sample of each file gives no row, and the
half-hour around midnight is covered in part only.

**One file holds one part.** A row has the values of its file, and its `tool` is the source and the series, as in
`collectd_csv cpu-0/cpu-idle`. collectd stamps files some milliseconds apart; silver.host_sample joins them. Processors
are read as the states of each (`cpu-N`), as ticks or percent, of all together (`cpu/percent-…`) and as their average
(`aggregation-cpu-average`). The sum is not read, because it does not show the number of processors.

Checked against files that collectd 5.12 wrote.
"""

import re
from typing import NamedTuple

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.exporters import METRICS
from pipelines.sources._shared.heads import filled
from pipelines.sources._shared.names import stem_of
from pipelines.sources._shared.scrapes import EARLIEST_US, LATEST_US, SAMPLES, to_rows
from pipelines.sources.protocol import OTHER_SERIES, Carry, Claim, Origin, Parsed, first_of

TITLE = "collectd, plugin csv"
VERSION = 1
TABLES = ("host_sample", "device_sample", "network_sample")
SPEAKS_FOR = "hosts"
CAN_BE_CUT = True
IS_NAMED_BY_PATH = True

_HEADER = r"^epoch((?:,[A-Za-z_][A-Za-z0-9_]*)+)\s*$"
_ROW = r"^\d{9,10}(?:\.\d{1,6})?(?:,[-+0-9.eEnNaA]+)+\s*$"
_TIME = r"^(\d{9,10}(?:\.\d{1,6})?),"
_FILE = re.compile(r"(?P<type>[^-]+)(?:-(?P<instance>.+))?-\d{4}-\d\d-\d\d")
_OF_HOST = {"load", "memory", "swap", "processes", "contextswitch", "vmem"}
_ITEMS = {"disk", "interface", "snmp", "netlink"}
_CPU = re.compile(r"cpu(?:-\d+)?|aggregation-cpu-average")
_HINT = "keep collectd's paths HOST/PLUGIN-INSTANCE/TYPE-INSTANCE-YYYY-MM-DD: only the path names a file's series"


class _Series(NamedTuple):
    """The host, plugin, type and day that a path names."""

    host: str
    name: str  # plugin and type with their instances
    item: str  # disk or interface
    key: str  # type and state, the beginning of the names of METRICS; empty of what is not read


def recognise(head: list[str]) -> Claim:
    """A header of `epoch` and names, over rows of an instant and as many numbers."""
    texts = filled(head)
    names = texts.str.extract(_HEADER, 1).drop_nulls()
    if not len(names) or texts.head(1).str.extract(_HEADER, 1)[0] is None:
        return Claim(False, 0.0, "no collectd header with the word epoch and names of values")
    n_rows = int(texts.str.contains(_ROW).sum())
    if 2 * n_rows < len(texts) - 1:
        return Claim(False, 0.5, "a collectd header, but most lines below do not belong to it")
    return Claim(True, 1.0, f"a header of collectd (epoch{names[0]}) and {n_rows} rows")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of one series; raises UnreadableFile where the path does not say of which."""
    state: Carry = {"names": None, "last": {}, **(carry or {})}
    if not lines.height:
        return Parsed(carry=state)
    series = _series(origin)
    names = state["names"] or _names(origin, lines)
    state["names"] = names
    read = _read(lines, names)
    if not any(f"{series.key}:{name}" in METRICS for name in names):
        n_rows = int(read["is_row"].sum())
        return Parsed.of(lines, 0, [], carry=state, notes={OTHER_SERIES: n_rows})
    good = read.filter(pl.col("is_row") & pl.col("reason").is_null())
    samples = pl.concat([SAMPLES.to_frame(), *(_samples(good, series, i, name) for i, name in enumerate(names))])
    rows = to_rows(samples.sort("line_no", maintain_order=True), origin, state, f"collectd_csv {series.name}")
    return Parsed.of(
        lines,
        len(rows.used),
        rows.rejected(read),
        tables={table: rows.tables[table] for table in TABLES},
        coverage=rows.coverage,
        carry=state,
    )


def _series(origin: Origin) -> _Series:
    host, plugin, file = ["", "", "", *origin.place.split("/")][-3:]
    found = _FILE.fullmatch(stem_of(file))
    if found is None or not plugin:
        raise UnreadableFile(
            f"{origin.place or 'a file without a path'} is not a path that names a series of collectd", _HINT
        )
    kind, instance = found["type"], found["instance"] or ""
    start, _, of = plugin.partition("-")
    name = f"{plugin}/{kind}" + f"-{instance}" * bool(instance)
    full = f"{kind}-{instance}" if instance else kind
    if _CPU.fullmatch(plugin) and kind in ("cpu", "percent"):
        return _Series(host, name, "", "percent-idle" if full == "percent-active" else full)
    if start in _OF_HOST and not of:
        return _Series(host, name, "", full)
    item = instance or (of if start != "snmp" else "")
    return _Series(host, name, item, kind if start in _ITEMS and item else "")


def _names(origin: Origin, lines: pl.DataFrame) -> list[str]:
    """The names of the values: the header is the file's first line."""
    texts = pl.Series([*origin.head, *lines["text"]], dtype=pl.String)
    found = texts.str.extract(_HEADER, 1).drop_nulls()
    return found[0].strip(",").split(",") if len(found) else []


def _read(lines: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Lines as an instant and values as text, and why one is rejected."""
    text = pl.col("text")
    number = r"^(?:-?\d+(?:\.\d*)?(?:e[-+]?\d+)?|-?nan)$"
    return lines.with_columns(
        is_row=~text.str.contains(r"^\s*$") & ~text.str.contains(_HEADER),
        at=(text.str.extract(_TIME).cast(pl.Float64, strict=False) * 1_000_000).round().cast(pl.Int64),
        values=text.str.strip_chars().str.to_lowercase().str.split(",").list.slice(1),
    ).with_columns(
        reason=pl.when("is_row").then(
            first_of(
                bad_syntax=pl.col("at").is_null(),
                no_header=pl.lit(not names),
                wrong_width=pl.col("values").list.len() != len(names),
                bad_time=~pl.col("at").is_between(EARLIEST_US, LATEST_US),
                bad_number=~pl.col("values").list.eval(pl.element().str.contains(number)).list.all(),
            )
        )
    )


def _samples(good: pl.DataFrame, series: _Series, place: int, name: str) -> pl.DataFrame:
    """The samples of one value, as a counter where it has no decimals, else as a rate."""
    metric = f"{series.key}:{name}"
    if metric not in METRICS:
        return SAMPLES.to_frame()
    text = pl.col("values").list.get(place)
    number = text.cast(pl.Float64, strict=False)
    is_rate = ~text.str.contains(r"^-?\d+$") if METRICS[metric].is_counter else pl.lit(False)
    return (
        good.select(
            unit="line_no",
            line_no="line_no",
            metric=pl.when(is_rate).then(pl.lit(f"{metric}@rate")).otherwise(pl.lit(metric)),
            instance=pl.lit(series.host),
            item=pl.lit(series.item),
            description=pl.lit(""),
            cpu=pl.lit(""),
            mode=pl.lit(""),
            at="at",
            value=100 - number if "/percent-active" in series.name else number,
        )
        .filter(pl.col("value").is_finite())
        .cast(SAMPLES)
    )
