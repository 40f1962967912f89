"""Bronze to silver to gold: only the days that changed, in the order the FROM clauses ask for.

While SQL runs, the relations it names are the lake's narrowed to the days that matter, so that it needs no word about
increments and runs as it is in any DuckDB client.
"""

import re
from collections.abc import Callable
from datetime import date

import duckdb

from pipelines.build.days import ChangedRelations, DayLinks, site_days_of, utc_days_of, with_neighbours
from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import ContractError
from pipelines.primitives.store_errors import is_damage
from pipelines.warehouse import retention
from pipelines.warehouse.connection import LAKE, Connection

_FEW = 10_000  # rows
_REQUESTS = {"bronze.cta_request", "silver.request"}
_ALWAYS = (date(1, 1, 1), date(9999, 12, 31))


def dirty(connection: Connection, catalog: Catalog, is_full: bool) -> ChangedRelations:
    """Bronze days to start from: all of them, or those marked since the last build."""
    rows: list[tuple[str, date | None]] = []
    if not is_full:
        rows = connection.execute(f"SELECT DISTINCT relation, day FROM {LAKE}.ops.dirty_day").fetchall()
    else:
        present = Present(connection, catalog)
        queries = [
            f"SELECT DISTINCT '{relation.full_name}', {'day' if relation.has_day else 'NULL'}"
            f" FROM {LAKE}.{relation.full_name}"
            for relation in catalog.layer("bronze")
            if present.has_rows(relation)
        ]
        rows = connection.execute(" UNION ALL ".join(queries)).fetchall() if queries else []
    found = ChangedRelations()
    for name, day in rows:
        if day is None:
            found.timeless.add(name)
        else:
            found.days.setdefault(name, set()).add(day)
    return found


class _Inputs:
    """What SQL reads: tables and views of its own in place of the lake's, narrowed to the days that matter.

    A few rows are taken out of the lake once, not by every relation that reads them: of so few most of the time is
    DuckLake's, which asks its catalogue for the files of each table that a statement names.
    """

    def __init__(self, connection: Connection, catalog: Catalog, present: Present) -> None:
        self._connection = connection
        self._catalog = catalog
        self._present = present
        self._there: dict[str, tuple[str, object]] = {}  # by relation: table or view, and of which window

    def named_in(self, relation: Relation, window: object) -> str:
        """A relation's SQL, reading what there is in a window that is set."""
        for name in relation.inputs:
            each = self._catalog.relations[name]
            own_window = window if each.has_day else None
            if name == relation.full_name or name not in self._there or self._there[name][1] != own_window:
                self._drop(name)
                # what it reads of itself changes from run to run
                most = _FEW if name != relation.full_name else -1
                self._there[name] = (self._materialize_input(each, most), own_window)
        if relation.is_constant:
            return relation.sql
        names = "|".join(map(re.escape, relation.inputs))
        return re.sub(rf"\b({names})\b", lambda found: f"temp.{_temp_name(found[0])}", relation.sql)

    def _materialize_input(self, relation: Relation, most: int) -> str:
        """Make the rows a temporary table if there are at most `most`, else a view; returns which."""
        name = _temp_name(relation.full_name)
        if not self._present.has_rows(relation):
            columns = ", ".join(f'"{column.name}" {column.type}' for column in relation.columns)
            self._connection.execute(f"CREATE TEMP TABLE {name} ({columns})")
            return "TABLE"
        if most >= 0:
            copied = f"CREATE TEMP TABLE {name} AS {_window_filter(relation)} LIMIT {most + 1}"
            taken = self._connection.execute(copied).fetchone()
            if taken is not None and taken[0] <= most:
                return "TABLE"
            self._connection.execute(f"DROP TABLE temp.{name}")
        self._connection.execute(f"CREATE TEMP VIEW {name} AS {_window_filter(relation)}")
        return "VIEW"

    def _drop(self, name: str) -> None:
        if name in self._there:
            self._connection.execute(f"DROP {self._there.pop(name)[0]} temp.{_temp_name(name)}")

    def close(self) -> None:
        for name in list(self._there):
            self._drop(name)


def _temp_name(name: str) -> str:
    return "read_" + name.replace(".", "_")


def _window_filter(relation: Relation) -> str:
    """A SELECT of the lake's rows of the window that is set."""
    if not relation.has_day:
        return f"SELECT * FROM {LAKE}.{relation.full_name}"
    clock = "site" if relation.layer in ("gold", "ops") else "utc"
    window = f"day BETWEEN getvariable('{clock}_from') AND getvariable('{clock}_to')"
    return f"SELECT * FROM {LAKE}.{relation.full_name} WHERE {window}"


