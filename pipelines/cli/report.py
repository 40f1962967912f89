"""The command that writes the nightly report."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import as_params, json_option, period, period_options, site_option
from pipelines.cli.suggested import say


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
    site, days = steps.site_at(site_path), period(day_day, from_day, to_day)
    written = steps.report(site, *days, out, problems)
    print_counts(written, as_json, "\n".join(str(path) for path in written.values()))
    for row in steps.ask(site, "day_state", as_params(*days)).as_dicts() if not problems else ():
        if row["state"] == "not_covered":
            say(row["summary"], to_stderr=True)
    for problem in problems:
        say(f"tapescope: warning: the report is incomplete: {problem}", to_stderr=True)
