"""`site.toml` as tables for SQL to read: stations, drives, links, campaigns, changes, logs that should exist.

And what each kind of log speaks for.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pipelines.config import changes, facts, technology
from pipelines.config.files import find_inputs, origin_of, stored_path
from pipelines.config.inputs import Input
from pipelines.config.site import Site
from pipelines.primitives.clock import day_bounds
from pipelines.sources import all_sources
from pipelines.warehouse import retention
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.tables import insert_rows

Row = Sequence[Any]


def sync(connection: Connection, site: Site) -> set[str]:
    """Bring the site tables up to date; returns the full names of those that changed."""
    drives = _drives(connection, site)
    settings = (site.name, site.zone, site.duty_threshold_mb_s, site.expected_gap_s, site.log_silence_s)
    tables: dict[str, list[Row]] = {
        "setting": [settings],
        "station": [(station.name, station.role, station.spool_gb) for station in site.station],
        "station_alias": [
            (name, station.name, name != station.name)
            for station in site.station
            for name in (station.name, *station.aliases)
        ],
        "drive": drives,
        "link": [(link.name, link.station, link.capacity_mb_s, link.polled) for link in site.link],
        "expected": _expected(connection, site, {row[1] for row in drives}),
        "campaign": [
            (one.name, one.size_tb, one.begin, one.mode, one.station, one.storage_group, one.file_family)
            for one in site.campaign
        ],
        "change": changes.rows(site),
        "fact": facts.rows(site.fact),
        "source": [(stem, source.SPEAKS_FOR) for stem, source in all_sources().items()],
    }
    return {f"site.{name}" for name, rows in tables.items() if _replace(connection, f"site.{name}", rows)}


def _replace(connection: Connection, table: str, rows: list[Row]) -> bool:
    """Write rows where they differ from what is there."""
    new_rows = sorted({tuple(row) for row in rows}, key=repr)
    if new_rows == sorted(connection.execute(f"SELECT * FROM {LAKE}.{table}").fetchall(), key=repr):
        return False
    connection.execute(f"DELETE FROM {LAKE}.{table}")
    insert_rows(connection, table, new_rows)
    return True


def _drives(connection: Connection, site: Site) -> list[Row]:
    """Declared drives, and those only the logs know: by the names of Enstore's movers, or their own."""
    seen = {
        logname: (host, system)
        for logname, host, system in connection.execute(
            "SELECT name, min(split_part(host, '.', 1)), min(system)"
            f" FROM (SELECT name, host, system FROM {LAKE}.bronze.enstore_log_mover"
            f" UNION ALL SELECT drive, host, system FROM {LAKE}.bronze.cta_step"
            f" UNION ALL SELECT drive, host, system FROM {LAKE}.bronze.cta_session"
            f" UNION ALL SELECT drive, host, system FROM {LAKE}.bronze.cta_drive_poll"
            f" UNION ALL SELECT drive, NULL, system FROM {LAKE}.bronze.tsm_summary WHERE activity = 'TAPE MOUNT'"
            f" UNION ALL SELECT drive, NULL, system FROM {LAKE}.bronze.tsm_actlog WHERE kind = 'mounted')"
            " WHERE name IS NOT NULL GROUP BY name"
        ).fetchall()
    }
    rows: list[Row] = []
    for drive in site.drive:
        enstore_name = f"{drive.name}MV"
        logname = drive.logname or next((name for name in (enstore_name, drive.name) if name in seen), enstore_name)
        mover = drive.mover or f"{drive.name}.mover"
        host, system = seen.pop(logname, (None, None))
        sold = technology.known(drive.generation)
        generation = sold.name if sold else drive.generation or None
        nameplate = sold.native_mb_s if sold else None
        facts_of_drive = (drive.mover_host or host, generation, nameplate, drive.robot or None)
        rows.append((drive.name, logname, mover, *facts_of_drive, True, system, drive.begin, drive.end))
    for logname, (host, system) in seen.items():
        name = re.sub("MV$", "", logname)
        rows.append((name, logname, f"{name}.mover", host, None, None, None, False, system, None, None))
    return rows


def _expected(connection: Connection, site: Site, drives: set[str]) -> list[Row]:
    """For every input with a declared period: the sources and hosts its files stand for.

    A file that was read stands for the hosts of its rows, which its text may name; another for what its path or its
    input names. A table of mounts is expected of its system: of a drive it tells from mount to mount.
    """
    if all(item.expect is None for item in site.input):
        return []
    source_of = dict(
        connection.execute(
            f"SELECT path, max(source) FROM {LAKE}.ops.file WHERE source IS NOT NULL GROUP BY path"
        ).fetchall()
    )
    hosts_of: dict[str, set[str]] = {}
    of_mounts = {stem for stem, source in all_sources().items() if source.SPEAKS_FOR == "mounts"}
    for path, stem, host in connection.execute(
        f"SELECT DISTINCT f.path, s.source, s.host FROM {LAKE}.bronze.log_coverage s"
        f" JOIN {LAKE}.ops.file f ON f.file_id = s.file_id"
    ).fetchall():
        if stem not in of_mounts or host not in drives:
            hosts_of.setdefault(path, set()).add(host)
    files: dict[int, list[tuple[str | None, str]]] = {}
    for path, item, values in find_inputs(site):
        origin = origin_of(site, path, item, values)
        name, named = stored_path(site, path), {origin.link or origin.host or origin.system}
        files.setdefault(id(item), []).extend((source_of.get(name), host) for host in hosts_of.get(name, named))
    first_day = retention.first_day_kept(connection)
    kept_from = day_bounds(first_day, site.zone)[0] if first_day else datetime.min
    rows: list[Row] = []
    for item in site.input:
        if item.expect is None or item.expect.end <= kept_from:
            continue
        met = files.get(id(item), [])
        source = item.source or max((source for source, _ in met if source), default=None)
        for host in sorted({host for _, host in met} | _declared_hosts(site, item, bool(met))):
            rows.append((source, host, max(item.expect.begin, kept_from), item.expect.end))
    return rows


def _declared_hosts(site: Site, item: Input, has_files: bool) -> set[str]:
    """Hosts an input must speak for, whether or not a file of theirs was found."""
    if "{link}" in item.glob:
        return {link.name for link in site.link}
    if "{host}" in item.glob:
        return set()
    named = item.link or item.host or item.system
    return {named} if named else set() if has_files else {site.name}
