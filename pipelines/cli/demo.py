"""The command that runs everything on the sample archive."""

import sys
from pathlib import Path

import click

from pipelines.cli.detect import print_findings
from pipelines.cli.options import site_option
from pipelines.cli.run import run_steps


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("var/demo"),
    show_default=True,
    help="Scratch folder; its site.toml stays there for every other command.",
)
@site_option
def demo(folder: Path, site_path: Path) -> None:
    """Run everything on the sample archive and show the headline findings."""
    from pipelines import steps

    site = steps.make_demo(folder)
    click.echo(f"The sample archive is in {folder}: synthetic logs of a migration stand and of PIC's tape read tests.")
    run_steps(site, None, None, as_json=False)
    print_findings(site, None, None)
    called = sys.argv[0] if "/" in sys.argv[0] and not sys.argv[0].endswith(".py") else "tapescope"
    click.echo(f"\nFurther: {called} ask session_rates --site {folder}")
    click.echo(f"         {called} dashboard --site {folder}")
