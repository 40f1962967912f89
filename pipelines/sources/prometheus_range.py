"""Raw samples that Prometheus or VictoriaMetrics keep of node_exporter and snmp_exporter, as their HTTP API gives them.

    {"status":"success","data":{"resultType":"matrix","result":[
      {"metric":{"__name__":"node_load1","instance":"tpsrv01:9100"},"values":[[1436781430.781,"0.25"],…]},…]}}

    [{"metric":{"__name__":"node_load1",…},"values":[0.25,…],"timestamps":[1436781430781,…]},…]

An answer of `/api/v1/query?query={__name__=~"node_.+"}[1h]` is on one line; a file may hold several. A line may also
hold only the list of series, or one series of VictoriaMetrics' `/api/v1/export`. `_shared/exporters.py` lists the
metrics and where they go; `_shared/scrapes.py` describes how samples become rows.

**Raw samples only.** A range in brackets gives the scrapes themselves. `/api/v1/query_range` repeats the last scrape on
a grid: bytes then shift by up to a step. What `rate()` or `sum()` gives has no name any more and is not read.

**A line brings all that makes a row.** No later step joins a disk's bytes and its waits, or the modes of processors:
ask for them in one query, or join the lines of an export. A line longer than a line may be (`line_kb` under [limits]
in site.toml) is rejected; a line a host is shorter:

    jq -cs 'group_by(.metric.instance)[]' export.jsonl      jq -c '.data.result | group_by(.metric.instance)[]' a.json

**Names.** The host is the label `instance` without its port, or, where it says localhost or is missing, what site.toml
gives. Traffic of a switch's ports (ifHC…) goes to network_sample under the name of the switch, in and out as the switch
counts them; the `port` of a [[link]] in site.toml says whose traffic it is.

**Ask with an overlap.** A step whose two ends are in two answers is in neither: ask for `[65m]` each hour, not `[1h]`.
What two answers hold counts once.
"""

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.exporters import METRICS, NEEDED
from pipelines.sources._shared.scrapes import SAMPLES, Rows, to_rows
from pipelines.sources._shared.scrapes import TABLES as TABLES
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed

TITLE = "Prometheus, raw samples"
VERSION = 3
SPEAKS_FOR = "hosts"
IS_WHOLE = True

_START: Carry = {"last": {}}
_LABELS = ("__name__", "instance", "device", "ifName", "ifDescr", "ifIndex", "ifAlias", "cpu", "mode")
_METRIC = pl.Struct({name: pl.String for name in _LABELS})
# numbers come in quotes or not: as text both are read alike
_PAIRS = pl.Struct({"metric": _METRIC, "values": pl.List(pl.List(pl.String))})
_LISTS = pl.Struct({"metric": _METRIC, "values": pl.List(pl.String), "timestamps": pl.List(pl.String)})
_PREFIXES = ("node_", "ifHC", "ifInOctets", "ifOutOctets", "ifHighSpeed", "ifSpeed")
_SHOWN = 5_000  # characters of a line that recognition looks at
_EARLIEST_S, _LATEST_S = 315_532_800, 4_102_444_800
_HINT = "request all metrics of the host in one query, or join an export's lines: jq -cs 'group_by(.metric.instance)[]'"


def recognise(head: list[str]) -> Claim:
    """A line of a matrix, or of series with values, of metrics that an exporter names."""
    starts = [line.strip()[:_SHOWN] for line in head if line.strip()]
    first = starts[0].replace(" ", "") if starts else ""
    if first == "{" and any(start.startswith('"status"') for start in starts[1:4]):
        return Claim(
            False,
            0.7,
            "this answer of Prometheus spans several lines; put it on one line with jq -c .",
        )
    if first.startswith('{"status":"error"'):
        return Claim(False, 0.7, "this is Prometheus' answer to a query that failed")
    is_answer = first.startswith('{"status":"success"') and '"resultType":"' in first
    if is_answer and '"resultType":"matrix"' not in first:
        return Claim(
            False,
            0.7,
            "this answer of Prometheus has samples of one moment only; query a range, such as node_load1[1h]",
        )
    if not is_answer and not first.startswith(('{"metric":{', '[{"metric":{')):
        return Claim(False, 0.0, "neither an answer of Prometheus nor an export of VictoriaMetrics")
    if '"__name__":"' not in first:
        return Claim(
            False,
            0.7,
            "series without names, such as rates or sums, are not read; query raw samples, such as node_load1[1h]",
        )
    if not any(f'"__name__":"{prefix}' in start.replace(" ", "") for prefix in _PREFIXES for start in starts):
        return Claim(False, 0.6, "series of Prometheus, but not of node_exporter or of switch ports")
    return Claim(True, 1.0, "raw samples of Prometheus" if is_answer else "series with their raw samples")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Samples of hosts, disks and interfaces; raises UnreadableFile where a row's parts are on several lines."""
    state: Carry = {**_START, **(carry or {})}
    read = [
        (line_no, text, _samples(line_no, text))
        for line_no, text in lines.select("line_no", "text").rows()
        if text.strip()
    ]
    samples = pl.concat([SAMPLES.to_frame(), *(found for _, _, found in read if not isinstance(found, str))])
    rows = to_rows(samples, origin, state, "prometheus_range")
    _check_whole(rows)
    bad = [(line_no, text, found) for line_no, text, found in read if isinstance(found, str)]
    old = set(rows.old)
    bad += [(line_no, text, "out_of_order") for line_no, text, _ in read if line_no in old]
    return Parsed.of(
        lines,
        len(rows.used),
        sorted(bad),
        tables=rows.tables,
        coverage=rows.coverage,
        carry=state,
    )