def build(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    changes: ChangedRelations,
    is_full: bool,
    progress: Callable[[str], None] | None = None,
) -> ChangedRelations:
    """Make silver, ops and gold again, inside a transaction.

    `changes` holds what changed in bronze and site, and gains what was made from it.
    """
    connection.execute("USE memory")
    links = DayLinks(connection)
    first_day = retention.first_day_kept(connection)
    present = Present(connection, catalog)
    inputs = _Inputs(connection, catalog, present)
    for relation in catalog.made_by_sql():
        if progress:
            progress(relation.full_name)
        if relation.has_day:
            touched = changes
            if is_full or changes.timeless.intersection(relation.inputs):
                touched = _all_days(catalog, relation, present)
            days_to_make = _days_to_make(relation, touched, links, site.zone)
            if is_full:
                days_to_make |= present.days(relation)
            days_to_make = {day for day in days_to_make if day >= retention.begin_of(relation, first_day)}
            _make_days(connection, relation, days_to_make, links, site.zone, changes, inputs, present)
        elif is_full or any(changes.touched(name) or name in changes.shrunk for name in relation.inputs):
            _make_whole(connection, relation, changes, inputs, present)
            if changes.timeless.intersection(relation.inputs):
                changes.timeless.add(relation.full_name)
    inputs.close()  # after an error the rollback drops them
    return changes


def unreadable(connection: Connection, catalog: Catalog) -> list[Relation]:
    """Relations that a full build makes and of which a file is missing or damaged. Call it in no transaction."""
    found = []
    for relation in (*catalog.layer("site"), *catalog.made_by_sql()):
        try:
            connection.execute(f"SELECT bit_xor(hash(made)) FROM {LAKE}.{relation.full_name} AS made").fetchall()
        except duckdb.Error as error:
            if is_damage(error):
                found.append(relation)
    return found


def _all_days(catalog: Catalog, relation: Relation, present: Present) -> ChangedRelations:
    """Every day of the inputs: what a full build makes, for a relation may be newer than they are, or its SQL.

    So too where an input without days changed. Inputs are made before their readers.
    """
    inputs = [catalog.relations[name] for name in relation.inputs]
    return ChangedRelations({each.full_name: present.days(each) for each in inputs if each.has_day})


def _days_to_make(relation: Relation, changes: ChangedRelations, links: DayLinks, zone: str) -> set[date]:
    """Days of the relation's own calendar that its changed inputs can have touched."""
    utc: set[date] = set()
    own: set[date] = set()
    for name in relation.inputs:
        changed = changes.days.get(name, set())
        if name.split(".")[0] in ("gold", "ops"):
            own |= changed
        else:
            utc |= changed
    if relation.layer in ("gold", "ops"):
        return own | site_days_of(with_neighbours(links.close(utc)) if utc else utc, zone)
    return links.close(with_neighbours(links.close_requests(links.close(utc)))) if utc else utc


def _make_days(
    connection: Connection,
    relation: Relation,
    days_to_make: set[date],
    links: DayLinks,
    zone: str,
    changes: ChangedRelations,
    inputs: _Inputs,
    present: Present,
) -> None:
    changed = changes.days.setdefault(relation.full_name, set())
    for run in _runs(days_to_make):
        _make(connection, relation, inputs.named_in(relation, _set_window(connection, relation, run, links, zone)))
        rewritten, changed_content = _changed_days(connection, relation, run, present)
        if rewritten:
            days = sorted(rewritten)
            if present.has_rows(relation):
                execute(connection, f"DELETE FROM {LAKE}.{relation.full_name} WHERE day IN (SELECT unnest(?))", [days])
            columns = ", ".join(f'"{name}"' for name in relation.column_names)
            row = execute(
                connection,
                f"INSERT INTO {LAKE}.{relation.full_name} SELECT {columns} FROM made"
                " WHERE day IN (SELECT unnest(?)) ORDER BY ALL",
                [days],
            ).fetchone()
            changes.n_rows += row[0] if row else 0
            present.replaced(relation, row[0] if row else 0)
        changed |= changed_content


