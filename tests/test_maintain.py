"""What `maintain` drops, keeps and gives back: facts by the archive's own days, snapshots and files by the clock.

One archive of a season: a morning 80 days before the last day, one 50 and one 20 days before it, and three days with a
mount over the border of what is kept. Of gold three days are kept, of silver 32 days more, of bronze 64.
"""

import os
import sqlite3
import sys
import time
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipelines import cli, steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse import retention
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.engine import transaction
from support.archive import SITE, Rows, Story, all_rows, differences, make_site, morning, put, query
from support.processes import run

LAST = date(2010, 6, 20)
DAYS_BEFORE = (80, 50, 20)
KEPT_DAYS = 3
FIRST_KEPT = date(2010, 6, 18)
KEEP = SITE.replace('name = "case"', f'name = "case"\nretention_days = {KEPT_DAYS}\nsnapshot_retention_days = 7')
N_KILLS = 3


def season() -> dict[date, str]:
    texts: dict[date, str] = {}
    for before in DAYS_BEFORE:
        texts |= morning(LAST - timedelta(days=before)).days()
    story = Story()
    for n in range(4):
        at = datetime(2010, 6, 17 + n, 6)
        story.heartbeat(at, at + timedelta(days=1), 900)
        story.session("DRV_1", f"VA{n}", at + timedelta(hours=3), 2)
        story.session("DRV_2", f"VB{n}", at + timedelta(hours=22, minutes=58), 3, file_s=60)  # over local midnight
    story.down("DRV_3", datetime(2010, 6, 17, 20), datetime(2010, 6, 18, 20))
    texts |= {day: text for day, text in story.days().items() if day <= LAST}
    # a wrong clock: were this the last day with data, all would be too old
    return texts | {date(2011, 3, 1): "08:00:00 srv03.example.org 006201 root I INQSRV  updated server status page\n"}


SEASON = season()


def facts(rows: Rows, layer: str, begin: date) -> Rows:
    """Rows of a layer's relations with days, from a day on."""
    found: Rows = {}
    for relation in load_catalog().layer(layer):
        if relation.sql and relation.has_day:
            names = [name for name in relation.column_names if name not in relation.lineage]
            place = names.index("day")
            young = {row: n for row, n in rows[relation.full_name].items() if row[place] >= begin}
            found[relation.full_name] = Counter(young)
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Rows]:
    """The season, read day by day; and its rows before anything was dropped."""
    site = make_site(tmp_path_factory.mktemp("season"), KEEP)
    for day, text in SEASON.items():
        put(site, f"enstore/LOG-{day}", text)
        steps.ingest(site)
    steps.build(site)
    steps.detect(site, LAST - timedelta(days=20), LAST - timedelta(days=20))
    return site, all_rows(site)


@pytest.fixture(scope="module")
def kept(built: tuple[Site, Rows]) -> tuple[Site, Rows, dict[str, Any], dict[str, Any]]:
    """The same after `maintain`, with what a dry run reported before and what `maintain` itself reported."""
    site, before = built
    snapshot = newest(site)
    planned = steps.maintain(site, dry_run=True).as_dict()
    assert newest(site) == snapshot, "a dry run writes nothing"
    return site, before, planned, steps.maintain(site).as_dict()


