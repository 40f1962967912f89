"""The tables of the lake, made as their contracts say, and what its catalogue notes of them."""

from collections.abc import Container, Iterable, Sequence
from datetime import date
from typing import Any

import polars as pl

from pipelines import sources
from pipelines.catalog.contracts import LAYERS, Catalog, Relation
from pipelines.catalog.sql_inspect import execute
from pipelines.warehouse import ownership
from pipelines.warehouse.connection import LAKE, Connection, committed
from pipelines.warehouse.engine import transaction

_AT_ONCE = 500  # rows of a statement
LOG_COVERAGE = "log_coverage"  # the relation of bronze that every source fills

# relations of ops that ingest and build alone write
_BEFORE_ANALYSIS = {f"ops.{name}" for name in ("build", "check_result", "dirty_day", "file", "place", "reject")}

# the catalogue's present tables with what their contracts hold
_TABLES = (
    "comment c JOIN {0}.ducklake_schema s USING (schema_name)"
    " JOIN {0}.ducklake_table t ON t.schema_id = s.schema_id AND t.table_name = c.table_name AND t.end_snapshot IS NULL"
)


def prepare_tables(connection: Connection, catalog: Catalog, will_build: bool = False) -> list[str]:
    """Make missing tables and those whose contract changed, and commit; returns the names of the latter.

    Of bronze, the files are read again where they still exist; tables that SQL fills wait for a build.
    """
    with transaction(connection):
        changed = create_tables(connection, catalog, will_build)
        tables = {name.removeprefix("bronze.") for name in changed if name.startswith("bronze.")}
        for stem, source in sources.all_sources().items() if tables else ():
            if tables & {*source.TABLES, LOG_COVERAGE}:
                execute(
                    connection,
                    f"UPDATE {LAKE}.ops.file SET source_version = NULL WHERE source = ? AND state = 'loaded'",
                    [stem],
                )
    note_tables(connection, catalog)
    return changed


def create_tables(connection: Connection, catalog: Catalog, will_build: bool = True) -> list[str]:
    """Make the tables that are missing and those whose contract changed; returns the names of the latter.

    A table whose columns differ from its contract is made again, empty: its rows are derived, or are read again from
    the logs. One that SQL fills stays as it is, or missing in a warehouse that was built, unless a build follows, which
    alone fills it. One with user data keeps its rows and gains the columns it lacks; so does one of bronze that lacks
    nothing else, for a log that was rotated away cannot be read again. A build makes the rows of tables that another
    replaces: they go. Tables and columns that a contract renames (`was`) keep their rows.
    """
    for layer in LAYERS:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {LAKE}.{layer}")
    present = _present_columns(connection)
    if will_build:
        for old in {old for relation in catalog.relations.values() for old in relation.replaces} & present.keys():
            connection.execute(f"DROP TABLE {LAKE}.{old}")
    changed = []
    for relation in catalog.relations.values():
        _rename(connection, relation, present)
    for relation in catalog.relations.values():
        have, declared = present.get(relation.full_name), [(column.name, column.type) for column in relation.columns]
        if have == declared:
            continue
        waits = not will_build and bool(relation.sql) and not relation.is_constant
        if waits and (have is not None or _was_built(connection, present)):  # an empty table would look like an answer
            continue
        if have is not None and (relation.is_user_data or (relation.layer == "bronze" and set(have) <= set(declared))):
            _widen(connection, relation, {name for name, _ in have})
            if not relation.is_user_data and len(have) < len(declared):
                changed.append(relation.full_name)
            continue
        if have is not None:
            changed.append(relation.full_name)
        recreate(connection, relation)
    _fill_constants(connection, catalog)
    return changed


def _was_built(connection: Connection, present: Container[str]) -> bool:
    return "ops.build" in present and connection.execute(f"FROM {LAKE}.ops.build LIMIT 1").fetchone() is not None


def _fill_constants(connection: Connection, catalog: Catalog) -> None:
    """Write the rows that only a contract's SQL defines, where the table differs."""
    for relation in catalog.relations.values():
        table = f"{LAKE}.{relation.full_name}"
        if not relation.is_constant:
            continue
        if [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()] != relation.column_names:
            continue
        declared = connection.execute(f"SELECT * FROM ({relation.sql}) ORDER BY ALL").fetchall()
        if connection.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() != declared:
            connection.execute(f"DELETE FROM {table}")
            connection.execute(f"INSERT INTO {table} {relation.sql}")


def recreate(connection: Connection, relation: Relation) -> None:
    """Make a table empty, whether or not it is there and its files can be read."""
    connection.execute(f"DROP TABLE IF EXISTS {LAKE}.{relation.full_name}")
    _create(connection, relation)


