"""The command that runs everything on the sample archive."""

from pathlib import Path

import click

from pipelines.cli.detect import print_findings
from pipelines.cli.lazy import steps
from pipelines.cli.run import run_steps
from pipelines.cli.suggested import name_site, runnable
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
    name_site(folder)
    site = steps.make_demo(folder, archive)
    click.echo(f"The sample archive is in {folder}: {ARCHIVES[archive]}.")
    run_steps(site, None, None, as_json=False)
    print_findings(site, None, None)
    click.echo("\nNext:")
    for words in ("ask losses", "dashboard"):
        click.echo(f"  {runnable(f'`tapescope {words}`').strip('`')}")
