"""A part of a full build: one process makes a run of days, on any host and without a lock.

It reads the newest snapshot and makes all that its days rest on in a database of its own. A relation's rows of a day
may rest on other days of its inputs (`DayBuild.window`), and these on others again: so it makes a few more days of the
relations further down. What differs from the snapshot is left as Parquet files (`part_manifest`) for the writer.
"""

from collections.abc import Iterable, Mapping
from datetime import date

from pipelines.build.compared import Finished, compare
from pipelines.build.days import DAY
from pipelines.build.inputs import Days
from pipelines.build.run import GAP_DAYS, OF_DAYS, DayBuild
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.sql_inspect import bind
from pipelines.primitives.times import days_between, runs_of
from pipelines.warehouse.connection import COMMITTED, LAKE, Connection
from pipelines.warehouse.staged_files import Stage
from pipelines.warehouse.tables import row_counts

EVER: Days = (date.min, date.max)


def made_apart(catalog: Catalog) -> list[Relation]:
    """The relations that parts make, in order: those kept by day, and what they need that rests on bronze alone."""
    known = {relation.full_name for layer in ("bronze", "site") for relation in catalog.layer(layer)}
    found: list[Relation] = []
    for relation in catalog.made_by_sql():
        rests_on_days = any(one.full_name in relation.inputs for one in found if one.has_day)
        if known.issuperset(relation.inputs) and (relation.has_day or not rests_on_days):
            known.add(relation.full_name)
            found.append(relation)
    read = {name for relation in found for name in relation.inputs}
    return [relation for relation in found if relation.has_day or relation.full_name in read]


class PartBuild(DayBuild):
    """Makes the days `own` of all relations, and what further days they rest on."""

    _needed: Mapping[str, Days]  # by relation: the days to be made
    _windows: Mapping[str, tuple[Days, Days]]  # by relation: the days that are read to make them

    def make_all(self, own: Days, begins: Mapping[str, date]) -> None:
        """Make what the days `own` rest on; `begins` has the first day that is kept of a relation."""
        relations = made_apart(self._catalog)
        self._plan(relations, own)
        for relation in relations:
            if not relation.has_day:
                self.make_whole(relation)
                continue
            first, last = self._needed[relation.full_name]
            first = max(first, begins[relation.full_name])
            self.make_days(relation, {day for day in self.days_to_make(relation) if first <= day <= last})

    def _plan(self, relations: list[Relation], own: Days) -> None:
        """From the last relation to the first, the days of its inputs that it needs."""
        bronze = self._present.days(one.full_name for one in self._catalog.layer("bronze") if one.has_day)
        known = sorted(set().union(*bronze.values()))
        needed: dict[str, Days] = {one.full_name: own for one in relations if one.has_day}
        windows: dict[str, tuple[Days, Days]] = {}
        for relation in reversed(relations):
            if not relation.has_day:
                continue
            windows[relation.full_name] = utc, site = self._read_for(relation, needed[relation.full_name], known)
            for name in needed.keys() & set(relation.inputs):
                needed[name] = _hull(needed[name], site if self._catalog.relations[name].is_by_site_day else utc)
        self._needed, self._windows = needed, windows

    def _read_for(self, relation: Relation, days: Days, known: list[date]) -> tuple[Days, Days]:
        """`window`, of days that may have no end."""
        begin, end = max(days[0], known[0]), min(days[1], known[-1])
        run = sorted({day for day in days if day not in EVER}.union(days_between(begin, end)))
        if not run:
            return EVER, EVER
        utc, site = self.window(relation, run)
        return _open(utc, days), _open(site, days)

    def _changed_days(self, relation: Relation) -> Mapping[str, set[date]]:
        utc, site = self._windows[relation.full_name]
        return {
            name: _within(days, site if self._catalog.relations[name].is_by_site_day else utc)
            for name, days in super()._changed_days(relation).items()
        }

    def make_days(self, relation: Relation, days_to_make: set[date]) -> None:
        """Make days of a relation; there are none of it yet. They are sorted as in the lake: sums depend on that."""
        for run in runs_of(days_to_make, GAP_DAYS):
            self.inputs.set_window(*self.window(relation, run))
            if not self._make(relation):
                continue
            of_run = bind("day IN (SELECT unnest(?))", [run])
            days = self._connection.execute(f"SELECT DISTINCT day FROM made WHERE {of_run}").fetchall()
            filled = [day for (day,) in days]
            n_rows = self._n_changed(f"INSERT INTO {LAKE}.{relation.full_name} {bind(OF_DAYS, [run])}")
            self._present.replaced(relation.full_name, 0, n_rows, run, filled)
            self.inputs.replaced(relation)
            self._links.note_changed(relation.full_name)


def differing(connection: Connection, catalog: Catalog, own: Days, stage: Stage) -> dict[str, Finished]:
    """What was made of the days `own`, where it differs from the snapshot; the rows are written to files."""
    counts, found = row_counts(connection), {}
    connection.execute("SET preserve_insertion_order = true")
    of_own = f"day BETWEEN DATE '{own[0]}' AND DATE '{own[1]}'"
    for relation in made_apart(catalog):
        if not relation.has_day:
            continue
        made, before = f"{LAKE}.{relation.full_name}", f"{COMMITTED}.{relation.full_name}"
        days = compare(connection, relation, made, before if counts.get(relation.full_name) else "", of_own)
        filled = [one.day for one in days if one.is_other and one.has_rows]
        rows = bind(f"SELECT * FROM {made} WHERE day IN (SELECT unnest(?)) ORDER BY ALL", [filled])
        files = stage.write_select(connection, relation, rows) if filled else []
        found[relation.full_name] = Finished([one for one in days if one.is_other], files)
    return found


def cut(n_rows: Mapping[date, int], n: int) -> list[Days]:
    """At most `n` runs of days, which together are all days, with about as many rows each.

    >>> cut({date(2010, 3, 1): 5, date(2010, 3, 2): 5, date(2010, 3, 9): 10}, 2)
    [(datetime.date(1, 1, 1), datetime.date(2010, 3, 2)), (datetime.date(2010, 3, 3), datetime.date(9999, 12, 31))]
    """
    total, sofar, ends = sum(n_rows.values()), 0, {}
    for day, n_of_day in sorted(n_rows.items()):
        ends[n * (2 * sofar + n_of_day) // (2 * total)] = day  # a day belongs where the middle of its rows does
        sofar += n_of_day
    *cuts, _ = ends.values()
    return list(zip([date.min, *(day + DAY for day in cuts)], [*cuts, date.max], strict=True))


def joined(parts: Iterable[tuple[Days, Mapping[str, Finished]]]) -> dict[str, Finished] | None:
    """The parts as one, if together they are all days."""
    found: dict[str, Finished] = {}
    end: date | None = date.min
    for (begin, last), relations in sorted(parts, key=lambda one: one[0]):
        if begin != end:
            continue
        end = last + DAY if last < date.max else None
        for name, (days, files) in relations.items():
            before = found.get(name, Finished([], []))
            found[name] = Finished(before.days + days, before.files + files)
    return found if end is None else None


def _hull(one: Days, other: Days) -> Days:
    return min(one[0], other[0]), max(one[1], other[1])


def _open(found: Days, days: Days) -> Days:
    """Days without an end are read without an end."""
    return date.min if days[0] == date.min else found[0], date.max if days[1] == date.max else found[1]


def _within(days: set[date], limits: Days) -> set[date]:
    return {day for day in days if limits[0] <= day <= limits[1]}
