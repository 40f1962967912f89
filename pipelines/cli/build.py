"""The command that makes events and metrics of what was read."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.options import json_option, load_site, site_option
from pipelines.cli.output import step_spinner


@click.command()
@site_option
@json_option
@click.option("--full", is_flag=True, help="Compute all days again, not only those that changed.")
def build(site_path: Path, as_json: bool, full: bool) -> None:
    """Compute events and metrics for the days that changed; commit only if no critical check fails."""
    counts = build_site(load_site(site_path), full)
    print_counts(counts, as_json, build_sentence(counts))


def build_site(site: Any, full: bool) -> dict[str, Any]:
    """Build what changed, with a spinner; returns the step's counts."""
    from pipelines import steps

    with step_spinner("building") as name_it:
        return steps.build(site, full, name_it).as_dict()


def build_sentence(counts: dict[str, Any]) -> str:
    """The counts of a build in a line."""
    days = counts["days"]
    span = f"{len(days)} days from {days[0]} to {days[-1]}" if days else "nothing had changed"
    return (
        f"Built ({'everything' if counts['is_full'] else 'what changed'}; {span}): {counts['n_rows']:,} rows,"
        f" {counts['n_checks']} checks, {counts['n_warnings']} warnings."
    )
