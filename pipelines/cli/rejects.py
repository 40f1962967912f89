"""The command `rejects`, which shows rejected lines, to inspect or report them."""

from itertools import groupby
from pathlib import Path

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import site_option
from pipelines.primitives.text import escape_control


@click.command()
@click.option("--source", help="Only this source, e.g. cta_taped.")
@click.option(
    "--most",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    help="Number of lines to show for each file and reason.",
)
@click.option(
    "--anonymise", is_flag=True, help="Replace long numbers, and names of hosts, drives, volumes, paths and users."
)
@site_option
def rejects(source: str | None, most: int, anonymise: bool, site_path: Path) -> None:
    """Show lines that could not be read, by file and reason.

    With --anonymise, names are replaced so that you can report the lines; equal names get equal replacements. Check the
    lines before you report them: words of the log's messages, times and short numbers are not replaced.
    """
    found = steps.rejects(steps.site_at(site_path), source, most, anonymise)
    if not found:
        click.echo("no line was rejected")
    for (of, path, reason, n_lines), rows in groupby(found, lambda r: (r.source, r.path, r.reason, r.n_lines)):
        click.echo(escape_control(f"{of}: {path}: {reason}: {n_lines} line{'s' * (n_lines > 1)}"))
        for row in rows:
            click.echo(f"  {row.line_no}: {escape_control(row.text)}")
