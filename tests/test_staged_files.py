"""Files that any process writes and the writer registers: rows, pruning, deletes, roll-backs, upkeep, moved lakes."""

import os
import shutil
import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.sources._shared.contract import complete
from pipelines.warehouse import maintenance, staged_files
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.staged_files import Place, Stage
from support.archive import make_site

RELATIONS = load_catalog().relations
DAILY, MONTHLY = RELATIONS["bronze.host_sample"], RELATIONS["bronze.link_sample"]
ONE, TWO = date(2010, 3, 9), date(2010, 4, 1)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path / "site")


@pytest.fixture
def writer(site: Site) -> Iterator[Connection]:
    with Warehouse(site).write("test") as connection:
        yield connection


def stage_of(site: Site, connection: Connection) -> Stage:
    return Stage(Place.of(connection, Warehouse(site).data_path))


def samples(n: int, day: date, file_id: str = "f") -> pl.DataFrame:
    rows = pl.DataFrame(
        {
            "line_no": range(n),
            "host": ["node7"] * n,
            "from_at": [datetime(day.year, day.month, day.day)] * n,
            "to_at": [datetime(day.year, day.month, day.day, 1)] * n,
        }
    )
    return complete(rows, "host_sample").with_columns(file_id=pl.lit(file_id))


def count(connection: Connection, where: str = "true", table: str = "host_sample") -> int:
    row = connection.execute(f"SELECT count(*) FROM {LAKE}.bronze.{table} WHERE {where}").fetchone()
    return int(row[0]) if row else 0


def test_frames_become_rows_of_their_day(site: Site, writer: Connection) -> None:
    stage = stage_of(site, writer)
    files = [stage.write_frame(DAILY, samples(50, day), day) for day in (ONE, TWO)]
    assert count(writer) == 0
    with transaction(writer):
        staged_files.register(writer, RELATIONS, files)
        assert count(writer, f"day = '{TWO}'") == 50, "the transaction's own checks find them"
        writer.execute(f"DELETE FROM {LAKE}.bronze.host_sample WHERE line_no < 10 AND day = '{ONE}'")
    assert (count(writer, f"day = '{ONE}'"), count(writer, f"day = '{TWO}'")) == (40, 50)
    read = writer.execute(
        f"EXPLAIN ANALYZE SELECT count(*) FROM {LAKE}.bronze.host_sample WHERE day = '{TWO}' AND line_no > 1"
    ).fetchall()
    assert "Total Files Read: 1" in read[0][1], "a day's question reads the files of the other day"


def test_a_select_becomes_a_file_a_day(site: Site, writer: Connection) -> None:
    """Types are the contract's; days may be absent; of relations by month the rows are inserted, by their month."""
    stage = stage_of(site, writer)
    columns = ", ".join(
        {"line_no": "range AS line_no", "host": "'h' AS host"}.get(name, f"NULL AS {name}")
        for name in DAILY.column_names
        if name != "day"
    )
    daily = f"SELECT CASE WHEN range < 5 THEN NULL ELSE DATE '{ONE}' + (range % 2)::INT END AS day, {columns}"
    files = stage.write_select(writer, DAILY, f"{daily} FROM range(25)")
    assert sorted((file.n_rows, str(file.day)) for file in files) == [
        (5, "None"),
        (10, "2010-03-09"),
        (10, "2010-03-10"),
    ]
    columns = ", ".join(f"NULL AS {name}" for name in MONTHLY.column_names if name != "day")
    monthly = stage.write_select(
        writer, MONTHLY, f"SELECT DATE '{ONE}' + 400 * range::INT AS day, {columns} FROM range(2)"
    )
    assert [file.is_final for file in monthly] == [False]
    assert stage.write_select(writer, DAILY, f"{daily} FROM range(0)") == []
    with transaction(writer):
        staged_files.register(writer, RELATIONS, [*files, *monthly])
    assert (count(writer), count(writer, "day IS NULL"), count(writer, f"day = '{ONE}'")) == (25, 5, 10)
    assert count(writer, "day >= '2011-01-01'", "link_sample") == 1
    staged_files.remove(monthly)
    assert not Path(monthly[0].path).exists()


def test_a_roll_back_leaves_orphans_that_maintain_removes_by_their_age(site: Site, writer: Connection) -> None:
    stage = stage_of(site, writer)
    rows = samples(50, ONE)
    kept = stage.write_frame(DAILY, rows, ONE)
    with transaction(writer):
        staged_files.register(writer, RELATIONS, [kept])
    lost, of_a_live_worker = (stage.write_frame(DAILY, rows, ONE) for _ in range(2))
    rest = f"{stage.folder}/rest.parquet"
    staged_files.write_parquet(rows, rest)
    with pytest.raises(ZeroDivisionError), transaction(writer):
        staged_files.register(writer, RELATIONS, [lost])
        raise ZeroDivisionError
    old = time.time() - maintenance.FILE_DAYS * 86_400 - 60
    for path in (kept.path, lost.path, rest):
        os.utime(path, (old, old))
    assert maintenance.remove_unused(writer, 30).orphans_removed == 2
    assert [Path(path).exists() for path in (kept.path, lost.path, rest)] == [True, False, False]
    assert Path(of_a_live_worker.path).exists()
    with transaction(writer):
        staged_files.register(writer, RELATIONS, [of_a_live_worker])
    assert count(writer) == 100


def test_files_of_many_writers_are_merged_and_move_with_the_lake(site: Site, tmp_path: Path) -> None:
    with Warehouse(site).write("test") as connection:
        before = maintenance.n_files(connection)
        for n in range(4):
            files = [
                stage_of(site, connection).write_frame(DAILY, samples(50, day, f"f{n}"), day) for day in (ONE, TWO)
            ]
            with transaction(connection):
                staged_files.register(connection, RELATIONS, files)
        assert maintenance.n_files(connection) - before == 8
        assert maintenance.merge(connection) - before == 2
        assert count(connection, f"day = '{ONE}'") == 200
    moved = tmp_path / "moved"
    shutil.move(site.root, moved)
    with Warehouse(site.model_copy(update={"root": moved})).read() as connection:
        assert connection.execute(
            "SELECT file_id, count(*) FROM bronze.host_sample GROUP BY 1 ORDER BY 1"
        ).fetchall() == [(f"f{n}", 100) for n in range(4)]


def test_a_renamed_table_keeps_its_folder(site: Site, writer: Connection) -> None:
    writer.execute(f"CREATE TABLE {LAKE}.bronze.before (n INTEGER, day DATE)")
    writer.execute(f"ALTER TABLE {LAKE}.bronze.before RENAME TO renamed")
    assert Place.of(writer, Warehouse(site).data_path).folders["bronze.renamed"] == "bronze/before/"
