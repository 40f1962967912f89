"""Telegraf's line protocol, as its file output writes it: load of a host, its disks and its interfaces.

    cpu,cpu=cpu-total,host=tpsrv01 usage_user=1.5,usage_system=2,usage_idle=95.5,usage_iowait=1 1436781600000000000
    diskio,host=tpsrv01,name=sdb reads=100i,read_bytes=52428800i,read_time=812i,io_time=4000i 1436781600000000000
    net,host=tpsrv01,interface=eth0 bytes_recv=1500000000i,bytes_sent=7i 1436781600000000000
    interface,agent_host=sw1,host=ts1,ifAlias=dm8\\ up,ifName=1/1 ifHCInOctets=5u,ifHCOutOctets=7u 1436781600000000000

Read are the inputs cpu (all processors together), diskio, kernel, mem, net, processes, swap and system under the names
Telegraf gives them, and the table `interface` of its input snmp (IF-MIB); which field goes where: see
`_shared/exporters.py`, how samples become rows: `_shared/scrapes.py`.
Other measurements are skipped. The time is in nanoseconds, or in a coarser unit by its digits. The host is the tag
`host`, of a switch's ports `agent_host` or `source`; where that is localhost, what site.toml gives.
"""

import polars as pl

from pipelines.sources._shared.exporters import METRICS
from pipelines.sources._shared.scrapes import EARLIEST_US, LATEST_US, SAMPLES, to_rows
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, first_of

TITLE = "Telegraf, line protocol"
VERSION = 3
TABLES = ("host_sample", "device_sample", "network_sample")
SPEAKS_FOR = "hosts"
CAN_BE_CUT = True

_START: Carry = {"last": {}}
_FIELDS = [(name, *name.split(".")) for name in METRICS if "." in name]
_MEASUREMENTS = sorted({measurement for _, measurement, _ in _FIELDS})
_LINE = r"^([A-Za-z_][A-Za-z0-9_.-]*)((?:,(?:\\.|[^ \\])*)?) +([^ =]+=.*[^ ]) +(-?[0-9]{9,19}) *$"
_KNOWN = rf"^(?:{'|'.join(_MEASUREMENTS)}),(?:(?:\\.|[^ \\])*,)?host="
_TAGS = ("host", "agent_host", "source", "name", "interface", "ifName", "ifDescr", "ifIndex", "ifAlias", "cpu")
_ITEMS = ("name", "interface", "ifName", "ifDescr", "ifIndex")
_PORTS = "interface"  # the line of a switch's port, which another host asked for
_ALL = "cpu-total"  # the line of all processors together
_NUMBER = r"[-+0-9.eE]+"


def recognise(head: list[str]) -> Claim:
    """Lines of a measurement, tags, fields and a time, some of a measurement that is read."""
    texts = pl.Series([line for line in head if line.strip() and not line.startswith("#")], dtype=pl.String)
    lines = texts.filter(texts.str.contains(_LINE))
    if not len(lines) or 2 * len(lines) < len(texts):
        return Claim(False, 0.0, "no lines of InfluxDB's line protocol: measurement, tags, fields and a time")
    if not lines.str.contains(_KNOWN).any():
        return Claim(False, 0.6, "line protocol of InfluxDB, but without Telegraf's measurements of a host")
    return Claim(True, 1.0, "line protocol with measurements of Telegraf")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of hosts, disks and interfaces."""
    state: Carry = {**_START, **(carry or {})}
    read = _read(lines)
    there = set(read.filter("is_kept")["measurement"])
    named = [names for names in _FIELDS if names[1] in there] or _FIELDS[:1]  # which has no rows then
    every = pl.concat([_samples(read, *names) for names in named])
    unread = every.filter(pl.col("value").is_null())["line_no"]
    read = read.with_columns(
        reason=pl.when(pl.col("reason").is_null() & pl.col("line_no").is_in(unread.implode()))
        .then(pl.lit("bad_number"))
        .otherwise("reason")
    )
    whole = read.filter(pl.col("reason").is_null())["line_no"]
    samples = every.filter(pl.col("line_no").is_in(whole.implode())).select(SAMPLES.names()).sort("line_no")
    rows = to_rows(samples, origin, state, "telegraf")
    return Parsed.of(
        lines,
        len(rows.used),
        rows.rejected(read),
        tables={table: rows.tables[table] for table in TABLES},
        coverage=rows.coverage,
        carry=state,
    )


def _read(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines as measurement, tags, fields and instant, and why one is rejected."""
    groups = lines["text"].str.extract_groups(_LINE).struct
    text, time = pl.col("text"), pl.col("time")
    digits = time.abs().cast(pl.String).str.len_chars()
    of_digits = pl.when(digits > 17).then(time // 1000).when(digits > 14).then(time).when(digits > 11).then(time * 1000)
    tags = pl.col("tags")
    read = lines.with_columns(
        measurement=groups.field("1"),
        tags=groups.field("2").fill_null(""),
        fields=groups.field("3").fill_null(""),
        time=groups.field("4").cast(pl.Int64, strict=False),
    ).with_columns(
        at=of_digits.otherwise(time * 1_000_000),
        **{name: _unescaped(tags.str.extract(rf",{name}=((?:\\.|[^,\\])*)")) for name in _TAGS},
    )
    is_kept = pl.col("measurement").is_in(_MEASUREMENTS) & ((pl.col("measurement") != "cpu") | (pl.col("cpu") == _ALL))
    return read.with_columns(
        is_kept=is_kept.fill_null(False),
        reason=first_of(
            bad_syntax=pl.col("measurement").is_null() & ~text.str.contains(r"^\s*(?:#.*)?$"),
            bad_time=is_kept & ~pl.col("at").is_between(EARLIEST_US, LATEST_US).fill_null(False),
        ),
    )


def _unescaped(tag: pl.Expr) -> pl.Expr:
    return tag.str.replace_all(r"\\([ ,=])", "$1").fill_null("")


def _first(*names: str) -> pl.Expr:
    return pl.coalesce(pl.col(*names).replace("", None)).fill_null("")


def _samples(read: pl.DataFrame, metric: str, measurement: str, field: str) -> pl.DataFrame:
    """The samples of one field; null values where it is no number."""
    shown = pl.col("fields").str.extract(rf"(?:^|,){field}=([^,]*)")
    found = read.filter(pl.col("is_kept") & (pl.col("measurement") == measurement)).with_columns(shown=shown)
    number = pl.col("shown").str.extract(rf"^({_NUMBER})[iu]?$").cast(pl.Float64, strict=False)
    return found.filter(pl.col("shown").is_not_null()).select(
        unit="line_no",
        line_no="line_no",
        metric=pl.lit(metric),
        instance=_first("agent_host", "source", "host") if measurement == _PORTS else "host",
        item=_first(*_ITEMS),
        description="ifAlias",
        cpu=pl.lit(""),
        mode=pl.lit(""),
        at="at",
        value=pl.when(number.is_finite()).then(number),
    )
