"""Files read by many processes give the rows of files read by one, whoever is killed meanwhile.

Bounds are lowered so that small files go every way: sent by the worker, stored to be inserted, or final.
"""

import os
import signal
import time
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.ingest import pieces, rows, workers
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.reading import Reading
from pipelines.sources._shared.contract import complete
from pipelines.sources.packing import compression
from pipelines.warehouse import maintenance
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.staged_files import Place, Stage
from support.archive import Rows, all_rows, bronze, copied, differences, make_site, put, vmstat_text
from support.corpus import CASES, make, name_of
from support.corpus import put as put_case
from support.processes import LIMIT_S, python
from support.two_days import FIRST, SECOND, arrive

# Of each source one case, damaged if there is such a one, and all that are long enough for several pieces.
ONE_EACH = {case.parent: case for case in sorted(CASES, key=lambda case: case.name.startswith("damaged"))}
CUT = [case for case in CASES if case in ONE_EACH.values() or case.stat().st_size >= 3_000]
N_KILLS = 6
SEED = 4
PROGRAM = """
import sys
from pipelines import steps
from pipelines.ingest import pieces, rows, workers
workers.PAYING_BYTES, workers.WIRE_BYTES, rows.FINAL_ROWS, rows.HELD_BYTES = 0, 20_000, 500, 200_000
pieces.PIECE_BYTES, pieces.WARM_UP_BYTES, pieces.can_be_cut = 50_000, 1_000, lambda _: True
print(steps.ingest(steps.site_at(sys.argv[1]), workers=2).as_dict()["problems"])
"""


@pytest.fixture
def low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (pieces, "can_be_cut", lambda _: True),
        (workers, "PAYING_BYTES", 0),
        (workers, "WIRE_BYTES", 2_000),
        (pieces, "PIECE_BYTES", 1_500),
        (pieces, "WARM_UP_BYTES", 300),
        (rows, "FINAL_ROWS", 40),
        (rows, "HELD_BYTES", 20_000),
    ):
        monkeypatch.setattr(module, name, value)


