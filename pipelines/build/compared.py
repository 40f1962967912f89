"""The days of a relation that were made, next to those that the lake has."""

from datetime import date
from typing import NamedTuple

from pipelines.catalog.contracts import Relation
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.staged_files import StagedFile


class Compared(NamedTuple):
    """A day's rows of a relation, those made now and those in the lake."""

    day: date
    is_other: bool  # they differ in any column
    has_other_content: bool  # they differ in a column other than those of lineage
    had_rows: bool
    has_rows: bool


def compare(connection: Connection, relation: Relation, made: str, before: str, of_days: str) -> list[Compared]:
    """Days with rows, made now or in the table `before`, if there is one; `of_days` is a condition for days."""
    if not before:
        rows = connection.execute(f"SELECT DISTINCT day FROM {made} WHERE {of_days}").fetchall()
        return [Compared(day, True, True, False, True) for (day,) in rows]
    everything = ", ".join(f'"{name}"' for name in relation.column_names)
    content = ", ".join(f'"{name}"' for name in relation.column_names if name not in relation.lineage)
    sums = f"SELECT day, count(*) AS n, sum(hash({everything})) AS e, sum(hash({content})) AS s"
    found = connection.execute(
        f"WITH new AS ({sums} FROM {made} WHERE {of_days} GROUP BY day),"
        f" old AS ({sums} FROM {before} WHERE {of_days} GROUP BY day)"
        " SELECT coalesce(new.day, old.day), (new.n, new.e) IS DISTINCT FROM (old.n, old.e),"
        " (new.n, new.s) IS DISTINCT FROM (old.n, old.s), old.n IS NOT NULL, new.n IS NOT NULL"
        " FROM new FULL JOIN old ON old.day = new.day"
    ).fetchall()
    return [Compared(*row) for row in found]


class Finished(NamedTuple):
    """Days of a relation that were made apart, and the files that have the rows of those that differ."""

    days: list[Compared]
    files: list[StagedFile]
