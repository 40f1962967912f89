"""A lost or damaged catalogue brought back from a backup."""

from dataclasses import dataclass
from pathlib import Path

from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError, TapescopeError
from pipelines.warehouse import backups, ownership, sqlite_catalogue
from pipelines.warehouse.backups import Backup
from pipelines.warehouse.connection import WRITE_MEMORY, Warehouse


@dataclass(frozen=True)
class Restored:
    """What a restore did."""

    backup: Backup | None  # which is the catalogue now; None where the present one was adopted
    aside: Path | None  # the folder in which the catalogue before is kept
    missing: list[str]  # data files that the restored catalogue needs and that are not there
    is_older: bool  # whether the data are further on than this catalogue


def kept(site: Site) -> list[Backup]:
    """The backups of a site's catalogue, the newest first."""
    return backups.kept(_with_backups(site).backup_folder)


def restore(site: Site, name: str = "", force: bool = False) -> Restored:
    """Make a backup the catalogue: the one named, else the newest sound one.

    The catalogue that is there is kept next to the backups; a sound one is replaced only with `force`. Raises
    TapescopeError, ConfigError and WarehouseBusy.
    """
    warehouse = _with_backups(site)
    with warehouse.turn("restore"):
        if sqlite_catalogue.is_sound(warehouse.catalogue_file) and not force:
            raise TapescopeError(
                f"the catalogue {warehouse.catalogue_file} exists and is not damaged",
                "with --force, a backup replaces the catalogue anyway; data committed after the backup are then lost",
            )
        chosen = _chosen(warehouse, name)
        with warehouse.duckdb_session(WRITE_MEMORY) as connection:
            claim = ownership.read(connection, warehouse.data_path)
            if claim is not None and claim.warehouse != sqlite_catalogue.identity(chosen.path):
                raise ConfigError(
                    f"{chosen.path.name} is a backup of a warehouse other than the one in {warehouse.data_path}",
                    "is data_path in site.toml right?",
                )
            aside = backups.put_back(chosen, warehouse.catalogue_file)
            return Restored(chosen, aside, *_adopted(warehouse))


def adopt(site: Site) -> Restored:
    """Go on with the catalogue that is there although the data are further on: it was brought back by hand.

    Raises ConfigError where it is that of another warehouse.
    """
    warehouse = Warehouse(site)
    warehouse.require()
    with warehouse.turn("restore"):
        return Restored(None, None, *_adopted(warehouse))


def _adopted(warehouse: Warehouse) -> tuple[list[str], bool]:
    """Note that files of the data path which this catalogue does not know may be another's.

    Returns the files that it lacks, and whether the data are further on.
    """
    with warehouse.duckdb_session(WRITE_MEMORY) as connection:
        claim = ownership.read(connection, warehouse.data_path)
        warehouse.attach(connection, "READ_ONLY")
        adopted = ownership.check(connection, warehouse.data_path, claim, adopt=True)
        ownership.write(connection, warehouse.data_path, adopted)
        is_older = claim is None or claim.snapshot > adopted.snapshot
        return ownership.missing(connection, warehouse.data_path), is_older


def _with_backups(site: Site) -> Warehouse:
    warehouse = Warehouse(site)
    if warehouse.is_postgres:
        raise ConfigError(
            "the catalogue is in PostgreSQL, so tapescope has no backups of it",
            "restore the database from a dump, then run `tapescope restore --adopt`"
            " (docs/guides/upgrade-and-backup.md)",
        )
    return warehouse


def _chosen(warehouse: Warehouse, name: str) -> Backup:
    found = backups.kept(warehouse.backup_folder)
    if not found:
        raise ConfigError(f"there is no backup in {warehouse.backup_folder}", "restore the catalogue from a copy")
    named = [backup for backup in found if not name or Path(name).name == backup.path.name]
    if not named:
        raise ConfigError(f"there is no backup {name}", "`tapescope restore --list` lists the backups")
    for backup in named:
        if sqlite_catalogue.is_sound(backup.path):
            return backup
    raise TapescopeError(
        f"{f'the backup {name}' if name else 'every backup'} in {warehouse.backup_folder} is damaged",
        f"{'give another backup, or ' if name else ''}restore the catalogue from a copy",
    )
