"""What clients moved: mover records of the default layout of text, with whom and how."""

import polars as pl

from pipelines.sources.dcache_billing.layout import DEFAULT, storage_layout
from pipelines.sources.dcache_billing.requests import MAX_BYTES, MOST_MS, named_classes
from pipelines.sources.dcache_billing.text import file_date, instant
from pipelines.sources.protocol import Origin

_LINE = (
    r"^(?P<date>\d\d\.\d\d \d\d:\d\d:\d\d) \[pool:(?P<cell>[^\]\s]*):transfer\] "
    r"\[(?P<pnfsid>[0-9A-Fa-f]+),(?P<bytes>\d+)\] (?:\[(?P<path>.*)\] )?(?P<storage_class>\S+) "
    r"(?P<moved>\d+) (?P<took>\d+) (?P<is_write>true|false) \{(?P<protocol>[^{}]*)\} "
    r'\[(?P<initiator>[^\]]*)\] \{(?P<error_code>-?\d+):"(?P<error>.*)"\}$'
)
_FIELDS = ("date", "cell", "pnfsid", "bytes", "storage_class", "moved", "took", "is_write", "protocol", "initiator")
# GFtp-2.0 192.0.2.7 60893 · DCap-3.0,192.0.2.7:24045 · Xrootd-2.7,host.example.org:35011 · Http-1.1:192.0.2.7:0:cell:…
_PROTOCOL = r"^([A-Za-z][A-Za-z0-9.]*?)(?:-[\d.]+)?[ ,:]"
_CLIENT = (
    r"^[A-Za-z][A-Za-z0-9.-]*[ ,:]\[?"
    r"((?:[0-9A-Fa-f]{0,4}:){7}[0-9A-Fa-f]{0,4}|[0-9A-Fa-f:]*::[0-9A-Fa-f:.]*|[^\s:,\]]+)"
)
_CHARS = 300  # of a name: what logs hold is bounded
_TEXT, _WHOLE = pl.String(), pl.Int64()
SCHEMA = pl.Schema(
    {
        **{"line_no": _WHOLE, "system": _TEXT, "pool": _TEXT, "pnfsid": _TEXT, "storage_group": _TEXT},
        **{"file_family": _TEXT, "bytes": _WHOLE, "moved_bytes": _WHOLE, "took_s": pl.Float64()},
        **{"is_write": pl.Boolean(), "is_copy": pl.Boolean(), "protocol": _TEXT, "client": _TEXT},
        **{"ended_at": pl.Datetime("us"), "error_code": _WHOLE, "error": _TEXT},
    }
)


def mover_records(rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """The classified lines that are transfers as dCache writes them by default; other layouts are left out."""
    transfers = rows.filter(pl.col("kind") == "transfer").select("line_no", "text")
    read = transfers.with_columns(found=pl.col("text").str.extract_groups(_LINE)).unnest("found")
    numbers = [pl.col(name).cast(pl.Int64, strict=False) for name in ("bytes", "moved", "took", "error_code")]
    read = read.filter(pl.all_horizontal(pl.col(*_FIELDS).is_not_null())).with_columns(*numbers)
    is_bounded = pl.all_horizontal(
        pl.col("bytes", "moved").is_between(0, MAX_BYTES), pl.col("took").is_between(0, MOST_MS)
    )
    read = read.filter(is_bounded)
    if not read.height or file_date(origin) is None:  # of these alone no file is refused for its year
        return pl.DataFrame(schema=SCHEMA)
    read = read.with_columns(ended_at=instant(pl.col("date"), storage_layout(DEFAULT), origin))
    return _shaped(read.filter(pl.col("ended_at").is_not_null()), origin.system)


def _shaped(read: pl.DataFrame, system: str) -> pl.DataFrame:
    initiator = pl.col("initiator")
    # a materialised divisor: by a scalar, Polars multiplies with the reciprocal
    read = read.with_columns(thousand=pl.Series("thousand", [1000.0] * read.height, dtype=pl.Float64))
    return (
        read.select(
            "line_no",
            *named_classes()[:2],
            pl.col("cell").str.extract(r"^([^@]*)").alias("pool"),
            "pnfsid",
            "bytes",
            pl.col("moved").alias("moved_bytes"),
            (pl.col("took") / pl.col("thousand")).alias("took_s"),
            (pl.col("is_write") == "true").alias("is_write"),
            # a pool that asks another for its file names no door
            (initiator.str.starts_with("pool:") | (initiator == "<undefined>")).alias("is_copy"),
            pl.col("protocol").str.extract(_PROTOCOL).alias("protocol"),
            pl.col("protocol").str.extract(_CLIENT).alias("client"),
            "ended_at",
            "error_code",
            pl.when(pl.col("error") != "").then(pl.col("error")).alias("error"),
            system=pl.lit(system, dtype=pl.String),
        )
        .select(SCHEMA.names())
        .cast(SCHEMA)
        .with_columns(pl.col(pl.String).str.head(_CHARS))
    )
