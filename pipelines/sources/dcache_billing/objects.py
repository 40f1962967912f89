"""Tape records as JSON objects and as rows of a database dump, both one to a line."""

import json
from datetime import datetime
from typing import Any

import polars as pl

from pipelines.sources._shared.contract import shaped
from pipelines.sources._shared.delimited import cells
from pipelines.sources._shared.stamps import from_microseconds, iso_us
from pipelines.sources.dcache_billing.layout import KINDS, TAPE
from pipelines.sources.dcache_billing.requests import NUMBERS, RAW
from pipelines.sources.protocol import first_of

_MOST = 2**62
# column of the dump → our name; those with a mark may be missing
COLUMNS = {
    "datestamp": "created_at",
    "cellname": "cell",
    "action": "operation",
    "transaction": "transaction?",
    "pnfsid": "pnfsid",
    "fullsize": "bytes",
    "storageclass": "storage_class",
    "connectiontime": "transfer_ms",
    "queuedtime": "queue_ms",
    "errorcode": "error_code",
    "errormessage": "error?",
}
_NEEDED = {name for name, ours in COLUMNS.items() if not ours.endswith("?")}
_DELIMITERS = ",;\t|"
Values = dict[str, Any]


def from_json(rows: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Tape records of lines that begin like objects; objects of other kinds are left out."""
    quick = pl.col("text").str.extract(rf'"msgType"\s*:\s*"({"|".join(KINDS)})"')
    is_other = quick.is_not_null() & ~quick.is_in(TAPE) & pl.col("text").str.ends_with("}")
    read = [_object(line_no, text, zone) for line_no, text in rows.filter(~is_other.fill_null(False)).iter_rows()]
    return pl.DataFrame(read, schema=RAW)


def _object(line_no: int, text: str, zone: str) -> Values:
    row = {"line_no": line_no, "text": text, "encoding": "json"}
    try:
        found = json.loads(text)
        status, hsm = found.get("status") or {}, found.get("hsm") or {}
        locations = found.get("locations") or []
        row |= {
            "operation": found["msgType"],
            "cell": found["cellName"],
            "domain": found.get("cellDomain"),
            "pnfsid": found["pnfsid"],
            "path": found.get("billingPath"),
            "storage_class": found.get("storageInfo"),
            "error": status.get("msg"),
            "transaction": found.get("transaction") or found.get("session"),
            "provider": hsm.get("provider"),
            "uri": locations[0] if locations else None,
        }
        numbers = (found.get("fileSize"), found.get("queuingTime"), found.get("transferTime"), status.get("code"))
        stamp = found.get("date")
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return {"line_no": line_no, "text": text, "reason": "bad_syntax"}
    texts = [value for key, value in row.items() if key not in ("line_no", "text")]
    if row["operation"] not in TAPE or not all(value is None or isinstance(value, str) for value in texts):
        return {"line_no": line_no, "text": text, "reason": "bad_syntax"}
    counts = dict(zip(NUMBERS, map(_integer, numbers), strict=True))
    return row | counts | {"created_at": _instant(stamp, zone)}


def header_of(text: str) -> tuple[str, list[str]] | None:
    """Delimiter and columns, if the line is the header of a dump of `storageinfo`."""
    for delimiter in _DELIMITERS:
        names = [name.strip(' "').lower() for name in text.split(delimiter)]
        if set(names) >= _NEEDED and len(set(names)) == len(names):
            return delimiter, names
    return None


def from_dump(lines: pl.DataFrame, delimiter: str, names: list[str], zone: str) -> pl.DataFrame:
    """Rows of a dump; columns are found by name, in any order."""
    rows = lines.with_columns(cells=cells(lines["text"], delimiter))
    is_whole = pl.col("cells").list.len() == len(names)
    place = {COLUMNS[name].rstrip("?"): index for index, name in enumerate(names) if name in COLUMNS}
    kinds = {ours: RAW[ours] for ours in place if ours != "created_at"}
    cell = {ours: pl.col("cells").list.get(index, null_on_oob=True).str.strip_chars() for ours, index in place.items()}
    rows = rows.with_columns(
        pl.when(cell[ours] != "").then(cell[ours]).cast(kind, strict=False).alias(ours) for ours, kind in kinds.items()
    )
    stamps = rows.select(cell["created_at"]).to_series()
    is_tape = pl.col("operation").is_in(TAPE)
    made = rows.with_columns(
        encoding=pl.lit("database"),
        created_at=pl.Series([_instant(stamp, zone) for stamp in stamps], dtype=RAW["created_at"]),
        reason=first_of(
            bad_syntax=pl.col("cells").is_null() | (is_whole & ~is_tape.fill_null(False)), wrong_width=~is_whole
        ),
    )
    return shaped(made, RAW)


def _integer(value: Any) -> int | None:
    """A whole number of JSON.

    >>> _integer(7), _integer(True), _integer(7.0), _integer("7"), _integer(10**30)
    (7, None, None, None, None)
    """
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and -_MOST < value < _MOST else None


def _instant(text: Any, zone: str) -> datetime | None:
    """An ISO stamp, with its offset or in the zone, as a UTC instant.

    >>> _instant("2026-03-11 06:59:50.333+01", "UTC"), _instant("2026-03-11", "UTC")
    (datetime.datetime(2026, 3, 11, 5, 59, 50, 333000), None)
    """
    at = from_microseconds(iso_us(text, zone) if isinstance(text, str) and len(text) >= 19 else None)
    return at if at and 1980 <= at.year < 2100 else None
