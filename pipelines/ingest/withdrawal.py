"""Rows of files out of the lake again."""

from pipelines import sources
from pipelines.catalog.contracts import Relation
from pipelines.ingest.registry import FileBook
from pipelines.warehouse.connection import LAKE, Connection

SEEN = "seen"  # the relation of bronze that every source fills


def withdraw(book: FileBook, bronze: dict[str, Relation], file_ids: list[str], keep_note: bool = False) -> None:
    """Take the rows of some parts out again and mark their days; with `keep_note` they are not read again either."""
    if not file_ids:
        return
    for name in _tables_of(book, bronze, file_ids):
        _take_out(book.connection, bronze[name], file_ids)
    ids = "(SELECT unnest(?::VARCHAR[]))"
    book.connection.execute(f"DELETE FROM {LAKE}.ops.reject WHERE file_id IN {ids}", [file_ids])
    if not keep_note:
        book.remove(file_ids)
        return
    for file_id in file_ids:
        book.change(file_id, state="withdrawn", reason="forgotten on request")


def _tables_of(book: FileBook, bronze: dict[str, Relation], file_ids: list[str]) -> list[str]:
    """The relations some parts filled: those of their sources, or all if a source has changed since."""
    names: set[str] = set()
    for file_id in file_ids:
        row = book.rows.get(file_id, {})
        source = sources.all_sources().get(row.get("source") or "")
        if row.get("state") in ("failed", "unknown"):
            continue
        if source is None or row.get("source_version") != source.VERSION:
            return sorted(bronze)
        names |= {*source.TABLES, SEEN}
    return sorted(names & set(bronze))


def _take_out(connection: Connection, relation: Relation, file_ids: list[str]) -> None:
    table, condition = f"{LAKE}.{relation.full_name}", "file_id IN (SELECT unnest(?::VARCHAR[]))"
    days = f"SELECT DISTINCT {'day' if relation.has_day else 'NULL'} FROM {table} WHERE {condition}"
    connection.execute(
        f"INSERT INTO {LAKE}.ops.dirty_day SELECT '{relation.full_name}', day FROM ({days}) AS t(day)", [file_ids]
    )
    connection.execute(f"DELETE FROM {table} WHERE {condition}", [file_ids])
