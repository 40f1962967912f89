"""The command that restores a lost catalogue."""

from pathlib import Path

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import site_option
from pipelines.cli.suggested import say
from pipelines.primitives.format import listed
from pipelines.primitives.store_errors import READ_AGAIN, REBUILD

_MOST_NAMED = 5


@click.command()
@click.argument("backup", required=False)
@site_option
@click.option("--list", "only_list", is_flag=True, help="Only list the backups, the newest first.")
@click.option("--force", is_flag=True, help="Replace the catalogue even if it is not damaged.")
@click.option(
    "--adopt", is_flag=True, help="Keep the present catalogue, which you restored from a copy or with pg_restore."
)
def restore(backup: str | None, site_path: Path, only_list: bool, force: bool, adopt: bool) -> None:
    """Restore the warehouse's catalogue from BACKUP. Default: the newest backup that is not damaged."""
    site = steps.site_at(site_path)
    if only_list:
        for one in steps.backups_of(site):
            click.echo(f"{one.path.name}  {one.made_at:%Y-%m-%d %H:%M:%S} UTC  snapshot {one.snapshot}")
        return
    done = steps.adopt(site) if adopt else steps.restore(site, backup or "", force)
    if done.backup:
        made = f"{done.backup.made_at:%Y-%m-%d %H:%M:%S} UTC"
        click.echo(
            f"Restored the catalogue from the backup of {made}, snapshot {done.backup.snapshot}:"
            f" {done.backup.path.name}"
        )
    if done.aside:
        click.echo(f"The previous catalogue is kept in {done.aside}")
    if done.missing:
        click.echo(f"{len(done.missing)} data files are missing: {listed(done.missing, _MOST_NAMED)}", err=True)
        has_bronze = any(path.startswith("bronze/") for path in done.missing)
        say(f"  hint: {READ_AGAIN if has_bronze else REBUILD}", to_stderr=True)
    if done.is_older or done.backup:
        say(
            f"Data committed after the {'backup' if done.backup else 'copy'} are lost. To get them back, run"
            " `tapescope run`, which reads the logs that still exist."
        )
    else:
        click.echo("The catalogue is as new as the data: nothing is lost.")