def test_each_floor_is_kept_a_month_longer_than_the_one_above(kept: Any) -> None:
    site, before, dry, done = kept
    assert done["kept_from"] == dry["kept_from"] == str(FIRST_KEPT)
    for name in ("gold_days_dropped", "silver_days_dropped", "bronze_days_dropped", "rows_dropped", "files_before"):
        assert done[name] == dry[name], name
    assert done["rows_dropped"] > 0
    assert done["files_after"] < done["files_before"]
    # a season ago everything went, seven weeks ago only bronze stayed, three weeks ago silver too
    kept_from = {"gold": FIRST_KEPT, "silver": date(2010, 5, 17), "bronze": date(2010, 4, 15)}
    assert kept_from["silver"] == FIRST_KEPT - retention.MARGIN
    bronze = {day for (day,) in query(site, "SELECT DISTINCT day FROM bronze.enstore_log_mover")}
    silver = {day for (day,) in query(site, "SELECT DISTINCT day FROM silver.transfer")}
    gold = {day for (day,) in query(site, "SELECT DISTINCT day FROM gold.tape_traffic")}
    assert [min(days) for days in (bronze, silver, gold)] == [
        LAST - timedelta(days=50),
        LAST - timedelta(days=20),
        FIRST_KEPT,
    ]
    rows = all_rows(site)
    for layer in ("gold", "silver"):
        assert differences(facts(before, layer, kept_from[layer]), facts(rows, layer, date.min)) == []


def test_findings_and_files_are_kept(kept: Any) -> None:
    site = kept[0]
    old = LAST - timedelta(days=20)
    assert query(site, f"SELECT count(*) > 0 FROM gold.finding WHERE day = DATE '{old}'") == [(True,)]
    assert query(site, "SELECT count(*) FROM ops.file WHERE state = 'loaded'") == [(len(SEASON),)]
    assert query(site, "SELECT first_day, last_day FROM ops.retention") == [(FIRST_KEPT, LAST)]


def test_no_full_build_and_no_log_read_again_brings_anything_back_or_takes_more(kept: Any) -> None:
    site = kept[0]
    rows = all_rows(site)
    read = steps.ingest(site).as_dict()
    assert (read["loaded"], read["unchanged"]) == (0, len(SEASON))
    # an old log comes back with another name in it: all of it is read, and nothing of it is young enough
    oldest = LAST - timedelta(days=80)
    put(site, f"enstore/LOG-{oldest}", SEASON[oldest].replace("VOL003", "VOL033"))
    assert steps.ingest(site).as_dict()["loaded"] == 1
    assert query(site, "SELECT count(*) FROM ops.dirty_day") == [(0,)]
    assert query(site, f"SELECT * FROM bronze.enstore_log_mover WHERE day <= DATE '{oldest}'") == []
    assert steps.build(site).days == []
    steps.build(site, full=True)
    assert differences(rows, all_rows(site)) == []


# --- snapshots and files ---------------------------------------------------------------------------------------


def stir(site: Site) -> None:
    """Some commits that leave small files and say nothing."""
    with Warehouse(site).write("test") as connection:
        for _ in range(4):
            connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day VALUES ('none', NULL)")
        connection.execute(f"DELETE FROM {LAKE}.ops.dirty_day WHERE relation = 'none'")
        for _ in range(4):
            connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day VALUES ('none', NULL)")


def newest(site: Site) -> Any:
    return query(site, f"SELECT max(snapshot_id) FROM ducklake_snapshots('{LAKE}')")[0][0]


def age(site: Site, days: int) -> None:
    """All clocks of the lake's past, set back by some days; and a file that a killed writer left."""
    past = {"ducklake_snapshot": "snapshot_time", "ducklake_files_scheduled_for_deletion": "schedule_start"}
    with sqlite3.connect(Warehouse(site).catalogue_file) as catalogue:
        for table, column in past.items():
            # fractions of a second have as many digits as they need, so they stay as they are
            shifted = f"strftime('%Y-%m-%d %H:%M:%S', substr({column}, 1, 19), '-{days} days') || substr({column}, 20)"
            catalogue.execute(f"UPDATE {table} SET {column} = {shifted}")
    catalogue.close()


def orphan(site: Site, name: str, days: int) -> Path:
    path = Path(Warehouse(site).data_path) / "silver" / "transfer" / name
    path.write_bytes(b"half a file")
    then = time.time() - days * 86_400
    os.utime(path, (then, then))
    return path