def _rename(connection: Connection, relation: Relation, present: dict[str, list[tuple[str, str]]]) -> None:
    """Give a table, and its columns, the names that replace those the contract lists as `was`; updates `present`."""
    table, layer = relation.full_name, relation.layer
    old = next((f"{layer}.{name}" for name in relation.was if f"{layer}.{name}" in present), None)
    if old and table not in present:
        connection.execute(f"ALTER TABLE {LAKE}.{old} RENAME TO {relation.name}")
        present[table] = present.pop(old)
    have = dict(present.get(table, ()))
    for column in relation.columns:
        before = next((name for name in column.was if name in have), None)
        if before and column.name not in have:
            connection.execute(f'ALTER TABLE {LAKE}.{table} RENAME COLUMN "{before}" TO "{column.name}"')
            have = {column.name if name == before else name: kind for name, kind in have.items()}
            present[table] = list(have.items())


def _widen(connection: Connection, relation: Relation, have: set[str]) -> None:
    """Columns that a table with rows of its own lacks; NULL in the rows that are there."""
    for column in relation.columns:
        if column.name not in have:
            connection.execute(f'ALTER TABLE {LAKE}.{relation.full_name} ADD COLUMN "{column.name}" {column.type}')


def _present_columns(connection: Connection) -> dict[str, list[tuple[str, str]]]:
    rows = connection.execute(
        "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns()"
        f" WHERE database_name = '{LAKE}' ORDER BY 1, column_index"
    ).fetchall()
    present: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in rows:
        present.setdefault(table, []).append((column, kind))
    return present


def use_for_analysis(connection: Connection, catalog: Catalog) -> None:
    """Give names such as `gold.mount` a meaning for steps that read what others made. Call it in no transaction.

    They are the lake's tables; where the last commit is attached apart, they are views of that, and of the lake for
    what such steps write themselves.
    """
    source = committed(connection)
    connection.execute(f"USE {LAKE if source == LAKE else 'memory'}")
    for layer in LAYERS if source != LAKE else ():
        connection.execute(f"CREATE SCHEMA {layer}")
        for relation in catalog.layer(layer):
            is_own = layer in ("gold", "ops") and not relation.sql and relation.full_name not in _BEFORE_ANALYSIS
            connection.execute(
                f"CREATE VIEW {relation.full_name} AS FROM {LAKE if is_own else source}.{relation.full_name}"
            )


def row_counts(connection: Connection) -> dict[str, int]:
    """The rows of each table that has data files at the last commit, in one statement; the other tables have none.

    DuckLake keeps the list of deleted rows of a data file that has gone itself: such a list counts no longer.
    """
    book = ownership.book(committed(connection))
    rows = connection.execute(
        "SELECT s.schema_name || '.' || t.table_name, CAST(greatest(sum(n), 1) AS BIGINT) FROM ("
        f" SELECT table_id, record_count AS n FROM {book}.ducklake_data_file WHERE end_snapshot IS NULL"
        f" UNION ALL SELECT d.table_id, -d.delete_count FROM {book}.ducklake_delete_file d"
        f" JOIN {book}.ducklake_data_file f USING (data_file_id)"
        " WHERE d.end_snapshot IS NULL AND f.end_snapshot IS NULL"
        f") JOIN {book}.ducklake_table t USING (table_id) JOIN {book}.ducklake_schema s USING (schema_id)"
        " WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL GROUP BY 1"
    ).fetchall()
    return dict(rows)


