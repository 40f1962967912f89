"""What clients moved: mover records of the default layout of text, with whom and how."""

import polars as pl

from pipelines.sources._shared.columns import over
from pipelines.sources._shared.contract import fitted, no_rows
from pipelines.sources.dcache_billing.layout import DEFAULT, storage_layout
from pipelines.sources.dcache_billing.requests import MAX_BYTES, MOST_MS, named_classes
from pipelines.sources.dcache_billing.text import file_date, instant
from pipelines.sources.protocol import Origin

_LINE = (
    r"^(?P<date>\d\d\.\d\d \d\d:\d\d:\d\d) \[pool:(?P<cell>[^\]\s]*):transfer\] "
    r"\[(?P<pnfsid>[0-9A-Fa-f]+),(?P<bytes>\d+)\] (?:\[(?P<path>.*)\] )?(?P<storage_class>\S+) "
    r"(?P<moved>\d+) (?P<took>\d+) (?P<is_write>true|false) \{(?P<protocol>[^{}]*)\} "
    r'\[(?P<initiator>[^\]]*)\] \{(?P<error_code>-?\d+):"(?P<error>.*?)(?:"\})?$'
)
_FIELDS = ("date", "cell", "pnfsid", "bytes", "storage_class", "moved", "took", "is_write", "protocol", "initiator")
# GFtp-2.0 192.0.2.7 60893 · DCap-3.0,192.0.2.7:24045 · Xrootd-2.7,host.example.org:35011 · Http-1.1:192.0.2.7:0:cell:…
_PROTOCOL = r"^([A-Za-z][A-Za-z0-9.]*?)(?:-[\d.]+)?[ ,:]"
_CLIENT = (
    r"^[A-Za-z][A-Za-z0-9.-]*[ ,:]\[?"
    r"((?:[0-9A-Fa-f]{0,4}:){7}[0-9A-Fa-f]{0,4}|[0-9A-Fa-f:]*::[0-9A-Fa-f:.]*|[^\s:,\]]+)"
)
TABLE = "dcache_billing_transfer"
_CHARS = 300  # of a name: what logs hold is bounded


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
        return no_rows(TABLE)
    read = read.with_columns(ended_at=instant(pl.col("date"), storage_layout(DEFAULT), origin))
    return _shaped(read.filter(pl.col("ended_at").is_not_null()), origin.system)


def _shaped(read: pl.DataFrame, system: str) -> pl.DataFrame:
    initiator = pl.col("initiator")
    shaped = read.with_columns(
        *named_classes(),
        pool=pl.col("cell").str.extract(r"^([^@]*)"),
        moved_bytes="moved",
        took_s=over(pl.col("took"), 1000),
        is_write=pl.col("is_write") == "true",
        # a pool that asks another for its file names no door
        is_copy=initiator.str.starts_with("pool:") | (initiator == "<undefined>"),
        protocol=pl.col("protocol").str.extract(_PROTOCOL),
        client=pl.col("protocol").str.extract(_CLIENT),
        error=pl.when(pl.col("error") != "").then(pl.col("error")),
        system=pl.lit(system, dtype=pl.String),
    )
    return fitted(shaped, TABLE).with_columns(pl.col(pl.String).str.head(_CHARS))
