"""Files read by processes that hold no lock and committed by one: the rows of an ingest, whatever is left or late."""

import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.config.site import Site
from pipelines.ingest import manifest, rows
from pipelines.warehouse import maintenance, manifests
from pipelines.warehouse.connection import Warehouse
from support.archive import bronze, differences, make_site, put, query, vmstat_text
from support.two_days import FIRST, SECOND, arrive

EVENING = datetime(2010, 3, 9, 20)


@pytest.fixture(autouse=True)
def low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files go every way: shared, put down, final."""
    monkeypatch.setattr(rows, "FINAL_ROWS", 100)
    monkeypatch.setattr(rows, "HELD_BYTES", 20_000)
    monkeypatch.setattr(manifest, "MOST_FILES", 3)


def read_apart(site: Site, n: int = 2) -> dict[str, Any]:
    """All shares, and the commit; its counts."""
    for number in range(n):
        steps.read_files(site, (number, n))
    return steps.commit(site).as_dict()


def staging(site: Site) -> Path:
    return Path(Warehouse(site).data_path) / "staging"


def grow(site: Site, n: int) -> None:
    put(site, "vmstat/dm8_long", vmstat_text(EVENING, n))
    put(site, "vmstat/dm8_copy", vmstat_text(EVENING, n))
    put(site, "vmstat/dm8_none", "no log at all\n" * 5)


def test_the_rows_of_an_ingest(tmp_path: Path) -> None:
    """Two days, a log that grows and its copy, one of no known kind; the lock is free while files are read."""
    apart, together = make_site(tmp_path / "apart"), make_site(tmp_path / "together")
    for n, day in ((300, FIRST), (900, SECOND)):
        for site in (apart, together):
            arrive(site, day)
            grow(site, n)
        with Warehouse(apart).write("test"):
            assert steps.read_files(apart, (0, 2))["manifests"]
        counts, expected = read_apart(apart), steps.ingest(together).as_dict()
        names = ("loaded", "unknown", "n_lines", "n_used", "n_skipped", "n_rejected", "n_records")
        assert {name: counts[name] for name in names} == {name: expected[name] for name in names}
        assert differences(bronze(together), bronze(apart)) == []
    assert steps.pending_files(apart).n_new == 0
    assert not list(staging(apart).glob("*")), "what was taken is removed"
    assert steps.build(apart).number == 1


def test_what_was_taken_before_is_not_taken_again(tmp_path: Path) -> None:
    """The writer was killed after its commit; a task was killed after it had left a manifest, and read once more."""
    site = make_site(tmp_path / "site")
    grow(site, 900)
    for _ in range(2):
        steps.read_files(site)
    kept = tmp_path / "kept"
    shutil.copytree(staging(site), kept)
    steps.commit(site)
    before = bronze(site)
    shutil.copytree(kept, staging(site), dirs_exist_ok=True)
    assert steps.commit(site).as_dict()["files"] == 0
    assert differences(before, bronze(site)) == []
    names = [path.name for path in staging(site).parent.rglob("day=*/staged-*.parquet")]
    with Warehouse(site).read() as connection:
        files = "__ducklake_metadata_lake.ducklake_data_file"
        known = {Path(path).name for (path,) in connection.execute(f"SELECT path FROM {files}").fetchall()}
    assert set(names) & known, "a final file of a table was removed with the manifest"
    assert query(site, "SELECT count(*) FROM bronze.host_sample")[0][0] == sum(
        n for (n,) in query(site, "SELECT n_records FROM ops.file WHERE source = 'vmstat'")
    )


def test_what_was_read_meanwhile_or_is_gone_is_left(tmp_path: Path) -> None:
    site = make_site(tmp_path / "site")
    known, grown, gone = (
        put(site, f"vmstat/dm8_{n}", vmstat_text(EVENING + timedelta(hours=n), 300 + n)) for n in range(3)
    )
    steps.read_files(site)
    grown.write_text(vmstat_text(EVENING + timedelta(hours=1), 500))
    steps.ingest(site, [known, grown])
    gone.rename(gone.with_name("h_later"))
    before = bronze(site)
    assert steps.commit(site).as_dict()["files"] == 0
    assert differences(before, bronze(site)) == []
    steps.ingest(site)
    of_each = "SELECT host, count(*) FROM bronze.host_sample GROUP BY file_id, host ORDER BY 2"
    assert query(site, of_each) == [("dm8", 299), ("h", 301), ("dm8", 499)]


@pytest.mark.parametrize("late", ["other origin", "too old"])
def test_what_is_late_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str) -> None:
    site = make_site(tmp_path / "site")
    put(site, "vmstat/dm8_long", vmstat_text(EVENING, 300))
    steps.read_files(site)
    if late == "other origin":
        text = (site.root / "site.toml").read_text()
        (site.root / "site.toml").write_text(text.replace("vmstat/{host}_*", "vmstat/{name}_*"))
        site = steps.site_at(site.root)
    if late == "too old":
        monkeypatch.setattr(manifests, "LEASE", timedelta(0))
    before = bronze(site)
    assert steps.commit(site).as_dict()["files"] == 0
    assert differences(before, bronze(site)) == []
    steps.ingest(site)
    assert query(site, "SELECT count(*) FROM bronze.host_sample") == [(299,)]


def test_maintain_leaves_what_may_yet_be_taken(tmp_path: Path) -> None:
    site = make_site(tmp_path / "site")
    put(site, "vmstat/dm8_long", vmstat_text(EVENING, 900))
    steps.read_files(site)
    assert manifests.LEASE.days < maintenance.FILE_DAYS
    in_time = time.time() - manifests.LEASE.total_seconds()
    files = [path for path in staging(site).parent.rglob("*.parquet") if "staged-" in str(path)]
    assert len(files) > 1
    for path in files:
        os.utime(path, (in_time, in_time))
    steps.maintain(site)
    assert all(path.exists() for path in files)
    assert steps.commit(site).as_dict()["n_records"] == 899
    steps.read_files(site)
    grow(site, 1000)
    steps.read_files(site)
    before = bronze(site)
    old = datetime.now(UTC).timestamp() - maintenance.FILE_DAYS * 86_400 - 60
    left = list(staging(site).rglob("*.parquet"))
    for path in left:
        os.utime(path, (old, old))
    assert left and steps.maintain(site).as_dict()["orphans_removed"] == len(left)
    assert not [path for path in left if path.exists()] and differences(before, bronze(site)) == []


def test_a_new_site_gets_its_warehouse(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "new"\n[[input]]\nglob = "logs/{host}_*"\n')
    site = steps.site_at(tmp_path)
    put(site, "dm8_1", vmstat_text(EVENING, 900))
    assert read_apart(site)["loaded"] == 1
    assert query(site, "SELECT count(*) FROM bronze.host_sample") == [(899,)]
