"""Rows of one file on their way into the lake, in the process that reads it: by day, and put down when they are many.

Of a relation partitioned by day, FINAL_ROWS rows of a day and more become a final Parquet file, which the writer only
registers. Fewer stay in memory and are inserted with those of other files of the batch: so a batch adds to a table one
data file a day, and one more for each FINAL_ROWS rows at most, however many small logs there are. Such rows cost the
writer less than a microsecond each.

Rows that outgrow HELD_BYTES before the end of their file are put down, whatever their number: the fewest into files
whose rows are inserted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.sources import source_of
from pipelines.warehouse import retention
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.staged_files import Place, Stage, StagedFile
from pipelines.warehouse.tables import LOG_COVERAGE

FINAL_ROWS = 20_000
HELD_BYTES = 32 * 2**20  # of rows; the blocks of text that these point into stay as well
REJECT = "ops.reject"
REJECT_CHARS = 300


@dataclass(frozen=True)
class Setup:
    """The facts about the lake that a process needs to write rows for it; it may be sent to another."""

    relations: Mapping[str, Relation]  # those that files fill, by full name
    begins: Mapping[str, date]  # rows of earlier days were dropped for their age, or would be
    place: Place
    aside: str = ""  # folder of rows that are to be inserted; by default below the data path
    final_rows: int = FINAL_ROWS
    held_bytes: int = HELD_BYTES
    kept_bytes: int = HELD_BYTES  # so much may wait in memory when a file has been read

    @classmethod
    def of(cls, connection: Connection, catalog: Catalog, data_path: str, aside: str = "") -> "Setup":
        """As the attached lake has it, to which nothing need have been written yet."""
        relations = {one.full_name: one for one in (*catalog.layer("bronze"), catalog.relations[REJECT])}
        first_day = retention.first_day_kept(connection)
        begins = {name: retention.begin_of(one, first_day) for name, one in relations.items()}
        return cls(relations, begins, Place.of(connection, data_path), aside, FINAL_ROWS, HELD_BYTES)

    def of_source(self, stem: str) -> "Setup":
        """As much of it as one source needs."""
        names = {f"bronze.{table}" for table in (*source_of(stem).TABLES, LOG_COVERAGE)} | {REJECT}
        return replace(self, relations={name: self.relations[name] for name in names & self.relations.keys()})


class RowSink:
    """Takes a file's rows, block by block; after `close` they are in `files` and `held`, and their days in `days`.

    `identity` gives the file_id, as soon as a row must be put down.
    """

    def __init__(self, setup: Setup, stage: Stage, identity: Callable[[], str]) -> None:
        self.setup, self.stage, self.identity = setup, stage, identity
        self.held: dict[str, list[pl.DataFrame]] = {}  # without file_id, with day
        self.held_bytes = 0
        self.files: list[StagedFile] = []
        self.days: dict[str, set[date | None]] = {}

    def add(self, table: str, rows: pl.DataFrame) -> None:
        """Rows of a bronze relation, without the columns the loader adds."""
        relation = self.setup.relations[f"bronze.{table}"]
        rows = rows.select(name for name in relation.column_names if name not in ("file_id", "day"))
        if relation.has_day:
            day = pl.col(relation.day_of).dt.date() if relation.day_of else pl.lit(None, pl.Date)
            rows = rows.with_columns(day=day)
            begin = self.setup.begins[relation.full_name]
            if begin > date.min:
                rows = rows.filter((pl.col("day") < begin).fill_null(False).not_())
        if rows.height:
            days = rows["day"].unique().to_list() if relation.has_day else [None]
            self.days.setdefault(relation.full_name, set()).update(days)
            self._hold(relation.full_name, rows)

    def add_rejects(self, rejects: pl.DataFrame) -> None:
        """Rejected lines, cut to what is worth keeping."""
        if rejects.height:
            self._hold(REJECT, rejects.select("line_no", "reason", pl.col("text").str.head(REJECT_CHARS)))

    def close(self) -> None:
        """All rows have come."""
        for name in self.held:
            self._put_finals(name, with_last=True)
        if self.held_bytes > self.setup.kept_bytes:
            self._put_aside(self.setup.kept_bytes)

    def _hold(self, name: str, rows: pl.DataFrame) -> None:
        self.held.setdefault(name, []).append(rows)
        self.held_bytes += int(rows.estimated_size())
        most = self.setup.held_bytes
        if self.held_bytes <= most:
            return
        for with_last in (False, True):  # a day that goes on in the next block waits for it, if there is room
            for held in self.held:
                self._put_finals(held, with_last)
            if self.held_bytes <= most // 2:
                return
        self._put_aside(most // 4)

    def _put_finals(self, name: str, with_last: bool) -> None:
        """The days of a relation that are large enough into files; the last day, which may go on, only `with_last`.

        What remains is copied, or it would keep the text of all blocks that were read.
        """
        relation = self.setup.relations[name]
        n_rows = sum(map(len, self.held[name]))
        if relation.partition != "day" or n_rows < self.setup.final_rows:
            return
        by_day = _by_day(pl.concat(self.held[name]))
        last = max((day for day in by_day if day), default=None)
        rest = []
        for day, rows in by_day.items():
            if rows.height < self.setup.final_rows or (day == last and not with_last):
                rest.append(rows)
            else:
                self.files.append(self.stage.write_frame(relation, self._identified(rows.drop("day")), day))
        self._replace(name, [_copied(pl.concat(rest))] if rest else [])

    def _put_aside(self, at_most: int) -> None:
        """Move the relations with most bytes into files to be inserted, until at most `at_most` bytes are held."""
        for name in sorted(self.held, key=lambda name: -_size(self.held[name])):
            if self.held_bytes <= at_most:
                return
            rows = pl.concat(self.held[name])
            if rows.height:
                self.files.append(self.stage.write_rest(self.setup.relations[name], self._identified(rows)))
            self._replace(name, [])

    def _identified(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(file_id=pl.lit(self.identity(), pl.String))

    def _replace(self, name: str, rows: list[pl.DataFrame]) -> None:
        self.held_bytes += _size(rows) - _size(self.held[name])
        self.held[name] = rows

    def taken(self) -> dict[str, pl.DataFrame]:
        """What is held, by relation, without file_id."""
        return {name: pl.concat(rows) for name, rows in self.held.items() if rows}


def _size(rows: list[pl.DataFrame]) -> int:
    return sum(int(some.estimated_size()) for some in rows)


def _by_day(rows: pl.DataFrame) -> dict[date | None, pl.DataFrame]:
    """The rows of each day in their order; of a log in the order of time these are slices, which costs nothing."""
    runs = rows["day"].rle()
    days, lengths = runs.struct.field("value"), runs.struct.field("len")
    if days.n_unique() < days.len():
        return {day: some for (day,), some in rows.partition_by("day", maintain_order=True, as_dict=True).items()}
    begins = lengths.cum_sum() - lengths
    return {day: rows.slice(begin, n) for day, begin, n in zip(days, begins, lengths, strict=True)}


def _copied(rows: pl.DataFrame) -> pl.DataFrame:
    """The same rows, and none of the text that they were cut from."""
    copy = pl.from_arrow(rows.to_arrow(compat_level=pl.CompatLevel.oldest()), schema=rows.schema)
    assert isinstance(copy, pl.DataFrame)
    return copy
