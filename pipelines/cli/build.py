"""The command that computes silver and gold from the records of bronze."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, site_option, workers_option
from pipelines.cli.output import step_spinner


@click.command()
@site_option
@json_option
@click.option("--full", is_flag=True, help="Compute all days again, not only days with changed data.")
@workers_option
def build(site_path: Path, as_json: bool, full: bool, workers: int | None) -> None:
    """Compute silver and gold for days with changed data. New rows are committed only if no critical check fails."""
    built = build_site(steps.site_at(site_path), full, workers)
    print_counts(built.as_dict(), as_json, built.sentence)


def build_site(site: Any, full: bool, workers: int | None = None) -> "steps.BuildReport":
    """Build changed data, and show a spinner meanwhile."""
    with step_spinner("building") as name_it:
        return steps.build(site, full, name_it, workers)
