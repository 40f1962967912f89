"""The command `rejects`: lines that were not understood, to be looked at or reported."""

from itertools import groupby
from pathlib import Path

import click

from pipelines.cli.options import site_option
from pipelines.primitives.text import escape_control


@click.command()
@click.option("--source", help="Only this source, e.g. cta_taped.")
@click.option(
    "--most", type=click.IntRange(1, 1000), default=3, show_default=True, help="Lines to show per file and reason."
)
@click.option(
    "--anonymise", is_flag=True, help="Replace names of hosts, drives, volumes, paths, users and long numbers."
)
@site_option
def rejects(source: str | None, most: int, anonymise: bool, site_path: Path) -> None:
    """Show lines that could not be read, by file and reason.

    With --anonymise names are replaced, the same name alike in all lines, so that you can report them. Read them before
    you do: words of a log's own messages, times and short numbers stay.
    """
    from pipelines import steps

    found = steps.rejects(steps.site_at(site_path), source, most, anonymise)
    if not found:
        click.echo("no line was rejected")
    for (of, path, reason, n_lines), rows in groupby(found, lambda r: (r.source, r.path, r.reason, r.n_lines)):
        click.echo(escape_control(f"{of}: {path}: {reason}: {n_lines} line{'s' * (n_lines > 1)}"))
        for row in rows:
            click.echo(f"  {row.line_no}: {escape_control(row.text)}{' (cut)' if row.is_cut else ''}")
