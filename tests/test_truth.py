"""Planted truth: on the sample archive every planted fault is found, with its cost, and nothing else is.

Two seeds (the second one strikes other drives and stations), an archive without faults, and one whose log lacks two
hours. A finding fits a fault if rule and entity are the same, their intervals share at least half of their union, and
the costs that truth.toml gives differ by at most a tenth.
"""

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from archive import query

from pipelines import steps
from pipelines.clock import day_bounds
from pipelines.config import Site
from pipelines.lines import open_bytes
from sample_data.generate import generate

# Builds of the whole sample take long: one process makes them and keeps them.
pytestmark = pytest.mark.xdist_group("truth")

DAY = date(2010, 3, 10)
LOG = f"logs/enstore/LOG-{DAY}.zst"
CUT = ("13:00:00", "15:00:00")  # local clock; without a doubt inside the day
PIC_F = [0.870, 0.827, 0.498, 0.365]
PIC_RATES = [(83.4, 72.6), (80.4, 66.5), (81.9, 40.8), (80.0, 29.2)]
DUTY = {
    "stkendm5a": 0.0,
    "stkendm6a": 0.6,
    "stkendm7a": 0.6,
    "stkendm8a": 0.8,
    "stkendm9a": None,
    "stkendm10a": 0.0,
    "stkendm11a": 0.0,
    "stkendm12a": 0.4,
}
MOVING = ("transfer", "wait_data", "wait_room", "checksum")


@dataclass
class Demo:
    """An archive that was read, built and judged."""

    site: Site
    truth: dict[str, Any]
    findings: list[dict[str, Any]]

    @property
    def faults(self) -> list[dict[str, Any]]:
        return self.truth.get("fault", [])  # type: ignore[no-any-return]


