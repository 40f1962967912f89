"""A full build by any number of processes: each leaves a part with a manifest, and the writer commits all of them.

A part is of use only while nothing changed since it was made: its `key` names the state of bronze, site.toml, SQL and
the last build. Where a part is missing, or its key differs, the writer makes everything itself.
"""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from datetime import date

import duckdb

from pipelines.build import site_tables
from pipelines.build.changed import ChangedRelations
from pipelines.build.compared import Compared, Finished
from pipelines.build.fingerprint import fingerprint_of, last_fingerprint
from pipelines.build.inputs import Days
from pipelines.build.part import PartBuild, cut, differing, joined, made_apart
from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.processes import bare_main, n_cores, spawned
from pipelines.warehouse import manifests, retention
from pipelines.warehouse.connection import COMMITTED, LAKE, Connection, Warehouse, limit_threads
from pipelines.warehouse.manifests import Entry, Waiting
from pipelines.warehouse.staged_files import Place, Stage, StagedFile
from pipelines.warehouse.tables import state_of

PART_ROWS = 4_000_000  # of bronze: such a part takes minutes
PART_DAYS = 30  # at least: a part also makes up to 14 days beyond each of its ends, for rows that rest on them
PAYING_ROWS = 1_000_000  # of bronze: fewer are built in less time than processes take to start
PART_MEMORY = "550MB"  # of DuckDB; with Python and what DuckDB does not count less than 1 GB
_KIND = "build"
_COPIED = ("ops.build", "ops.retention")  # which a part asks
Parts = dict[str, Finished]
BronzeState = tuple[int, int]


