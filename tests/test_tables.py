"""The lake's own catalogue: what readers find in it about tables, and that a warehouse can be moved."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from pipelines.build import site_tables
from pipelines.build.present import Present
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Drive, Site, Station
from pipelines.warehouse import maintenance
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.tables import prepare_tables, row_counts

TAGS = "SELECT count(*) FROM (SELECT object_id FROM ducklake_tag UNION ALL SELECT table_id FROM ducklake_column_tag)"
EMPTY = "SELECT count(*) FROM ducklake_table_stats WHERE record_count = 0"


def test_tables_and_columns_are_commented_once(tmp_path: Path) -> None:
    catalog = load_catalog()
    warehouse = Warehouse(Site(name="tables", root=tmp_path))
    for _ in range(2):
        with warehouse.write("test") as connection:
            prepare_tables(connection, catalog)
    with warehouse.read() as connection:
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name, comment FROM duckdb_tables()"
            f" WHERE database_name = '{LAKE}' AND schema_name <> 'main'"
        ).fetchall()
        columns = connection.execute(
            "SELECT schema_name || '.' || table_name, column_name, comment FROM duckdb_columns()"
            f" WHERE database_name = '{LAKE}' AND schema_name <> 'main'"
        ).fetchall()
    relations = catalog.relations.values()
    assert dict(tables) == {relation.full_name: f"{relation.title}: {relation.grain}" for relation in relations}
    assert {(table, name): comment for table, name, comment in columns} == {
        (relation.full_name, column.name): f"{column.doc} [{column.unit}]" if column.unit else column.doc
        for relation in relations
        for column in relation.columns
    }
    with sqlite3.connect(warehouse.catalogue_file) as catalogue:
        assert catalogue.execute(TAGS).fetchone() == (len(tables) + len(columns),)
        n_constants = sum(relation.is_constant for relation in relations)  # these have rows from the beginning
        assert catalogue.execute(EMPTY).fetchone() == (len(tables) - n_constants,) and n_constants
    catalogue.close()


def test_a_moved_warehouse_is_read_and_written(tmp_path: Path) -> None:
    insert = f"INSERT INTO {LAKE}.ops.detection (day, n_findings) VALUES (DATE '2010-03-10', 1)"
    with Warehouse(Site(name="here", root=tmp_path / "here")).write("test") as connection:
        prepare_tables(connection, load_catalog())
        connection.execute(insert)
    (tmp_path / "here").rename(tmp_path / "there")
    moved = Warehouse(Site(name="there", root=tmp_path / "there"))
    with moved.write("test") as connection:
        connection.execute(insert)
    with moved.read() as connection:
        assert connection.execute("SELECT count(*) FROM ops.detection").fetchone() == (2,)
    assert not (tmp_path / "here").exists()


def test_only_a_build_empties_what_it_fills(tmp_path: Path) -> None:
    """After an upgrade other steps leave the last build's rows to readers, although their contract changed."""
    catalog, table = load_catalog(), f"{LAKE}.gold.drive_ledger"
    with Warehouse(Site(name="old", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, catalog)
        connection.execute(f"ALTER TABLE {table} ADD COLUMN was_here_once INTEGER")
        connection.execute(f"INSERT INTO {table} (drive) VALUES ('D1')")
        assert prepare_tables(connection, catalog) == []
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
        assert prepare_tables(connection, catalog, will_build=True) == ["gold.drive_ledger"]
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_rows_are_counted_whatever_was_deleted_before(tmp_path: Path) -> None:
    """A build takes a table for empty by this count; the list of a data file's deleted rows outlives that file."""
    table = f"{LAKE}.silver.log_coverage"
    with Warehouse(Site(name="counts", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, load_catalog())
        for host in ("one", "other"):
            connection.execute(f"INSERT INTO {table} (host, day) SELECT '{host}', DATE '2010-03-09' FROM range(3)")
        connection.execute(f"INSERT INTO {table} (host, day) SELECT 'h' || n, DATE '2010-03-10' FROM range(4) t(n)")
        connection.execute(f"DELETE FROM {table} WHERE host IN ('h0', 'h1', 'h2')")
        assert row_counts(connection)["silver.log_coverage"] == 3 + 3 + 1
        with_list = maintenance.n_files(connection)
        connection.execute(f"DELETE FROM {table} WHERE host = 'h3'")
        assert row_counts(connection)["silver.log_coverage"] == 3 + 3
        assert maintenance.n_files(connection) == with_list - 2, "the data file and the list of its deleted rows"


def test_renamed_tables_and_columns_keep_their_rows(tmp_path: Path) -> None:
    """In tables that people fill, in those that a build fills, and in those that only logs can fill again."""
    catalog = load_catalog()
    renames = {"ops.finding_mark": "finding_id", "gold.drive_ledger": "drive", "bronze.enstore_log_mover": "line_no"}
    later = dict(catalog.relations)
    for name, column in renames.items():
        old = later.pop(name)
        columns = tuple(
            replace(item, name="renamed", was=("long_ago", column)) if item.name == column else item
            for item in old.columns
        )
        later[f"{old.layer}.{old.name}_now"] = replace(old, name=f"{old.name}_now", was=(old.name,), columns=columns)
    with Warehouse(Site(name="old", root=tmp_path)).write("test") as connection:
        prepare_tables(connection, catalog)
        for name, column in renames.items():
            connection.execute(f"INSERT INTO {LAKE}.{name} ({column}) VALUES ('7')")
        for _ in range(2):
            assert prepare_tables(connection, replace(catalog, relations=later), will_build=True) == []
            for name in renames:
                found = connection.execute(f"SELECT renamed::VARCHAR FROM {LAKE}.{name}_now").fetchall()
                assert found == [("7",)], name
        left = connection.execute(f"SELECT table_name FROM duckdb_tables() WHERE database_name = '{LAKE}'").fetchall()
    assert not {name.partition(".")[2] for name in renames} & {name for (name,) in left}


def test_what_site_toml_lists_by_the_thousand_is_written_at_once(tmp_path: Path) -> None:
    """Each statement writes a file of the lake and costs milliseconds."""
    names = [f"S{n}" for n in range(700)]
    site = Site(name="tables", root=tmp_path, station=tuple(Station(name=name) for name in names))
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        assert "site.station" in site_tables.sync(connection, site, Present(connection))
        assert connection.execute(f"SELECT station FROM {LAKE}.site.station ORDER BY ALL").fetchall() == [
            (name,) for name in sorted(names)
        ]
        n_files = connection.execute(
            f"SELECT file_count FROM ducklake_table_info('{LAKE}') WHERE table_name = 'station'"
        ).fetchone()
        assert n_files == (2,)
        assert site_tables.sync(connection, site, Present(connection)) == set()


def test_the_mover_of_a_renamed_drive_is_named_like_its_log(tmp_path: Path) -> None:
    """Clients name the mover, not the drive: under another name each file of theirs would count twice."""
    drives = (Drive(name="hall3", logname="DRV_3MV"), Drive(name="DRV_1"), Drive(name="hall4", mover="M4.mover"))
    site = Site(name="tables", root=tmp_path, drive=drives)
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        site_tables.sync(connection, site, Present(connection))
        found = connection.execute(f"SELECT drive, mover FROM {LAKE}.site.drive ORDER BY ALL").fetchall()
    assert found == [("DRV_1", "DRV_1.mover"), ("hall3", "DRV_3.mover"), ("hall4", "M4.mover")]
