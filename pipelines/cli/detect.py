"""The command that applies the rules and prints findings."""

import sys
import textwrap
from datetime import date
from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import as_params, json_option, period, period_options, site_option
from pipelines.primitives.format import counted, price
from pipelines.primitives.text import escape_control

SEVERITIES = ("info", "warning", "critical")
FINDINGS_FOUND = 4


fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    help="Exit with code 4 if a finding of at least this severity is neither acknowledged nor muted.",
)


@click.command()
@site_option
@period_options
@click.option(
    "--each-day", is_flag=True, help="Apply the rules to each day from --from to --to, instead of to the whole period."
)
@json_option
@fail_on_option
def detect(
    site_path: Path,
    day_day: Any,
    from_day: Any,
    to_day: Any,
    each_day: bool,
    as_json: bool,
    fail_on: str | None,
) -> None:
    """Apply the rules to a period. Default: the last day with data."""
    site, (first, last) = steps.site_at(site_path), period(day_day, from_day, to_day)
    periods = [(first, last)]
    if each_day:
        if not (first and last):
            raise click.UsageError("--each-day needs --from and --to")
        days = steps.days_to_judge(site, first, last)
        periods = [(day, day) for day in days]
        if n_skipped := (last - first).days + 1 - len(days):
            click.echo(f"{counted(n_skipped, 'day')} without logs skipped", err=as_json)
    findings: list[dict[str, Any]] = []
    for begin, end in periods:
        found = steps.detect(site, begin, end)
        findings += found.findings
        print_counts(found.as_dict(), as_json, found.sentence)
        if not (as_json or each_day):
            print_findings(site, found.first_day, found.last_day)
    exit_on(findings, fail_on)


def print_findings(site: Any, first: date | None, last: date | None) -> None:
    """Print the findings of a period, with the gain or loss of each."""
    findings = steps.ask(site, "findings", as_params(first, last)).as_dicts()
    if findings:
        click.echo("\nFindings, sorted by severity and then by the gain of a fix:")
    for finding in findings:
        click.secho(f"\n{finding['severity'].upper():9}{finding['rule']}, {price(finding)}", bold=True)
        text = escape_control(finding["text"])
        click.echo(textwrap.fill(text, 100, initial_indent=" " * 9, subsequent_indent=" " * 9))


def exit_on(found: list[dict[str, Any]], fail_on: str | None) -> None:
    """Exit with FINDINGS_FOUND if a finding of at least the given severity is neither acknowledged nor muted."""
    standing = [one for one in found if one["state"] not in ("acknowledged", "muted")]
    if fail_on and any(SEVERITIES.index(one["severity"]) >= SEVERITIES.index(fail_on) for one in standing):
        sys.exit(FINDINGS_FOUND)
