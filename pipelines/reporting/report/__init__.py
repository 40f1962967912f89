"""The nightly report: one run of questions, printed as HTML, text and JSON that say the same."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from pipelines.answers.question import ask
from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.files import write_atomic
from pipelines.primitives.times import day_text
from pipelines.reporting.report import html, json, text
from pipelines.reporting.report.model import Report
from pipelines.reporting.report.queries import Asker
from pipelines.reporting.report.sections import make_sections


def make_report(
    site: Site, catalog: Catalog, first: date | None, last: date | None, problems: Sequence[str] = ()
) -> Report:
    """The report on a period; on the last day with data if none is given.

    It is made whatever went wrong before: `problems` come first, and what cannot be asked becomes one more.
    Equal input gives an equal report.
    """
    with Asker(site, catalog, first, last) as asker:
        sections = make_sections(asker)
    title = f"{site.name}, {day_text(asker.last)}"
    return Report(title, site.zone, asker.first, asker.last, [*problems, *asker.problems], sections)


def write_report(report: Report, folder: Path, checks: Path | None = None) -> dict[str, Path]:
    """Write all forms into a folder; each file appears complete or not at all. The page links to that of `checks`."""
    page = html.print_report(report, checks.name if checks else "")
    printed = {"html": page, "txt": text.print_report(report), "json": json.print_report(report)}
    paths = {suffix: folder / f"report-{report.last_day or 'no-data'}.{suffix}" for suffix in printed}
    for suffix, content in printed.items():
        write_atomic(paths[suffix], content.encode())
    return paths


def write_checks(site: Site, catalog: Catalog, report: Report, folder: Path) -> Path:
    """Write the page on the checks that the report's data quality links to; returns its path."""
    try:
        page = html.print_checks(report, ask(site, catalog, "checks"))
    except TapescopeError as error:
        page = html.print_checks(report, None, str(error))
    path = folder / html.checks_name(report)
    write_atomic(path, page.encode())
    return path