def _make_whole(
    connection: Connection, relation: Relation, changes: ChangedRelations, inputs: _Inputs, present: Present
) -> None:
    """A relation without days is rebuilt as a whole."""
    _make(connection, relation, inputs.named_in(relation, _set_range(connection, _ALWAYS, _ALWAYS)))
    n_before = _n_rows(connection, f"{LAKE}.{relation.full_name}") if present.has_rows(relation) else 0
    n_after = _n_rows(connection, "made")
    if n_before:
        connection.execute(f"DELETE FROM {LAKE}.{relation.full_name}")
    if n_after:
        connection.execute(f"INSERT INTO {LAKE}.{relation.full_name} SELECT * FROM made")
    if n_before or n_after:  # most sites have but a few of all sources: what stays empty costs nothing more
        changes.n_rows += n_after
        present.replaced(relation, n_after)
        changes.whole.add(relation.full_name)


def _n_rows(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(row[0]) if row else 0


def _set_window(connection: Connection, relation: Relation, run: list[date], links: DayLinks, zone: str) -> object:
    own = (run[0], run[-1])
    utc = utc_days_of(own, zone) | set(run) if relation.layer in ("gold", "ops") else set(run)
    # a request's lines may lie days apart: each day that is made reads all of them
    around = links.close(with_neighbours(links.waits(utc) if _REQUESTS.intersection(relation.inputs) else utc))
    site = with_neighbours(own)
    return _set_range(connection, (min(around), max(around)), (min(site), max(site)))


def _set_range(connection: Connection, utc: tuple[date, date], site: tuple[date, date]) -> object:
    for name, (first, last) in (("utc", utc), ("site", site)):
        connection.execute(f"SET VARIABLE {name}_from = DATE '{first}'; SET VARIABLE {name}_to = DATE '{last}'")
    return utc, site


def _runs(days: set[date], gap_days: int = 4) -> list[list[date]]:
    """Days as runs that are computed together; days a short gap apart cost less in one go."""
    runs: list[list[date]] = []
    for day in sorted(days):
        if runs and (day - runs[-1][-1]).days <= gap_days:
            runs[-1].append(day)
        else:
            runs.append([day])
    return runs


def _changed_days(
    connection: Connection, relation: Relation, run: list[date], present: Present
) -> tuple[set[date], set[date]]:
    """Days whose rows differ from the lake in any column, and those whose content differs (lineage left out)."""
    if not present.has_rows(relation):  # a first build: nothing to compare with
        rows = execute(connection, "SELECT DISTINCT day FROM made WHERE day IN (SELECT unnest(?))", [run]).fetchall()
        first = {row[0] for row in rows}
        return first, first
    everything = ", ".join(f'"{name}"' for name in relation.column_names)
    content = ", ".join(f'"{name}"' for name in relation.column_names if name not in relation.lineage)
    sums = f"SELECT day, count(*) AS n, sum(hash({everything})) AS e, sum(hash({content})) AS s"
    rows = execute(
        connection,
        f"WITH new AS ({sums} FROM made WHERE day IN (SELECT unnest($days)) GROUP BY day),"
        f" old AS ({sums} FROM {LAKE}.{relation.full_name} WHERE day IN (SELECT unnest($days)) GROUP BY day)"
        " SELECT coalesce(new.day, old.day), (new.n, new.s) IS DISTINCT FROM (old.n, old.s)"
        " FROM new FULL JOIN old ON old.day = new.day"
        " WHERE (new.n, new.e) IS DISTINCT FROM (old.n, old.e)",
        {"days": run},
    ).fetchall()
    return {row[0] for row in rows}, {row[0] for row in rows if row[1]}


def _make(connection: Connection, relation: Relation, sql: str) -> None:
    """The rows of its SELECT as the table `made`: it must yield exactly what its header promises."""
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE made AS SELECT * FROM ({sql})")
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        raise ContractError(f"{relation.full_name}: {error}", f"correct {relation.path.name}") from error
    described = connection.execute("DESCRIBE made").fetchall()
    found = [(row[0], row[1]) for row in described]
    promised = [(column.name, column.type) for column in relation.columns]
    if found != promised:
        unexpected = [f"{name} {kind}" for name, kind in found if (name, kind) not in promised]
        missing = [f"{name} {kind}" for name, kind in promised if (name, kind) not in found]
        raise ContractError(
            f"{relation.full_name}: the SELECT yields {', '.join(unexpected) or 'its columns in another order'},"
            f" the header promises {', '.join(missing) or 'the same'}",
            f"correct {relation.path.name}",
        )
