"""Columns of the bronze relations that sources fill: their names, order and types are those of `schemas/bronze`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polars as pl

FOLDER = Path(__file__).resolve().parents[3] / "schemas" / "bronze"
_BY_LOADER = ("file_id", "day")
TYPES: dict[str, pl.DataType] = {
    "VARCHAR": pl.String(),
    "BIGINT": pl.Int64(),
    "INTEGER": pl.Int32(),
    "UBIGINT": pl.UInt64(),
    "DOUBLE": pl.Float64(),
    "BOOLEAN": pl.Boolean(),
    "TIMESTAMP": pl.Datetime("us"),
}


@cache
def columns_of(table: str) -> dict[str, dict[str, str]]:
    """What the contract has of each column of a relation, without those the loader adds: type, unit, doc."""
    columns = tomllib.loads((FOLDER / f"{table}.toml").read_text(encoding="utf-8"))["columns"]
    return {name: column for name, column in columns.items() if name not in _BY_LOADER}


@cache
def schema_of(table: str) -> pl.Schema:
    """The columns of a relation, without those the loader adds."""
    return pl.Schema({name: TYPES[column["type"]] for name, column in columns_of(table).items()})


def no_rows(table: str) -> pl.DataFrame:
    """A relation without rows."""
    return pl.DataFrame(schema=schema_of(table))


def fitted(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    """Rows that have all columns of a relation, in its order and types; other columns are left out."""
    return rows.select(schema_of(table).names()).cast(schema_of(table))


def complete(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    """Rows in the shape of a relation: what they do not have is null, columns it does not have are left out."""
    return shaped(rows, schema_of(table))


def shaped(rows: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows with the columns of a schema, in its order and types: what they do not have is null."""
    return rows.select(
        pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in schema.items()
    )
