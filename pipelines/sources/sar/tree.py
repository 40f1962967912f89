"""`sadf -j` and `sadf -x`: JSON and XML as sadf breaks them into lines, one item a line below its sample's timestamp.

    "timestamp": {"date": "2026-03-02", "time": "09:10:01", "utc": 1, "interval": 600},
    <disk-device dev="sdb" tps="41.00" rd_sec="0.00" wr_sec="41984.00" avgrq-sz="1024.00" await="5.10" .../>

Read line by line, since the JSON of many versions is not valid, a file may end anywhere, and one of a busy host does
not fit into memory. Values carry their names, so nothing can shift. Names are brought to those of sar's headers.
"""

from copy import deepcopy

import polars as pl

from pipelines.sources._shared.names import stem_of
from pipelines.sources.protocol import Carry, Origin, Parsed, first_of
from pipelines.sources.sar.activities import CPU, DISK, INTERFACE, IO, MEMORY, QUEUE, SWITCH, Activity
from pipelines.sources.sar.measure import ChunkRows, begins
from pipelines.sources.sar.stamps import read_stamps

_START: Carry = {"host": None, "n_cpus": None, "at": None, "from_at": None, "has_stamp": False}
_START |= {"chain": None, "fold": None}
# What a line of each activity has in it, in JSON and in XML, and the key that names the item.
_SIGNS: tuple[tuple[Activity, str, str], ...] = (
    (CPU, r'\{"cpu": "[^"]*", "us|<cpu number="[^"]*" us', r'(?:"cpu": |number=)"([^"]*)"'),
    (IO, r'"io": \{|<io-reads |<io-writes ', ""),
    (QUEUE, r'"queue": \{|<queue ', ""),
    (MEMORY, r'"memory": \{|<(?:memfree|buffers|cached|active|inactive|swpused)>', ""),
    (SWITCH, r'"process-and-context-switch": \{|<process-and-context-switch ', ""),
    (DISK, r'\{"disk-device": "|<disk-device dev="', r'(?:"disk-device": |dev=)"([^"]*)"'),
    (INTERFACE, r'\{"iface": "[^"]*", "rx(?:pck|byt)|<net-dev iface="', r'(?:"iface": |iface=)"([^"]*)"'),
)
_OTHER_NAMES = {
    "%util": "util-percent",
    "%ifutil": "ifutil-percent",
    "kbmemfree": "memfree",
    "kbbuffers": "buffers",
    "kbcached": "cached",
    "kbactive": "active",
    "kbinact": "inactive",
    "kbswpused": "swpused",
}
_STAMP = r'"timestamp": \{|<timestamp '
_INSTANT = pl.Datetime("us")


def _value(key: str) -> pl.Expr:
    """The value of a key: `"key": 1.00`, `key="1.00"` or `<key>1.00<`."""
    return pl.col("text").str.extract(rf'[" <]{key}(?:": "?|="|>)([^",}}<>]*)')


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry) -> Parsed:
    """Rows of the activities that are read."""
    state = deepcopy({**_START, **carry})
    number = pl.lit(None, dtype=pl.Int64)
    for place, (_, sign, _) in enumerate(_SIGNS):
        number = pl.when(pl.col("text").str.contains(sign)).then(place).otherwise(number)
    is_stamp = lines["text"].str.contains(_STAMP)
    described = lines.with_columns(
        activity=pl.when(~is_stamp).then(number),
        own_host=_value("nodename"),
        own_cpus=_value("number-of-cpus").cast(pl.Int32, strict=False),
    ).with_columns(
        host=pl.col("own_host").forward_fill().fill_null(pl.lit(state["host"], dtype=pl.String)),
        n_cpus=pl.col("own_cpus").forward_fill().fill_null(pl.lit(state["n_cpus"], dtype=pl.Int32)),
    )
    found = ChunkRows(origin)
    stamps = _stamps(described.filter(is_stamp), origin, state)
    found.reject(stamps)
    rows = _under(described.filter(pl.col("activity").is_not_null()), stamps, state, origin)
    for place, (activity, _, item) in enumerate(_SIGNS):
        part = rows.filter(pl.col("activity") == place)
        if part.height:
            _take(part, activity, item, found)
    if described.height:
        state["host"], state["n_cpus"] = described.select("host", "n_cpus").row(-1)
    others = described.filter(is_stamp | pl.col("own_host").is_not_null() | pl.col("own_cpus").is_not_null())
    return found.parsed(lines.height, [others["line_no"]], state)


def _stamps(lines: pl.DataFrame, origin: Origin, state: Carry) -> pl.DataFrame:
    """The lines of timestamps with the sample's begin and end."""
    word = pl.when(_value("utc") == "1").then(pl.lit("UTC")).otherwise(_value("tz").fill_null(""))
    stamp = pl.concat_str(_value("date"), pl.lit(" "), _value("time"), pl.lit(" "), word).str.strip_chars_end(" ")
    stamps = lines.with_columns(stamp=stamp, interval=_value("interval"))
    stamps, state["fold"] = read_stamps(stamps, origin, state["fold"])
    is_good = pl.col("at").is_not_null() & pl.col("interval_s").is_not_null()
    good = stamps.filter(is_good).with_columns(block=pl.lit(0, dtype=pl.Int64))
    from_at, state["chain"] = begins(good, state["chain"])
    begun = good.select("line_no").with_columns(from_at)
    return stamps.join(begun, on="line_no", how="left", maintain_order="left").with_columns(
        reason=pl.when(~is_good).then(pl.lit("bad_time"))
    )


def _under(rows: pl.DataFrame, stamps: pl.DataFrame, state: Carry, origin: Origin) -> pl.DataFrame:
    """Rows with the start and the end of the timestamp above them."""
    above = stamps.select("line_no", "from_at", to_at="at", has_stamp=pl.lit(True))
    rows = rows.set_sorted("line_no").join_asof(above.set_sorted("line_no"), on="line_no")
    is_above = pl.col("has_stamp").fill_null(False)
    rows = rows.with_columns(
        pl.when(is_above).then(name).otherwise(pl.lit(state[key], dtype=pl.Int64).cast(_INSTANT)).alias(name)
        for name, key in (("from_at", "from_at"), ("to_at", "at"))
    ).with_columns(has_stamp=is_above | pl.lit(state["has_stamp"]), host=pl.col("host").fill_null(stem_of(origin.path)))
    if above.height:
        last = above.select(pl.col("from_at", "to_at").dt.epoch("us")).row(-1)
        state["from_at"], state["at"], state["has_stamp"] = *last, True
    is_whole = pl.col("text").str.contains(r"[}>],?\s*$")
    return rows.with_columns(
        reason=first_of(no_header=~pl.col("has_stamp"), bad_time=pl.col("to_at").is_null(), bad_syntax=~is_whole)
    )


def _take(rows: pl.DataFrame, activity: Activity, item: str, found: ChunkRows) -> None:
    names = dict.fromkeys(name for field in activity.fields for name in field.names)
    named = pl.col("text").str.extract(item) if item else pl.lit("")
    rows = rows.with_columns(
        named.alias("item"),
        *(_value(_OTHER_NAMES.get(name, name.removesuffix("/s").removeprefix("%"))).alias(name) for name in names),
    )
    found.add_sparse(rows, activity)
