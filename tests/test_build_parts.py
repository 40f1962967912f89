"""A large build in parts, by processes that hold no lock: the rows of one process, whatever is cut, killed or late."""

import json
import multiprocessing
import os
import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines import steps
from pipelines.build import apart
from pipelines.build.compared import Finished
from pipelines.build.days import DayLinks
from pipelines.build.inputs import Days
from pipelines.build.part import EVER, cut, joined
from pipelines.build.run import DayBuild
from pipelines.catalog.contracts import Relation
from pipelines.config.site import Site, load_site
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.staged_files import StagedFile
from sample_data.generate import write
from sample_data.scenario import CtaScenario
from support.archive import Rows, all_rows, copied, differences, make, make_site, put, query
from support.memory_lake import plain_store
from support.stories import week, week_with_hole

N_APART = 60  # relations that parts make, at least
# drives are in use at each midnight
BUSY = CtaScenario(days=5, servers=2, drives=4, mounts_per_day=14, files_per_mount=6, pool_requests=40, host_step_s=600)


def enstore(folder: Path, texts: dict[date, str]) -> Site:
    site = make_site(folder)
    for day, text in texts.items():
        put(site, f"enstore/LOG-{day}", text)
    return site


def cta(folder: Path) -> Site:
    write(BUSY, folder)
    return load_site(folder / "site.toml")


ARCHIVES: dict[str, Callable[[Path], Site]] = {
    "enstore": lambda folder: enstore(folder, week()),
    "hole": lambda folder: enstore(folder, week_with_hole(3)),
    "cta": cta,
}


