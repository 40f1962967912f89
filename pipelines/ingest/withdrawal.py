"""Rows of files out of the lake again."""

from collections.abc import Mapping
from pathlib import Path

from pipelines import sources
from pipelines.catalog.contracts import Relation
from pipelines.catalog.files import load_catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.config.files import stored_path
from pipelines.config.site import Site
from pipelines.ingest.parts import REFUSED
from pipelines.ingest.registry import FileRegistry
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import LOG_COVERAGE, prepare_tables


def forget(site: Site, what: str) -> list[str]:
    """Withdraw rows by file_id, or all that was read at a path; returns the file_ids. No later ingest reads them.

    The next build takes the rows out of everything. Raises WarehouseBusy.
    """
    catalog = load_catalog()
    bronze = {relation.name: relation for relation in catalog.layer("bronze")}
    with Warehouse(site).write("forget") as connection:
        prepare_tables(connection, catalog)
        registry = FileRegistry(connection, catalog)
        with transaction(connection):
            file_ids = _loaded_as(registry, what, stored_path(site, Path(what)))
            withdraw(registry, bronze, file_ids, keep_note=True)
            registry.write_back()
    return file_ids


def _loaded_as(registry: FileRegistry, *names: str) -> list[str]:
    """Parts with one of these file_ids or paths, or whose content is there now, with all before and after them."""
    held = {place.file_id for name in names if (place := registry.places.get(name))}
    met = [
        file_id
        for file_id, row in registry.rows.items()
        if row["state"] == "loaded" and (file_id in held or file_id in names or row["path"] in names)
    ]
    if not met:
        raise TapescopeError(f"no loaded file is called {names[0]}", "`tapescope ask files` lists all files")
    return sorted({part for file_id in met for part in registry.lineage(file_id)})


def withdraw(registry: FileRegistry, bronze: dict[str, Relation], file_ids: list[str], keep_note: bool = False) -> None:
    """Take the rows of some parts out again and mark their days; with `keep_note` they are not read again either."""
    if not file_ids:
        return
    tables = {name: bronze[name] for name in _tables_of(registry, bronze, file_ids)}
    take_out(registry.connection, tables, file_ids)
    if not keep_note:
        registry.remove(file_ids)
        return
    for file_id in file_ids:
        registry.change(file_id, state="withdrawn", reason="withdrawn with `tapescope forget`")


def _tables_of(registry: FileRegistry, bronze: dict[str, Relation], file_ids: list[str]) -> list[str]:
    """The relations some parts filled: those of their sources, or all if a source has changed since."""
    names: set[str] = set()
    for file_id in file_ids:
        row = registry.rows.get(file_id, {})
        source = sources.all_sources().get(row.get("source") or "")
        if row.get("state") in REFUSED:
            continue
        if source is None or row.get("source_version") != source.VERSION:
            return sorted(bronze)
        names |= {*source.TABLES, LOG_COVERAGE}
    return sorted(names & set(bronze))


def take_out(connection: Connection, relations: Mapping[str, Relation], file_ids: list[str]) -> None:
    """Rows and rejects of some parts out of relations of bronze, whose days are marked."""
    if not file_ids:
        return
    for relation in relations.values():
        _take_out(connection, relation, file_ids)
    ids = "(SELECT unnest(?::VARCHAR[]))"
    execute(connection, f"DELETE FROM {LAKE}.ops.reject WHERE file_id IN {ids}", [file_ids])


def _take_out(connection: Connection, relation: Relation, file_ids: list[str]) -> None:
    table, condition = f"{LAKE}.{relation.full_name}", "file_id IN (SELECT unnest($ids::VARCHAR[]))"
    days = f"SELECT {'day' if relation.has_day else 'NULL'} FROM {table} WHERE {condition}"
    if "unique_id" in relation.column_names:
        # a request is on the day on which it was queued, which the lines that stay may not name
        days += f" UNION SELECT r.day FROM {table} t JOIN {LAKE}.silver.request r"
        days += f" ON r.system = t.system AND r.request_id = t.unique_id WHERE t.{condition}"
    execute(
        connection,
        f"INSERT INTO {LAKE}.ops.dirty_day SELECT DISTINCT '{relation.full_name}', day FROM ({days}) AS t(day)",
        {"ids": file_ids},
    )
    execute(connection, f"DELETE FROM {table} WHERE {condition}", {"ids": file_ids})
