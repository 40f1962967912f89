"""What a client of another engine needs to read one snapshot of the warehouse: a program, with the files in it.

The warehouse is a DuckLake: Parquet files, a catalogue that lists which of them belong to a snapshot, and, where rows
were deleted, files with their places. Engines without a DuckLake reader get that list. It holds until `tapescope
maintain` removes the snapshot's files.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from pprint import pformat
from typing import Any, NamedTuple

from pipelines.catalog.sql_inspect import quote
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.ownership import BOOK

HERE = Path(__file__).parent
MARK = "RELATIONS: dict[str, Any] = {}\n"
TRINO = """\
# Trino has no connector for DuckLake. Trino's connectors for Hive and Iceberg cannot read the warehouse's files: the
# folders hold the files of several snapshots, and only DuckLake's catalogue records which of their rows were deleted.
# Trino's connector for DuckDB can read a copy in one plain DuckDB file. For newer data, export the copy again:
#
#   tapescope export /data/archive.duckdb
#
# Trino's server then needs etc/catalog/tapescope.properties with these lines:
connector.name=duckdb
connection-url=jdbc:duckdb:/data/archive.duckdb
"""


def client_program(site: Site, engine: str) -> str:
    """What a client of "polars", "spark" or "trino" runs or is configured with, for the newest snapshot.

    Raises ConfigError where there is no warehouse, or one that is encrypted.
    """
    if engine == "trino":
        return TRINO
    with Warehouse(site).read() as connection:
        relations = list_relations(connection)
        row = connection.execute(f"SELECT max(snapshot_id) FROM ducklake_snapshots({quote(LAKE)})").fetchone()
    number = row[0] if row else None
    head, _, body = (HERE / f"{engine}_client.py").read_text(encoding="utf-8").partition(MARK)
    note = f"# Snapshot {number} of the warehouse; for the newest one, run `tapescope attach --engine {engine}`.\n"
    return f"{note}{head}RELATIONS: dict[str, Any] = {pformat(relations, width=120, sort_dicts=False)}\n{body}"


def list_relations(connection: Connection) -> dict[str, dict[str, Any]]:
    """Of each relation, by its full name, `columns` (name to DuckDB type) and `groups` of files with the same names.

    A group has `renamed`, names in its files to those of the columns where they differ; `of_folders`, columns that the
    names of its folders hold (day=2010-03-10) and its files do not; and `files`: pairs of a Parquet file and the file
    that lists its deleted rows, or None. Raises ConfigError for encrypted files.
    """
    columns: dict[str, dict[str, str]] = {}
    found = connection.execute(
        "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = ? ORDER BY schema_name, table_name, column_index",
        [LAKE],
    ).fetchall()
    for relation, column, kind in found:
        columns.setdefault(relation, {})[column] = kind
    ids = _column_ids(connection)
    return {
        relation: {"columns": kinds, "groups": _groups(connection, relation, ids.get(relation, {}))}
        for relation, kinds in columns.items()
    }


def _column_ids(connection: Connection) -> dict[str, dict[int, str]]:
    """The columns' names by the number that they have in files, which renaming does not change."""
    rows = connection.execute(
        f"SELECT s.schema_name || '.' || t.table_name, c.column_id, c.column_name FROM {BOOK}.ducklake_column c "
        f"JOIN {BOOK}.ducklake_table t USING (table_id) JOIN {BOOK}.ducklake_schema s USING (schema_id) "
        "WHERE c.end_snapshot IS NULL AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL"
    ).fetchall()
    ids: dict[str, dict[int, str]] = {}
    for relation, number, name in rows:
        ids.setdefault(relation, {})[number] = name
    return ids


def _groups(connection: Connection, relation: str, names: Mapping[int, str]) -> list[dict[str, Any]]:
    schema, table = relation.split(".")
    listed = connection.execute(
        "SELECT data_file, delete_file, data_file_encryption_key IS NOT NULL "
        f"FROM ducklake_list_files({quote(LAKE)}, {quote(table)}, schema => {quote(schema)})"
    ).fetchall()
    if any(is_encrypted for *_, is_encrypted in listed):
        raise ConfigError(
            "the warehouse's files are encrypted", "only DuckDB can read them: use `tapescope attach --engine duckdb`"
        )
    files = [file for file, *_ in listed]
    stored = _numbered(connection, files) | _mapped(connection, relation, files)
    groups: dict[tuple[tuple[tuple[str, str], ...], tuple[str, ...]], list[tuple[str, str | None]]] = {}
    for file, deleted, _ in listed:
        renamed = tuple(
            (one.name, names[one.number]) for one in stored[file] if names.get(one.number, one.name) != one.name
        )
        of_folders = tuple(one.name for one in stored[file] if one.is_of_folder)
        groups.setdefault((renamed, of_folders), []).append((file, deleted))
    return [
        {"renamed": dict(renamed), "of_folders": list(of_folders), "files": some}
        for (renamed, of_folders), some in groups.items()
    ]


class _Stored(NamedTuple):
    """A column as a file has it: its number in the catalogue, its name, and whether only the file's folder names it."""

    number: int
    name: str
    is_of_folder: bool = False


def _numbered(connection: Connection, files: list[str]) -> dict[str, list[_Stored]]:
    """The columns of files that DuckLake wrote, which have the numbers in them."""
    stored: dict[str, list[_Stored]] = {file: [] for file in files}
    if files:
        rows = connection.execute(
            "SELECT file_name, field_id, name "
            f"FROM parquet_schema([{', '.join(map(quote, files))}]) WHERE field_id IS NOT NULL"
        )
        for file, number, name in rows.fetchall():
            stored[file].append(_Stored(number, name))
    return stored


def _mapped(connection: Connection, relation: str, files: list[str]) -> dict[str, list[_Stored]]:
    """The columns of files that were added as they are: the catalogue has the numbers. File names are unique."""
    rows = connection.execute(
        f"SELECT f.path, m.target_field_id, m.source_name, m.is_partition FROM {BOOK}.ducklake_data_file f "
        f"JOIN {BOOK}.ducklake_table t USING (table_id) JOIN {BOOK}.ducklake_schema s USING (schema_id) "
        f"JOIN {BOOK}.ducklake_name_mapping m ON m.mapping_id = f.mapping_id "
        "WHERE f.end_snapshot IS NULL AND t.end_snapshot IS NULL AND s.end_snapshot IS NULL "
        "AND s.schema_name || '.' || t.table_name = ?",
        [relation],
    ).fetchall()
    by_name = {PurePosixPath(file).name: file for file in files}
    stored: dict[str, list[_Stored]] = {}
    for path, number, name, is_partition in rows:
        if (file := by_name.get(PurePosixPath(path).name)) is not None:
            stored.setdefault(file, []).append(_Stored(number, name, bool(is_partition)))
    return stored
