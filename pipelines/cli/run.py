"""The command that runs all steps of a night in order."""

from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.deliver import ways_text
from pipelines.cli.detect import exit_on, fail_on_option
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, period, period_options, site_option, workers_option
from pipelines.cli.output import reading_bar, step_spinner


@click.command()
@site_option
@period_options
@json_option
@fail_on_option
@workers_option
@click.option("--deliver", "send", is_flag=True, help="Also send the report, as `tapescope deliver` does.")
def run(
    site_path: Path,
    day_day: Any,
    from_day: Any,
    to_day: Any,
    as_json: bool,
    fail_on: str | None,
    workers: int | None,
    send: bool,
) -> None:
    """Run ingest, build, detect, forecast and report. Airflow's DAG nightly_report does so too and sends the report."""
    days = period(day_day, from_day, to_day)
    found = run_steps(steps.site_at(site_path), *days, as_json=as_json, workers=workers, send=send)
    exit_on(found, fail_on)


def run_steps(
    site: Any, first: date | None, last: date | None, as_json: bool, workers: int | None = None, send: bool = False
) -> list[dict[str, Any]]:
    """Run all steps in order and print the result of each; after the report, raise the first failure."""
    made = steps.run(site, _Terminal(as_json), first, last, workers, send)
    if made.report:
        done: dict[str, Any] = {"report": made.report} | ({"ways": made.ways} if send else {})
        sent = f"\n{ways_text(made.ways)}" if send else ""
        print_counts(done, as_json, f"Report: {made.report['html']} (also .txt and .json){sent}")
    elif len(made.problems) > 1:
        click.echo(made.problems[-1], err=True)
    if made.failure is not None:
        raise made.failure
    return made.findings


class _Terminal:
    """Show a progress bar, a spinner and a result line for each step."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def reading(self, n_bytes: int) -> AbstractContextManager[Any]:
        return reading_bar(n_bytes, "reading")

    def building(self) -> AbstractContextManager[Any]:
        return step_spinner("building")

    def done(self, step: str, report: "steps.StepReport") -> None:
        not_run = getattr(report, "not_run", [])
        print_counts(report.as_dict(), self.as_json, "\n".join([report.sentence, *not_run]))
