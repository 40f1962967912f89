"""TSM's table SUMMARY, real and made, against the figures that come with the captures."""

import shutil
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site
from pipelines.sources import tsm_summary
from support.archive import query

DRIVES = {
    "DRIVERT1": (31, 35.59),
    "DRIVERT2": (31, 1.77),
    "DRIVERT3": (30, 47.17),
    "DRIVERT4": (31, 6.04),
    "DRIVERT5": (30, 12.80),
    "DRIVERT7": (29, 2.36),
}


def read(folder: Path, table: Path) -> Site:
    shutil.copy(table, folder / "summary.csv")
    (folder / "site.toml").write_text('name = "tsm"\n[[input]]\nglob = "*.csv"\n')
    site = steps.site_at(folder)
    steps.ingest(site)
    steps.build(site)
    assert query(site, "SELECT count(*) FROM ops.reject") == [(0,)]
    return site


def test_a_month_of_a_real_server(realdata: Path, tmp_path: Path) -> None:
    """Mounts and hours of six drives; every one of them among the backups of a database."""
    site = read(tmp_path, realdata / "tsm" / "summary.csv")
    period = {"first_day": "2021-10-17", "last_day": "2021-11-17"}
    rows = {row["drive"]: row for row in steps.ask(site, "listed_drives", period).as_dicts()}
    assert {drive: row["n_mounts"] for drive, row in rows.items()} == {name: n for name, (n, _) in DRIVES.items()}
    for name, (_, hours) in DRIVES.items():
        assert rows[name]["mounted_hours"] == pytest.approx(hours, abs=0.005)
    assert query(site, "SELECT count(DISTINCT volume) FROM silver.tsm_mount") == [(81,)]
    backups = [row for row in steps.ask(site, "tsm_sessions", period).as_dicts() if row["activity"] == "FULL_DBBACKUP"]
    assert sum(row["n_sessions"] for row in backups) == 31


def test_a_night_that_was_made(realdata: Path, tmp_path: Path) -> None:
    site = read(tmp_path, realdata / "tsm-synthetic" / "summary.csv")
    made = "SELECT drive, count(*), round(sum(mounted_s) / 3600, 3) FROM silver.tsm_mount GROUP BY drive ORDER BY drive"
    assert query(site, made) == [("DRIVE01", 7, 2.801), ("DRIVE02", 6, 2.12), ("DRIVE03", 3, 3.026)]
    assert query(site, "SELECT count(*), sum(bytes) FROM silver.tsm_session") == [(16, 6_004_000_000_000)]


@pytest.mark.parametrize("name", ["osc-tape-mount-rows.csv", "osc-activity-rows.csv", "osc-drives.csv"])
def test_a_choice_of_columns_is_not_claimed(realdata: Path, name: str) -> None:
    claim = tsm_summary.recognise((realdata / "tsm" / name).read_text().splitlines())
    assert not claim.is_match and claim.why