def plan(site: Site, n: int = 0, is_asked: bool = False) -> list[Days]:
    """The parts of the next build: `n`, or as many as its size deserves; none where a full build is not due.

    `is_asked` says that one is due in any case.
    """
    with _begun(site) as (connection, catalog, present, fingerprint, _):
        if not (is_asked or fingerprint != last_fingerprint(connection)) or not _has_contracts(connection, catalog):
            return []
        names = [one.full_name for one in catalog.layer("bronze") if one.has_day and present.n_rows(one.full_name)]
        if not names:
            return []
        days = " UNION ALL ".join(f"SELECT day FROM {present.table(name)}" for name in names)
        n_rows = dict(connection.execute(f"SELECT day, count(*) FROM ({days}) GROUP BY day").fetchall())
    total = sum(n_rows.values())
    n = min(n or total // PART_ROWS, len(n_rows) // PART_DAYS)
    parts = cut(n_rows, n) if n > 1 and total >= PAYING_ROWS else []
    return parts if len(parts) > 1 else []


def make_part(site: Site, own: Days, threads: int = 0) -> dict[str, int]:
    """Make the days `own`, and leave them for the writer; returns counts."""
    warehouse = Warehouse(site)
    with _begun(site) as (connection, catalog, present, fingerprint, bronze):
        # before the rest is read: a catalogue in PostgreSQL shows what others commit meanwhile
        key = _key(connection, present, fingerprint, bronze)
        if threads:
            connection.execute(f"SET threads = {threads}")
        first_day = retention.first_day_kept(connection)
        begins = {name: retention.begin_of(relation, first_day) for name, relation in catalog.relations.items()}
        PartBuild(connection, site.zone, catalog, present, ChangedRelations(), True).make_all(own, begins)
        stage = Stage(Place.of(connection, warehouse.data_path), connection)
        found = differing(connection, catalog, own, stage)
        head = {"key": key, "days": [day.isoformat() for day in own]}
        manifests.leave(connection, stage, _KIND, head, [_entry(name, one) for name, one in found.items()])
    return {"rows": sum(file.n_rows for one in found.values() for file in one.files)}


def make_parts(
    connection: Connection, site: Site, n: int | None, is_asked: bool, progress: Callable[[str], None] | None = None
) -> None:
    """Make all parts in `n` processes of this host, by default one for each core, if a full build is due and pays.

    What a process does not make, because it was killed or failed, is left to the writer, whose connection it is.
    """
    n = n or site.workers or n_cores()
    if n == 1 or _n_bronze(Present(connection)) < PAYING_ROWS:
        return
    parts = plan(site, n, is_asked)
    if not parts:
        return
    with spawned(n) as pool:
        with bare_main():
            waiting = {pool.submit(make_part, site, own, max(1, n_cores() // n)): own for own in parts}
        try:
            for done in as_completed(waiting):
                done.result()
                if progress:
                    progress(f"days up to {waiting[done][1]}")
        except (BrokenProcessPool, duckdb.Error, TapescopeError):
            return


def _n_bronze(present: Present) -> int:
    return sum(present.n_rows(name) for name in present.names() if name.startswith("bronze."))


@contextmanager
def _begun(site: Site) -> Iterator[tuple[Connection, Catalog, Present, str, BronzeState]]:
    """The newest snapshot as COMMITTED; as LAKE the tables of site.toml as the writer will have them, others empty."""
    catalog, warehouse = load_catalog(), Warehouse(site)
    warehouse.require()
    with warehouse.duckdb_session(PART_MEMORY) as connection:
        connection.execute(f"ATTACH ':memory:' AS {LAKE}; USE memory")
        if warehouse.is_postgres:
            warehouse.attach(connection, "READ_ONLY", COMMITTED)
        else:
            warehouse.attach_copy(connection, "READ_ONLY", COMMITTED)
        bronze = state_of(connection, "bronze")
        limit_threads(connection)
        made = {relation.full_name for relation in catalog.made_by_sql()}
        for layer in ("site", "silver", "gold", "ops"):
            connection.execute(f"CREATE SCHEMA {LAKE}.{layer}")
        for relation in catalog.relations.values():
            if relation.full_name in _COPIED:
                rows = f"{COMMITTED}.{relation.full_name}"
                connection.execute(f"CREATE TABLE {LAKE}.{relation.full_name} AS FROM {rows}")
            elif relation.full_name in made or relation.layer == "site":
                connection.execute(f"CREATE TABLE {LAKE}.{relation.full_name} ({relation.definitions})")
        present = Present(connection, emptied=made)
        site_tables.sync(connection, site, present)
        fingerprint = fingerprint_of(connection, site, catalog, present.table("site.drive"))
        yield connection, catalog, present, fingerprint, bronze


def _has_contracts(connection: Connection, catalog: Catalog) -> bool:
    """Whether the snapshot's tables are as their contracts say: else the writer makes new ones first."""
    rows = connection.execute(
        "SELECT schema_name || '.' || table_name, list([column_name, data_type] ORDER BY column_index)"
        f" FROM duckdb_columns() WHERE database_name = '{COMMITTED}' GROUP BY ALL"
    ).fetchall()
    have = dict(rows)
    promised = {one.full_name: [[column.name, column.type] for column in one.columns] for one in made_apart(catalog)}
    return all(have.get(name) == columns for name, columns in promised.items())


def _key(connection: Connection, present: Present, fingerprint: str, bronze: BronzeState) -> str:
    """What a part must have in common with the writer who commits it."""
    tables = [name for name in present.names() if name.startswith("site.")]
    hashes = [connection.execute(f"SELECT sum(hash(r)) FROM {present.table(n)} r").fetchall() for n in tables]
    builds = connection.execute(f"SELECT max(number) FROM {LAKE}.ops.build").fetchall()
    state = (fingerprint, bronze, builds, list(zip(tables, hashes, strict=True)))
    return hashlib.sha256(repr(state).encode()).hexdigest()


class Left:
    """The parts that wait below a data path, and may be taken. Make it in no transaction: one may be torn."""

    def __init__(self, connection: Connection, data_path: str) -> None:
        self._connection = connection
        waiting = manifests.waiting(connection, data_path, _KIND)
        self._found = [(one, dict(map(_finished, one.entries))) for one in waiting]

    @property
    def are_empty(self) -> bool:
        """Whether no part waits."""
        return not self._found

    def take(self, present: Present, fingerprint: str) -> Parts | None:
        """All days of the relations that were made apart, if all parts are there and nothing changed since."""
        if self.are_empty:
            return None
        key = _key(self._connection, present, fingerprint, state_of(self._connection, "bronze"))
        return joined((_own(one), parts) for one, parts in self._found if one.head["key"] == key)

    def remove(self) -> None:
        """They were taken or are of no more use, and that is committed."""
        for one, parts in self._found:
            one.remove(self._connection, (file for finished in parts.values() for file in finished.files))


def _entry(name: str, finished: Finished) -> Entry:
    days = [[day.isoformat(), *rest] for day, *rest in finished.days]
    return {"relation": name, "days": days, "files": [file.as_list() for file in finished.files]}


def _finished(entry: Entry) -> tuple[str, Finished]:
    days = [Compared(date.fromisoformat(day), *rest) for day, *rest in entry["days"]]
    return entry["relation"], Finished(days, [StagedFile.from_list(file) for file in entry["files"]])


def _own(waiting: Waiting) -> Days:
    begin, end = map(date.fromisoformat, waiting.head["days"])
    return begin, end
