"""The command that writes a site.toml from a folder of logs."""

from pathlib import Path

import click

from pipelines.cli.lazy import steps
from pipelines.cli.output import print_survey, reading_bar


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write.  [default: site.toml in FOLDER]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def init(folder: Path, out: Path | None, force: bool) -> None:
    """Write a commented site.toml for a folder of logs. The file lists the hosts, drives, links and inputs found."""
    out = out or folder / "site.toml"
    with reading_bar(steps.bytes_below(folder), "looking at") as advance:
        found = steps.init(folder, out, force, advance)
    print_survey(found, str(out))
