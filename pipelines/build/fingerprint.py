"""Whether rows that were built still mean what SQL, contracts and site.toml say now."""

import hashlib

import duckdb

from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import LAKE, Connection

# What site.toml says of where things are, and what tables hold as it is: it decides neither other rows nor verdicts.
_DECIDE_NO_ROW = {
    *("root", "input", "warehouse", "lock_wait_s", "deliver", "change", "change_log", "fact", "plan"),
    *("catalogue", "data_path", "collect", "spool_days", "workers", "template"),
    *("retention_days", "snapshot_retention_days"),
}


def fingerprint_of(
    connection: Connection, site: Site, catalog: Catalog, drive_table: str = f"{LAKE}.site.drive"
) -> str:
    """A hash of all that decides what rows mean: contracts, SQL, site.toml, and the drives that the logs name."""
    drives = connection.execute(f"SELECT drive, logname FROM {drive_table} ORDER BY ALL").fetchall()
    parts = [catalog.fingerprint, settings_hash(site), repr(drives)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def settings_hash(site: Site) -> str:
    """A hash of the settings that decide rows and verdicts.

    A setting that a later release adds changes it only where it is set.
    """
    return hashlib.sha256(site.model_dump_json(exclude=_DECIDE_NO_ROW, exclude_defaults=True).encode()).hexdigest()


def last_fingerprint(connection: Connection) -> str:
    """That of the last build that was committed; empty before the first."""
    row = connection.execute(
        f"SELECT fingerprint FROM {LAKE}.ops.build WHERE is_committed ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else ""


def is_outdated(connection: Connection, site: Site, catalog: Catalog) -> bool:
    """Whether SQL or site.toml changed after the last build; False before the first."""
    try:
        last = last_fingerprint(connection)
    except duckdb.CatalogException:  # a warehouse without the table has no build
        return False
    return last not in ("", fingerprint_of(connection, site, catalog))
