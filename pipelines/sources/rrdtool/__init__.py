"""Round-robin databases as rrdtool shows them: traffic of links (MRTG's), and a host's metrics (Ganglia's).

`rrdtool dump` (also of `.rrd` files, which are opened through it), all archives of a database, one after the other:

    <!-- 2010-03-10 12:00:00 UTC / 1268222400 --> <row><v>3.55e+06</v><v>5.83e+06</v></row>

`rrdtool fetch`, one archive, with a decimal comma in some languages:

                            ds0                 ds1

    1268222400: 8.1430547272e+07 2.7938943944e+07

`rrdtool xport` as XML and JSON, chosen columns under names of their own; rows carry their time (`<t>`, a first value in
quotes) only if it was asked for, else the first bin ends at `start` and each next one a `step` later:

    <row><v>3.9483344598e+06</v><v>1.9681970050e+07</v></row>
    [ 3.9483344598e+06, 1.9681970050e+07 ],

Every time is the end of its bin, in epoch seconds. NaN is not measured, and gives no value; a bin of NaN gives no
row. Archives of maxima give rows of maxima in addition to the averages of the same bins. `fetch` does not show which it
prints: averages, unless the file's name holds the word max.

MRTG's databases have `ds0` (in) and `ds1` (out), bytes/s, and go where its logs go, with the link of the origin. So do
those of LibreNMS and Observium, a port each, `INOCTETS` and `OUTOCTETS` among errors and packets, which are not read.
Where only the switch is known, by `{host}` in the pattern, the link is the switch and the file's name, `sw1:port-id12`:
the `port` of a [[link]] in site.toml maps it.
Ganglia's have one value `sum`: the metric is the file's name, the host the origin's (by `{host}` in the pattern). A
dump of these gives only the rows that no finer archive has, since no later step would sort them out. Databases of
other values are refused: their names do not show what they hold.
"""

import re

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.columns import over
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import unbroken
from pipelines.sources._shared.stamps import at_second
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, rejected
from pipelines.sources.rrdtool.heads import METRICS, Head, columns_of, metric_of, read_head, stem_of_rrd
from pipelines.sources.rrdtool.rows import START, bins

TITLE = "rrdtool output"
VERSION = 4
TABLES = ("link_sample", "network_sample", "host_sample")
SPEAKS_FOR = "links"
IS_WHOLE = True
IS_NAMED_BY_PATH = True  # two idle metrics, or two idle ports, have the same text
IS_SNAPSHOT = True  # a ring of bins, coarser with age: an older version knows what a newer one has lost

_CARRY: Carry = {**START, "average": [0, 0], "known_from": None, "finer_from": None}
_SIDES = {"in": "in_bytes_s", "out": "out_bytes_s", "in_max": "in_max_bytes_s", "out_max": "out_max_bytes_s"}


def recognise(head: list[str]) -> Claim:
    """The beginning of a dump, fetch or xport whose columns are known."""
    found = read_head(head)
    if found is None:
        return Claim(False, 0.0, "no output of rrdtool")
    if found.why_not:
        return Claim(False, 0.7, f"output of rrdtool {found.layout}, which is not read: {found.why_not}")
    return Claim(True, 1.0, f"rrdtool {found.layout} of {', '.join(found.names)} in bins of {found.step_s} s")


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """Bins with a value as rows; raises UnreadableFile where the head, or a Ganglia metric, is not known."""
    state = {**_CARRY, **(carry or {})}
    if not lines.height:
        return Parsed(carry=state)
    head = read_head(list(origin.head) or lines["text"].to_list())
    if head is None or head.why_not:
        raise UnreadableFile(
            head.why_not if head else "the file has no header of rrdtool's output",
            "provide a database of MRTG or Ganglia, or its output from `rrdtool dump`, `fetch` or `xport`",
        )
    frame = bins(lines, head, state)
    good = frame.filter(pl.col("is_row") & pl.col("reason").is_null())
    known = good.filter(~pl.col("is_empty"))
    if columns_of(head.names) is not None:
        host, tables, used = _links(known, head, origin)
    else:
        host, tables, used = _samples(good, head, origin, state)
    return Parsed.of(
        lines,
        used.height,
        rejected(frame),
        tables=tables,
        coverage=unbroken(used.select("line_no", *_instants(), host=pl.lit(host, dtype=pl.String))),
        carry=state,
    )


