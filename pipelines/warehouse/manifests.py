"""Notes that a process without a lock leaves next to its files, below the data path, until the writer takes them.

A manifest is Parquet itself, with a column of JSON, so that one rule sweeps all that was never taken. It is written
last, so that the files it names exist. The writer takes it if it is younger than LEASE. `maintenance` removes files of
twice that age, never one that may still be taken.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipelines.catalog.sql_inspect import quote
from pipelines.primitives.store_errors import is_damage
from pipelines.warehouse import object_storage, ownership, staged_files
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.staged_files import STAGING, Stage, StagedFile

LEASE = timedelta(days=1)
Entry = dict[str, Any]


@dataclass(frozen=True)
class Waiting:
    """A manifest that may be taken: its head, which is about all entries, and these."""

    path: str
    head: Entry
    entries: list[Entry]

    def remove(self, connection: Connection, files: Iterable[StagedFile]) -> None:
        """It was taken, with the files that are not final, and that is committed. In object storage it is emptied."""
        if object_storage.is_object_storage(self.path):
            staged_files.write_parquet(pl.DataFrame(schema={"text": pl.String}), self.path, connection)
            return
        staged_files.remove(file for file in files if not file.is_final)
        Path(self.path).unlink(missing_ok=True)
        if not any(Path(self.path).parent.iterdir()):
            Path(self.path).parent.rmdir()


def leave(connection: Connection, stage: Stage, kind: str, head: Entry, entries: Iterable[Entry]) -> None:
    """Write a manifest next to the files of a stage."""
    texts = [json.dumps(one) for one in ({"at": datetime.now(UTC).isoformat()} | head, *entries)]
    staged_files.write_parquet(pl.DataFrame({"text": texts}), f"{stage.folder}/{kind}.parquet", connection)


def waiting(connection: Connection, data_path: str, kind: str) -> list[Waiting]:
    """The manifests of a kind that may be taken, the oldest first. Call it in no transaction: a torn one ends that."""
    found: list[Waiting] = []
    for path in ownership.globbed(connection, f"{data_path.rstrip('/')}/{STAGING}/*/{kind}.parquet"):
        try:
            rows = connection.execute(f"SELECT text FROM read_parquet({quote(path)})").fetchall()
        except duckdb.Error as error:
            if not is_damage(error):
                raise
            continue  # its process was killed while it wrote
        if rows:
            head, *entries = (json.loads(text) for (text,) in rows)
            found.append(Waiting(path, head, entries))
    young = [one for one in found if datetime.now(UTC) - datetime.fromisoformat(one.head["at"]) < LEASE]
    return sorted(young, key=lambda one: str(one.head["at"]))
