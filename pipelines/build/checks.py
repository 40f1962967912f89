"""The checks of every relation, run by Great Expectations on the build's own connection, inside its transaction.

Relations whose rows all pass in plain SQL are cleared first (`clean_rows`); for the rest Great Expectations finds what
fails and where. This is the only module that imports it, and only when something may fail: the import takes seconds.
Great Expectations opens its connections itself, from an address. A small dialect of our own hands it the build's
connection, so that it reads rows that are not yet committed. Rows are fetched at once, because it reads results after
it gave the connection back; commit, rollback and close do nothing, because the transaction is not its own.

Relations that fit are copied into memory once. Those of more than MOST_COPIED rows are checked in the lake, so that
memory does not grow with the rows. On 10 million transfers the four checks of silver.transfer take 3 s of CPU and a
process of 0.8 GB at most, of which Great Expectations and the interpreter take 0.4 GB (DuckDB spills beyond its limit
of 1 GB). Where many rows fail, listing them takes up to 1.4 GB.
"""

import json
import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from pipelines.build.changed import ChangedRelations
from pipelines.build.clean_rows import are_clean, copy_few
from pipelines.catalog.contracts import Catalog, Check, Relation
from pipelines.primitives.format import counted
from pipelines.warehouse.connection import LAKE, Connection

EXAMPLES = 5
MOST_COPIED = 1_000_000  # rows
_ROWS = "SELECT * FROM temp.checked_rows"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check of the rows a build changed."""

    relation: str
    expectation: str
    arguments: str
    severity: str
    outcome: str  # passed, failed or error
    n_failing: int
    detail: str

    @property
    def stops_build(self) -> bool:
        return self.outcome == "error" or (self.outcome == "failed" and self.severity == "critical")

    @property
    def sentence(self) -> str:
        """What must hold, and which rows break it."""
        if self.outcome == "error":
            return f"{self.relation}: a check could not run: {self.detail}"
        must = Check(self.expectation, self.severity, json.loads(self.arguments)).sentence
        return f"{self.relation}: {must}; {counted(self.n_failing, 'row')} failed: {_in_words(json.loads(self.detail))}"


def in_lake(relation: Relation) -> str:
    """The table of a relation in the lake."""
    return f"{LAKE}.{relation.full_name}"


def check(
    connection: Connection,
    catalog: Catalog,
    changes: ChangedRelations,
    table: Callable[[Relation], str] = in_lake,
) -> list[CheckResult]:
    """Run the checks of every relation on the rows a build changed; `table` says where all rows of one are."""
    touched = [
        relation for relation in catalog.relations.values() if relation.checks and changes.touched(relation.full_name)
    ]
    if not touched:
        return []
    results: list[CheckResult] = []
    with ExitStack() as guest:
        batch: Any = None
        for relation in touched:
            rows = table(relation) + _of_days(changes.days.get(relation.full_name) if relation.has_day else None)
            is_in_memory = table(relation).startswith("temp.")
            selected = f"SELECT * FROM {rows}"
            if are_clean(connection, relation, selected if is_in_memory else copy_few(connection, selected)):
                results += [_passed(relation, item) for item in relation.checks]
                continue
            if batch is None:
                guest.enter_context(_quiet())
                batch = guest.enter_context(_lent(connection))
            results += _check_relation(connection, batch, relation, rows)
    return results


def _of_days(days: set[date] | None) -> str:
    """The condition that picks the rows of some days, or of all."""
    return "" if days is None else " WHERE day IN ({})".format(", ".join(f"DATE '{day}'" for day in sorted(days)))


@contextmanager
def _quiet() -> Iterator[None]:
    """No analytics, progress bars or chatter of the guest."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _lent(connection: Connection) -> Iterator[Any]:
    """Great Expectations' definition of one batch: the table `checked_rows` of the given connection."""
    import duckdb_sqlalchemy
    import great_expectations
    from sqlalchemy.dialects import registry

    class Cursor(duckdb_sqlalchemy.CursorWrapper):
        def execute(self, statement: str, *args: Any, **kwargs: Any) -> Any:
            if statement == _ROWS:  # asked for the names and types of its columns only
                statement += " LIMIT 0"
            return super().execute(statement, *args, **kwargs)

        def _after_execute(self) -> None:
            self._buffer_result()

    class Lent(duckdb_sqlalchemy.ConnectionWrapper):
        def cursor(self) -> Any:
            return Cursor(connection, self)

        def begin(self) -> None: ...

        def commit(self) -> None: ...

        def rollback(self) -> None: ...

        def close(self) -> None: ...

    class Borrowed(duckdb_sqlalchemy.Dialect):
        supports_statement_cache = False

        def connect(self, *args: Any, **kwargs: Any) -> Any:
            return Lent(connection)

    registry.impls["duckdb.borrowed"] = lambda: Borrowed
    context = great_expectations.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]
    try:
        source = context.data_sources.add_sql(name="build", connection_string="duckdb+borrowed:///:memory:")
        # One for all relations: each further one rewrites the configuration of Great Expectations, and that is slow.
        asset = source.add_query_asset(name="checked", query=_ROWS)
        yield asset.add_batch_definition_whole_table("rows")
    finally:
        del registry.impls["duckdb.borrowed"]


