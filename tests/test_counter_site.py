"""A site with nothing but the kernel's counters of its drives: the ledger, both rates and f; builds of some days."""

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site
from support.archive import all_rows, differences, make, make_site, put, query

pytestmark = pytest.mark.usefixtures("plain_store")

SITE = 'name = "vault"\nzone = "America/Chicago"\n[[input]]\nglob = "logs/{host}/*"\n'
SITE += '[[drive]]\nname = "LTO9-1"\nmover_host = "tps1"\ndevice = "/dev/nst0"\ngeneration = "LTO-9"\n'
FIRST = datetime(2026, 3, 9)
STEP_S = 60
NAMES = {
    "reads": "node_tape_reads_completed_total",
    "writes": "node_tape_writes_completed_total",
    "read_bytes": "node_tape_read_bytes_total",
    "write_bytes": "node_tape_written_bytes_total",
    "read_s": "node_tape_read_time_seconds_total",
    "write_s": "node_tape_write_time_seconds_total",
    "io_s": "node_tape_io_time_seconds_total",
}
# What a drive does in a minute, by its counters.
READING = {"reads": 1200, "read_bytes": 12_000_000_000, "read_s": 40, "io_s": 45}
WRITING = {"writes": 900, "write_bytes": 9_000_000_000, "write_s": 30, "io_s": 36}
COMMANDS = {"io_s": 55}  # as sg drives it: commands, and not a byte


def scrapes(begin: datetime, n_minutes: int, work: dict[str, list[tuple[datetime, int, dict[str, int]]]]) -> str:
    """Counters of a host's drives, a scrape a minute: `work` has what each did from when for how many minutes."""
    totals = {device: Counter(dict.fromkeys(NAMES, 1000)) for device in work}
    text = "# TYPE node_tape_io_time_seconds_total counter\n"
    for n in range(n_minutes + 1):
        at = begin + timedelta(seconds=n * STEP_S)
        text += f"# {at:%Y-%m-%dT%H:%M:%SZ}\n"
        for device, spans in work.items():
            for from_at, minutes, rise in spans:
                if from_at < at <= from_at + timedelta(minutes=minutes):
                    totals[device].update(rise)
            text += "".join(f'{name}{{device="{device}"}} {totals[device][key]}\n' for key, name in NAMES.items())
    return text + "# EOF\n"


def at(hour: float) -> datetime:
    return FIRST + timedelta(hours=hour)


WORK = {
    "st0": [(at(8), 30, READING), (at(9), 10, WRITING), (at(23.75), 30, WRITING), (at(47.9), 12, READING)],
    "st1": [(at(10), 60, COMMANDS)],
}
DAYS = [scrapes(at(24 * n), 24 * 60, WORK) for n in range(3)]
HOURS = (30 * 40 + 10 * 30 + 30 * 30 + 12 * 40) / 3600, (30 * 5 + 10 * 6 + 30 * 6 + 12 * 5) / 3600


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = make_site(tmp_path_factory.mktemp("whole"), SITE)
    for n, text in enumerate(DAYS):
        put(site, f"tps1/{n}.prom", text)
    make(site, full=True)
    return site


def test_the_ledger_is_transfer_motion_and_idle(whole: Site) -> None:
    rows = query(whole, "SELECT drive, bucket, sum(duration_us) / 3.6e9 FROM gold.drive_ledger GROUP BY ALL")
    found = {(drive, bucket): round(hours, 6) for drive, bucket, hours in rows}
    transfer, motion = (round(hours, 6) for hours in HOURS)
    assert (found["LTO9-1", "transfer"], found["LTO9-1", "position"]) == (transfer, motion)
    assert found["LTO9-1", "idle"] == round(72 - sum(HOURS), 6)
    # the counters of st1 miss its transfers: 60 min of commands at 55 s each, and no false motion
    assert found["tps1:st1", "occupied"] == round(60 * 55 / 3600, 6)
    assert ("tps1:st1", "position") not in found
    wrong = "SELECT day, drive FROM gold.drive_ledger GROUP BY ALL HAVING sum(duration_us) <> max(day_us)"
    assert query(whole, wrong) == []


def test_both_rates_and_f(whole: Site) -> None:
    """8:00 to 9:10 UTC is two stretches, because half an hour is between them: 40 min in use."""
    period = {"first_day": "2026-03-09", "last_day": "2026-03-09"}  # 6:00 UTC on to 5:00 UTC of the next day
    (headline,) = steps.ask(whole, "headline", period).as_dicts()
    read, written = 30 * 12e9, 10 * 9e9 + 30 * 9e9
    worked_s, wall_s = 30 * 40 + 40 * 30, (30 + 10 + 30) * 60
    assert headline["moved_tb"] == pytest.approx((read + written) / 1e12)
    assert headline["drive_rate_basis"] == "counter"
    assert headline["drive_rate_mb_s"] == pytest.approx((read + written) / 1e6 / worked_s)
    assert headline["overall_rate_mb_s"] == pytest.approx((read + written) / 1e6 / wall_s)
    assert headline["f"] == pytest.approx(worked_s / wall_s)
    assert headline["moving_data_hours"] == pytest.approx(worked_s / 3600)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=["as_they_come", "last_first"])
def test_days_arriving_one_by_one(whole: Site, tmp_path: Path, order: tuple[int, ...]) -> None:
    site = make_site(tmp_path / "site", SITE)
    for n in order:
        put(site, f"tps1/{n}.prom", DAYS[n])
        assert len(make(site).days) <= 5
    assert differences(all_rows(whole), all_rows(site)) == []


def test_a_drive_that_another_log_names_is_not_counted_twice(tmp_path: Path) -> None:
    """Whose counters they are, site.toml must say: the drive may be any of those whose host is not known."""
    site = make_site(tmp_path / "site", SITE.split("[[drive]]")[0] + '[[drive]]\nname = "D1"\n')
    put(site, "tps1/0.prom", scrapes(FIRST, 5, {"st0": [(FIRST, 5, READING)]}))
    make(site)
    assert query(site, "SELECT drive FROM site.drive") == [("D1",)]
    assert query(site, "SELECT DISTINCT device, drive FROM silver.drive_counter") == [("st0", None)]
    assert query(site, "SELECT count(*) FROM silver.drive_state") == [(0,)]


def test_init_finds_the_drives(tmp_path: Path) -> None:
    (tmp_path / "tps1.prom").write_text(scrapes(FIRST, 5, {"st0": [], "st1": []}))
    steps.init(tmp_path, tmp_path / "site.toml", force=False)
    drives = steps.site_at(tmp_path).drive
    assert [(drive.name, drive.device) for drive in drives] == [("tps1:st0", "st0"), ("tps1:st1", "st1")]
    assert {drive.mover_host for drive in drives} == {"tps1"}


def test_a_day_of_the_ledger_is_that_of_the_site(whole: Site) -> None:
    assert query(whole, "SELECT min(day), max(day) FROM gold.drive_ledger") == [(date(2026, 3, 8), date(2026, 3, 11))]
