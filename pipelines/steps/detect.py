"""Findings of a period, forecasts of a day, and people's notes on findings."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

import duckdb

from pipelines.answers import question
from pipelines.build.fingerprint import is_outdated, last_fingerprint
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.files import load_catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.format import counted
from pipelines.primitives.times import days_between
from pipelines.reporting.finding_words import SEVERITIES
from pipelines.warehouse.connection import Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.runs import Run, record_run
from pipelines.warehouse.tables import prepare_tables, replace_day, use_for_analysis

MARK_WAIT_S = 120.0
_TO_JUDGE = """
SELECT DISTINCT day
FROM (SELECT site_day(v.hour_at, c.zone) AS day FROM ops.coverage v CROSS JOIN site.setting c
      UNION ALL SELECT day FROM gold.drive_ledger UNION ALL SELECT day FROM gold.duty_factor -- logs of undeclared hours
      UNION ALL SELECT day FROM gold.finding)
WHERE day BETWEEN $first_day AND $last_day
ORDER BY day
"""


@dataclass(frozen=True)
class DetectReport:
    """Which findings the rules made of a period, and what they could not judge."""

    first_day: date
    last_day: date
    findings: list[dict[str, Any]]
    withheld: list[dict[str, Any]]  # rows of gold.suppressed_verdict
    states: list[dict[str, Any]]  # the answer of `day_state` for the period
    not_run: list[str]  # days with logs up to then that need a verdict, or a new one, as sentences
    is_outdated: bool = False  # tables are those of another site.toml or other SQL

    def as_dict(self) -> dict[str, Any]:
        # a finding has a row for each of its spans of time
        counts = Counter({finding["finding_id"]: finding["severity"] for finding in self.findings}.values())
        rules = {row["rule"] for row in self.withheld}
        days = {"first_day": str(self.first_day), "last_day": str(self.last_day)}
        return {**days, **counts, "withheld": len(rules), "state": self.states[-1]["state"] if self.states else ""}

    @property
    def doubts(self) -> list[str]:
        """Why the period's silence is no all-clear, a sentence each; empty where findings or clean days speak."""
        return [row["summary"] for row in self.states if not question.is_settled(row)]

    @property
    def sentence(self) -> str:
        """What the rules found, and why their silence is no all-clear."""
        if self.last_day == question.NO_DATA:
            return "No day has data yet, so no rule was applied."
        counts = self.as_dict()
        listed = ", ".join(f"{counts[name]} {name}" for name in SEVERITIES if counts.get(name))
        unjudged = (
            f" Too few logs were read for a verdict of {counted(counts['withheld'], 'rule')};"
            " `tapescope ask withheld` lists these rules."
            if counts["withheld"]
            else ""
        )
        doubts = "".join(f"\n{doubt}" for doubt in self.doubts)
        days = f"{self.last_day}" if self.first_day == self.last_day else f"{self.first_day} to {self.last_day}"
        n_findings = sum(counts.get(name, 0) for name in SEVERITIES)
        found = f"{counted(n_findings, 'finding')} for {days}"
        outdated = (
            "\nsite.toml or the SQL changed after the last build, so the tables do not have this change yet:"
            " run `tapescope build`, then `tapescope detect` again."
            if self.is_outdated
            else ""
        )
        return found + (f" ({listed})." if listed else ".") + unjudged + doubts + outdated


@contextmanager
def _analysis(site: Site, catalog: Catalog, step: str) -> Iterator[tuple[Connection, Run]]:
    """A writer that reads what ingest and build committed, and the record of its run. Raises WarehouseBusy.

    TapescopeError where tables or columns are missing that only the next build makes, such as after an upgrade.
    """
    warehouse = Warehouse(site)
    with warehouse.write(step) as connection:
        prepare_tables(connection, catalog)
        warehouse.attach_committed(connection)
        use_for_analysis(connection, catalog)
        with record_run(connection, step) as run:  # the report shows the failure: in words, not in DuckDB's
            try:
                yield connection, run
            except (duckdb.BinderException, duckdb.CatalogException) as error:
                if last_fingerprint(connection) and not is_outdated(connection, site, catalog):
                    raise
                what = (
                    "the warehouse lacks tables or columns that are now needed,"
                    " because SQL or site.toml changed after the last build"
                )
                raise TapescopeError(what, "run `tapescope build` first") from error


def detect(site: Site, first: date | None = None, last: date | None = None) -> DetectReport:
    """Apply every rule to a period; the default is the last day with data. Raises WarehouseBusy."""
    from pipelines.analysis import estimates, findings  # their statistics are heavy to import

    catalog = load_catalog()
    with _analysis(site, catalog, "detect") as (connection, run):
        end = last or question.last_day(connection).day
        with transaction(connection):
            estimates.estimate(connection, site, catalog, end)
            found = findings.detect(connection, site, catalog, first or end, end)
        states = _day_states(connection, catalog, first or end, end)
        earlier = _not_run(connection, catalog, first or end)
        is_old = is_outdated(connection, site, catalog)
        report = DetectReport(first or end, end, found.findings, found.withheld, states, earlier, is_old)
        run.counts = report.as_dict()
    return report


