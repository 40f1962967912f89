"""A year of an archive, put straight into its warehouse: as text it would take hours to write and to read.

Facts and samples are drawn in SQL, one file a relation (`facts`, `samples`, `whole`; those that begin with `_` are
tables they share), from hashes: the same size gives the same rows. They go into silver a week at a time, sorted, in the
partitions of their contracts, as builds leave them. Gold is made of them by the product's own build, a month at a time,
findings and forecasts by its rules and models: of the last day, and copied to all days before it.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from pipelines import steps
from pipelines.build import run, site_tables
from pipelines.build.changed import ChangedRelations
from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse import maintenance
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import prepare_tables

FOLDER = Path(__file__).parent
VERSION = 1  # raise it when the SQL changes, or a kept archive of before is measured
BEGIN = date(2025, 1, 1)
FILES = 40  # of a mount that writes; those that read have half to one and a half times as many
DAY_MOUNTS = 28  # of a drive at most: more do not fit into a day
OLD_TAPES = 10_000
COARSE_S = 60  # step of samples before the last `fine_days`
FACT_DAYS, GOLD_DAYS, FINE_GOLD_DAYS = 7, 28, 7  # that fit into the memory of a writer
Say = Callable[[str], None]

_MACROS = """
CREATE OR REPLACE TEMP MACRO rnd(a, b, c) AS hash(a, b, c) / 18446744073709551615e0;
-- a third are large, most a gigabyte or less
CREATE OR REPLACE TEMP MACRO file_bytes(volume, number) AS
    CAST(2e8 + 3.8e9 * pow(hash(volume, number, 'size') / 18446744073709551615e0, 2) AS BIGINT);
