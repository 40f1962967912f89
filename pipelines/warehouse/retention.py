"""How far back facts are kept, and how older ones are dropped.

Facts are rows with a day: of bronze, and of silver and gold where SQL makes them. The days are counted back from the
last day with data, never from the clock. Each floor is kept MARGIN longer than the one made of it, so that a mount, an
outage or a request that began before the first day kept is still made of all its lines: a full build gives the rows
that were there. (An outage longer than MARGIN that ends on the first days kept loses its beginning.)

Findings, forecasts and the rows of ops are kept; so are relations with `never_expires`, such as which files are on a
tape. `ops.file` keeps its rows, so that no file is read again because its rows were dropped.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta

import duckdb

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.sql_inspect import execute
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.tables import row_counts

MARGIN = timedelta(days=32)  # a request may be a month old; and a day, for days of the site's zone are not UTC's
_FLOORS = {"gold": 0, "silver": 1, "bronze": 2}
_NEAR_DAYS = 7


@dataclass
class PurgeResult:
    """What was purged, or would be: first site day kept, days per layer, rows, and the relations that lost some."""

    first_day: date | None = None
    days: dict[str, set[date]] = field(default_factory=lambda: {layer: set() for layer in _FLOORS})
    n_rows: int = 0
    relations: set[str] = field(default_factory=set)


def first_day_kept(connection: Connection) -> date | None:
    """The first site day of gold that has not been dropped for its age; None where nothing ever was."""
    try:
        row = connection.execute(f"SELECT max(first_day) FROM {LAKE}.ops.retention").fetchone()
    except duckdb.CatalogException:  # a warehouse that is older than this table, opened to read
        return None
    return row[0] if row else None


def begin_of(relation: Relation, first_day: date | None) -> date:
    """The first day a relation's rows are kept of, where gold's is `first_day`; all days of what is no fact."""
    is_fact = relation.has_day and not relation.never_expires and (relation.layer == "bronze" or bool(relation.sql))
    if first_day is None or not is_fact or relation.layer not in _FLOORS:
        return date.min
    return first_day - _FLOORS[relation.layer] * MARGIN


def purge(
    connection: Connection, catalog: Catalog, last_day: date, keep_days: int, dry_run: bool = False
) -> PurgeResult:
    """Drop the facts of all but the last `keep_days` site days up to `last_day`, in the caller's transaction.

    A day on its own, with no other in the week before it, is no last day: it may be a wrong clock's. Rows of relations
    without days about the dropped ones is for a build to make again.
    """
    dropped = PurgeResult(first_day_kept(connection))
    end = _end(connection, last_day)
    if end is None:
        return dropped
    computed = end - timedelta(days=keep_days - 1)
    first_day = max(dropped.first_day or date.min, computed)
    filled = row_counts(connection)  # to ask each of a hundred empty tables would take most of the time
    for relation in catalog.relations.values():
        if relation.full_name in filled:
            _drop_from(connection, relation, begin_of(relation, first_day), dropped, dry_run)
    if dropped.n_rows:
        dropped.first_day = first_day
        if not dry_run:
            values = [end, first_day, len(dropped.days["gold"]), dropped.n_rows]
            execute(connection, f"INSERT INTO {LAKE}.ops.retention VALUES (?, ?, ?, ?)", values)
    return dropped


def _drop_from(connection: Connection, relation: Relation, begin: date, dropped: PurgeResult, dry_run: bool) -> None:
    if begin == date.min:
        return
    table = f"{LAKE}.{relation.full_name}"
    rows = execute(connection, f"SELECT day, count(*) FROM {table} WHERE day < ? GROUP BY day", [begin]).fetchall()
    if not rows:
        return
    dropped.days[relation.layer] |= {day for day, _ in rows}
    dropped.n_rows += sum(n for _, n in rows)
    dropped.relations.add(relation.full_name)
    if not dry_run:
        execute(connection, f"DELETE FROM {table} WHERE day < ?", [begin])


def _end(connection: Connection, last_day: date) -> date | None:
    """The last day up to a day on which logs were written, and on another of the week before it as well."""
    row = execute(
        connection,
        "SELECT max(day) FROM (SELECT day, lag(day) OVER (ORDER BY day) AS before"
        f" FROM (SELECT DISTINCT day FROM {LAKE}.silver.log_coverage WHERE day <= ?))"
        f" WHERE day - before <= {_NEAR_DAYS}",
        [last_day],
    ).fetchone()
    return row[0] if row else None
