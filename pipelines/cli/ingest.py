"""The commands that read logs and withdraw files."""

from pathlib import Path

import click

from pipelines.cli.build import build_site
from pipelines.cli.counts import print_counts
from pipelines.cli.lazy import steps
from pipelines.cli.options import json_option, site_option, workers_option
from pipelines.cli.output import reading_bar


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@site_option
@json_option
@workers_option
@click.option("--again", is_flag=True, help="Also read files that were withdrawn with `forget`.")
def ingest(paths: tuple[Path, ...], site_path: Path, as_json: bool, workers: int | None, again: bool) -> None:
    """Read new and changed logs. PATHS are the files and folders to read; default: all that site.toml names."""
    site, given = steps.site_at(site_path), list(paths) or None
    with reading_bar(steps.bytes_to_read(site, given), "reading") as advance:
        read = steps.ingest(site, given, again, advance, workers=workers)
    print_counts(read.as_dict(), as_json, read.sentence)


@click.command()
@click.argument("file")
@site_option
@json_option
def forget(file: str, site_path: Path, as_json: bool) -> None:
    """Withdraw a file, and its rows from all tables. FILE is the path or the file_id of the file."""
    site = steps.site_at(site_path)
    parts = steps.forget(site, file)
    built = build_site(site, False)
    sentence = f"Withdrawn: {', '.join(parts)}. {built.sentence}"
    print_counts({"forgotten": parts} | built.as_dict(), as_json, sentence)
