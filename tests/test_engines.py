"""`tapescope attach --engine`: other engines read the warehouse's own files and count, sum and answer the same."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.answers import parameters
from pipelines.catalog import sql_inspect
from pipelines.catalog.files import load_catalog, macros
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.warehouse.connection import LAKE, Warehouse
from support import REPO
from support.archive import copied, query

SPARK = Path(sys.prefix) / "spark" / "bin" / "python"
DAYS = {"first_day": "2010-03-09", "last_day": "2010-03-10"}
QUESTIONS = (
    "busy_hours", "drive_ledger", "duty_total", "gap_histogram", "lines_read", "movers_in_use", "overhead_and_speed",
    "rates_by_mover", "remount_cost", "seek_times", "streams_per_station", "unbalanced_stations",
)  # fmt: skip

COUNTS = {
    "deleted": "SELECT count(*) AS n, sum(bytes) AS n_bytes FROM silver.transfer",
    "renamed": "SELECT drive_name, count(*) AS n FROM silver.gap GROUP BY drive_name ORDER BY drive_name",
    "of folders": "SELECT day, count(*) AS n FROM silver.gap GROUP BY day ORDER BY day",
    "added": "SELECT count(*) AS n, count(note) AS n_notes FROM silver.session",
    "empty": "SELECT count(*) AS n FROM gold.queue_wait",
}


def program(site: Site, engine: str) -> str:
    done = CliRunner().invoke(cli, ["attach", "--engine", engine, "--site", str(site.root)])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def changed(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The sample archive with what a client must mind.

    Deleted rows, a renamed column, a new one, an empty table, and a file whose day is only in its folder's name.
    """
    site = copied(steps.site_at(archive), tmp_path_factory.mktemp("changed") / "site")
    with Warehouse(site).write("test") as connection:
        connection.execute(f"DELETE FROM {LAKE}.silver.transfer WHERE bytes % 3 = 0")
        folder = f"{Warehouse(site).data_path.rstrip('/')}/silver/gap"
        days = f"SELECT * FROM {LAKE}.silver.gap WHERE day = '2010-03-10' LIMIT 50"
        layout = "FORMAT parquet, PARTITION_BY (day), FILENAME_PATTERN 'added-{i}', OVERWRITE_OR_IGNORE, RETURN_STATS"
        added = connection.execute(f"COPY ({days}) TO '{folder}' ({layout})").fetchall()[0][0]
        connection.execute(
            f"CALL ducklake_add_data_files('{LAKE}', 'gap', ['{added}'], schema => 'silver', hive_partitioning => true)"
        )
        connection.execute(f"ALTER TABLE {LAKE}.silver.gap RENAME COLUMN drive TO drive_name")
        connection.execute(f"ALTER TABLE {LAKE}.silver.session ADD COLUMN note VARCHAR")
        connection.execute(f"INSERT INTO {LAKE}.silver.gap SELECT * FROM {LAKE}.silver.gap LIMIT 5")
        connection.execute(f"DELETE FROM {LAKE}.gold.queue_wait")
    return site


def test_polars_reads_every_relation(changed: Site) -> None:
    client: dict[str, Any] = {}
    exec(compile(program(changed, "polars"), "lake.py", "exec"), client)
    relations = client["RELATIONS"]
    with Warehouse(changed).read() as connection:
        for name in relations:
            expected = connection.execute(f"SELECT * FROM {LAKE}.{name} ORDER BY ALL").pl()
            found = client["scan"](name).collect()
            assert found.columns == expected.columns
            assert found.height == expected.height, name
            assert summed(found) == summed(expected), name
    assert sum(bool(deleted) for one in relations["silver.transfer"]["groups"] for _, deleted in one["files"])
    gaps = relations["silver.gap"]["groups"]
    assert {"drive": "drive_name"} in [group["renamed"] for group in gaps]
    assert ["day"] in [group["of_folders"] for group in gaps]


def summed(frame: pl.DataFrame) -> list[Any]:
    """Per column, how many values there are and what they hash to in sum, whatever the order of rows."""
    return [(name, frame[name].count(), frame[name].hash(seed=1).sum()) for name in frame.columns]


def test_spark_answers_questions_alike(changed: Site, archive: Path) -> None:
    if not SPARK.exists() or not shutil.which("java"):
        pytest.skip("no Spark here: make .venv/done-spark, and install Java 17")
    site, catalog, asked = steps.site_at(archive), load_catalog(), {}
    for name in QUESTIONS:
        question = catalog.asked[name]
        values = parameters.given(question, {key: day for key, day in DAYS.items() if key in question.params})
        asked[name] = sql_inspect.bind(question.sql, values)
    answers, found = on_spark((site, asked), (changed, COUNTS))
    for name in QUESTIONS:
        expected = steps.ask(site, name, {key: DAYS[key] for key in DAYS if key in catalog.asked[name].params})
        assert expected.rows, f"{name} compares nothing"
        rows = [tuple(row[column.name] for column in expected.columns) for row in answers[name]]
        assert rows == [tuple(map(alike, row)) for row in expected.rows], name
    for name, sql in COUNTS.items():
        assert [tuple(row.values()) for row in found[name]] == [tuple(map(alike, row)) for row in query(changed, sql)]


def on_spark(*jobs: tuple[Site, dict[str, str]]) -> list[dict[str, list[dict[str, Any]]]]:
    programs = [{"program": program(site, "spark"), "questions": asked} for site, asked in jobs]
    given = {"macros": macros(), "jobs": programs}
    done = subprocess.run(
        [SPARK, REPO / "tests" / "support" / "spark_runner.py"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def alike(value: Any) -> Any:
    """A value as JSON from Spark has it; floats may differ in the last digits, for sums have another order."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9, abs=1e-12)
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def test_trino_gets_the_reason_and_a_way(archive: Path) -> None:
    text = program(steps.site_at(archive), "trino")
    assert "no connector for DuckLake" in text and "tapescope export" in text and "connector.name=duckdb" in text
