"""Cells of a table into the columns of its bronze relation: units, instants, and rejects for what cannot be read."""

from datetime import timedelta
from typing import Any

import polars as pl

from pipelines.primitives.clock import to_utc
from pipelines.primitives.units import MIB
from pipelines.sources._shared.stamps import EPOCH, at_second, instants, offset_of, read_stamp, second_pass
from pipelines.sources.enstore_accounting.grid import Section
from pipelines.sources.enstore_accounting.tables import Col, EnstoreTable, renamed
from pipelines.sources.protocol import REJECTS

_NULLS = ["", "\\N", "NULL", "null", "None", "(null)"]
_INSTANT = pl.Datetime("us")
_EPOCH = pl.lit(EPOCH, _INSTANT)
_BIN_S = 15  # of table rate
_UNIQUE_ID = r"-(\d{9,10})-\d+-\d+$"  # of Enstore's request ids: the client's start
_HOUR_S = 3600
_SPRING = timedelta(hours=1)
_MOST = 2**62


def typed(
    section: Section, zone: str, fold: dict[str, Any] | None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any] | None]:
    """Rows of a section as its table's targets, the rejects, and the state for the hour that autumn repeats.

    Null is a cell that is empty, or a rate or count whose value means unknown (-1, or 0 of a rate).
    """
    table = section.header.table
    assert table is not None
    names = renamed(table, section.header.names)
    index = {name: place for place, name in enumerate(names)}
    raw = section.rows.select(
        "line_no",
        "text",
        **{column.target: _cell(index, column) for column in table.columns if column.name in table.names},
    )
    read = raw.select("line_no", "text", **{column.target: _value(column) for column in table.columns})
    reason = _reason(table, raw, read)
    read = read.with_columns(reason=reason)
    rejects = read.filter(pl.col("reason").is_not_null()).select("line_no", "text", "reason").cast(REJECTS)
    good = read.filter(pl.col("reason").is_null()).drop("reason", "text")
    good, fold = _clocked(table, good, zone, fold)
    return good, rejects, fold


def _cell(index: dict[str, int], column: Col) -> pl.Expr:
    if column.name not in index:
        return pl.lit(None, pl.String)
    cell = pl.col("cells").list.get(index[column.name])
    if column.kind != "text":
        cell = cell.str.strip_chars(" ")
    return pl.when(~cell.is_in(_NULLS)).then(cell)


