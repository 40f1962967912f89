"""Rows of ours from published figures: our own sources and SQL, run in memory on what a study gives."""

from collections.abc import Iterator
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import duckdb
import polars as pl

from pipelines import sources
from pipelines.analysis.studies.documents import Given, Study
from pipelines.analysis.studies.formula import evaluate
from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import LAYERS, Relation
from pipelines.catalog.files import load_catalog, macros
from pipelines.config.site import Site
from pipelines.ingest.identify import identify
from pipelines.primitives.errors import ContractError
from pipelines.sources.blocks import frame_of
from pipelines.sources.protocol import Origin

Row = dict[str, Any]


class Rows:
    """What our relations and questions make of a study's given rows; each relation is made once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.known: dict[str, Any] = {table.name: table for table in study.table}
        self._made: set[str] = set()

    def close(self) -> None:
        if "_connection" in vars(self):
            self._connection.close()

    def relation(self, name: str, **where: Any) -> list[SimpleNamespace]:
        """Rows of a relation, made by our SQL from what is given; `where` picks by equal columns."""
        catalog = load_catalog()
        if name not in catalog.relations:
            raise ContractError(f"there is no relation {name}")
        self._make(catalog.relations[name])
        found = self._fetch(f"SELECT * FROM {name} ORDER BY ALL")
        return [row for row in found if all(getattr(row, key) == value for key, value in where.items())]

    def question(self, name: str, **params: Any) -> list[SimpleNamespace]:
        """Rows of an answer of ours; all its parameters must be given, or have a default."""
        asked = load_catalog().asked.get(name)
        if asked is None:
            raise ContractError(f"there is no question {name}")
        for table in sql_inspect.tables(asked.sql):
            self._make(load_catalog().relations[table])
        values = {}
        for key, param in asked.params.items():
            row = self._connection.execute(
                f"SELECT CAST(? AS {param['type']})", [params.pop(key, param.get("default"))]
            ).fetchone()
            values[key] = row[0] if row else None
        if params:
            raise ContractError(f"question {name} has no parameter {', '.join(params)}")
        return self._fetch(asked.sql, values)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute(f"SET TimeZone = 'UTC'; {macros()}")
        for layer in LAYERS:
            connection.execute(f"CREATE SCHEMA {layer}")
        return connection

    @cached_property
    def _given(self) -> dict[str, list[Row]]:
        site = Site(name=self.study.name, zone="UTC")
        names = [column.name for column in load_catalog().relations["site.setting"].columns]
        rows: dict[str, list[Row]] = {"site.setting": [{name: getattr(site, name, None) for name in names}]}
        for given in self.study.given:
            for table, row in self._read(given) if given.file else self._written(given):
                rows.setdefault(table, []).append(row)
        return rows

    def _written(self, given: Given) -> Iterator[tuple[str, Row]]:
        each = self.known[given.each] if given.each else [None]
        for row in each:
            known = self.known | {"row": row}
            count = evaluate(given.count, known) if isinstance(given.count, str) else given.count
            for number in range(count):
                yield given.relation, {key: _cell(value, known | {"i": number}) for key, value in given.columns.items()}

    def _read(self, given: Given) -> Iterator[tuple[str, Row]]:
        """The records of a log that the document prints, by the source that reads such logs."""
        path = self.study.path.parent / given.file
        found = identify(path)
        if not found.source:
            raise ContractError(f"{path}: {found.refusal}")
        origin = Origin(head=found.head, **given.columns)
        parsed = sources.all_sources()[found.source].parse(frame_of(path.read_bytes()), origin, None)
        for table, frame in parsed.tables.items():
            yield from ((f"bronze.{table}", row | {"file_id": given.file}) for row in frame.to_dicts())

    def _make(self, relation: Relation) -> None:
        """The table of a relation, and of all it is made from."""
        if relation.full_name in self._made:
            return
        self._made.add(relation.full_name)
        self._connection.execute(f"CREATE TABLE {relation.full_name} ({relation.definitions})")
        if relation.full_name in self._given:
            self._fill(relation, self._given[relation.full_name])
        elif relation.sql:
            for name in relation.inputs:
                self._make(load_catalog().relations[name])
            self._connection.execute(f"INSERT INTO {relation.full_name} {relation.sql}")

    def _fill(self, relation: Relation, rows: list[Row]) -> None:
        if relation.has_day and relation.day_of:
            rows = [{"day": row[relation.day_of].date()} | row for row in rows]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        if strange := set(frame.columns) - set(relation.column_names):
            raise ContractError(f"{relation.full_name} has no column {', '.join(sorted(strange))}")
        self._connection.register("given", frame.lazy())
        self._connection.execute(f"INSERT INTO {relation.full_name} BY NAME SELECT * FROM given")
        self._connection.unregister("given")

    def _fetch(self, sql: str, params: Row | None = None) -> list[SimpleNamespace]:
        result = self._connection.execute(sql, params)
        names = [column[0] for column in result.description]
        return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in result.fetchall()]


def _cell(value: Any, known: dict[str, Any]) -> Any:
    return evaluate(value[1:], known) if isinstance(value, str) and value.startswith("=") else value