def test_old_snapshots_and_files_go_and_a_reader_in_a_transaction_sees_no_change(kept: Any) -> None:
    site, old_snapshot = kept[0], newest(kept[0])
    age(site, 10)
    stir(site)
    young_snapshot = newest(site)
    old, new = orphan(site, "ducklake-old.parquet", 3), orphan(site, "ducklake-new.parquet", 1)
    counted = "SELECT count(*), sum(bytes), (SELECT count(*) FROM gold.drive_ledger) FROM silver.transfer"
    before, on_disk = all_rows(site), sizes_on_disk(site)
    with Warehouse(site).read() as reader, transaction(reader):
        first = reader.execute(counted).fetchone()
        would = steps.maintain(site, dry_run=True).as_dict()
        assert old.exists() and sizes_on_disk(site) == on_disk
        done = steps.maintain(site).as_dict()
        assert reader.execute(counted).fetchone() == first
    assert done == would | {"dry_run": False, "files_after": done["files_after"]}
    assert done["snapshots_expired"] > 0 and done["orphans_removed"] == 1
    assert not old.exists() and new.exists(), "a file that a writer may be at is left alone"
    with Warehouse(site).read(young_snapshot) as connection:
        assert connection.execute(counted).fetchone() == first, "it can still be asked"
    with pytest.raises(Exception, match="snapshot"), Warehouse(site).read(old_snapshot) as connection:
        connection.execute(counted)
    assert differences(before, all_rows(site)) == []
    age(site, 3)
    held = sizes_on_disk(site)
    later = steps.maintain(site).as_dict()
    gone = held.keys() - sizes_on_disk(site).keys()
    assert later["files_removed"] == len(gone) > 0, "two days after nobody needed them"
    assert later["bytes_given_back"] == sum(held[path] for path in gone)
    again = steps.maintain(site).as_dict()
    nothing = ("rows_dropped", "snapshots_expired", "files_removed", "orphans_removed", "bytes_given_back")
    assert {name: again[name] for name in nothing} == dict.fromkeys(nothing, 0), "twice does nothing more"
    assert again["files_before"] - again["files_after"] == 1, "the note of the last run is merged with those before"
    assert differences(before, all_rows(site)) == []


def sizes_on_disk(site: Site) -> dict[Path, int]:
    return {path: path.stat().st_size for path in Path(Warehouse(site).data_path).rglob("*.parquet")}


def test_killed_at_any_moment_it_loses_nothing(kept: Any) -> None:
    site = kept[0]
    rows = all_rows(site)
    stir(site)
    lasted, random = run(site, "maintain"), Random(1)
    for n in range(N_KILLS):
        age(site, 10)
        stir(site)
        orphan(site, "ducklake-left.parquet", 3)
        run(site, "maintain", kill_after_s=lasted * (n + random.random()) / N_KILLS)
        assert differences(rows, all_rows(site)) == []
    done = steps.maintain(site).as_dict()
    assert done["rows_dropped"] == 0 and done["files_after"] <= done["files_before"]
    assert differences(rows, all_rows(site)) == []


def test_it_says_what_it_did(kept: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    site = kept[0]
    monkeypatch.setattr(sys, "argv", ["tapescope", "maintain", "--dry-run", "--site", str(site.root)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("No rows are old enough to drop.\n")


def test_a_dry_run_needs_no_lock(kept: Any) -> None:
    with Warehouse(kept[0]).write("test"):
        assert steps.maintain(kept[0], dry_run=True).dry_run


def test_nothing_is_dropped_before_the_build_that_a_changed_site_asks_for(kept: Any) -> None:
    site = kept[0]
    text = KEEP.replace(f"retention_days = {KEPT_DAYS}", "retention_days = 1", 1)
    done = steps.maintain(make_site(site.root, text), dry_run=True).as_dict()
    assert (done["kept_from"], done["waits_for_build"]) == (str(LAST), False)
    done = steps.maintain(make_site(site.root, text.replace("DRV_1", "DRV_9"))).as_dict()
    assert (done["kept_from"], done["waits_for_build"]) == (str(FIRST_KEPT), True)