def _check_whole(rows: Rows) -> None:
    """Raises UnreadableFile where a line has some of a disk's or the processors' metrics, and not those it must."""
    for what, (table, needed) in NEEDED.items():
        some = rows.columns.filter(table=table)
        if table == "host_sample":
            some = some.filter(pl.col("columns").list.eval(pl.element().str.starts_with("cpu ")).list.any())
        lacks = some.filter(~pl.all_horizontal(pl.col("columns").list.contains(name) for name in needed))
        if lacks.height:
            where = lacks.sort("unit").row(0, named=True)
            raise UnreadableFile(f"line {where['unit']} lacks some of the metrics that are needed for {what}", _HINT)


def _samples(line_no: int, text: str) -> pl.DataFrame | str:
    """The samples of one line, of the metrics that are read; or why it is rejected."""
    is_lists = '"timestamps"' in text
    try:
        series = _series(text.strip(), _LISTS if is_lists else _PAIRS)
    except pl.exceptions.PolarsError:
        return "bad_syntax"
    if series is None:
        return "bad_syntax"
    known = series.drop_nulls("metric").unnest("metric").filter(pl.col("__name__").is_in(list(METRICS)))
    pairs = _from_lists(known) if is_lists else _from_pairs(known)
    if pairs is None:
        return "bad_syntax"
    at_s, value = pl.col("at").cast(pl.Float64, strict=False), pl.col("value").cast(pl.Float64, strict=False)
    pairs = pairs.with_columns(at_s=at_s / (pl.int_range(pl.len()) * 0 + (1000 if is_lists else 1)), number=value)
    if not pairs["at_s"].is_between(_EARLIEST_S, _LATEST_S).fill_null(False).all():
        return "bad_time"
    if (pairs["number"].is_null() & pairs["value"].is_not_null()).any():
        return "bad_number"
    label = {name: pl.col(name).fill_null("") for name in _LABELS}
    return pairs.filter(pl.col("number").is_finite()).select(
        unit=pl.lit(line_no, dtype=pl.Int64),
        line_no=pl.lit(line_no, dtype=pl.Int64),
        metric=label["__name__"],
        instance=label["instance"],
        item=pl.coalesce(pl.col("device", "ifName", "ifDescr", "ifIndex").replace("", None)).fill_null(""),
        description=label["ifAlias"],
        cpu=label["cpu"],
        mode=label["mode"],
        at=(pl.col("at_s") * 1000).round().cast(pl.Int64) * 1000,
        value="number",
    )


def _series(text: str, kind: pl.Struct) -> pl.DataFrame | None:
    """The series of a line, `metric`, `values` and perhaps `timestamps`; None where the line is something else."""
    many = pl.List(kind)
    if text.startswith("["):
        return _decoded(text, pl.Struct({"list": many}), '{"list":%s}').select(pl.col("list").explode()).unnest("list")
    if '"metric"' in text and '"resultType"' not in text:
        return _decoded(text, kind)
    answer = pl.Struct({"status": pl.String, "data": pl.Struct({"resultType": pl.String, "result": many})})
    found = _decoded(text, answer).unnest("data")
    if found.select("status", "resultType").rows() != [("success", "matrix")]:
        return None
    return found.select(pl.col("result").explode()).unnest("result")


def _decoded(text: str, kind: pl.Struct, frame: str = "%s") -> pl.DataFrame:
    """Raises PolarsError where the text is no JSON of this kind."""
    return pl.DataFrame({"line": [frame % text]}).select(pl.col("line").str.json_decode(kind)).unnest("line")


def _from_pairs(series: pl.DataFrame) -> pl.DataFrame | None:
    """Samples of `values`: pairs of an instant in seconds and a value; None where one is no pair."""
    pairs = series.explode("values").drop_nulls("values")
    if not (pairs["values"].list.len() == 2).all():
        return None
    return pairs.with_columns(at=pl.col("values").list.get(0), value=pl.col("values").list.get(1))


def _from_lists(series: pl.DataFrame) -> pl.DataFrame | None:
    """Samples of `values` and `timestamps` of the same length, in milliseconds; None where one is longer."""
    series = series.drop_nulls(["values", "timestamps"])
    if not (series["values"].list.len() == series["timestamps"].list.len()).all():
        return None
    return series.explode("values", "timestamps").rename({"timestamps": "at", "values": "value"})
