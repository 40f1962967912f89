"""The command that computes silver and gold from the records of bronze."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.options import json_option, load_site, site_option, workers_option
from pipelines.cli.output import step_spinner

if TYPE_CHECKING:  # the command line starts without the libraries that the steps need
    from pipelines.steps import BuildReport


@click.command()
@site_option
@json_option
@click.option("--full", is_flag=True, help="Compute all days again, not only days with changed data.")
@workers_option
def build(site_path: Path, as_json: bool, full: bool, workers: int | None) -> None:
    """Compute silver and gold for the days that changed. New rows are committed only if no critical check fails."""
    built = build_site(load_site(site_path), full, workers)
    print_counts(built.as_dict(), as_json, built.sentence)


def build_site(site: Any, full: bool, workers: int | None = None) -> "BuildReport":
    """Build changed data, and show a spinner meanwhile."""
    from pipelines import steps

    with step_spinner("building") as name_it:
        return steps.build(site, full, name_it, workers)