def _is_maximum(head: Head, origin: Origin) -> pl.Expr:
    if head.layout == "fetch":
        return pl.lit(re.search(r"(?:^|[^a-z])max(?:imum)?(?:[^a-z]|$)", stem_of_rrd(origin.path).lower()) is not None)
    return pl.col("cf") == "MAX"


def _links(known: pl.DataFrame, head: Head, origin: Origin) -> tuple[str, dict[str, pl.DataFrame], pl.DataFrame]:
    """Rows of traffic: averages, and maxima in the places of maxima."""
    stem = stem_of_rrd(origin.path)
    is_port = "INOCTETS" in head.names and origin.host not in ("", stem)
    link = origin.link or (f"{origin.host}:{stem}" if is_port else origin.host or stem)
    rows = known.filter(pl.col("cf").is_in(["AVERAGE", "MAX"])).with_columns(is_max=_is_maximum(head, origin))
    columns = columns_of(head.names) or ()
    places = {name: i for i, name in enumerate(columns) if name}

    def value(name: str) -> pl.Expr:
        if name not in places:
            return pl.lit(None, dtype=pl.Float64)
        return pl.col("number").list.get(places[name], null_on_oob=True).fill_nan(None)

    rows = rows.filter(pl.any_horizontal(value(name).is_not_null() for name in places))
    values = []
    for side in ("in", "out"):
        mean, maximum = value(side), value(f"{side}_max")
        values.append(pl.when(~pl.col("is_max")).then(mean).alias(_SIDES[side]))
        values.append(pl.when("is_max").then(mean).otherwise(maximum).alias(_SIDES[f"{side}_max"]))
    table = rows.with_columns(*values, *_instants(), link=pl.lit(link), log_format=pl.lit("rrdtool"))
    return link, {TABLES[0]: complete(table, TABLES[0])}, rows


def _samples(
    good: pl.DataFrame, head: Head, origin: Origin, state: Carry
) -> tuple[str, dict[str, pl.DataFrame], pl.DataFrame]:
    """Rows of one of Ganglia's metrics."""
    metric = metric_of(head.names, origin.path)
    if metric is None:
        raise UnreadableFile(
            f"the name {stem_of_rrd(origin.path)} does not end with a supported metric of Ganglia",
            f"supported metrics: {', '.join(sorted(METRICS))}",
        )
    table, column, factor = METRICS[metric]
    host = origin.host or "unknown"
    rows = _finest(good, state)
    number = pl.col("number").list.get(0)
    rows = rows.with_columns(
        *_instants(),
        host=pl.lit(host, dtype=pl.String),
        # several metrics of one instant are several rows: each is a witness of its own
        tool=pl.lit(f"rrdtool {metric}", dtype=pl.String),
        interface=pl.lit("all", dtype=pl.String),
        kind=pl.lit("all", dtype=pl.String),
        value=over(number, 100) if factor == 0.01 else number * factor,
    ).rename({"value": column})
    if column.endswith("_bytes"):
        rows = rows.with_columns(pl.col(column).round())
    return host, {table: complete(rows, table)}, rows


def _finest(good: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Bins of averages that end before the finer archives before them begin to know anything.

    Raises UnreadableFile where archives do not go from fine to coarse.
    """
    kept = []
    for (rra, span), rows in good.filter(cf="AVERAGE").group_by("rra", "span_s", maintain_order=True):
        last_rra, last_span = state["average"]
        if rra != last_rra:
            if int(span) < last_span:
                raise UnreadableFile(
                    "the round-robin archives (RRA) of the database are not ordered from fine to coarse",
                    "provide the output of `rrdtool xport` for one archive of the database",
                )
            state["average"], state["finer_from"] = [int(rra), int(span)], state["known_from"]
        known = rows.filter(~pl.col("is_empty"))
        limit = state["finer_from"]
        kept.append(known if limit is None else known.filter(pl.col("to_t") <= limit))
        if known.height:
            first = int(known["to_t"][0]) - int(span)
            state["known_from"] = first if state["known_from"] is None else min(first, state["known_from"])
    return pl.concat(kept) if kept else good.clear()


def _instants() -> list[pl.Expr]:
    begin = pl.col("to_t") - pl.col("span_s")
    return [at_second(begin).alias("from_at"), at_second("to_t").alias("to_at")]
