"""Alarms, as the server that raised one logs it and as the alarm server repeats it.

A mover's alarm about a volume or a slow drive is one of its steps too; this table has all alarms.
"""

import polars as pl

from pipelines.sources._shared.contract import fitted
from pipelines.sources._shared.stamps import instant_of

TABLE = "enstore_log_alarm"
START = "MSG_TYPE=ALARM "

_SERVER = (
    rf"^{START} *\((?P<epoch>\d+(?:\.\d+)?)\) (?P<source>\S+) on (?P<source_host>\S+) at [^(]*\([^)]*\) ?-"
    r" ?(?P<words>.*?)\s*$"
)


def read(rows: pl.DataFrame) -> pl.DataFrame:
    """The alarms among some rows of the log; values that the message does not have are NULL."""
    rows = rows.filter(pl.col("message").str.starts_with(START))
    rows = rows.with_columns(pl.col("message").str.extract_groups(_SERVER).struct.unnest())
    is_server = pl.col("epoch").is_not_null()
    body = pl.col("message").str.slice(len(START)).str.strip_chars()
    alarms = rows.with_columns(
        kind=pl.when(is_server).then(pl.lit("server")).otherwise(pl.lit("client")),
        alarm_severity=body.str.extract(r"\(severity : (\w+)\)$"),
        raised_at=instant_of(pl.col("epoch").cast(pl.Float64, strict=False)),
        text=pl.coalesce("words", body.str.replace(r"(?:, ?\{.*)?(?: \(severity : \w+\))?$", "")).str.slice(0, 300),
    )
    return fitted(alarms, TABLE).sort("line_no")
