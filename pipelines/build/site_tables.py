"""`site.toml` as tables for SQL to read: stations, drives, links, campaigns, changes, logs that should exist.

And what each kind of log speaks for.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from pipelines.build.fingerprint import settings_hash
from pipelines.build.present import Present
from pipelines.config import changes, facts, technology
from pipelines.config.files import find_inputs, origin_of, stored_path
from pipelines.config.inputs import Input
from pipelines.config.site import Site
from pipelines.primitives.clock import day_bounds
from pipelines.primitives.text import short_host
from pipelines.sources import all_sources
from pipelines.warehouse import retention
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.tables import insert_rows

Row = Sequence[Any]
Aliases = dict[str, tuple[str, bool]]  # by a name without domain: the host, and whether that is another name


class DriveRow(NamedTuple):
    """A row of site.drive."""

    drive: str
    logname: str | None = None
    mover: str | None = None
    mover_host: str | None = None
    generation: str | None = None
    nameplate_mb_s: float | None = None
    robot: str | None = None
    device: str | None = None
    slot: str | None = None
    is_declared: bool = False
    system: str | None = None
    since_day: date | None = None
    until_day: date | None = None


# Relations whose rows name drives, and the columns about them.
_HOST, _NO_HOST = "host, system FROM {}", "CAST(NULL AS VARCHAR) AS host, system FROM {}"
_DRIVES = {
    "bronze.enstore_log_mover": f"SELECT name, {_HOST}",
    "bronze.cta_step": f"SELECT drive AS name, {_HOST}",
    "bronze.cta_session": f"SELECT drive AS name, {_HOST}",
    "bronze.cta_drive_poll": f"SELECT drive AS name, {_HOST}",
    "bronze.tsm_summary": f"SELECT drive AS name, {_NO_HOST} WHERE activity = 'TAPE MOUNT'",
    "bronze.tsm_actlog": f"SELECT drive AS name, {_NO_HOST} WHERE kind = 'mounted'",
}


def sync(connection: Connection, site: Site, present: Present) -> set[str]:
    """Bring the site tables up to date; returns the full names of those that changed."""
    drives = _drives(connection, site, present)
    aliases = _aliases(site, {row.mover_host for row in drives if row.mover_host})
    settings = (
        site.name,
        site.zone,
        site.duty_threshold_mb_s,
        site.expected_gap_s,
        site.log_silence_s,
        settings_hash(site),
    )
    tables: dict[str, list[Row]] = {
        "setting": [settings],
        "station": [(station.name, station.role, station.spool_gb) for station in site.station],
        "station_alias": [(alias, *rest) for alias, rest in aliases.items()],
        "drive": [*drives],
        "link": [(link.name, link.station, link.capacity_mb_s, link.polled) for link in site.link],
        "link_port": _ports(site, aliases),
        "expected": _expected(connection, site, present, {row.logname for row in drives if row.logname}, aliases),
        "campaign": [
            (one.name, one.size_tb, one.begin, one.mode, one.station, one.storage_group, one.file_family)
            for one in site.campaign
        ],
        "change": changes.rows(site),
        "fact": facts.rows(site.fact),
        "source": [(stem, source.SPEAKS_FOR) for stem, source in all_sources().items()],
    }
    return {f"site.{name}" for name, rows in tables.items() if _replace(connection, f"site.{name}", rows, present)}


def _replace(connection: Connection, table: str, rows: list[Row], present: Present) -> bool:
    """Write rows where they differ from what is there."""
    old_rows = connection.execute(f"SELECT * FROM {present.table(table)}").fetchall() if present.n_rows(table) else []
    new_rows = sorted({tuple(row) for row in rows}, key=repr)
    if new_rows == sorted(old_rows, key=repr):
        return False
    if old_rows:
        connection.execute(f"DELETE FROM {LAKE}.{table}")
    insert_rows(connection, table, new_rows)
    present.replaced(table, len(old_rows), len(new_rows))
    return True


def _aliases(site: Site, mover_hosts: set[str]) -> Aliases:
    """Every name of a host that is known: of stations, of [[host]], of tape servers and of switches with a port."""
    declared = [(one.name, one.aliases) for one in site.station] + [(one.name, one.aliases) for one in site.host]
    found: Aliases = {}
    for host, aliases in declared:
        for name in (host, *aliases):
            found.setdefault(short_host(name), (host, name != host))
    for name in sorted(mover_hosts | {port.host for link in site.link for port in link.port if port.host}):
        found.setdefault(short_host(name), (name, False))
    return found


def _ports(site: Site, aliases: Aliases) -> list[Row]:
    """The declared ports, by the names their hosts have in silver, and how many a link has on the same side."""
    rows: list[Row] = []
    for link in site.link:
        hosts = [aliases[short_host(port.host)][0] if port.host else None for port in link.port]
        sides = ["host" if host == link.station else "switch" for host in hosts]
        for port, host, side in zip(link.port, hosts, sides, strict=True):
            rows.append((link.name, side, host, port.interface or None, port.description or None, sides.count(side)))
    return rows


def _drives(connection: Connection, site: Site, present: Present) -> list[DriveRow]:
    """Declared drives, and those only the logs know: by the names of Enstore's movers, or their own.

    A name that drives of several libraries of TSM have is no drive's own: each is `library:name` there.
    """
    logged = [sql.format(present.table(table)) for table, sql in _DRIVES.items() if present.n_rows(table)]
    seen: dict[str, tuple[str | None, str | None]] = {}
    if logged:
        sql = f"SELECT name, min(split_part(host, '.', 1)), min(system) FROM ({' UNION ALL '.join(logged)})"
        found = connection.execute(f"{sql} WHERE name IS NOT NULL GROUP BY name").fetchall()
        seen = {name: (host, system) for name, host, system in found}
    robots: dict[str, str] = {}
    for name, library in _shared_names(connection, present):
        seen[f"{library}:{name}"] = seen[name]
        robots[f"{library}:{name}"] = library
    for name in {own.partition(":")[2] for own in robots}:
        del seen[name]
    rows: list[DriveRow] = []
    for drive in site.drive:
        names = [drive.logname] if drive.logname else [f"{drive.name}MV", drive.name]
        names += [f"{drive.robot}:{name}" for name in names if drive.robot]
        logname = next((name for name in names if name in seen), names[0])
        host, system = seen.pop(logname, (None, None))
        sold = technology.known(drive.generation)
        row = DriveRow(
            drive.name,
            logname,
            drive.mover or f"{re.sub('MV$', '', drive.logname) or drive.name}.mover",
            mover_host=drive.mover_host or host,
            generation=sold.name if sold else drive.generation or None,
            nameplate_mb_s=sold.native_mb_s if sold else None,
            robot=drive.robot or None,
            device=drive.device or None,
            slot=drive.slot or None,
            is_declared=True,
            system=system,
            since_day=drive.begin,
            until_day=drive.end,
        )
        rows.append(row)
    for logname, (host, system) in seen.items():
        name = re.sub("MV$", "", logname)
        rows.append(DriveRow(name, logname, f"{name}.mover", mover_host=host, robot=robots.get(logname), system=system))
    rows += _counted(connection, present, rows)
    rows += _listed(connection, present, rows)
    if all(row.system is None for row in rows):
        rows = [row._replace(system=site.name) if row.device or row.slot else row for row in rows]
    return rows


def _shared_names(connection: Connection, present: Present) -> list[tuple[str, str]]:
    """Names of drives that TSM's server has in several libraries, with each of these."""
    tables = [table for table in _DRIVES if table.startswith("bronze.tsm_") and present.n_rows(table)]
    if not tables:
        return []
    named = " UNION ALL ".join(f"SELECT drive, library FROM {present.table(table)}" for table in tables)
    sql = f"SELECT DISTINCT drive, library FROM ({named}) WHERE drive IS NOT NULL AND library IS NOT NULL"
    sql = f"SELECT * FROM ({sql}) QUALIFY count(*) OVER (PARTITION BY drive) > 1 ORDER BY drive, library"
    return connection.execute(sql).fetchall()