CREATE OR REPLACE TEMP MACRO busy(station, moment) AS
    CASE WHEN rnd(station, epoch(moment) // 900, 8) < 0.55
         THEN 0.1 + 0.9 * rnd(station, epoch(moment) // 900, 9) ELSE 0.01 END;
"""
_PLAN = f"""
CREATE OR REPLACE TEMP TABLE plan_station AS SELECT station FROM {LAKE}.site.station;
CREATE OR REPLACE TEMP TABLE plan_drive AS
SELECT drive, mover_host, place, 'station' || lpad(CAST(1 + place // 3 AS VARCHAR), 2, '0') AS station,
       place // 3 IN (2, 5) AS is_gappy,
       CASE WHEN place = 4 THEN 0.7 ELSE 0.95 END * CASE generation WHEN 'LTO-4' THEN 120 ELSE 80 END AS speed_mb_s
FROM (SELECT *, row_number() OVER (ORDER BY drive) - 1 AS place FROM {LAKE}.site.drive);
"""
_SITE = """\
name = "a year"
zone = "America/Chicago"
warehouse = "warehouse"

[[campaign]]
name = "move all"
size_tb = 30000
from = {begin}
mode = "write"

[[change]]
at = {change}T12:00:00
what = "new firmware"
"""


@dataclass(frozen=True)
class Size:
    """How long an archive, how busy, and for how many of its last days hosts were sampled each second."""

    days: int = 365
    transfers: int = 10_000_000
    fine_days: int = 7
    stations: int = 8
    drives: int = 24

    @property
    def end(self) -> date:
        return BEGIN + timedelta(days=self.days - 1)

    @property
    def mounts(self) -> int:
        """Of a drive and day."""
        return min(DAY_MOUNTS, max(2, round(self.transfers / self.days / self.drives / FILES)))

    @property
    def files(self) -> int:
        """Of a mount that writes."""
        return max(2, round(self.transfers / self.days / self.drives / self.mounts))


def make(folder: Path, size: Size, say: Say) -> Site:
    """The archive's site; a kept one of the same size, SQL and contracts is not made again."""
    place = folder / f"year-{_fingerprint(size)}"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        (unfinished / "site.toml").write_text(_site_toml(size))
        _fill(steps.site_at(unfinished), size, say)
        unfinished.rename(place)
    return steps.site_at(place)


def _fingerprint(size: Size) -> str:
    basis = json.dumps([asdict(size), VERSION, load_catalog().fingerprint])
    return hashlib.sha256(basis.encode()).hexdigest()[:8]


def _site_toml(size: Size) -> str:
    parts = [_SITE.format(begin=BEGIN, change=size.end - timedelta(days=min(10, size.days // 2)))]
    for number in range(1, size.stations + 1):
        name = f"station{number:02}"
        parts.append(f'[[station]]\nname = "{name}"\nrole = "migration"\nspool_gb = 1000.0\n')
        parts.append(f'[[link]]\nname = "{name}-bond0"\nstation = "{name}"\ncapacity_mb_s = 125.0\npolled = "host"\n')
    for number in range(size.drives):
        generation = "LTO-4" if number < size.drives // 2 else "LTO-3"
        host = f'mover_host = "mover{number:02}"'
        parts.append(f'[[drive]]\nname = "D{number:02}"\n{host}\ngeneration = "{generation}"\nrobot = "SL8500"\n')
    return "\n".join(parts)


def _fill(site: Site, size: Size, say: Say) -> None:
    catalog = load_catalog()
    with Warehouse(site).write("bench") as connection:
        prepare_tables(connection, catalog, will_build=True)
        with transaction(connection):
            site_tables.sync(connection, site, Present(connection))
            connection.execute(f"UPDATE {LAKE}.site.drive SET system = 'stken'")
            _expect(connection, size)
        connection.execute(_MACROS + _PLAN)
        _set(connection, begin_day=BEGIN, end_day=size.end, mounts=size.mounts, files=size.files, old_tapes=_old(size))
        _set(connection, day_files=size.transfers // size.days)
        for first, last in _slices(BEGIN, size.end, FACT_DAYS):
            say(f"facts up to {last}")
            _draw(connection, catalog, "facts", first, last)
        _samples(connection, catalog, size, say)
        _draw(connection, catalog, "whole", BEGIN, size.end)
        _build(connection, site, catalog, size, say)
    say("findings and forecasts")
    steps.detect(site, size.end, size.end)
    steps.forecast(site, size.end)
    with Warehouse(site).write("bench") as connection:
        with transaction(connection):
            _repeat_nights(connection, catalog, size)
        maintenance.remove_unused(connection, site.snapshot_retention_days)
        maintenance.merge(connection)


def _old(size: Size) -> int:
    """Tapes that were full before: as many as make the same share of mounts find a tape again."""
    return max(5, round(OLD_TAPES * size.transfers / Size.transfers))


def _fine_from(size: Size) -> date:
    """First day with samples of each second."""
    return max(BEGIN, size.end - timedelta(days=size.fine_days - 1))


def _slices(first: date, last: date, n_days: int) -> Iterator[tuple[date, date]]:
    while first <= last:
        end = min(first + timedelta(days=n_days - 1), last)
        yield first, end
        first = end + timedelta(days=1)


def _set(connection: Connection, **values: date | int) -> None:
    for name, value in values.items():
        literal = f"DATE '{value}'" if isinstance(value, date) else f"CAST({value} AS BIGINT)"
        connection.execute(f"SET VARIABLE {name} = {literal}")


def _expect(connection: Connection, size: Size) -> None:
    """Every log is declared for the whole time."""
    span = f"TIMESTAMP '{BEGIN}', TIMESTAMP '{size.end}' + INTERVAL 1 DAY"
    for source, host in (
        ("enstore_log", "stken"),
        *((tool, f"station{n:02}") for tool in ("vmstat", "iostat", "nicstat") for n in range(1, size.stations + 1)),
        *(("mrtg_log", f"station{n:02}-bond0") for n in range(1, size.stations + 1)),
    ):
        connection.execute(f"INSERT INTO {LAKE}.site.expected SELECT ?, ?, {span}", [source, host])


def _draw(connection: Connection, catalog: Catalog, kind: str, first: date, last: date) -> None:
    """The relations of a folder for some days: first the tables they share, then each in one insert, sorted."""
    _set(connection, first_day=first, last_day=last)
    with transaction(connection):
        for path in sorted((FOLDER / kind).glob("*.sql")):
            sql = path.read_text()
            if path.name.startswith("_"):
                connection.execute(sql)
            else:
                relation = catalog.relations[path.stem]
                connection.execute(
                    f"INSERT INTO {LAKE}.{relation.full_name} BY NAME SELECT * FROM ({sql}) ORDER BY ALL"
                )


def _samples(connection: Connection, catalog: Catalog, size: Size, say: Say) -> None:
    """Each second of the last days, each minute before: as many rows at a time either way."""
    fine_from = _fine_from(size)
    for step_s, begin, end in ((COARSE_S, BEGIN, fine_from - timedelta(days=1)), (1, fine_from, size.end)):
        _set(connection, step_s=step_s)
        for first, last in _slices(begin, end, step_s):
            say(f"samples up to {last}, {step_s} s")
            _draw(connection, catalog, "samples", first, last)


def _build(connection: Connection, site: Site, catalog: Catalog, size: Size, say: Say) -> None:
    """What rests on silver, by the product's own build: relations with days a month at a time, then the others."""
    made = {name: relation for name, relation in catalog.relations.items() if relation.layer in ("gold", "ops")}
    by_day = _only(catalog, [relation for relation in made.values() if relation.has_day])
    whole = _only(catalog, [relation for relation in made.values() if not relation.has_day])
    silver = [relation.full_name for relation in catalog.layer("silver") if relation.has_day]
    fine_from = _fine_from(size)
    coarse = _slices(BEGIN, fine_from - timedelta(days=1), GOLD_DAYS)
    for first, last in (*coarse, *_slices(fine_from, size.end, FINE_GOLD_DAYS)):
        days = {first + timedelta(days=n) for n in range((last - first).days + 1)}
        changes = ChangedRelations({name: set(days) for name in silver})
        say(f"gold up to {last}")
        with transaction(connection):
            run.build(connection, site, by_day, Present(connection), changes, False)
    with transaction(connection):
        run.build(connection, site, whole, Present(connection), ChangedRelations(), True, say)


def _only(catalog: Catalog, relations: list[Relation]) -> Catalog:
    """A catalogue in which SQL makes these alone; the rest is there already."""
    names = {relation.full_name for relation in relations}
    kept = {
        name: relation if name in names else replace(relation, sql="") for name, relation in catalog.relations.items()
    }
    return replace(catalog, relations=kept)


def _repeat_nights(connection: Connection, catalog: Catalog, size: Size) -> None:
    """The verdicts and forecasts of the last day, as if they had been made every night before."""
    nights = f"(SELECT CAST(unnest(range(1, {size.days})) AS INTEGER) AS back)"
    for relation in catalog.layer("gold"):
        if relation.sql or not relation.has_day:
            continue
        days = ", ".join(f"{c.name} - back AS {c.name}" for c in relation.columns if c.type == "DATE")
        shifted = ", ".join(f"{c.name} - to_days(back) AS {c.name}" for c in relation.columns if c.type == "TIMESTAMP")
        changed = ", ".join(part for part in (days, shifted) if part)
        connection.execute(
            f"INSERT INTO {LAKE}.{relation.full_name} SELECT * EXCLUDE (back)"
            f" FROM (SELECT r.* REPLACE ({changed}), back FROM {LAKE}.{relation.full_name} r CROSS JOIN {nights})"
            " ORDER BY ALL"
        )
    connection.execute(
        f"INSERT INTO {LAKE}.ops.detection SELECT d.* REPLACE (d.day - back AS day, d.first_day - back AS first_day)"
        f" FROM {LAKE}.ops.detection d, {nights}"
    )