def _check_relation(connection: Connection, checked: Any, relation: Relation, rows: str) -> list[CheckResult]:
    import great_expectations.expectations as words
    from great_expectations import ExpectationSuite

    lineage: list[str] = [name for name in ("file_id", "line_no") if name in relation.column_names]
    _show_rows(connection, relation, rows, lineage)
    suite = ExpectationSuite(name=relation.full_name)
    for place, item in enumerate(relation.checks):
        if hasattr(words, item.expectation):
            suite.add_expectation(getattr(words, item.expectation)(**item.kwargs, meta={"place": place}))
    batch = checked.get_batch()
    answers = batch.validate(suite, result_format="BOOLEAN_ONLY").results
    if not all(answer.success for answer in answers):  # examples are asked for where there are any: half the questions
        shape = {"result_format": "SUMMARY", "partial_unexpected_count": EXAMPLES}
        index = {"unexpected_index_column_names": lineage} if lineage else {}
        answers = batch.validate(suite, result_format=shape | index).results
    found = {answer.expectation_config.meta["place"]: answer for answer in answers}
    return [_result(connection, relation, item, found.get(place)) for place, item in enumerate(relation.checks)]


def _show_rows(connection: Connection, relation: Relation, rows: str, lineage: list[str]) -> None:
    """The changed rows as the view `checked_rows`, with the columns the checks name.

    Every check asks several times: some rows are copied into memory once, of many it asks the lake itself.
    """
    named = json.dumps([item.kwargs for item in relation.checks])
    whole_rows = any(item.expectation == "UnexpectedRowsExpectation" for item in relation.checks)
    names = [name for name in relation.column_names if whole_rows or name in lineage or f'"{name}"' in named]
    columns = ", ".join(f'"{name}"' for name in names)
    n_rows = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()
    if n_rows and n_rows[0] <= MOST_COPIED:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE copied_rows AS SELECT {columns} FROM {rows}")
        rows = "temp.copied_rows"
    connection.execute(f"CREATE OR REPLACE TEMP VIEW checked_rows AS SELECT {columns} FROM {rows}")


def _passed(relation: Relation, item: Check) -> CheckResult:
    arguments = json.dumps(item.kwargs, sort_keys=True)
    return CheckResult(relation.full_name, item.expectation, arguments, item.severity, "passed", 0, "")


def _result(connection: Connection, relation: Relation, item: Check, answer: Any) -> CheckResult:
    arguments = json.dumps(item.kwargs, sort_keys=True)
    # a check that was skipped is an error, never one that passed
    unrun = f"{item.expectation} was not run, because Great Expectations does not know this check or skipped it"
    raised = unrun if answer is None else _exception_text(answer.exception_info)
    if raised:
        return CheckResult(relation.full_name, item.expectation, arguments, item.severity, "error", 0, raised)
    outcome = "passed" if answer.success else "failed"
    counted_as = "observed_value" if item.expectation == "UnexpectedRowsExpectation" else "unexpected_count"
    n_failing = int(answer.result.get(counted_as) or 0)
    detail = "" if answer.success else _examples(connection, relation, item, answer.result)
    return CheckResult(relation.full_name, item.expectation, arguments, item.severity, outcome, n_failing, detail)


def _exception_text(info: dict[str, Any]) -> str:
    """A check that could not run is not a failed expectation: its error says so, in either of the guest's shapes."""
    if "raised_exception" in info:
        return str(info["exception_message"]) if info["raised_exception"] else ""
    return "; ".join(str(one.get("exception_message")) for one in info.values())


def _examples(connection: Connection, relation: Relation, item: Check, result: dict[str, Any]) -> str:
    """Some failing rows, and the files they come from: what an operator must look at or forget."""
    rows = result.get("partial_unexpected_index_list") or result.get("partial_unexpected_list") or []
    if query := item.kwargs.get("unexpected_rows_query"):  # of such a check only the number of rows is known
        broken = connection.execute(f"{query.format(batch='checked_rows')} LIMIT {EXAMPLES}")
        names = [column[0] for column in broken.description or []]
        rows = [dict(zip(names, row, strict=True)) for row in broken.fetchall()]
    if not rows:
        return json.dumps({"observed": result.get("observed_value")}, default=str)
    ids = {row["file_id"] for row in rows if isinstance(row, dict) and row.get("file_id")}
    if not ids and "file_id" in relation.column_names:
        ids = {file_id for row in rows[:EXAMPLES] if isinstance(row, dict) for file_id in _files_with(connection, row)}
    found = connection.execute(
        f"SELECT DISTINCT path FROM {LAKE}.ops.file WHERE file_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY path",
        [sorted(ids)],
    ).fetchall()
    return json.dumps({"files": [row[0] for row in found], "rows": rows[:EXAMPLES]}, default=str)


def _in_words(detail: dict[str, Any]) -> str:
    """Examples of failing rows and their files, as `_examples` records them."""
    rows = [
        " ".join(f"{name}={value}" for name, value in row.items() if name != "file_id")
        if isinstance(row, dict)
        else str(row)
        for row in detail.get("rows", [detail.get("observed")])
    ]
    return "; ".join(rows) + "".join(f" in {path}" for path in [", ".join(detail.get("files", []))] if path)


def _files_with(connection: Connection, row: dict[str, Any]) -> list[str]:
    """The files of the checked rows that have these values: a check of several columns at once names no file."""
    same = " AND ".join(f'"{name}" IS NOT DISTINCT FROM ?' for name in row)
    found = connection.execute(f"SELECT DISTINCT file_id FROM checked_rows WHERE {same} LIMIT 10", [*row.values()])
    return [file_id for (file_id,) in found.fetchall() if file_id]
