"""Rows of one batch of files on their way into the lake: held in memory, put down in files when they are many.

A file's rows are kept or dropped as a whole, which is known only at its end; until then they wait here under the
file's token. Not in DuckDB's temporary tables: what a transaction has put there cannot leave the memory before it
ends.
"""

import shutil
import tempfile
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse import retention
from pipelines.warehouse.connection import LAKE, Connection

REJECT_CHARS = 300
HELD_BYTES = 16 * 2**20  # of rows; the blocks of text that these point into stay as well
_REJECT = "_reject"
_PREFIX = "stage-"


class Staging:
    """Rows by table and token; `flush` inserts those of the tokens that were kept."""

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        first_day = retention.first_day_kept(connection)
        self.begins = {name: retention.begin_of(relation, first_day) for name, relation in self.bronze.items()}
        self.kept: list[tuple[int, str]] = []  # token and file_id
        self.held: dict[str, list[pl.DataFrame]] = {}
        self.held_bytes = 0
        self.files: dict[str, list[Path]] = {}
        self.days: dict[str, set[tuple[int, date | None]]] = {}  # tokens, and the days they have rows of
        spill = connection.execute("SELECT current_setting('temp_directory')").fetchone()
        self.folder = _fresh_folder(Path(spill[0]) if spill and spill[0] else None)

    def close(self) -> None:
        """Remove the rows that wait; those not flushed are lost, as their transaction is."""
        self.folder.cleanup()

    def add(self, table: str, rows: pl.DataFrame, token: int) -> None:
        """Rows of a bronze relation, without the columns the loader adds."""
        names = [name for name in self.bronze[table].column_names if name not in ("file_id", "day")]
        rows = rows.select(names)
        if rows.height:
            day_of = self.bronze[table].day_of
            days = rows[day_of].dt.date().unique().to_list() if day_of else [None]
            self.days.setdefault(table, set()).update((token, day) for day in days)
        self._hold(table, rows, token)

    def add_rejects(self, rejects: pl.DataFrame, token: int) -> None:
        """Rejected lines, cut to what is worth keeping."""
        self._hold(_REJECT, rejects.select("line_no", "reason", pl.col("text").str.head(REJECT_CHARS)), token)

    def keep(self, token: int, file_id: str) -> None:
        """The rows under this token belong to a file that is in."""
        self.kept.append((token, file_id))

    def _hold(self, table: str, rows: pl.DataFrame, token: int) -> None:
        if rows.height:
            held = rows.with_columns(token=pl.lit(token, pl.Int32))
            self.held.setdefault(table, []).append(held)
            self.held_bytes += int(held.estimated_size())
        if self.held_bytes > HELD_BYTES:
            self._put_down()

    def _put_down(self) -> None:
        """Held rows into Parquet files, so that memory stays the same however large a file or a batch is."""
        for table in list(self.held):
            file = Path(self.folder.name) / f"{table}-{len(self.files.setdefault(table, []))}.parquet"
            self._taken(table).write_parquet(file, compression="lz4", statistics=False)
            self.files[table].append(file)
        self.held_bytes = 0

    def _taken(self, table: str) -> pl.DataFrame:
        """What is held of a table, sorted by day so that a batch touches few files of the lake.

        To sort all of a large batch in the end would cost more than to read it.
        """
        rows = pl.concat(self.held.pop(table))
        if table == _REJECT:
            return rows
        day_of = self.bronze[table].day_of
        if not day_of:
            return rows
        days = rows[day_of].dt.date()
        return rows if days.is_sorted() else rows.sort(days, maintain_order=True)

    def flush(self) -> None:
        """Insert what was kept, and mark its days."""
        if self.files:
            self._put_down()
        kept = pl.DataFrame(self.kept, schema={"token": pl.Int32, "file_id": pl.String}, orient="row")
        self.connection.register("staged_file", kept.lazy())
        for table in sorted({*self.held, *self.files}):
            if table in self.held:  # a small batch never leaves the memory
                self.connection.register("staged_rows", self._taken(table).lazy())
                self._insert(table, "staged_rows s JOIN staged_file f USING (token)")
                self.connection.unregister("staged_rows")
            else:
                names = ", ".join(quote(str(file)) for file in self.files[table])
                self._insert(table, f"read_parquet([{names}]) s JOIN staged_file f USING (token)")
        self.connection.unregister("staged_file")
        self._mark_days()
        for file in (file for files in self.files.values() for file in files):
            file.unlink()
        self.files.clear()
        self.kept.clear()
        self.held_bytes = 0

    def _insert(self, table: str, source: str) -> None:
        if table == _REJECT:
            self.connection.execute(
                f"INSERT INTO {LAKE}.ops.reject SELECT f.file_id, s.line_no, s.reason, s.text FROM {source}"
            )
            return
        relation = self.bronze[table]
        day = f"CAST({relation.day_of} AS DATE)" if relation.day_of else "NULL"
        columns = ", ".join(
            {"file_id": "f.file_id", "day": day}.get(column, f's."{column}"') for column in relation.column_names
        )
        begin = self.begins[table]  # rows that are older were dropped for their age, or would be
        young = f" WHERE ({day} < DATE '{begin}') IS NOT TRUE" if begin > date.min else ""
        names = ", ".join(f'"{name}"' for name in relation.column_names)
        self.connection.execute(f"INSERT INTO {LAKE}.bronze.{table} ({names}) SELECT {columns} FROM {source}{young}")

    def _mark_days(self) -> None:
        """Days of the rows that were kept: what is built from them is to be built anew."""
        tokens = {token for token, _ in self.kept}
        marks = [
            (self.bronze[table].full_name, day)
            for table in sorted(self.days)
            for day in dict.fromkeys(day for token, day in self.days[table] if token in tokens)
            if day is None or day >= self.begins[table]
        ]
        if marks:
            dirty = pl.DataFrame(marks, schema={"relation": pl.String, "day": pl.Date}, orient="row")
            self.connection.register("dirty", dirty.lazy())
            self.connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day SELECT relation, day FROM dirty")
            self.connection.unregister("dirty")
        self.days.clear()


def _fresh_folder(spill: Path | None) -> "tempfile.TemporaryDirectory[str]":
    """A folder for rows that wait; those of writers that were killed go, as only one writes at a time."""
    if spill is not None:
        spill.mkdir(parents=True, exist_ok=True)
        for left in spill.glob(f"{_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=spill)
