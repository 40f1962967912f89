"""One row per counter of the drive's SCSI log pages, which the daemon asks for at the end of a session."""

import re

import polars as pl

from pipelines.sources._shared.cta_log import alike
from pipelines.sources._shared.cta_log.typed import COMMON, Fields, fields, keys_of, torn, typed

FIELDS: Fields = {
    **{name: COMMON[name] for name in ("system", "volume", "mount_id")},
    **fields("text", serial="serialNumber"),
}
_COUNTER = re.compile(r"(?:mount|lifetime|volume)[A-Z]\w*|validity")
_OTHERS = {"mountId", "mountType", "mountAttempted"}


def read(rows: pl.DataFrame) -> pl.DataFrame:
    """A row per line and counter, or per line without one: parameters, `counter`, `reading` and `is_read`."""
    every = [alike.pairs(body, is_json) for body, is_json in rows.select("body", "is_json").iter_rows()]
    readings = pl.Series("reading", [_counters(one or {}) for one in every], pl.List(pl.List(pl.String)))
    found = rows.drop("body").hstack(alike.table(every, sorted(keys_of(FIELDS)))).with_columns(readings)
    counted = found.explode("reading", empty_as_null=True)
    return counted.with_columns(counter=pl.col("reading").list.get(0), reading=pl.col("reading").list.get(1))


def _counters(found: alike.Pairs) -> list[list[str]]:
    return [
        [key, value] for key, value in sorted(found.items()) if _COUNTER.fullmatch(key) and key not in _OTHERS and value
    ]


def rows_of(found: pl.DataFrame, system: str) -> pl.DataFrame:
    """Rows, with `reject` for lines that are not rows; values that are not numbers, such as dates, are left out."""
    rows = typed(found, FIELDS, system, "kind", "counter", "reading").rename({"kind": "scope"})
    value = pl.col("reading").cast(pl.Float64, strict=False)
    rows = torn(rows, pl.col("drive").is_null()).with_columns(value=pl.when(value.is_finite()).then(value))
    return rows.filter(pl.col("value").is_not_null() | pl.col("reject").is_not_null())
