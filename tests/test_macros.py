"""The macros of our SQL: the site's days where clocks change, what the lake reads for them, and other clients."""

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.files import FOLDER, load_catalog, macros
from pipelines.config.site import Site
from pipelines.warehouse.connection import LAKE, Warehouse

CHICAGO = "'America/Chicago'"
# Clocks went from 2:00 to 3:00 on 2010-03-14, and from 2:00 back to 1:00 on 2010-11-07.
WORKED = {
    f"site_time(TIMESTAMP '2010-03-14 08:00', {CHICAGO})": datetime(2010, 3, 14, 3),
    f"site_day(TIMESTAMP '2010-03-14 05:59', {CHICAGO})": date(2010, 3, 13),
    f"site_day(TIMESTAMP '2010-03-14 06:00', {CHICAGO})": date(2010, 3, 14),
    f"day_begin(DATE '2010-03-14', {CHICAGO})": datetime(2010, 3, 14, 6),
    f"day_end(DATE '2010-03-14', {CHICAGO})": datetime(2010, 3, 15, 5),
    f"day_end(DATE '2010-11-07', {CHICAGO}) - day_begin(DATE '2010-11-07', {CHICAGO}) = INTERVAL 25 HOUR": True,
    f"site_days(TIMESTAMP '2010-03-14 05:00', TIMESTAMP '2010-03-15 05:00', {CHICAGO})": [
        date(2010, 3, 13),
        date(2010, 3, 14),
    ],
    "file_end(TIMESTAMP '2010-03-14 08:00', TIMESTAMP '2010-03-14 08:01')": datetime(2010, 3, 14, 8, 1),
    "file_end(TIMESTAMP '2010-03-14 08:00', TIMESTAMP '2010-03-14 08:00')": datetime(2010, 3, 14, 8, 0, 0, 1),
    "file_end(TIMESTAMP '2010-03-14 08:00', NULL)": datetime(2010, 3, 14, 8, 0, 0, 1),
    f"in_days(TIMESTAMP '2010-03-15 04:59', DATE '2010-03-14', DATE '2010-03-14', {CHICAGO})": True,
    f"in_days(TIMESTAMP '2010-03-15 05:00', DATE '2010-03-14', DATE '2010-03-14', {CHICAGO})": False,
    "near_days(DATE '2010-03-16', DATE '2010-03-14', DATE '2010-03-15')": True,
    "near_days(DATE '2010-03-17', DATE '2010-03-14', DATE '2010-03-15')": False,
    "span_near_days(TIMESTAMP '2010-03-01', TIMESTAMP '2010-03-12 23:00', DATE '2010-03-14', DATE '2010-03-15')": False,
    "span_near_days(TIMESTAMP '2010-03-01', TIMESTAMP '2010-03-13', DATE '2010-03-14', DATE '2010-03-15')": True,
}


@pytest.mark.parametrize("zone", ["", "America/Chicago", "Asia/Kolkata"])
@pytest.mark.parametrize("sql", WORKED)
def test_worked_examples(sql: str, zone: str) -> None:
    """They are the same, whichever zone the connection's site has."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET TimeZone = 'UTC'; {macros(zone)}")
        assert connection.execute(f"SELECT {sql}").fetchone() == (WORKED[sql],)


def test_the_lake_reads_only_files_near_the_days(tmp_path: Path) -> None:
    warehouse = Warehouse(Site(name="macros", root=tmp_path))
    with warehouse.write("test") as connection:
        connection.execute(f"CREATE TABLE {LAKE}.part (day DATE, from_at TIMESTAMP, to_at TIMESTAMP)")
        connection.execute(f"ALTER TABLE {LAKE}.part SET PARTITIONED BY (day)")
        connection.execute(
            f"INSERT INTO {LAKE}.part SELECT day, day, day + INTERVAL 1 HOUR"
            " FROM range(DATE '2010-06-01', DATE '2010-06-21', INTERVAL 1 DAY) t (day)"
        )
    near = {"near_days(day, $first_day, $last_day)", "span_near_days(from_at, to_at, $first_day, $last_day)"}
    days = {"first_day": date(2010, 6, 10), "last_day": date(2010, 6, 11)}
    with warehouse.read() as connection:
        for sql in near:
            found = connection.execute(f"EXPLAIN ANALYZE SELECT count(*) FROM part WHERE {sql}", days).fetchall()
            assert re.findall(r"Total Files Read: (\d+)", found[0][1]) == ["4"], sql


@pytest.mark.parametrize("way", ["attach", "export"])
def test_sql_of_questions_runs_in_other_clients(sample: Path, tmp_path: Path, way: str) -> None:
    site, question = steps.site_at(sample), load_catalog().questions["gap_cost"]
    days = {"first_day": date(2010, 3, 9), "last_day": date(2010, 3, 10)}
    params: dict[str, Any] = {name: param.get("default") for name, param in question.params.items()} | days
    expected = ask(site, load_catalog(), question.name, {name: str(day) for name, day in days.items()}).rows
    assert expected
    if way == "attach":
        connection = duckdb.connect(config={"allow_unsigned_extensions": False})
        connection.execute(steps.attach(site))
    else:
        steps.export(site, tmp_path / "copy.duckdb")
        connection = duckdb.connect(tmp_path / "copy.duckdb", read_only=True)
    with connection:
        assert connection.execute(question.sql, params).fetchall() == expected


def test_limits_are_the_rules() -> None:
    """No SQL names a limit that no rule has: it would compare with NULL."""
    rules = load_catalog().rules
    with duckdb.connect(":memory:") as connection:
        connection.execute(macros())
        row = connection.execute("SELECT rule_limit('long_gap', 'excess_s'), rule_limit('no', 'such')").fetchone()
    assert row == (rules["long_gap"].params["excess_s"], None)
    named = [
        (path.name, *names)
        for path in FOLDER.rglob("*.sql")
        for names in re.findall(r"rule_limit\('(\w+)', '(\w+)'\)", path.read_text())
    ]
    assert named
    assert not [(name, rule, param) for name, rule, param in named if param not in rules[rule].params]