def _counted(connection: Connection, present: Present, rows: list[DriveRow]) -> list[DriveRow]:
    """Drives that only the kernel's counters or their own pages know, as `host:st0`.

    A device is a drive of its own only where no other can be it: counters of a drive that a log names otherwise would
    make two of one.
    """
    counters, pages = present.table("bronze.drive_counter"), present.table("bronze.scsi_counter")
    counted = connection.execute(
        f"SELECT host, device FROM {counters} UNION SELECT host, drive FROM {pages}"
        " WHERE host IS NOT NULL AND regexp_full_match(drive, 'st[0-9]+')"
    ).fetchall()
    declared = {(short_host(row.mover_host), row.device) for row in rows if row.device and row.mover_host}
    hosts = {row.mover_host and short_host(row.mover_host) for row in rows if not row.device}
    names = {(short_host(host), device) for host, device in counted} - declared
    return [
        DriveRow(f"{host}:{device}", mover_host=host, device=device)
        for host, device in sorted(names)
        if not hosts & {None, host}
    ]


def _listed(connection: Connection, present: Present, rows: list[DriveRow]) -> list[DriveRow]:
    """Drives that only a library's history of mounts knows: none where any other drive may be one of them."""
    if any(not row.slot for row in rows):
        return []
    slots = connection.execute(
        f"SELECT DISTINCT drive FROM {present.table('bronze.library_mount')} ORDER BY drive"
    ).fetchall()
    return [DriveRow(slot, slot=slot) for (slot,) in slots if slot not in {row.slot for row in rows}]


