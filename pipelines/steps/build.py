"""From bronze to gold: built, checked and committed as one; and what keeps the warehouse small."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from pipelines.answers import guard, question
from pipelines.build import apart, checks, site_tables
from pipelines.build import run as builder
from pipelines.build.fingerprint import fingerprint_of, last_fingerprint
from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.files import load_catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.ingest.collect.sweep import sweep
from pipelines.primitives.errors import CheckFailed
from pipelines.primitives.format import counted
from pipelines.primitives.store_errors import is_damage
from pipelines.warehouse import maintenance, retention
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.runs import record_run
from pipelines.warehouse.tables import insert_rows, prepare_tables, recreate


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    number: int
    is_full: bool
    days: list[str]
    n_rows: int
    n_checks: int
    n_warnings: int

    def as_dict(self) -> dict[str, Any]:
        return vars(self)

    @property
    def sentence(self) -> str:
        """The counts in a line."""
        days = counted(len(self.days), "day")
        ends = " to ".join(dict.fromkeys((self.days[0], self.days[-1]))) if self.days else ""
        span = f"{days}{',' if len(self.days) == 1 else ' from'} {ends}" if self.days else "no data had changed"
        return (
            f"Built ({'everything' if self.is_full else 'what changed'}; {span}): {counted(self.n_rows, 'row')},"
            f" {counted(self.n_checks, 'check')}, {counted(self.n_warnings, 'warning')}."
        )


def build(
    site: Site,
    full: bool = False,
    progress: Callable[[str], None] | None = None,
    workers: int | None = None,
    is_apart: bool = False,
) -> BuildReport:
    """Make silver and gold of what changed, check, then commit.

    All of it is made again where SQL, contracts, rules or site.toml changed; if that is much, by as many `workers` as
    there are cores. With `is_apart` others made the parts (`build_part`). Raises CheckFailed, with nothing
    committed but the failures, and WarehouseBusy.
    """
    catalog, warehouse = load_catalog(), Warehouse(site)
    with warehouse.write("build") as connection:
        remade = prepare_tables(connection, catalog, will_build=True)
        with record_run(connection, "build") as run:
            if not is_apart:
                apart.make_parts(connection, site, workers, full or bool(remade), progress)
            left = apart.Left(connection, warehouse.data_path)
            warehouse.attach_committed(connection)
            report = _build_and_commit(connection, site, catalog, full or bool(remade), progress, left=left)
            left.remove()
            run.counts = report.as_dict() | {"n_days": len(report.days)}
    return report


def plan_build(site: Site) -> dict[str, int]:
    """How many parts the next build has, for `build_part` to make; none if it is small or no full build is due."""
    return {"parts": len(apart.plan(site))}


def build_part(site: Site, number: int) -> dict[str, int]:
    """Make a part of the next build on any host, without a lock, and leave it for `build`; returns counts."""
    parts = apart.plan(site)
    return apart.make_part(site, parts[number]) if number < len(parts) else {"rows": 0}


def _build_and_commit(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    full: bool = False,
    progress: Callable[[str], None] | None = None,
    drop: Callable[[], set[str]] = set,
    left: apart.Left | None = None,
) -> BuildReport:
    """One transaction over `drop`, build and checks; `drop` returns the relations that it took old days from.

    Where a full build cannot read what an earlier one made, because a file is missing or damaged, that is emptied.
    """
    try:
        return _build_whole(connection, site, catalog, full, progress, drop, [], left)
    except duckdb.Error as error:
        damaged = builder.unreadable(connection, catalog) if full and is_damage(error) else []
        had_parts = is_damage(error) and left is not None and not left.are_empty  # a file of theirs may be missing
        if not damaged and not had_parts:
            raise
    return _build_whole(connection, site, catalog, full, progress, drop, damaged, None)


def _build_whole(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    full: bool,
    progress: Callable[[str], None] | None,
    drop: Callable[[], set[str]],
    damaged: list[Relation],
    left: apart.Left | None,
) -> BuildReport:
    results: list[checks.CheckResult] = []
    try:
        with transaction(connection):
            for relation in damaged:
                recreate(connection, relation)
            return _build(connection, site, catalog, full, results, progress, drop(), damaged, left)
    except CheckFailed:
        connection.execute(f"USE {LAKE}")
        with transaction(connection):
            number = _next_number(connection)
            _record(connection, number, results, BuildReport(number, full, [], 0, len(results), 0), "", False)
        raise


def _build(
    connection: Connection,
    site: Site,
    catalog: Catalog,
    full: bool,
    results: list[checks.CheckResult],
    progress: Callable[[str], None] | None,
    shrunk: set[str],
    emptied: list[Relation],
    left: apart.Left | None,
) -> BuildReport:
    present = Present(connection, shrunk | {relation.full_name for relation in emptied})
    whole = site_tables.sync(connection, site, present)
    fingerprint = fingerprint_of(connection, site, catalog, present.table("site.drive"))
    is_full = full or fingerprint != last_fingerprint(connection)
    changes = builder.dirty(connection, catalog, present, is_full)
    changes.timeless |= whole
    changes.shrunk |= shrunk
    had_changes = bool(changes.days or changes.timeless or shrunk or is_full)
    finished = left.take(present, fingerprint) if left and is_full else None
    inputs = builder.build(connection, site, catalog, present, changes, is_full, progress, finished)
    if progress:
        progress("checks")
    results += checks.check(connection, catalog, changes, inputs.made_in)
    stopping = [result for result in results if result.stops_build]
    if stopping:
        raise CheckFailed(
            "\n".join(result.sentence for result in stopping),
            "pages and questions still show the last good build; check the files named above, or withdraw one with"
            " `tapescope forget FILE`",
        )
    made = [name for name in changes.days if not name.startswith("bronze.")]
    days = sorted({day for name in made for day in changes.days[name]})
    number = _next_number(connection)
    warnings = sum(result.outcome == "failed" for result in results)
    report = BuildReport(number, is_full, [str(day) for day in days], changes.n_rows, len(results), warnings)
    if had_changes:
        _record(connection, number, results, report, fingerprint, True)
        connection.execute(f"DELETE FROM {LAKE}.ops.dirty_day")
    return report


def _next_number(connection: Connection) -> int:
    row = connection.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {LAKE}.ops.build").fetchone()
    return int(row[0]) if row else 1


def _record(
    connection: Connection,
    number: int,
    results: list[checks.CheckResult],
    report: BuildReport,
    fingerprint: str,
    is_committed: bool,
) -> None:
    build_id = f"{number}-{fingerprint[:12]}" if fingerprint else f"{number}-failed"
    execute(
        connection,
        f"INSERT INTO {LAKE}.ops.build VALUES (?, ?, ?, ?, ?, ?, ?)",
        [build_id, number, fingerprint, report.is_full, is_committed, json.dumps(report.days), report.n_rows],
    )
    insert_rows(connection, "ops.check_result", [[build_id, *vars(result).values()] for result in results])


@dataclass(frozen=True)
class MaintainReport:
    """What `maintain` did, or would do."""

    dry_run: bool
    dropped: retention.PurgeResult
    maintenance: maintenance.CompactionResult
    spool: tuple[int, int] = (0, 0)  # files of the spool that were read and went, and their bytes
    waits: bool = False  # facts are dropped after a build only, for SQL, contracts or site.toml have changed since

    def as_dict(self) -> dict[str, Any]:
        first_day = self.dropped.first_day
        return {
            "dry_run": self.dry_run,
            "kept_from": str(first_day) if first_day else None,
            **{f"{layer}_days_dropped": len(days) for layer, days in self.dropped.days.items()},
            "rows_dropped": self.dropped.n_rows,
            "waits_for_build": self.waits,
            **vars(self.maintenance),
            "spool_files_removed": self.spool[0],
            "spool_bytes_removed": self.spool[1],
        }


def maintain(site: Site, dry_run: bool = False) -> MaintainReport:
    """Expire and sweep the lake's files and the spool's; then drop facts older than site.toml keeps them, and merge.

    What gives space back is first, for the disk may be nearly full. What went is built and checked in the transaction
    that drops it. Run again it does nothing more but merge its own note in ops.run with those before. A dry run only
    reads. Raises CheckFailed, with no facts dropped but the files kept up, and WarehouseBusy.
    """
    catalog, warehouse = load_catalog(), Warehouse(site)
    warehouse.require()
    if dry_run:
        with warehouse.read(is_dry_run=True) as connection:
            try:
                return _maintain(connection, site, catalog, dry_run)
            except (duckdb.CatalogException, duckdb.BinderException) as error:
                raise guard.other_release(connection) from error
    with warehouse.write("maintain") as connection:
        prepare_tables(connection, catalog)
        with record_run(connection, "maintain") as run:
            report = _maintain(connection, site, catalog, dry_run)
            run.counts = report.as_dict()
    return report


def _maintain(connection: Connection, site: Site, catalog: Catalog, dry_run: bool) -> MaintainReport:
    needed = maintenance.Guard(*Warehouse(site).not_to_be_removed(connection))
    done = maintenance.remove_unused(connection, site.snapshot_retention_days, dry_run, needed)
    spool = sweep(site, connection, dry_run)
    waits = fingerprint_of(connection, site, catalog) != last_fingerprint(connection)
    failure: CheckFailed | None = None
    dropped = retention.PurgeResult(retention.first_day_kept(connection))
    try:
        dropped = dropped if waits else _drop_old(connection, site, catalog, dry_run)
    except CheckFailed as error:
        failure = error
    done = replace(done, files_after=maintenance.merge(connection, dry_run))
    if failure:
        raise failure
    return MaintainReport(dry_run, dropped, done, spool, waits)


def _drop_old(connection: Connection, site: Site, catalog: Catalog, dry_run: bool) -> retention.PurgeResult:
    """Drop what is too old, and make again what rests on it; no build where nothing is."""
    connection.execute(f"USE {LAKE}")
    end = question.last_day(connection).day
    dropped = retention.purge(connection, catalog, end, site.retention_days, dry_run=True)
    if dropped.n_rows and not dry_run:

        def drop() -> set[str]:
            return retention.purge(connection, catalog, end, site.retention_days).relations

        _build_and_commit(connection, site, catalog, drop=drop)
    return dropped
