"""Puts a message together: the report as written, and the answers the ways out are made of."""

from pathlib import Path

from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.reporting.delivery.payload import Message
from pipelines.reporting.report import Report
from pipelines.reporting.report.queries import Asker


def collect(site: Site, catalog: Catalog, report: Report, files: dict[str, Path]) -> Message:
    """What is known of the report's period; what cannot be asked is empty, and the report says so already."""
    with Asker(site, catalog, report.first_day, report.last_day) as asker:
        return Message(
            site=site.name,
            dashboard=site.deliver.dashboard_url,
            newest=asker.newest_whole_day(),
            report=report,
            files=files,
            findings=asker.ask("findings").as_dicts(),
            standing=asker.ask("finding_life").as_dicts(),
            hours=asker.ask("ledger_waterfall").as_dicts(),
            headline=asker.only("headline"),
            days=asker.ask("day_state").as_dicts(),
            wlcg=asker.ask("wlcg_tape").as_dicts(),
        )