def _expected(connection: Connection, site: Site, present: Present, drives: set[str], aliases: Aliases) -> list[Row]:
    """The sources and hosts that the files of each input with a declared period cover.

    A file that was read covers the hosts of its rows, which its text may name, and the links of their ports; another
    file covers the host that its path or its input names. A table of mounts is expected for its system, since it shows
    a drive only from mount to mount.
    """
    if all(item.expect is None for item in site.input):
        return []
    source_of = dict(
        connection.execute(
            f"SELECT path, max(source) FROM {present.table('ops.file')} WHERE source IS NOT NULL GROUP BY path"
        ).fetchall()
    )
    hosts_of: dict[str, set[str]] = {}
    of_mounts = {stem for stem, source in all_sources().items() if source.SPEAKS_FOR == "mounts"}
    of_ports = {stem for stem, source in all_sources().items() if source.SPEAKS_FOR == "hosts"}
    ports = _ports(site, aliases)
    for path, stem, host in connection.execute(
        f"SELECT DISTINCT f.path, s.source, s.host FROM {present.table('bronze.log_coverage')} s"
        f" JOIN {present.table('ops.file')} f ON f.file_id = s.file_id"
    ).fetchall():
        if stem not in of_mounts or host not in drives:
            hosts_of.setdefault(path, set()).add(host)
        if stem in of_ports:
            known = aliases.get(short_host(host), (host,))[0]
            hosts_of[path] |= {row[0] for row in ports if row[2] == known}
    for path, host, description in _described(connection, present, ports):
        known = aliases.get(short_host(host), (host,))[0]
        hosts_of[path] |= {row[0] for row in ports if row[4] == description and row[2] in (None, known)}
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


def _described(connection: Connection, present: Present, ports: list[Row]) -> list[tuple[str, str, str]]:
    """Files with samples of ports that site.toml knows by their descriptions, with their host and description."""
    names = sorted({row[4] for row in ports if row[4]})
    if not names:
        return []
    return connection.execute(
        f"SELECT DISTINCT f.path, n.host, n.description FROM {present.table('bronze.network_sample')} n"
        f" JOIN {present.table('ops.file')} f ON f.file_id = n.file_id WHERE n.description IN (SELECT unnest(?))",
        [names],
    ).fetchall()


def _declared_hosts(site: Site, item: Input, has_files: bool) -> set[str]:
    """Hosts an input must speak for, whether or not a file of theirs was found."""
    if "{link}" in item.glob:
        return {link.name for link in site.link}
    if "{host}" in item.glob:
        return set()
    named = item.link or item.host or item.system
    return {named} if named else set() if has_files else {site.name}
