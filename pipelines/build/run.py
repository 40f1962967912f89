"""Bronze to silver to gold: only the days that changed, in the order the FROM clauses ask for."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial

import duckdb

from pipelines.build.changed import ChangedRelations
from pipelines.build.compared import Compared, Finished, compare
from pipelines.build.days import DayLinks, site_days_of, utc_days_of, with_neighbours
from pipelines.build.inputs import ALWAYS, FEW, Days, Inputs
from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.sql_inspect import bind
from pipelines.config.site import Site
from pipelines.primitives.errors import ContractError
from pipelines.primitives.store_errors import is_damage
from pipelines.primitives.times import runs_of
from pipelines.warehouse import retention, staged_files
from pipelines.warehouse.connection import LAKE, Connection

_REQUESTS = {"bronze.cta_request", "bronze.enstore_log_manager", "silver.request"}
GAP_DAYS = 4  # days a short gap apart are computed together: that costs less
OF_DAYS = "SELECT * FROM made WHERE day IN (SELECT unnest(?)) ORDER BY ALL"


def dirty(connection: Connection, catalog: Catalog, present: Present, is_full: bool) -> ChangedRelations:
    """Bronze days to start from: all of them, or those marked since the last build."""
    found = ChangedRelations()
    if is_full:
        bronze = [relation for relation in catalog.layer("bronze") if present.n_rows(relation.full_name)]
        found.days = {name: set(days) for name, days in present.days(r.full_name for r in bronze if r.has_day).items()}
        found.timeless = {relation.full_name for relation in bronze if not relation.has_day}
        return found
    for name, day in connection.execute(f"SELECT DISTINCT relation, day FROM {LAKE}.ops.dirty_day").fetchall():
        if day is None:
            found.timeless.add(name)
        else:
            found.days.setdefault(name, set()).add(day)
    return found


def build(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    present: Present,
    changes: ChangedRelations,
    is_full: bool,
    progress: Callable[[str], None] | None = None,
    finished: Mapping[str, Finished] | None = None,
) -> Inputs:
    """Make silver, ops and gold again, inside a transaction; returns the rows that it read or made, as they are then.

    `changes` holds what changed in bronze and site, and gains what was made from it; `finished` are relations whose
    days were all made apart.
    """
    connection.execute("USE memory")
    first_day = retention.first_day_kept(connection)
    going = DayBuild(connection, site.zone, catalog, present, changes, is_full)
    for relation in catalog.made_by_sql():
        if progress:
            progress(relation.full_name)
        if finished and relation.full_name in finished:
            going.take(relation, finished[relation.full_name])
        elif relation.has_day:
            begin = retention.begin_of(relation, first_day)
            going.make_days(relation, {day for day in going.days_to_make(relation) if day >= begin})
        elif is_full or any(
            changes.touched(name, bool(relation.lineage)) or name in changes.shrunk for name in relation.inputs
        ):
            going.make_whole(relation)
    return going.inputs


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


class DayBuild:
    """A build while it goes on."""

    def __init__(
        self,
        connection: Connection,
        zone: str,
        catalog: Catalog,
        present: Present,
        changes: ChangedRelations,
        is_full: bool,
    ) -> None:
        self._connection = connection
        self._zone = zone
        self._catalog = catalog
        self._present = present
        self._changes = changes
        self._is_full = is_full
        self.inputs = Inputs(connection, catalog, present)
        self._links = DayLinks(self.inputs.ask)
        if is_full:
            present.days(relation.full_name for relation in catalog.made_by_sql() if relation.has_day)

    def days_to_make(self, relation: Relation) -> set[date]:
        """Days of the relation's own calendar: all, or those that its changed inputs can have touched.

        All where the build is full, for a relation may be newer than its inputs, or its SQL, and where an input
        without days changed. Inputs are made before their readers.
        """
        changed = self._changed_days(relation)
        of_bronze: set[date] = set()
        of_gold: set[date] = set()
        for name in relation.inputs:
            days = of_gold if self._catalog.relations[name].is_by_site_day else of_bronze
            days |= changed.get(name, set())
        had = self._present.days([relation.full_name])[relation.full_name] if self._may_all_differ(relation) else set()
        if not of_bronze:
            return had | (of_gold if relation.is_by_site_day else set())
        utc = self._links.close(of_bronze)
        if relation.is_by_site_day:
            utc = self._links.waits(utc) if _REQUESTS.intersection(relation.inputs) else utc
            return had | of_gold | site_days_of(with_neighbours(utc), self._zone)
        return had | self._links.close(self._links.neighbours(self._links.close_requests(utc)))

    def _changed_days(self, relation: Relation) -> Mapping[str, set[date]]:
        """The days of each input that changed; of other lineage alone where the relation takes it on."""
        if self._may_all_differ(relation):
            return self._present.days(name for name in relation.inputs if self._catalog.relations[name].has_day)
        if not relation.lineage:
            return self._changes.days
        days, other = self._changes.days, self._changes.other_lines
        return {name: days.get(name, set()) | other.get(name, set()) for name in relation.inputs}

    def _may_all_differ(self, relation: Relation) -> bool:
        return self._is_full or bool(self._changes.timeless.intersection(relation.inputs))

    def _note_changed(self, relation: Relation, compared: list[Compared]) -> None:
        """Note the days that differ, for the relations that are made of this one."""
        name, days, other = relation.full_name, self._changes.days, self._changes.other_lines
        days.setdefault(name, set()).update(one.day for one in compared if one.has_other_content)
        other.setdefault(name, set()).update(one.day for one in compared if one.is_other)

    def take(self, relation: Relation, finished: Finished) -> None:
        """Write days that were made apart."""
        rewritten = [one for one in finished.days if one.is_other]
        self._note_changed(relation, rewritten)
        if not rewritten:
            return
        self._replace_days(relation, rewritten, lambda: self._registered(relation, finished))
        self.inputs.replaced(relation)
        self._links.note_changed(relation.full_name)

    def _registered(self, relation: Relation, finished: Finished) -> int:
        staged_files.register(self._connection, {relation.full_name: relation}, finished.files)
        return sum(file.n_rows for file in finished.files)

    def make_days(self, relation: Relation, days_to_make: set[date]) -> None:
        """Make the days of a relation that is kept by day, and write those that differ from what is there."""
        self._note_changed(relation, [])
        for run in runs_of(days_to_make, GAP_DAYS):
            self.inputs.set_window(*self.window(relation, run))
            n_made = self._make(relation)
            if not n_made and not self._present.n_rows(relation.full_name):
                continue
            compared = self._compare(relation, run)
            is_all = n_made <= FEW and self._present.is_within(relation.full_name, run)
            if rewritten := [one for one in compared if one.is_other]:
                self.inputs.keep_fresh(relation, run, bind(OF_DAYS, [run]), n_made)
                filled = [one.day for one in rewritten if one.has_rows]
                rows = f"INSERT INTO {LAKE}.{relation.full_name} {bind(OF_DAYS, [filled])}"
                self._replace_days(relation, rewritten, partial(self._n_changed, rows))
            if rewritten or is_all:
                self.inputs.replaced(relation, bind(OF_DAYS, [run]) if is_all else "")
                self._links.note_changed(relation.full_name)
            self._note_changed(relation, compared)

    def _replace_days(self, relation: Relation, rewritten: list[Compared], insert: Callable[[], int]) -> None:
        """Delete what days had, and `insert` what they have now, which returns how many rows."""
        table, days = f"{LAKE}.{relation.full_name}", [one.day for one in rewritten]
        n_before = n_after = 0
        if had := [one.day for one in rewritten if one.had_rows]:
            n_before = self._n_changed(bind(f"DELETE FROM {table} WHERE day IN (SELECT unnest(?))", [had]))
        if filled := [one.day for one in rewritten if one.has_rows]:
            n_after = insert()
        self._changes.n_rows += n_after
        self._present.replaced(relation.full_name, n_before, n_after, days, filled)

    def make_whole(self, relation: Relation) -> None:
        """Make a relation without days."""
        table = f"{LAKE}.{relation.full_name}"
        self.inputs.set_window(ALWAYS, ALWAYS)
        n_after = self._make(relation)
        n_before = self._n_changed(f"DELETE FROM {table}") if self._present.n_rows(relation.full_name) else 0
        if n_after:
            self._n_changed(f"INSERT INTO {table} SELECT * FROM made")
        if n_before or n_after:  # most sites have but a few of all sources: what stays empty costs nothing more
            self._changes.n_rows += n_after
            self._present.replaced(relation.full_name, n_before, n_after)
            self.inputs.replaced(relation, "SELECT * FROM made")
            self._changes.whole.add(relation.full_name)
        if self._changes.timeless.intersection(relation.inputs):
            self._changes.timeless.add(relation.full_name)

    def _n_changed(self, sql: str) -> int:
        row = self._connection.execute(sql).fetchone()
        return int(row[0]) if row else 0

    def window(self, relation: Relation, run: list[date]) -> tuple[Days, Days]:
        """The first and last days that are read to make some days: of bronze and silver, and of gold and ops."""
        own, links = (run[0], run[-1]), self._links
        utc = utc_days_of(own, self._zone) | set(run) if relation.is_by_site_day else set(run)
        # a request's lines may be days apart: each day that is made reads all of them
        around = links.close(links.neighbours(links.waits(utc) if _REQUESTS.intersection(relation.inputs) else utc))
        # gold joins what belongs to a mount, which may have begun on a linked day
        site = with_neighbours(own) | site_days_of(around, self._zone) if relation.is_by_site_day else around
        return (min(around), max(around)), (min(site), max(site))

    def _compare(self, relation: Relation, run: list[date]) -> list[Compared]:
        """Days with rows, made now or in the lake."""
        before = self._present.table(relation.full_name) if self._present.n_rows(relation.full_name) else ""
        return compare(self._connection, relation, "made", before, bind("day IN (SELECT unnest(?))", [run]))

    def _make(self, relation: Relation) -> int:
        """The rows of its SELECT as the table `made`: it must yield exactly what its header promises."""
        sql = self.inputs.named_in(relation.sql, relation.inputs)
        try:
            n_made = self._n_changed(f"CREATE OR REPLACE TEMP TABLE made AS SELECT * FROM ({sql})")
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
            raise ContractError(f"{relation.full_name}: {error}", f"correct {relation.path.name}") from error
        described = self._connection.execute("DESCRIBE made").fetchall()
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
        return n_made