def _value(column: Col) -> pl.Expr:
    """A cell by its kind; null where it is no such thing. Stamps stay local here."""
    cell = pl.col(column.target)
    number = cell.cast(pl.Float64, strict=False)
    number = pl.when(number.is_finite() & (number.abs() < _MOST)).then(number)
    match column.kind:
        case "int":
            return cell.cast(pl.Int64, strict=False)
        case "count" if column.target.endswith("_s"):
            return pl.when(number >= 0).then(number)
        case "count":
            whole = cell.cast(pl.Int64, strict=False)
            return pl.when(whole >= 0).then(whole)
        case "rate" | "rate file":
            return pl.when(number > 0).then(number)
        case "mib":
            whole = cell.cast(pl.Int64, strict=False)
            return pl.when((whole >= 0) & (whole < _MOST // MIB)).then(whole * MIB)
        case "mib_s":
            return pl.when(number >= 0).then(number * MIB)
        case "flag":
            return cell.replace_strict(
                {"1": True, "0": False, "y": True, "n": False}, default=None, return_dtype=pl.Boolean
            )
        case "mode":
            return cell.replace_strict({"r": "read", "w": "write"}, default=None, return_dtype=pl.String)
        case "cookie":
            return cell.str.extract(r"^\d+_\d+_(\d+)$").cast(pl.Int64, strict=False)
        case "ts":
            return _stamp(cell)
        case "date":
            return cell.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).cast(_INSTANT)
        case "tstz":
            return _zoned(cell)
        case "epoch":
            seconds = cell.cast(pl.Int64, strict=False)
            return at_second(pl.when(seconds.is_between(0, 4_000_000_000)).then(seconds))
        case _:
            return cell


def _stamp(cell: pl.Expr) -> pl.Expr:
    """`2014-08-27 13:58:15`, perhaps with a fraction or a T."""
    plain = cell.str.replace("T", " ", literal=True)
    whole = read_stamp(plain.str.slice(0, 19))
    fraction = plain.str.extract(r"^.{19}\.(\d{1,6})$").str.pad_end(6, "0").cast(pl.Int64, strict=False)
    is_sound = (plain.str.len_chars() == 19) | fraction.is_not_null()
    return pl.when(is_sound).then(whole + pl.duration(microseconds=fraction.fill_null(0)))


def _zoned(cell: pl.Expr) -> pl.Expr:
    """`2010-06-15 08:00:01-05` as UTC: the offset follows the clock, so no zone is needed."""
    local = _stamp(cell.str.replace(r"([+-]\d\d(?::?\d\d)?|Z)$", ""))
    offset = cell.str.extract(r"([+-]\d\d(?::?\d\d)?|Z)$")
    return local - offset_of(offset)


def _reason(table: EnstoreTable, raw: pl.DataFrame, read: pl.DataFrame) -> pl.Series:
    """Why a row is rejected: a missing key, or text in place of a number or a time; null for a good one."""
    reason = pl.lit(None, pl.String)
    both = raw.select(pl.all().name.prefix("raw_")).hstack(read)
    for column in reversed(table.columns):
        cell, value = pl.col(f"raw_{column.target}"), pl.col(column.target)
        is_time, is_text = column.kind in ("ts", "tstz", "date", "epoch"), column.kind in ("text", "mode")
        word = "bad_time" if is_time else "bad_syntax" if is_text else "bad_number"
        wrong = pl.lit(False)
        if is_time:
            wrong = cell.is_not_null() & value.is_null()
        elif column.kind in ("int", "count", "rate", "mib", "mib_s"):
            wrong = cell.is_not_null() & cell.cast(pl.Float64, strict=False).is_finite().not_().fill_null(True)
            if column.kind in ("int", "count", "mib") and not column.target.endswith("_s"):
                wrong = wrong | (cell.is_not_null() & cell.cast(pl.Int64, strict=False).is_null())
        if column.is_key:
            wrong = wrong | value.is_null()
            if column.kind == "int" and column.target.endswith("_bytes"):
                wrong = wrong | (value < 0)
        reason = pl.when(wrong).then(pl.lit(word)).otherwise(reason)
    return both.select(reason.alias("reason")).to_series()


def _clocked(
    table: EnstoreTable, rows: pl.DataFrame, zone: str, fold: dict[str, Any] | None
) -> tuple[pl.DataFrame, dict[str, Any] | None]:
    """Local stamps into UTC: the table's own by the order of its rows, the others as soon after it as they can be."""
    local = [column.target for column in table.columns if column.kind == "ts"]
    for target in (column.target for column in table.columns if column.kind == "date"):
        rows = rows.with_columns(
            to_utc(pl.col(target), zone).alias(target), to_at=to_utc(pl.col(target).dt.offset_by("1d"), zone)
        )
    if not local:
        return _extras(table, rows), fold
    if table.at in local:
        known = rows.with_row_index("place").filter(pl.col(table.at).is_not_null())
        at, fold = instants(known.select(local=table.at, word=pl.lit("")), zone, fold)
        own = known.select("place").with_columns(at)
        rows = rows.with_row_index("place").join(own, on="place", how="left", maintain_order="left")
        rows = rows.with_columns(_by_epoch(table, zone).alias("at")).drop("place")
    else:
        rows = rows.with_columns(at=pl.lit(None, _INSTANT))
    others = {target: _not_before(pl.col(target), pl.col("at"), zone) for target in local if target != table.at}
    rows = rows.with_columns(**others)
    if table.at in local:
        rows = rows.with_columns(pl.col("at").alias(table.at))
    return _extras(table, rows.drop("at")), fold


def _by_epoch(table: EnstoreTable, zone: str) -> pl.Expr:
    """The pass of the repeated hour that agrees with the epoch in the request id; else the one the order says."""
    at = pl.col("at")
    if table.name not in ("encp_xfer", "encp_error"):
        return at
    local = pl.col(table.at)
    begun = at_second(pl.col("unique_id").str.extract(_UNIQUE_ID).cast(pl.Int64, strict=False))
    elapsed = pl.col("elapsed_s") if table.name == "encp_xfer" else pl.lit(0.0)
    meant = begun + pl.duration(microseconds=(elapsed.fill_null(0) * 1e6).cast(pl.Int64, strict=False))
    early, late = to_utc(local, zone), second_pass(local, zone)
    is_late = (late - meant).abs() < (early - meant).abs()
    is_sure = (early != late) & ((late - meant).abs() < _SPRING * 2)
    return pl.when(is_sure.fill_null(False)).then(pl.when(is_late).then(late).otherwise(early)).otherwise(at)


def _not_before(local: pl.Expr, at: pl.Expr, zone: str) -> pl.Expr:
    early, late = to_utc(local, zone), second_pass(local, zone)
    return pl.when((early < at) & (late >= at)).then(late).otherwise(early)


def _extras(table: EnstoreTable, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns that follow from others."""
    match table.name:
        case "rate" | "rate file":
            # ratekeeper writes the time at which it stops counting
            return rows.with_columns(from_at=pl.col("from_at") - pl.duration(seconds=_BIN_S), to_at=pl.col("from_at"))
        case "encp_xfer_average_by_storage_group":
            # the middle is an epoch: in the hours the clocks change it alone is sure
            half = (pl.col("to_at") - pl.col("from_at")).dt.total_microseconds() % (_HOUR_S * 1_000_000) // 2
            span = pl.duration(microseconds=half)
            return rows.with_columns(from_at=pl.col("middle_at") - span, to_at=pl.col("middle_at") + span)
        case "tape_mounts":
            action = {"m": "mount", "M": "mount", "E": "mount", "d": "dismount", "D": "dismount", "F": "dismount"}
            return rows.with_columns(
                action=pl.col("state").replace_strict(action, default=None, return_dtype=pl.String)
            )
        case "volume":
            stamps = ("modified_at", "last_access_at", "first_access_at", "declared_at")
            return rows.with_columns(recorded_at=pl.coalesce(*stamps, _EPOCH))
        case "file" | "file record" | "file list":
            # a file id holds the epoch of its birth before a counter of five digits; 1970 where it does not
            born = pl.col("bfid").str.extract(r"^[A-Za-z_]*(\d{9,10})\d{5}$").cast(pl.Int64, strict=False)
            return rows.with_columns(written_at=at_second(born.fill_null(0)))
        case "migration":
            stamps = ("copied_at", "swapped_at", "checked_at", "closed_at")
            return rows.with_columns(recorded_at=pl.coalesce(*stamps, _EPOCH))
        case _:
            return rows