def test_any_number_of_workers_gives_the_rows_of_one(
    tmp_path: Path, low_bounds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus in random order, some of it cut at a random line; the second ingest has the rest, and copies.

    All sources are read in pieces where a log has 3 kB, also those whose pieces must then be read again.
    """
    joined: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    join, read_again = pieces.join, workers.Workers._read_again

    def counted(setup: rows.Setup, file: IncomingFile, parts: list[Reading]) -> Reading:
        joined[file.source] += len(parts)
        return join(setup, file, parts)

    def noted(own: workers.Workers, one: workers._Sent, *rest: Any) -> pieces.PieceReading | None:
        repeated[one.file.source] += 1
        return read_again(own, one, *rest)

    monkeypatch.setattr(pieces, "join", counted)
    monkeypatch.setattr(workers.Workers, "_read_again", noted)
    random = Random(SEED)
    cases = random.sample(CASES, len(CASES))
    cuts = {case: random.random() for case in cases}
    copies = random.sample([case for case in cases if not compression(case)], 10)
    found: dict[int, list[Rows]] = {}
    for n in (1, 3):
        folder = tmp_path / f"by{n}" / "archive"  # of some sources the folders of a file are part of its identity
        folder.mkdir(parents=True)
        site = make(folder / "site", cases)
        text = (site.root / "site.toml").read_text()
        (site.root / "copies").mkdir()
        (site.root / "site.toml").write_text(text + '\n[[input]]\nglob = "copies/*"\n')
        site = steps.site_at(site.root)
        for case in [case for case in cases if case in CUT]:
            text_of = case.read_bytes()
            lines = text_of.split(b"\n")
            at = len(lines) if compression(case) else round(cuts[case] * len(lines))
            put_case(site, case, b"".join(line + b"\n" for line in lines[:at]) if at < len(lines) else text_of)
        same_times(site, 1)
        report = steps.ingest(site, workers=n)
        found[n] = [bronze(site), Counter((file.path, file.state) for file in report.files)]  # type: ignore[list-item]
        for case in cases:
            put_case(site, case, case.read_bytes())
        for case in copies:
            (site.root / "copies" / name_of(case)).write_bytes(case.read_bytes())
        same_times(site, 2)
        steps.ingest(site, workers=n)
        found[n].append(bronze(site))
    assert found[1][1] == found[3][1]
    found_differences = differences(found[1][0], found[3][0]) + differences(found[1][2], found[3][2])
    assert not found_differences, "\n".join(found_differences)
    assert sum(map(Counter.total, found[1][2].values())) > 2_000
    assert {"vmstat", "enstore_log", "cta_taped", "telegraf"} <= set(joined), joined
    assert {"vmstat"} <= set(repeated) and sum(repeated.values()) < sum(joined.values()), repeated


def same_times(site: Site, hour: int) -> None:
    """Rows of files without a time of their own have the time at which the file was written."""
    written = datetime(2026, 1, 1, hour).timestamp()
    for path in site.root.rglob("*"):
        if path.is_file() and not path.is_relative_to(site.root / "var"):
            os.utime(path, (written, written))


def test_an_archive_is_built_the_same(tmp_path: Path, low_bounds: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one process, and by two: of the first day they read whole files, of the second pieces, which make more."""
    rows_of, files = list[Rows](), list[list[list[str]]]()
    for n in (1, 2):
        site = make_site(tmp_path / f"by{n}")
        files.append([])
        for day, piece_bytes in ((FIRST, 2**40), (SECOND, 1_500)):
            monkeypatch.setattr(pieces, "PIECE_BYTES", piece_bytes)
            before = {*staged(site)}
            arrive(site, day)
            steps.ingest(site, workers=n)
            files[-1].append(sorted(path.parent.name for path in {*staged(site)} - before))
        steps.build(site)
        rows_of.append(all_rows(site))
    assert differences(*rows_of) == []
    (whole, tails), (by_two, in_pieces) = files
    assert whole == by_two and whole, "no file was final"
    assert set(tails) == set(in_pieces) and len(in_pieces) > len(tails), "no log was read in pieces"


def staged(site: Site) -> list[Path]:
    """Data files that whoever read a log wrote."""
    return list(site.warehouse_path.rglob("staged-*.parquet"))


def test_little_is_read_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(workers, "spawned", started)
    site = make_site(tmp_path / "site")
    arrive(site, FIRST)
    assert steps.ingest(site, workers=8).as_dict()["loaded"] == 3
    monkeypatch.setattr(workers, "PAYING_BYTES", 0)
    arrive(site, SECOND)
    with pytest.raises(AssertionError, match="a worker was started"):
        steps.ingest(site, workers=8)


def test_rows_of_a_large_log_are_final_by_day(tmp_path: Path) -> None:
    """And are too few for a file where the log is short: then all files of a batch share one."""
    site = make_site(tmp_path / "site")
    put(site, "vmstat/dm8_long", vmstat_text(datetime(2010, 3, 9, 12), 45_000))
    for n in range(6):
        put(site, f"vmstat/h{n}_short", vmstat_text(datetime(2010, 3, 9, 12), 100))
    steps.ingest(site)
    with Warehouse(site).read() as connection:
        sizes = connection.execute(
            "SELECT day, count(*), count(DISTINCT filename) FROM (SELECT day, file_id, filename"
            " FROM bronze.host_sample) GROUP BY day ORDER BY day"
        ).fetchall()
    finals = staged(site)
    assert sum(n for _, n, _ in sizes) == 45_600 - 7, "the first row of a file is since boot"
    assert {n for _, _, n in sizes} == {1, 2}
    assert finals and all(path.parent.name.startswith("day=") for path in finals)


def test_a_day_that_outgrows_the_memory_is_written_once(tmp_path: Path) -> None:
    """Seven of ten blocks that may be held are of the second day: they are not put aside to be inserted."""
    relation = load_catalog().relations["bronze.host_sample"]
    at = pl.datetime_range(datetime(2010, 3, 8, 20), datetime(2010, 3, 8, 21), "30s", closed="left", eager=True)
    block = complete(pl.DataFrame({"from_at": at, "to_at": at}), relation.name)
    setup = rows.Setup(
        {relation.full_name: relation},
        {relation.full_name: date.min},
        Place(str(tmp_path), {}),
        final_rows=100,
        held_bytes=int(10.5 * block.estimated_size()),
    )
    sink = rows.RowSink(setup, Stage(setup.place), lambda: "a file")
    for hour in range(26):
        sink.add(relation.name, block.with_columns(pl.col("from_at", "to_at").dt.offset_by(f"{hour}h")))
    sink.close()
    n_rows: Counter[date | None] = Counter()
    for file in sink.files:
        assert file.is_final
        n_rows[file.day] += file.n_rows
    assert len(sink.files) > 2 and n_rows == {date(2010, 3, 8): 480, date(2010, 3, 9): 2_640}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with a dozen logs to be read, some of them large."""
    site = make_site(tmp_path_factory.mktemp("prepared") / "site")
    for day in (FIRST, SECOND):
        arrive(site, day)
    for n in range(8):
        put(site, f"vmstat/dm8_{n}", vmstat_text(datetime(2010, 3, 9, 3 * n), 3_000 + 100 * n))
    return site


@pytest.fixture(scope="module")
def undisturbed(prepared: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Rows, float]:
    """What all of it gives, and how long that takes."""
    site = copied(prepared, tmp_path_factory.mktemp("undisturbed") / "site")
    begun = time.monotonic()
    with python("-c", PROGRAM, str(site.root)) as process:
        output, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, output
    return bronze(site), time.monotonic() - begun


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return [child for child in found if b"spawn_main" in _command(child)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_killed_worker_is_replaced(prepared: Site, undisturbed: tuple[Rows, float], tmp_path: Path) -> None:
    site = copied(prepared, tmp_path / "site")
    with python("-c", PROGRAM, str(site.root)) as process:
        end = time.monotonic() + LIMIT_S
        while not (pids := children(process.pid)) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(Random(SEED).random())
        for pid in pids[:1]:
            os.kill(pid, signal.SIGKILL)
        output, _ = process.communicate(timeout=LIMIT_S)
    assert pids and process.returncode == 0, output
    assert differences(undisturbed[0], bronze(site)) == []
    assert_swept(site)


def test_a_killed_writer_loses_and_doubles_nothing(
    prepared: Site, undisturbed: tuple[Rows, float], tmp_path: Path
) -> None:
    """Killed at random moments; its workers end by themselves, and the next one reads what is not in."""
    site, random = copied(prepared, tmp_path / "site"), Random(SEED)
    left: list[int] = []
    for n in range(N_KILLS):
        with python("-c", PROGRAM, str(site.root)) as process:
            begun = time.monotonic()
            while time.monotonic() < begun + undisturbed[1] * (n + random.random()) / N_KILLS:
                left += [pid for pid in children(process.pid) if pid not in left]
                time.sleep(0.02)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                process.wait(LIMIT_S)
            end = time.monotonic() + 30
            while any(b"spawn_main" in _command(pid) for pid in left) and time.monotonic() < end:
                time.sleep(0.05)
            assert not [pid for pid in left if b"spawn_main" in _command(pid)], "workers outlive their parent"
    assert left, "no worker was ever started"
    with python("-c", PROGRAM, str(site.root)) as process:
        output, _ = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, output
    assert differences(undisturbed[0], bronze(site)) == []
    assert_swept(site)


def assert_swept(site: Site) -> None:
    """Files of the killed go when they are old, and no others: those of a living worker stay."""
    before = bronze(site)
    data = Path(Warehouse(site).data_path)
    of_a_live_worker = data / "bronze" / "host_sample" / "day=2010-03-09" / "staged-live-0.parquet"
    of_a_live_worker.parent.mkdir(parents=True, exist_ok=True)
    of_a_live_worker.write_bytes(b"half a file")
    old = time.time() - maintenance.FILE_DAYS * 86_400 - 60
    for path in data.rglob("*.parquet"):
        if path != of_a_live_worker:
            os.utime(path, (old, old))
    steps.maintain(site)
    assert of_a_live_worker.exists()
    of_a_live_worker.unlink()
    with Warehouse(site).read() as connection:
        known = {
            Path(path).name
            for (path,) in connection.execute(
                "SELECT path FROM __ducklake_metadata_lake.ducklake_data_file UNION ALL"
                " SELECT path FROM __ducklake_metadata_lake.ducklake_files_scheduled_for_deletion"
            ).fetchall()
        }
    assert {path.name for path in data.rglob("staged-*.parquet")} <= known
    assert differences(before, bronze(site)) == []
