"""The commands that read single files without a warehouse."""

import json
import sys
from pathlib import Path

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import site_option
from pipelines.cli.output import plain
from pipelines.primitives.errors import NothingRead
from pipelines.primitives.text import escape_control


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@site_option
@click.option("--source", help="Read the file as this source, even if its first lines do not fit.")
@click.option("--rejects", is_flag=True, help="Print the rejected lines instead of the records.")
def parse(file: Path, site_path: Path, source: str | None, rejects: bool) -> None:
    """Print a file's records as JSON lines. No warehouse is needed; counts go to standard error."""
    site = steps.site_at(site_path) if (site_path / "site.toml").exists() or site_path.is_file() else None
    counts = steps.parse(site, file, source, rejects, lambda row: click.echo(json.dumps(row, default=plain)))
    if problem := counts.pop("problem", ""):
        click.echo(escape_control(problem), err=True)
    click.echo(json.dumps(counts), err=True)
    if counts["rejected"] and not counts["records"]:
        sys.exit(NothingRead.exit_code)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@site_option
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Also show for each source why it does not read the file, most similar source first.",
)
def recognise(paths: tuple[Path, ...], site_path: Path, verbose: bool) -> None:
    """Show which source reads a file. If no source does, show the most similar source, and what the file lacks."""
    recognised = steps.recognise(list(paths))
    for one in recognised:
        click.echo(f"{escape_control(str(one.path))}: {one.source or 'unknown'}: {escape_control(one.why)}")
        for name, why in one.claims.items() if verbose else ():
            click.echo(f"    {name}: {escape_control(why)}")
    n_known = sum(one.source is not None for one in recognised)
    if len(recognised) > 1 or not n_known:
        more = (
            "; --verbose shows for each source why it does not read the unknown files"
            if n_known < len(recognised) and not verbose
            else ""
        )
        click.echo(f"{n_known} of {len(recognised)} files are of a known kind{more}")