def demo(folder: Path, **story: Any) -> Demo:
    generate(folder, **story)
    site = steps.site_at(folder)
    steps.ingest(site)
    steps.build(site)
    found = steps.detect(site)
    assert found.last_day == DAY
    return Demo(site, tomllib.loads((folder / "truth.toml").read_text()), found.findings)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return demo(tmp_path_factory.mktemp("seed_1"), seed=1)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return demo(tmp_path_factory.mktemp("seed_2"), seed=2)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Nothing goes wrong, and one of the tape tests streams at another rate."""
    return demo(tmp_path_factory.mktemp("quiet"), faults=False, overrides={"pic.test4.drive_mb_s": "70"})


# --- faults ---------------------------------------------------------------------------------------------------


def unfit(fault: dict[str, Any], finding: dict[str, Any]) -> list[str]:
    """What a finding gets wrong about its fault."""
    wrong = []
    begin, end = (fault[name].astimezone(UTC).replace(tzinfo=None) for name in ("started_at", "ended_at"))
    shared = min(end, finding["ended_at"]) - max(begin, finding["started_at"])
    union = max(end, finding["ended_at"]) - min(begin, finding["started_at"])
    if shared < union / 2:
        wrong.append(f"from {finding['started_at']} to {finding['ended_at']}, not from {begin} to {end}")
    for cost in ("lost_hours", "lost_gb_day"):
        if cost in fault and finding[cost] != pytest.approx(fault[cost], rel=0.1):
            wrong.append(f"{cost} {finding[cost]}, not {fault[cost]}")
    return wrong


def wrongs(demo: Demo) -> list[str]:
    """Faults that were missed or misjudged, and findings that are none."""
    found = {(finding["rule"], finding["entity"]): finding for finding in demo.findings}
    assert len(found) == len(demo.findings), "one finding for each rule and entity"
    said = []
    for fault in demo.faults:
        finding = found.pop((fault["rule"], fault["entity"]), None)
        wrong = ["not found"] if finding is None else unfit(fault, finding)
        said += [f"{fault['rule']} of {fault['entity']}: {text}" for text in wrong]
    return said + [f"{rule} of {entity}: found, not planted" for rule, entity in found]


def test_every_fault_of_seed_1_and_nothing_else(first: Demo) -> None:
    assert len(first.faults) >= 11
    assert wrongs(first) == []


def test_every_fault_of_seed_2_and_nothing_else(first: Demo, second: Demo) -> None:
    def struck(demo: Demo) -> set[tuple[str, str]]:
        # which stations are idle is part of the story, not of the seed
        return {(fault["rule"], fault["entity"]) for fault in demo.faults if fault["rule"] != "duty_low"}

    assert {rule for rule, _ in struck(first)} == {rule for rule, _ in struck(second)}
    assert not struck(first) & struck(second), "the seed moves the faults"
    assert wrongs(second) == []


def test_nothing_is_found_where_nothing_is_wrong(quiet: Demo) -> None:
    assert quiet.faults == []
    assert quiet.findings == []


def test_findings_point_to_lines_of_the_logs(first: Demo) -> None:
    logs: dict[str, list[str]] = {}
    for finding in first.findings:
        for line in json.loads(finding["evidence"]):
            path = line["path"]
            if path not in logs:
                with open_bytes(first.site.root / path) as file:
                    logs[path] = file.read().decode().splitlines()
            assert line["text"][:40] in logs[path][line["line_no"] - 1]
    assert LOG in logs


# --- what the studies published -------------------------------------------------------------------------------


def tape_tests(demo: Demo) -> list[dict[str, Any]]:
    """P38 to P41: the four reads of one tape, in the order of their mounts."""
    rows = steps.ask(demo.site, "session_rates", {"first_day": str(DAY), "last_day": str(DAY)}).as_dicts()
    return [row for row in rows if row["volume"] == "G03243"]


def test_rates_of_the_tape_tests(first: Demo) -> None:
    tests = tape_tests(first)
    assert [(row["drive_rate_mb_s"], row["overall_rate_mb_s"]) for row in tests] == [
        (pytest.approx(drive, rel=0.01), pytest.approx(overall, rel=0.01)) for drive, overall in PIC_RATES
    ]
    assert [row["f"] for row in tests] == pytest.approx(PIC_F, abs=0.005)
    assert [row["n_files"] for row in tests] == [278, 278, 139, 44]
    assert {row["drive_rate_basis"] for row in tests} == {"call"}


def test_a_changed_parameter_comes_back_as_changed(quiet: Demo) -> None:
    assert tape_tests(quiet)[3]["drive_rate_mb_s"] == pytest.approx(70, rel=0.01)


def test_duty_table_of_the_stations(first: Demo) -> None:
    rows = steps.ask(first.site, "duty_table", {"last_day": str(DAY)}).as_dicts()
    found = {row["station"]: row["duty_factor"] for row in rows}
    assert found == {name: None if duty is None else pytest.approx(duty, abs=0.05) for name, duty in DUTY.items()}
    assert sum(duty or 0 for duty in found.values()) == pytest.approx(2.4, abs=0.05)


def test_rate_within_files_and_most_frequent_gap(first: Demo) -> None:
    rates = query(
        first.site,
        "SELECT drive, sum(bytes) / sum(drive_s) / 1e6 FROM silver.transfer WHERE status = 'ok' AND mode = 'write'"
        " GROUP BY drive ORDER BY drive",
    )
    assert rates == [(f"LTO4_10{n}", pytest.approx(75, rel=0.01)) for n in (1, 2, 3, 4)]
    modes = dict(
        query(first.site, "SELECT drive, mode(round(judged_s)) FROM silver.gap WHERE drive LIKE 'LTO4%' GROUP BY drive")
    )
    faulty = {fault["entity"].split("/")[1] for fault in first.faults if fault["rule"] == "long_gap"}
    assert len(faulty) == 2
    assert modes == {name: 10 if name in faulty else 2 for name, _ in rates}


# --- the ledger -----------------------------------------------------------------------------------------------


def ledger(site: Site) -> dict[str, Counter[str]]:
    """Microseconds by drive and bucket of the fully logged day."""
    drives: dict[str, Counter[str]] = {}
    sql = f"SELECT drive, bucket, duration_us FROM gold.drive_ledger WHERE day = DATE '{DAY}'"
    for drive, bucket, duration in query(site, sql):
        drives.setdefault(drive, Counter())[bucket] = duration
    return drives


@pytest.fixture(params=["first", "second", "quiet"])
def any_demo(request: pytest.FixtureRequest) -> Demo:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def test_every_drives_day_adds_up(any_demo: Demo) -> None:
    drives = ledger(any_demo.site)
    assert len(drives) == 11
    assert {drive: buckets.total() for drive, buckets in drives.items()} == dict.fromkeys(drives, 86_400_000_000)
    assert query(any_demo.site, "SELECT min(duration_us) >= 0 FROM gold.drive_ledger") == [(True,)]
    unknown = {drive: buckets["unknown"] / 86.4e9 for drive, buckets in drives.items()}
    assert max(unknown.values()) <= 0.05, unknown


def test_transfer_buckets_are_the_transfers(any_demo: Demo) -> None:
    begin, end = day_bounds(DAY, any_demo.site.zone)
    moved = query(
        any_demo.site,
        f"SELECT drive, sum(date_diff('microsecond', greatest(started_at, TIMESTAMP '{begin}'),"
        f" least(ended_at, TIMESTAMP '{end}'))) FROM silver.transfer"
        f" WHERE started_at < TIMESTAMP '{end}' AND ended_at > TIMESTAMP '{begin}' GROUP BY drive",
    )
    drives = ledger(any_demo.site)
    assert {drive: sum(buckets[name] for name in MOVING) for drive, buckets in drives.items()} == {
        drive: dict(moved).get(drive, 0) for drive in drives
    }


def test_two_hours_cut_out_of_the_log_are_unknown(first: Demo, tmp_path: Path) -> None:
    with open_bytes(first.site.root / LOG) as packed:
        lines = packed.read().decode().splitlines(keepends=True)
    clocks = [line[:8] if re.match(r"\d\d:\d\d:\d\d ", line) else "" for line in lines]
    begin = next(n for n, clock in enumerate(clocks) if CUT[0] <= clock < CUT[1])
    end = next(n for n, clock in enumerate(clocks) if n > begin and clock >= CUT[1])
    hole_s = _instant(clocks[end]) - max(_instant(clock) for clock in clocks[begin - 50 : begin] if clock)
    assert timedelta(hours=2) <= hole_s < timedelta(hours=2, minutes=1)

    (tmp_path / "site.toml").write_text((first.site.root / "site.toml").read_text())
    log = tmp_path / LOG.removesuffix(".zst")
    log.parent.mkdir(parents=True)
    log.write_text("".join(lines[:begin] + lines[end:]))
    site = steps.site_at(tmp_path)
    steps.ingest(site)
    steps.build(site)

    before, after = ledger(first.site), ledger(site)
    assert set(before) == set(after)
    hole_us = hole_s // timedelta(microseconds=1)
    second_us = 1_000_000  # the log's clock tells whole seconds
    for drive, buckets in after.items():
        assert buckets["unknown"] - before[drive]["unknown"] == pytest.approx(hole_us, abs=second_us), drive
        risen = {name: us - before[drive][name] for name, us in buckets.items() if us > before[drive][name]}
        risen.pop("unknown")
        assert all(us <= second_us for us in risen.values()), (drive, risen)


def _instant(clock: str) -> datetime:
    return datetime.strptime(clock, "%H:%M:%S")