def state_of(connection: Connection, layer: str) -> tuple[int, int]:
    """A layer's rows at the last commit: another number and hash of files wherever a row came, went or moved."""
    book = ownership.book(committed(connection))
    row = execute(
        connection,
        "SELECT count(*), coalesce(CAST(sum(hash(f.path)) AS HUGEINT), 0) FROM ("
        f" SELECT table_id, path FROM {book}.ducklake_data_file WHERE end_snapshot IS NULL"
        f" UNION ALL SELECT table_id, path FROM {book}.ducklake_delete_file WHERE end_snapshot IS NULL"
        f") f JOIN {book}.ducklake_table t USING (table_id) JOIN {book}.ducklake_schema s USING (schema_id)"
        " WHERE s.schema_name = ?",
        [layer],
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def insert_rows(connection: Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Add rows in as few statements as is sensible: each writes a data file of its own."""
    for begin in range(0, len(rows), _AT_ONCE):
        some = rows[begin : begin + _AT_ONCE]
        marks = ", ".join(f"({', '.join('?' * len(row))})" for row in some)
        execute(connection, f"INSERT INTO {LAKE}.{table} VALUES {marks}", [value for row in some for value in row])


def replace_day(connection: Connection, relation: Relation, day: date, rows: Iterable[dict[str, Any]]) -> None:
    """Write a day's rows where they differ from those that are there: looking again changes nothing."""
    names, table = relation.column_names, f"{LAKE}.{relation.full_name}"
    new_rows = sorted((tuple(row[name] for name in names) for row in rows), key=repr)
    present = execute(connection, f"SELECT * FROM {table} WHERE day = ?", [day]).fetchall()
    if new_rows == sorted(present, key=repr):
        return
    execute(connection, f"DELETE FROM {table} WHERE day = ?", [day])
    if new_rows:  # one statement for all: each would cost 10 ms, and of tapes there are thousands
        columns = ", ".join(f"unnest(CAST(? AS {column.type}[]))" for column in relation.columns)
        execute(connection, f"INSERT INTO {table} SELECT {columns}", list(map(list, zip(*new_rows, strict=True))))


def _create(connection: Connection, relation: Relation) -> None:
    table = f"{LAKE}.{relation.full_name}"
    connection.execute(f"CREATE TABLE {table} ({relation.definitions})")
    if relation.partition == "day":
        connection.execute(f"ALTER TABLE {table} SET PARTITIONED BY (day)")
    elif relation.partition == "month":
        connection.execute(f"ALTER TABLE {table} SET PARTITIONED BY (year(day), month(day))")


def note_tables(connection: Connection, catalog: Catalog) -> None:
    """Write into DuckLake's catalogue what is known of the tables, in sets: call it when no transaction is open.

    Comments: DuckLake has a statement for each, which makes 1,600 statements of a new warehouse.

    Statistics of tables that never had a row, namely none: DuckLake writes them at the first insert. Until then it
    asks the catalogue again for each column of a statement that names the table: 0.1 s a table, for every reader
    (fixed in its pull request 1313, which 1.5.5 lacks).
    """
    book = ownership.BOOK
    unnoted = (  # columns are noted last
        f"{book}.ducklake_column l JOIN {book}.ducklake_table t ON t.table_id = l.table_id AND t.end_snapshot IS NULL"
        " WHERE l.end_snapshot IS NULL AND l.parent_column IS NULL AND (l.table_id, l.column_id) NOT IN"
        f" (SELECT (table_id, column_id) FROM {book}.ducklake_column_tag)"
    )
    if not connection.execute(f"SELECT 1 FROM {unnoted} LIMIT 1").fetchall():
        return
    connection.execute(
        f"INSERT INTO {book}.ducklake_table_stats (table_id, record_count, next_row_id, file_size_bytes)"
        f" SELECT table_id, 0, 0, 0 FROM {book}.ducklake_table WHERE end_snapshot IS NULL"
        f" AND table_id NOT IN (SELECT table_id FROM {book}.ducklake_table_stats)"
    )
    connection.register("comment", _comments(catalog).lazy())
    connection.execute(
        f"INSERT INTO {book}.ducklake_tag (object_id, begin_snapshot, key, value)"
        f" SELECT t.table_id, t.begin_snapshot, 'comment', c.text FROM {_TABLES.format(book)}"
        f" WHERE c.column_name IS NULL AND t.table_id NOT IN (SELECT object_id FROM {book}.ducklake_tag)"
    )
    connection.execute(
        f"INSERT INTO {book}.ducklake_column_tag (table_id, column_id, begin_snapshot, key, value)"
        f" SELECT t.table_id, l.column_id, l.begin_snapshot, 'comment', c.text FROM {_TABLES.format(book)}"
        f" JOIN {book}.ducklake_column l ON l.table_id = t.table_id AND l.column_name = c.column_name"
        " WHERE l.end_snapshot IS NULL AND (t.table_id, l.column_id) NOT IN"
        f" (SELECT (table_id, column_id) FROM {book}.ducklake_column_tag)"
    )
    connection.unregister("comment")


def _comments(catalog: Catalog) -> pl.DataFrame:
    """What the contracts hold about each table (column_name is NULL) and of each of its columns."""
    rows: list[tuple[str, str, str | None, str]] = []
    for relation in catalog.relations.values():
        rows.append((relation.layer, relation.name, None, f"{relation.title}: {relation.grain}"))
        for column in relation.columns:
            doc = f"{column.doc} [{column.unit}]" if column.unit else column.doc
            rows.append((relation.layer, relation.name, column.name, doc))
    names = ("schema_name", "table_name", "column_name", "text")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
