"""The commands that read logs, and withdraw them."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.build import build_sentence, build_site
from pipelines.cli.counts import print_counts
from pipelines.cli.options import json_option, load_site, site_option, workers_option
from pipelines.cli.output import reading_bar


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@site_option
@json_option
@workers_option
@click.option("--again", is_flag=True, help="Also read files that were withdrawn with `forget`.")
def ingest(paths: tuple[Path, ...], site_path: Path, as_json: bool, workers: int | None, again: bool) -> None:
    """Read the logs that site.toml names, or the files and folders given, where they are new or have changed."""
    counts = ingest_files(load_site(site_path), list(paths) or None, again, workers)
    print_counts(counts, as_json, ingest_sentence(counts))


def ingest_files(
    site: Any, paths: list[Path] | None = None, again: bool = False, workers: int | None = None
) -> dict[str, Any]:
    """Read logs, with a progress bar; returns the step's counts."""
    from pipelines import steps

    with reading_bar(steps.bytes_to_read(site, paths), "reading") as advance:
        return steps.ingest(site, paths, again, advance, workers=workers).as_dict()


def ingest_sentence(counts: dict[str, Any]) -> str:
    """The counts of reading in a line."""
    states = ", ".join(f"{counts[name]} {name}" for name in ("unchanged", "failed", "unknown"))
    lines = " + ".join(f"{counts[f'n_{name}']:,} {name}" for name in ("used", "skipped", "rejected"))
    return (
        f"Read {counts['loaded']} of {counts['files']} files ({states}): {counts['n_lines']:,} lines = {lines};"
        f" {counts['n_records']:,} records."
    )


@click.command()
@click.argument("file")
@site_option
@json_option
def forget(file: str, site_path: Path, as_json: bool) -> None:
    """Withdraw a file (path or file_id) and take its rows out of everything built."""
    from pipelines import steps

    site = load_site(site_path)
    parts = steps.forget(site, file)
    built = build_site(site, False)
    print_counts({"forgotten": parts} | built, as_json, f"Withdrawn: {', '.join(parts)}. {build_sentence(built)}")
