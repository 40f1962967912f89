"""What is known of files: `ops.file` in memory while files are read, written back once a batch.

A statement a file would cost more with every file: each insert is a small file of its own in the lake, and each
question reads them all.
"""

from collections.abc import Iterable
from typing import Any

import polars as pl

from pipelines.catalog import Catalog, Relation
from pipelines.warehouse import LAKE, Connection

Row = dict[str, Any]
_TYPES: dict[str, pl.DataType] = {
    "VARCHAR": pl.String(),
    "BIGINT": pl.Int64(),
    "INTEGER": pl.Int32(),
    "TIMESTAMP": pl.Datetime("us"),
}


class FileBook:
    """Rows of `ops.file` by file_id. Changes reach the lake with `write_back`, in the caller's transaction."""

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.relation: Relation = catalog.relations["ops.file"]
        names = self.relation.column_names
        columns = ", ".join(f'"{name}"' for name in names)
        found = connection.execute(f"SELECT {columns} FROM {LAKE}.ops.file ORDER BY path, from_offset, file_id")
        self.rows: dict[str, Row] = {}
        self.by_path: dict[str, list[str]] = {}
        self.by_content: dict[tuple[Any, ...], list[str]] = {}
        self.stale: set[str] = set()  # file_ids whose row in the lake is no longer true
        self.fresh: set[str] = set()  # file_ids whose row is not in the lake
        for values in found.fetchall():
            self._index(dict(zip(names, values, strict=True)))

    def _index(self, row: Row) -> None:
        self.rows[row["file_id"]] = row
        self.by_path.setdefault(row["path"], []).append(row["file_id"])
        self.by_content.setdefault(_content(row), []).append(row["file_id"])

    def at(self, path: str) -> list[Row]:
        """The parts read from a path."""
        return [self.rows[file_id] for file_id in self.by_path.get(path, [])]

    def with_content(self, sha256: str, origin: str, source: str, version: int) -> Row | None:
        """A part with this content, origin and source, wherever it lay; one that was refused is none."""
        ids = self.by_content.get((sha256, origin, source, version), [])
        return next((self.rows[file_id] for file_id in ids if self.rows[file_id]["state"] != "failed"), None)

    def up_to(self, file_id: str) -> list[str]:
        """A part's file_id and those of the parts it continues."""
        found: list[str] = []
        here: str | None = file_id
        while here in self.rows and here not in found:
            found.append(here)
            here = self.rows[here]["continues"]
        return found

    def chain(self, file_id: str) -> list[str]:
        """A part's file_id and those of all parts before and after it."""
        found, todo = {file_id}, [file_id]
        while todo:
            row = self.rows.get(todo.pop(), {})
            path_ids = self.by_path.get(row.get("path", ""), [])
            before = [row["continues"]] if row.get("continues") else []
            behind = [i for i in path_ids if self.rows[i]["continues"] in found]
            new = {i for i in (*before, *behind) if i in self.rows} - found
            found |= new
            todo += new
        return sorted(found)

    def add(self, values: Row) -> None:
        """A new part; columns that are not given are NULL."""
        row = dict.fromkeys(self.relation.column_names) | values
        if row["file_id"] in self.rows:
            self.remove([row["file_id"]])
        self._index(row)
        self.fresh.add(row["file_id"])  # type: ignore[arg-type]

    def remove(self, file_ids: Iterable[str]) -> None:
        """Forget parts."""
        for file_id in file_ids:
            row = self.rows.pop(file_id, None)
            if row is None:
                continue
            self.by_path[row["path"]].remove(file_id)
            self.by_content[_content(row)].remove(file_id)
            self.stale.add(file_id)
            self.fresh.discard(file_id)

    def change(self, file_id: str, **values: Any) -> None:
        """New values for some columns of a part; none of those it is found by."""
        self.rows[file_id].update(values)
        self.stale.add(file_id)
        self.fresh.add(file_id)

    def write_back(self) -> None:
        """Bring the lake up to date."""
        if self.stale:
            self.connection.execute(
                f"DELETE FROM {LAKE}.ops.file WHERE file_id IN (SELECT unnest(?::VARCHAR[]))", [sorted(self.stale)]
            )
        if self.fresh:
            schema = {column.name: _TYPES[column.type] for column in self.relation.columns}
            made = pl.DataFrame([self.rows[file_id] for file_id in sorted(self.fresh)], schema=schema, orient="row")
            columns = ", ".join(f'"{name}"' for name in schema)
            self.connection.register("fresh_files", made.to_arrow())
            self.connection.execute(f"INSERT INTO {LAKE}.ops.file ({columns}) SELECT {columns} FROM fresh_files")
            self.connection.unregister("fresh_files")
        self.stale.clear()
        self.fresh.clear()


def _content(row: Row) -> tuple[Any, ...]:
    return row["sha256"], row["origin"], row["source"], row["source_version"]
