"""What a finding is worth: the gain of gold.lost_time, its cap and its interval, on rows of a warehouse."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import polars as pl
import pytest

from pipelines.analysis.findings.hit import Hit
from pipelines.analysis.findings.pricing import Gain, Pricing
from pipelines.catalog.files import load_catalog
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.tables import prepare_tables
from support.archive import ZONE, make_site

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = date(2010, 3, 10)
PERIOD = Period(DAY, DAY, ZONE)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """MA5's stream: 1 GB files at 75 MB/s, gaps of 10 s that could be 2 s, and inputs that supply 57.4 MB/s."""
    site = make_site(tmp_path_factory.mktemp("pricing"))
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        connection.execute(f"USE {LAKE}")
        stream = {"rate_mb_s": 42.86, "fixed_mb_s": 65.22, "supply_mb_s": 57.4, "busy_hours": 24.0, "station": "s"}
        # (65.22 - 42.86) x 86.4 = 1932 GB/day; capped (57.4 - 42.86) x 86.4 = 1256 GB/day
        gap = stream | {"naive_gb_day": 1931.9, "gain_gb_day": 1256.3, "bottleneck": "input"}
        rows: list[dict[str, Any]] = [
            gap | {"drive": "D1", "cause": "long_gap"},
            stream | {"drive": "D1", "cause": "idle_no_work"},
            gap
            | {"drive": "D2", "cause": "long_gap", "naive_gb_day": 100.0, "gain_gb_day": 100.0, "bottleneck": "drive"},
        ]
        for row in rows:
            names, marks = ", ".join(["day", *row]), ", ".join("?" * (len(row) + 1))
            connection.execute(f"INSERT INTO {LAKE}.gold.lost_time ({names}) VALUES ({marks})", [DAY, *row.values()])
        yield connection


def price(connection: Connection, rule: str, period: Period = PERIOD, **fields: Any) -> Gain:
    """Of a hit on the drive and station given."""
    entity = {"station": "s", "drive": "D1"} | {k: fields.pop(k) for k in ("station", "drive") if k in fields}
    hit = Hit("e", datetime(2010, 3, 10), datetime(2010, 3, 11), 1.0, {}, rows=pl.DataFrame([entity]), **fields)
    return Pricing(connection).gain(load_catalog().rules[rule], hit, period)


def test_a_gain_is_capped_by_the_next_bottleneck(connection: Connection) -> None:
    assert price(connection, "long_gap", lost_s=3600.0) == Gain(1256.3, None, None, "input")


def test_a_cap_binds_the_interval_too(connection: Connection) -> None:
    """Lost 3600 s, 1800 to 5400 on days like it: 1931.9 / 2 = 965.95, and half as much again is capped."""
    found = price(connection, "long_gap", lost_s=3600.0, lost_interval=(1800.0, 5400.0))
    assert (found.least, found.most) == (pytest.approx(965.95), 1256.3)
    free = price(connection, "long_gap", drive="D2", lost_s=3600.0, lost_interval=(1800.0, 5400.0))
    assert (free.gb_day, free.least, free.most) == (100.0, pytest.approx(50.0), pytest.approx(150.0))


def test_a_gain_is_per_day_of_what_it_is_priced_for(connection: Connection) -> None:
    week = Period(date(2010, 3, 4), DAY, ZONE)
    assert price(connection, "long_gap", week).gb_day == pytest.approx(1256.3 / 7)
    assert price(connection, "long_gap", week, n_days=1).gb_day == 1256.3


def test_a_gain_is_per_day_that_has_logs(connection: Connection) -> None:
    """Of the week three days have logs of drives, one of them of one drive only: 1256.3 / 3. The first hour of a log on
    the evening before, and a rule on other logs, change nothing."""
    week = Period(date(2010, 3, 4), DAY, ZONE)
    covered = [
        (date(2010, 3, 7), "D1", 1),
        *((day, "D1", 24) for day in (date(2010, 3, 8), DAY)),
        (date(2010, 3, 9), "D1", 0),
        (date(2010, 3, 9), "D2", 24),
    ]
    connection.execute("BEGIN TRANSACTION")
    try:
        for day, drive, hours in covered:
            connection.execute(
                f"INSERT INTO {LAKE}.gold.drive_day (day, drive, covered_us, day_us) VALUES (?, ?, ?, 86400000000)",
                [day, drive, hours * 3_600_000_000],
            )
        found, other = (price(connection, rule, week, lost_s=3600.0) for rule in ("long_gap", "duty_low"))
    finally:
        connection.execute("ROLLBACK")
    assert found.gb_day == pytest.approx(1256.3 / 3)
    assert other.gb_day == 0.0


def test_hours_come_back_at_the_drives_overall_rate(connection: Connection) -> None:
    """1000 s x 42.86 MB/s = 42.86 GB; the room is (57.4 - 42.86) x 24 h x 3.6 = 1256.3 GB, and caps what is more."""
    assert price(connection, "mount_failures", lost_s=1000.0) == Gain(pytest.approx(42.86), None, None, "input")
    assert price(connection, "mount_failures", lost_s=50_000.0).gb_day == pytest.approx(1256.256)


def test_an_idle_station_gains_nothing_while_no_work_waits(connection: Connection) -> None:
    assert price(connection, "duty_low", lost_s=3600.0).gb_day == 0.0
    before = Period(date(2010, 3, 9), date(2010, 3, 9), ZONE)
    assert price(connection, "duty_low", before, lost_s=3600.0) == Gain(), "no log tells of that day"


def test_nothing_is_gained_where_nothing_waited(connection: Connection) -> None:
    """Hours of failures come back as work only while requests waited: 4 GB of 42.86."""
    connection.execute("BEGIN TRANSACTION")
    try:
        connection.execute(f"UPDATE {LAKE}.gold.lost_time SET asked_gb = 4.0 WHERE drive = 'D1'")
        found = price(connection, "mount_failures", lost_s=1000.0)
    finally:
        connection.execute("ROLLBACK")
    assert found == Gain(4.0, None, None, "work")


def test_a_cap_that_leaves_nothing_is_a_gain_of_nothing(connection: Connection) -> None:
    connection.execute("BEGIN TRANSACTION")
    try:
        connection.execute(f"UPDATE {LAKE}.gold.lost_time SET gain_gb_day = 0.0 WHERE drive = 'D1'")
        found = price(connection, "long_gap", lost_s=3600.0, lost_interval=(1800.0, 5400.0))
    finally:
        connection.execute("ROLLBACK")
    assert found == Gain(0.0, 0.0, 0.0, "input")


def test_what_lost_time_does_not_know_has_no_gain(connection: Connection) -> None:
    assert price(connection, "long_gap", drive="D9", lost_s=3600.0) == Gain()
    assert price(connection, "source_silent", lost_s=3600.0) == Gain(), "the rule names no cause"


def test_what_is_lost_refers_to_what_can_be_gained() -> None:
    """Two figures of one cause on two pages: wherever the larger is shown, its doc states what remains of it."""
    catalog = load_catalog()
    columns = [
        (owner.name, column)
        for owner in (*catalog.relations.values(), *catalog.asked.values())
        for column in owner.columns
        if column.name == "lost_gb_day"
    ]
    assert len(columns) >= 4
    for name, column in columns:
        is_unlimited = "if nothing else limited" in column.doc or "without other limits" in column.doc
        assert is_unlimited and "gain_gb_day" in column.doc, name
