"""Reads a snapshot of a tapescope warehouse with Polars: `scan("silver.transfer")` is a LazyFrame.

Data in object storage are read with the keys and the address of the environment (AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL).
"""

from typing import Any

import polars as pl

RELATIONS: dict[str, Any] = {}
TYPES = {
    "VARCHAR": pl.String(),
    "BOOLEAN": pl.Boolean(),
    "INTEGER": pl.Int32(),
    "BIGINT": pl.Int64(),
    "UBIGINT": pl.UInt64(),
    "DOUBLE": pl.Float64(),
    "DATE": pl.Date(),
    "TIMESTAMP": pl.Datetime("us"),
}


def scan(relation: str) -> pl.LazyFrame:
    """All rows of a relation; instants are UTC."""
    schema = {name: TYPES[kind] for name, kind in RELATIONS[relation]["columns"].items()}
    parts = [pl.LazyFrame(schema=schema)]
    for group in RELATIONS[relation]["groups"]:
        stored = {new: old for old, new in group["renamed"].items()}
        of_folders = {name: schema[name] for name in group["of_folders"]}
        kinds = {stored.get(name, name): kind for name, kind in schema.items() if name not in of_folders}
        for files, deleted in _alike(group["files"]):
            rows = pl.scan_parquet(
                files,
                schema=kinds,
                missing_columns="insert",
                extra_columns="ignore",
                hive_partitioning=bool(of_folders),
                hive_schema=of_folders or None,
                row_index_name="row_at" if deleted else None,
            )
            if deleted:
                gone = pl.scan_parquet(deleted, hive_partitioning=False).select(row_at=pl.col("pos").cast(pl.UInt32))
                rows = rows.join(gone, on="row_at", how="anti").drop("row_at")
            parts.append(rows.rename(group["renamed"]).select(list(schema)))
    return pl.concat(parts)


def _alike(files: list[tuple[str, str | None]]) -> list[tuple[list[str], str | None]]:
    """Files without deleted rows are read together, each other one with its list of them."""
    complete = [file for file, deleted in files if not deleted]
    return ([(complete, None)] if complete else []) + [([file], deleted) for file, deleted in files if deleted]
