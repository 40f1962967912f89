"""The command that writes the nightly report."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, period, period_options, site_option
from pipelines.primitives.text import escape_control


@click.command()
@site_option
@period_options
@json_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the report; default: var/reports next to site.toml."
)
def report(site_path: Path, day_day: Any, from_day: Any, to_day: Any, as_json: bool, out: Path | None) -> None:
    """Write the nightly report as HTML, text and JSON."""
    problems: list[str] = []
    written = steps.report(steps.site_at(site_path), *period(day_day, from_day, to_day), out, problems)
    print_counts(written, as_json, "\n".join(str(path) for path in written.values()))
    for problem in problems:
        click.echo(f"tapescope: warning: the report is incomplete: {escape_control(problem)}", err=True)