def days_to_judge(site: Site, first: date, last: date) -> list[date]:
    """The days of a period for which there are logs, logs are declared, or findings exist."""
    with Warehouse(site).read() as connection:
        try:
            rows = execute(connection, _TO_JUDGE, {"first_day": first, "last_day": last}).fetchall()
        except duckdb.CatalogException:  # not built yet, which `detect` reports
            return list(days_between(first, last))
    return [day for (day,) in rows]


def _day_states(connection: Connection, catalog: Catalog, first: date, last: date) -> list[dict[str, Any]]:
    days = {"first_day": str(first), "last_day": str(last)}
    return question.answer(connection, catalog, "day_state", days).as_dicts() if last != question.NO_DATA else []


def _not_run(connection: Connection, catalog: Catalog, before: date) -> list[str]:
    """Days with logs before a day that need a verdict, or a new one. Each takes seconds, so they are only named."""
    (site,) = question.answer(connection, catalog, "period").as_dicts() or [{"first_day": None}]
    last = before - timedelta(days=1)
    if site["first_day"] is None or site["first_day"] > last:
        return []
    rows = _day_states(connection, catalog, site["first_day"], last)
    return days_to_run([row for row in rows if row["state"] == "not_run" or row["is_outdated"]])


def days_to_run(rows: list[dict[str, Any]]) -> list[str]:
    """Rows of `day_state` that need a verdict as one sentence, with one command for all of their days."""
    if len(rows) < 2:
        return [row["summary"] for row in rows]
    first, last, n_days = rows[0]["first_day"], rows[-1]["last_day"], sum(row["n_days"] for row in rows)
    outdated = ", or their verdict no longer holds," if any(row["is_outdated"] for row in rows) else ""
    days = f"{n_days} days with logs from {first} to {last}"
    command = f"tapescope detect --each-day --from {first} --to {last}"
    return [f"The rules have not run{outdated} for {days}: run `{command}`."]


@dataclass(frozen=True)
class ForecastReport:
    """What was forecast on a site day, and what could not be."""

    day: date
    rows: list[dict[str, Any]]  # rows of gold.forecast

    def as_dict(self) -> dict[str, Any]:
        forecasts = [row for row in self.rows if row["varied_input"] is None]
        refused = sum(row["reason_missing"] is not None for row in forecasts)
        return {"day": str(self.day), "forecasts": len(forecasts) - refused, "no_estimate": refused}

    @property
    def sentence(self) -> str:
        """The forecasts made, in a line."""
        if self.day == question.NO_DATA:
            return "No day has data yet, so no forecast was made."
        counts = self.as_dict()
        n_refused = counts["no_estimate"]
        was = "was" if n_refused == 1 else "were"
        refused = f"; {counted(n_refused, 'other forecast')} {was} not possible" if n_refused else ""
        return (
            f"{counted(counts['forecasts'], 'forecast')} from data up to {counts['day']}{refused}."
            " `tapescope ask forecasts` lists all forecasts."
        )


def forecast(site: Site, last: date | None = None) -> ForecastReport:
    """Compute and store the forecasts of a day, in place of earlier ones of that day.

    The default is the last day with data. Raises WarehouseBusy.
    """
    from pipelines.analysis import forecast as forecasting  # the models' libraries are heavy to import

    catalog = load_catalog()
    with _analysis(site, catalog, "forecast") as (connection, run):
        day = last or question.last_day(connection).day
        asked = partial(question.answer, connection, catalog)
        rows = forecasting.forecast_all(forecasting.History(site, catalog, day, ask=asked), day)
        with transaction(connection):
            replace_day(connection, catalog.relations[forecasting.RELATION], day, rows)
        report = ForecastReport(day, rows)
        run.counts = report.as_dict()
    return report


def mark_finding(
    site: Site, finding: str, kind: str, until: date | None = None, note: str | None = None, author: str | None = None
) -> str:
    """Acknowledge, mute, reopen or comment on a finding, named by its id or the beginning of it; returns the whole id.

    A build may hold the warehouse: this waits for its end, two minutes unless site.toml has another `lock_wait_s`.
    Raises TapescopeError where no finding, or more than one, has such an id; WarehouseBusy.
    """
    from pipelines.analysis import findings

    catalog = load_catalog()
    if site.lock_wait_s is None:
        site = site.model_copy(update={"lock_wait_s": MARK_WAIT_S})
    with Warehouse(site).write("finding") as connection:
        prepare_tables(connection, catalog)
        with transaction(connection):
            return findings.mark(connection, finding, kind, until, note, author)