@pytest.fixture(scope="module", params=ARCHIVES)
def read(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """An archive that was read and not built."""
    site = ARCHIVES[request.param](tmp_path_factory.mktemp("read") / "site")
    steps.ingest(site)
    return site


@pytest.fixture(scope="module")
def built(read: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The same archive, built by one process."""
    site = copied(read, tmp_path_factory.mktemp("built") / "site")
    steps.build(site)
    return site


@pytest.fixture(scope="module")
def expected(built: Site) -> Rows:
    return all_rows(built)


@pytest.fixture
def site(read: Site, tmp_path: Path) -> Site:
    return copied(read, tmp_path / "site")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The relations whose days were made apart; small archives are cut as large ones."""
    names: list[str] = []
    take = DayBuild.take

    def noted(build: DayBuild, relation: Relation, finished: Any) -> None:
        names.append(relation.full_name)
        take(build, relation, finished)

    monkeypatch.setattr(DayBuild, "take", noted)
    monkeypatch.setattr(apart, "PAYING_ROWS", 0)
    monkeypatch.setattr(apart, "PART_DAYS", 1)
    yield names


def make_apart(site: Site, parts: list[Days]) -> None:
    for own in parts:
        with Warehouse(site).write("test"):  # the lock is another's
            assert apart.make_part(site, own)["rows"]
    steps.build(site, is_apart=True)


def parts_of(site: Site, n: int, seed: int = 0) -> list[Days]:
    """The days cut at random places."""
    days = sorted({day for (day,) in query(site, "SELECT DISTINCT day FROM bronze.log_coverage")})
    draw = random.Random(seed)
    return cut({day: draw.randint(1, 9) for day in days}, n)


def left(site: Site) -> list[Path]:
    return [*Path(Warehouse(site).data_path).glob("staging/**/*.parquet")]


def test_the_rows_of_one_process(site: Site, expected: Rows, taken: list[str]) -> None:
    parts = apart.plan(site, 2)
    make_apart(site, parts)
    assert len(parts) == 2 and len(taken) >= N_APART
    assert differences(expected, all_rows(site)) == []
    assert left(site) == []


def test_days_that_were_built_before_are_replaced(site: Site, expected: Rows, taken: list[str]) -> None:
    """One drive was known by another name: rows of all days differ, and a day has none of what it had.

    The parts have about one day each.
    """
    text = (site.root / "site.toml").read_text()
    known = query(site, "SELECT min(name) FROM bronze.enstore_log_mover UNION SELECT min(drive) FROM bronze.cta_step")
    (name,) = {name for (name,) in known if name}
    (site.root / "site.toml").write_text(f'{text}\n[[drive]]\nname = "X9"\nlogname = "{name}"\n')
    steps.build(load_site(site.root / "site.toml"), workers=1)
    assert taken == [] and differences(expected, all_rows(site)) != []
    (site.root / "site.toml").write_text(text)
    parts = parts_of(site, 5, 3)
    make_apart(site, parts)
    assert len(parts) > 2 and len(taken) >= N_APART
    assert differences(expected, all_rows(site)) == []


@pytest.mark.parametrize("read", ["cta"], indirect=True)
def test_processes_of_this_host(site: Site, expected: Rows, taken: list[str]) -> None:
    steps.build(site, workers=2)
    assert len(taken) >= N_APART
    assert differences(expected, all_rows(site)) == []


@pytest.mark.parametrize("read", ["enstore"], indirect=True)
def test_a_killed_process_leaves_its_part_to_the_writer(
    site: Site, expected: Rows, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = apart.as_completed

    def killed(futures: dict[Future[Any], Days]) -> Iterator[Future[Any]]:
        for process in multiprocessing.active_children():
            process.kill()
        return wait(futures)

    monkeypatch.setattr(apart, "as_completed", killed)
    steps.build(site, workers=2)
    assert taken == []
    assert differences(expected, all_rows(site)) == []


@pytest.mark.parametrize("read", ["enstore"], indirect=True)
def test_what_a_part_left_may_be_torn_or_missing(site: Site, expected: Rows, taken: list[str]) -> None:
    """The writer makes everything itself then, as it does where a process fails."""
    for own in parts_of(site, 2):
        apart.make_part(site, own)
    data = Path(Warehouse(site).data_path)
    torn = data / "staging" / "torn" / "build.parquet"
    torn.parent.mkdir()
    torn.write_bytes(b"PAR1")
    next((data / "silver" / "transfer").rglob("staged-*.parquet")).unlink()
    steps.build(site, is_apart=True)
    assert taken and left(site) == [torn]
    assert differences(expected, all_rows(site)) == []


@pytest.mark.parametrize("read", ["enstore"], indirect=True)
def test_a_process_that_fails_leaves_its_part_to_the_writer(
    site: Site, expected: Rows, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: Future[Any] = Future()
    failed.set_exception(duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block"))
    monkeypatch.setattr(apart, "as_completed", lambda _: iter([failed]))
    monkeypatch.setattr(apart, "plan", lambda *_: parts_of(site, 2)[:1])
    steps.build(site, workers=2)
    assert taken == []
    assert differences(expected, all_rows(site)) == []


@pytest.mark.parametrize("read", ["enstore"], indirect=True)
def test_parts_of_another_state_are_not_taken(built: Site, taken: list[str], tmp_path: Path) -> None:
    site = copied(built, tmp_path / "site")
    apart.make_part(site, EVER)
    staging = Path(Warehouse(site).data_path) / "staging"
    shutil.copytree(staging, tmp_path / "staging")
    steps.build(site, full=True, is_apart=True)
    assert len(taken) >= N_APART
    taken.clear()
    shutil.copytree(tmp_path / "staging", staging, dirs_exist_ok=True)
    steps.build(site, full=True, is_apart=True)
    assert taken == [], "these rest on the last build but one"
    apart.make_part(site, EVER)
    logs = [path for path in (site.root / "logs").rglob("*") if path.is_file() and path.stat().st_size > 10_000]
    steps.forget(site, str(min(logs)))
    steps.build(site, full=True, is_apart=True)
    assert taken == [], "these rest on other rows of bronze"


@pytest.mark.parametrize("read", ["enstore"], indirect=True)
def test_parts_that_nobody_took_are_removed_when_they_are_old(site: Site, expected: Rows, taken: list[str]) -> None:
    data = Path(Warehouse(site).data_path)
    before = {*data.rglob("*.parquet")}
    apart.make_part(site, parts_of(site, 2)[1])
    made = {*data.rglob("*.parquet")} - before
    steps.build(site, is_apart=True)
    assert taken == [] and left(site) == [], "the first part is missing"
    assert differences(expected, all_rows(site)) == []
    parts = [path for path in made if path.exists()]
    assert parts
    steps.maintain(site)
    assert all(path.exists() for path in parts), "their process may still be at work"
    for path in parts:
        os.utime(path, (1, 1))
    steps.maintain(site)
    assert not any(path.exists() for path in parts)
    assert differences(expected, all_rows(site)) == []


def test_a_part_that_was_left_twice_is_taken_once() -> None:
    """A task was killed after it had left its part, and made it once more; without the other part none is taken."""
    first, second = cut({date(2010, 3, 1): 1, date(2010, 3, 2): 1}, 2)
    files = [StagedFile("silver.gap", f"{n}.parquet", 1, False) for n in (1, 2)]
    left = [(own, {"silver.gap": Finished([], [file])}) for own, file in zip((first, second), files, strict=True)]
    assert joined([left[1], left[0], left[0]]) == {"silver.gap": Finished([], files)}
    assert joined([left[0], left[0]]) is joined([left[1]]) is None


def test_a_busy_archive_links_neighbouring_days_only() -> None:
    """A mount over each midnight: with the last day only the one before is made again, not all days since the first."""
    nights = [(date(2026, 2, n), date(2026, 2, n + 1)) for n in range(1, 28)]
    links = DayLinks(lambda _: nights)
    assert links.close({date(2026, 2, 28)}) == {date(2026, 2, 27), date(2026, 2, 28)}


@pytest.mark.parametrize("read", ["cta"], indirect=True)
def test_days_of_a_busy_archive_one_by_one(read: Site, expected: Rows, tmp_path: Path) -> None:
    logs = [path for path in (read.root / "logs").rglob("*") if path.is_file()]
    days = sorted({path.name.split("2026")[1][:6] for path in logs if "2026" in path.name})
    assert len(days) >= BUSY.days
    with plain_store():
        site = make_site(tmp_path / "site", (read.root / "site.toml").read_text())
        for day in days:
            for path in logs:
                if day in path.name or ("2026" not in path.name and day == days[0]):
                    put(site, str(path.relative_to(read.root / "logs")), path.read_bytes())
            make(site)
        assert differences(expected, all_rows(site)) == []


def test_a_mount_without_an_end_keeps_its_drive_up_to_the_next_sign(tmp_path: Path) -> None:
    """The daemon dies on the 2nd, alerts follow, and on the 5th the drive is up: that changes a row of the 2nd."""
    lines = {
        2: [("08:00:00", "Tape session started for read", {"mountId": "7", "tapeVid": "V1", "mountType": "Retrieve"})],
        3: [("09:00:00", "Tape alert detected", {"tapeAlert": "Cleaning required"})],
        5: [
            ("06:00:00", "TapeDrivesCatalogueState::updateDriveStatus(): Updating drive status.", {"next_status": "UP"})
        ],
    }
    logs = {
        f"taped/cta-taped-2026-02-0{day}.log": "".join(
            json.dumps(
                {"local_time": f"2026-02-0{day}T{at}+0000", "epoch_time": epoch(day, at), "hostname": "s1"} | line
            )
            + "\n"
            for at, message, more in stated
            for line in [{"program": "cta-taped", "message": message, "tapeDrive": "D1"} | more]
        )
        for day, stated in lines.items()
    }
    text = 'name = "t"\nzone = "UTC"\n[[drive]]\nname = "D1"\n[[input]]\nglob = "logs/taped/*"\nsystem = "cta"\n'
    once, daily = make_site(tmp_path / "once", text), make_site(tmp_path / "daily", text)
    with plain_store():
        for name, log in logs.items():
            put(once, name, log)
            put(daily, name, log)
            make(daily)
        make(once)
        assert differences(all_rows(once), all_rows(daily)) == []
        (row,) = query(daily, "SELECT from_at, to_at FROM silver.cta_state WHERE state = 'unknown'")
    assert row == (datetime(2026, 2, 2, 8), datetime(2026, 2, 5, 6))


def epoch(day: int, at: str) -> float:
    return datetime.fromisoformat(f"2026-02-0{day}T{at}+00:00").timestamp()
