"""What the warehouse holds, for people and programs: answers, reports, deliveries."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.answers import drill as drilling
from pipelines.answers import question
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.format import counted
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.runs import record_readonly_run

if TYPE_CHECKING:
    from pipelines.answers.rejected import Rejected
    from pipelines.reporting.report import Report


def report(
    site: Site,
    first: date | None = None,
    last: date | None = None,
    out: Path | None = None,
    problems: list[str] | None = None,
) -> dict[str, Path]:
    """Write the nightly report in its three forms; returns their paths by form.

    `problems` says what went wrong before, so that a report is written all the same; what cannot be asked is added.
    """
    made, files = _written(site, first, last, problems, out)
    if problems is not None:
        problems[:] = made.problems
    return files


def _written(
    site: Site, first: date | None, last: date | None, problems: list[str] | None, out: Path | None = None
) -> tuple["Report", dict[str, Path]]:
    """The report and where its forms and its page of checks are."""
    from pipelines.reporting import report as reporting  # draws plots: heavy to import

    catalog, folder = load_catalog(), out or site.reports_path
    made = reporting.make_report(site, catalog, first, last, problems or [])
    checks = reporting.write_checks(site, catalog, made, folder)
    return made, reporting.write_report(made, folder, checks) | {"checks": checks}


def deliver(
    site: Site,
    first: date | None = None,
    last: date | None = None,
    problems: list[str] | None = None,
    secrets: Mapping[str, str] | None = None,
    again: bool = False,
) -> dict[str, Any]:
    """Write the report and send it wherever `[deliver]` of site.toml says; returns the counts and what was done.

    Who has had the report of this day is left out unless `again`. `secrets` go before the environment. Raises
    TapescopeError at the end if a way failed; the others have been tried.
    """
    from pipelines.reporting import delivery

    made, files = _written(site, first, last, problems)
    with record_readonly_run(site, "deliver") as run:
        done = delivery.deliver(site, delivery.collect(site, load_catalog(), made, files), secrets, again)
        counts = Counter(one.state for one in done)
        if failed := [one for one in done if one.is_failed]:
            places = "\n".join(f"{one.way}: {one.where}" for one in failed)
            hint = "correct [deliver] in site.toml, or repair the receiver, then run `tapescope deliver`"
            if counts["sent"] + counts["earlier"]:
                hint += "; the other receivers already have the report"
            named = f"the report {files['html']} could not be sent to {counted(len(failed), 'receiver')}"
            raise TapescopeError(f"{named}\n{places}", hint)
        if counts["sent"]:
            run.counts = {name: counts[name] for name in ("sent", "earlier")}
    ways = [{"way": one.way, "state": one.state, "where": one.where} for one in done]
    return {"report": files, "sent": counts["sent"], "earlier": counts["earlier"], "ways": ways}


def warn(
    site: Site, text: str, secrets: Mapping[str, str] | None = None, part: str = "", cause: str = ""
) -> dict[str, str]:
    """Notify people at once of a failure, by mail and webhook; returns the result of each way. Raises nothing.

    An equal failure, of the same `part` for the same `cause` (by default the text), is sent once a day at most.
    """
    from pipelines.reporting import delivery

    return delivery.warn(site, text, secrets, part, cause)


def recovered(site: Site, part: str, secrets: Mapping[str, str] | None = None) -> dict[str, str]:
    """Notify whoever had a failure of a part that it works again, once it did for two hours. Raises nothing."""
    from pipelines.reporting import delivery

    return delivery.recovered(site, part, secrets)


def ask(site: Site, name: str, params: dict[str, str] | None = None) -> question.Answer:
    """Answer a question of the catalogue. Raises QuestionRefused."""
    return question.ask(site, load_catalog(), name, params)


def drill(site: Site, drive: str, bucket: str, day: date | None = None, limit: int = 10) -> drilling.Drilled:
    """What makes up a bucket of a drive's day, down to the log lines. Raises QuestionRefused."""
    with Warehouse(site).read() as connection:
        return drilling.drill(connection, site, load_catalog(), drive, bucket, day, limit)


def rejects(site: Site, source: str | None = None, most: int = 3, anonymise: bool = False) -> list["Rejected"]:
    """Lines that could not be read, the first `most` of each file and reason; with other names in place of theirs."""
    from pipelines.answers.rejected import rejected

    with Warehouse(site).read() as connection:
        return list(rejected(connection, site, source, most, anonymise))
