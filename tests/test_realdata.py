"""Real and synthetic captures from outside, through the whole pipeline to silver and gold.

They are not part of the repository: the folder is TAPESCOPE_REALDATA, by default ../shared/realdata. Each trap found
there has a fixture of our own in tests/sources and tests/silver, so that a clone without the folder covers it too.
"""

import csv
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.warehouse.connection import Warehouse

FOLDERS = ("mrtg", "vmstat", "enstore", "enstore-synthetic")
SITE = """name = "captures"
zone = "America/Chicago"
[[input]]
glob = "enstore-synthetic/LOG-{date}*"
system = "synen"
[[input]]
glob = "vmstat/**/{name}.txt"
host = "h"
start_at = 2020-01-01T00:00:00Z
interval_s = 1.0
[[input]]
glob = "mrtg/**/{link}.log"
"""


@pytest.fixture(scope="module")
def captures(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captures")
    for name in FOLDERS:
        shutil.copytree(realdata / name, folder / name)
    (folder / "site.toml").write_text(SITE)
    return folder


@pytest.fixture(scope="module")
def warehouse(captures: Path) -> Warehouse:
    """Only the two days whose truth is known."""
    site = steps.site_at(captures)
    steps.ingest(site, [captures / "enstore-synthetic" / f"LOG-{day}" for day in ("2010-06-15", "2011-03-08")])
    steps.build(site)
    return Warehouse(site)


def rows(warehouse: Warehouse, sql: str) -> list[dict[str, Any]]:
    with warehouse.read() as connection:
        result = connection.execute(sql)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def epoch(instant: datetime) -> float:
    return instant.replace(tzinfo=UTC).timestamp()


def test_every_file_gets_a_verdict_and_every_line_is_accounted_for(captures: Path) -> None:
    text = SITE.replace('name = "captures"', 'name = "captures"\nwarehouse = "var/all"')
    (captures / "all.toml").write_text(text)
    report = steps.ingest(steps.site_at(captures / "all.toml"), [captures / name for name in FOLDERS])
    files = [path for name in FOLDERS for path in (captures / name).rglob("*") if path.is_file()]
    assert len(report.files) == len(files) > 100
    for file in report.files:
        counts = file.counts
        assert counts.n_used + counts.n_skipped + counts.n_rejected == counts.n_lines, file
        assert file.state in ("loaded", "unchanged") or file.reason, file
    print(f"\n{len(files)} files read: {json.dumps({k: v for k, v in report.as_dict().items() if k != 'problems'})}")


def test_transfers_agree_with_the_truth_of_their_generator(warehouse: Warehouse, realdata: Path) -> None:
    with (realdata / "enstore-synthetic" / "expected_per_file.csv").open() as file:
        truth = list(csv.DictReader(file))
    found = {
        (row["drive"], row["file_number"]): row
        for row in rows(warehouse, "SELECT * FROM silver.transfer WHERE status = 'ok'")
    }
    assert len(found) == len(truth) > 0
    for want in truth:
        got = found[want["mover"].removesuffix(".mover"), int(want["file_no"])]
        assert got["mode"] == {"w": "write", "r": "read"}[want["mode"]]
        assert got["bytes"] == int(want["bytes_on_tape"])
        assert got["file_bytes"] == int(want["size"])
        assert got["drive_rate_basis"] == "call"
        assert got["bytes"] / got["drive_s"] == pytest.approx(float(want["drive_call_rate_Bps"]), rel=1e-6)
        for name, key in (("started_at", "t_start"), ("ended_at", "t_data_end"), ("completed_at", "t_complete")):
            assert abs(epoch(got[name]) - float(want[key])) <= 1, (want, name)


def test_gaps_agree_with_the_truth_and_have_no_negative_part(warehouse: Warehouse, realdata: Path) -> None:
    with (realdata / "enstore-synthetic" / "expected_per_file.csv").open() as file:
        truth = {
            (row["mover"].removesuffix(".mover"), row["file_no"]): float(row["gap_before_s"])
            for row in csv.DictReader(file)
            if row["gap_before_s"]
        }
    gaps = rows(
        warehouse,
        "SELECT g.*, t.file_number FROM silver.gap g JOIN silver.transfer t ON t.transfer_id = g.next_transfer_id",
    )
    checked = 0
    for gap in gaps:
        parts = [
            gap[f"{part}_s"]
            for part in ("filemark", "checksum", "database", "no_request", "request", "position", "start")
        ]
        assert min(parts) >= 0
        assert sum(parts) == pytest.approx(gap["gap_s"])
        want = truth.get((gap["drive"], str(gap["file_number"])))
        if want is not None:
            assert abs(gap["gap_s"] - want) <= 2
            checked += 1
    assert checked == len(truth) > 0


def test_the_ledger_adds_up_on_a_day_that_was_hardly_logged(warehouse: Warehouse) -> None:
    days = rows(
        warehouse,
        "SELECT day, drive, sum(duration_us) AS us, max(day_us) AS day_us FROM gold.drive_ledger GROUP BY ALL",
    )
    assert days and all(day["us"] == day["day_us"] for day in days)
