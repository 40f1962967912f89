"""The command that runs everything on the sample archive."""

import shlex
import sys
from pathlib import Path

import click

from pipelines.cli.detect import print_findings
from pipelines.cli.lazy import steps
from pipelines.cli.run import run_steps
from sample_data import ARCHIVES


@click.command()
@click.option(
    "--archive",
    type=click.Choice(list(ARCHIVES)),
    default="migration",
    show_default=True,
    help="Sample archive. migration: eight migration stations with Enstore's logs; cta: a present-day site with CTA.",
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    show_default="var/demo, or var/demo-cta",
    help="Folder for the sample archive. All other commands can use its site.toml (--site).",
)
def demo(archive: str, folder: Path | None) -> None:
    """Run all steps on a sample archive. Findings are listed at the end, the most severe first."""
    folder = folder or Path("var", "demo" if archive == "migration" else f"demo-{archive}")
    site = steps.make_demo(folder, archive)
    click.echo(f"The sample archive is in {folder}: {ARCHIVES[archive]}.")
    run_steps(site, None, None, as_json=False)
    print_findings(site, None, None)
    called = sys.argv[0] if "/" in sys.argv[0] and not sys.argv[0].endswith(".py") else "tapescope"
    named = shlex.quote(str(folder))
    click.echo(f"\nNext:\n  {called} ask losses --site {named}\n  {called} dashboard --site {named}")
