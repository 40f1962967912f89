"""The command of every night: all steps in order."""

from datetime import date
from pathlib import Path
from typing import Any

import click

from pipelines.cli.build import build_sentence, build_site
from pipelines.cli.counts import print_counts, problem_lines
from pipelines.cli.detect import SEVERITIES, detect_sentence, exit_on
from pipelines.cli.forecast import forecast_sentence
from pipelines.cli.ingest import ingest_files, ingest_sentence
from pipelines.cli.options import json_option, load_site, period, period_options, site_option, workers_option
from pipelines.primitives.errors import NothingRead


@click.command()
@site_option
@period_options
@json_option
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="Exit with 4 on findings at or above this severity.")
@workers_option
def run(
    site_path: Path,
    day_day: Any,
    from_day: Any,
    to_day: Any,
    as_json: bool,
    fail_on: str | None,
    workers: int | None,
) -> None:
    """Ingest, build, detect, forecast and report: what the DAG nightly_report does."""
    found = run_steps(load_site(site_path), *period(day_day, from_day, to_day), as_json=as_json, workers=workers)
    exit_on(found, fail_on)


def run_steps(
    site: Any, first: date | None, last: date | None, as_json: bool, workers: int | None = None
) -> list[dict[str, Any]]:
    """All steps in order. Where one fails the report is written all the same, and says so."""
    from pipelines import steps

    problems: list[str] = []
    findings: list[dict[str, Any]] = []
    failure: Exception | None = None
    step = "ingest"
    try:
        read = ingest_files(site, workers=workers)
        problems += problem_lines([*read["problems"], *read["warnings"]])
        print_counts(read, as_json, ingest_sentence(read))
        step = "build"
        built = build_site(site, False)
        print_counts(built, as_json, build_sentence(built))
        step = "detect"
        found = steps.detect(site, first, last)
        findings = found.findings
        print_counts(found.as_dict(), as_json, "\n".join([detect_sentence(found), *found.not_run]))
        step = "forecast"
        made = steps.forecast(site, last).as_dict()
        print_counts(made, as_json, forecast_sentence(made))
        failure = _nothing_read(site, read)
    except Exception as error:
        failure = error
        problems.insert(0, steps.summarize_failure(step, error))
    try:
        written = steps.report(site, first, last, problems=problems)
    except Exception as error:
        if failure is None:
            raise
        click.echo(steps.summarize_failure("report", error), err=True)
    else:
        print_counts({"report": written}, as_json, f"Report: {written['html']} (also .txt and .json)")
    if failure is not None:
        raise failure
    return findings


def _nothing_read(site: Any, read: dict[str, Any]) -> NothingRead | None:
    """What is wrong if no input fits a file, or no file could be read; files that have not changed were read before."""
    if not read["files"]:
        patterns = ", ".join(item.glob for item in site.input) or "there is no [[input]]"
        hint = "correct the `glob` of the [[input]] entries; `tapescope init DIR` writes them from a folder of logs"
        return NothingRead(f"nothing was read: no file fits an input of site.toml ({patterns})", hint)
    if not any(read[state] for state in ("loaded", "unchanged", "withdrawn")):
        return NothingRead(
            f"nothing was read: none of {read['files']} files could be", "see why: `tapescope ask files`"
        )
    return None
