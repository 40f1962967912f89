"""Parquet files that any process writes below the data path, and the one writer registers in its transaction.

Who writes them holds no lock. A file of a relation partitioned by day is final: it is in its day's folder below the
table's own, and `register` hands it to `ducklake_add_data_files`, so no row is encoded twice. Rows of other relations,
and those that are too few for a data file of their own, are below STAGING and `register` inserts them: DuckLake 1.5.5
gives year and month of an added file the same partition_key_index, by which a reader would then be misled.

Names hold the token of their process, so that no two processes write the same file. A file that was never registered,
because its process or the writer was killed, is unknown to the catalogue: `maintenance` removes it with all other
orphans when it is two days old. Its age is the lease: nothing that writes or registers takes so long. A batch of files
waits for minutes, a run of the DAGs ends after six hours, and each file is written in one go when its rows are there.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.catalog.contracts import Relation
from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse import object_storage, ownership
from pipelines.warehouse.connection import LAKE, Connection, committed

STAGING = "staging"  # below the data path
_LEVEL = 1  # of zstd: half of Snappy's bytes for less time than DuckDB takes to write those
_FORMAT = f"FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL {_LEVEL}"
_NO_DAY = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class StagedFile:
    """Rows of a relation, all of one `day` where it `is_final`; else they are to be inserted."""

    relation: str  # full name
    path: str
    n_rows: int
    is_final: bool
    day: date | None = None

    def as_list(self) -> list[Any]:
        """What JSON can hold."""
        return [self.relation, self.path, self.n_rows, self.is_final, self.day and self.day.isoformat()]

    @classmethod
    def from_list(cls, values: list[Any]) -> "StagedFile":
        """The file of which `as_list` gave this."""
        relation, path, n_rows, is_final, day = values
        return cls(relation, path, n_rows, is_final, date.fromisoformat(day) if day else None)


@dataclass(frozen=True)
class Place:
    """Where a lake's files are: the data path, and the folder of each table, which survives a rename of the table."""

    data_path: str
    folders: Mapping[str, str]  # by full name, below the data path; a table that is not made yet will have its name's

    @classmethod
    def of(cls, connection: Connection, data_path: str) -> "Place":
        """As the attached lake has it."""
        book = ownership.book(committed(connection))
        rows = connection.execute(
            f"SELECT s.schema_name || '.' || t.table_name, s.path || t.path FROM {book}.ducklake_table t"
            f" JOIN {book}.ducklake_schema s USING (schema_id)"
            " WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL"
        ).fetchall()
        return cls(data_path.rstrip("/"), dict(rows))

    def folder_of(self, relation: Relation) -> str:
        """The folder of a table's files."""
        given = self.folders.get(relation.full_name, f"{relation.layer}/{relation.name}/")
        return f"{self.data_path}/{given.rstrip('/')}"


class Stage:
    """Writes the files of one process; `connection`, which need not be the lake's writer, writes to object storage.

    What is no final file is in `folder`: one below the data path, unless `aside` is given.
    """

    def __init__(self, place: Place, connection: Connection | None = None, aside: str = "") -> None:
        self.place, self.connection = place, connection
        self.token = f"staged-{uuid.uuid4().hex}"
        self.folder = aside or f"{place.data_path}/{STAGING}/{self.token}"
        self._numbers = count()

    def write_frame(self, relation: Relation, rows: pl.DataFrame, day: date | None) -> StagedFile:
        """A final file of a relation partitioned by day: all its columns but `day`, in the contract's types."""
        assert relation.partition == "day", relation.full_name
        path = f"{self.place.folder_of(relation)}/day={day or _NO_DAY}/{self._name()}.parquet"
        write_parquet(rows, path, self.connection)
        return StagedFile(relation.full_name, path, rows.height, True, day)

    def write_rest(self, relation: Relation, rows: pl.DataFrame) -> StagedFile:
        """Rows to be inserted, of any days, with all columns of the relation."""
        path = f"{self.folder}/{self._name()}.parquet"
        write_parquet(rows, path, self.connection)
        return StagedFile(relation.full_name, path, rows.height, False)

    def write_select(self, connection: Connection, relation: Relation, sql: str) -> list[StagedFile]:
        """What a SELECT gives, which has the relation's columns in any order: a final file a day, else one file.

        No file where it gives no row. Rows keep their order only if the connection's preserve_insertion_order is on.
        """
        columns = ", ".join(f'CAST("{column.name}" AS {column.type}) AS "{column.name}"' for column in relation.columns)
        select, is_final = f"SELECT {columns} FROM ({sql})", relation.partition == "day"
        folder = self.place.folder_of(relation) if is_final else self.folder
        if not object_storage.is_object_storage(folder):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if is_final:
            options = f", PARTITION_BY (day), FILENAME_PATTERN '{self._name()}-{{i}}', OVERWRITE_OR_IGNORE"
            target = folder
        else:
            options, target = "", f"{folder}/{self._name()}.parquet"
        written = connection.execute(f"COPY ({select}) TO {quote(target)} ({_FORMAT}, RETURN_STATS{options})")
        return [
            StagedFile(relation.full_name, str(path), int(n_rows), is_final, _day(keys))
            for path, n_rows, *_, keys in written.fetchall()
            if n_rows
        ]

    def _name(self) -> str:
        return f"{self.token}-{next(self._numbers)}"


def _day(keys: Mapping[str, str | None] | None) -> date | None:
    day = (keys or {}).get("day")
    return date.fromisoformat(day) if day else None


def write_parquet(rows: pl.DataFrame, path: str, connection: Connection | None = None) -> None:
    """A frame as a file, by Polars, in half the time; in object storage by DuckDB, which has its keys."""
    if not object_storage.is_object_storage(path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        rows.write_parquet(path, compression="zstd", compression_level=_LEVEL)
        return
    assert connection is not None, "writing to object storage needs a connection"
    connection.register("to_write", rows.lazy())
    connection.execute(f"COPY to_write TO {quote(path)} ({_FORMAT})")
    connection.unregister("to_write")


def register(connection: Connection, relations: Mapping[str, Relation], files: Iterable[StagedFile]) -> None:
    """Make rows of files those of their tables, in the caller's transaction; one statement a table and kind.

    Inserted files are of no use after the commit: `remove` them then.
    """
    by_kind: dict[tuple[str, bool], list[StagedFile]] = {}
    for file in files:
        by_kind.setdefault((file.relation, file.is_final), []).append(file)
    for (name, is_final), some in sorted(by_kind.items()):
        (_add if is_final else _insert)(connection, relations[name], [file.path for file in some])


def _add(connection: Connection, relation: Relation, paths: list[str]) -> None:
    target = f"{quote(LAKE)}, {quote(relation.name)}, {_list(paths)}, schema => {quote(relation.layer)}"
    connection.execute(f"CALL ducklake_add_data_files({target}, hive_partitioning => true)").fetchall()


def _insert(connection: Connection, relation: Relation, paths: list[str]) -> None:
    columns = ", ".join(f'"{column}"' for column in relation.column_names)
    source = f"read_parquet({_list(paths)}, hive_partitioning = false)"
    connection.execute(f"INSERT INTO {LAKE}.{relation.full_name} ({columns}) SELECT {columns} FROM {source}")


def _list(paths: list[str]) -> str:
    return f"[{', '.join(map(quote, paths))}]"


def remove(files: Iterable[StagedFile]) -> None:
    """Take files away that no table has; in object storage `maintenance` does so."""
    for file in files:
        if not object_storage.is_object_storage(file.path):
            Path(file.path).unlink(missing_ok=True)
