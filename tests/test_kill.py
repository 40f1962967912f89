"""A step killed at any moment loses and doubles nothing, and readers never see half of it.

Each step runs as the command line runs it, in a process of its own, and is killed (SIGKILL) at moments spread over the
time it holds the writer's lock when undisturbed; then it runs once more. Meanwhile another process reads, and what it
sees in one transaction is always all of one build.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from archive import Rows, all_rows, copied, differences, make, make_site, morning, mrtg_text, put, query, vmstat_text
from conftest import REPO

from pipelines import steps
from pipelines.catalog.contracts import load_catalog
from pipelines.config.site import Site
from pipelines.warehouse.connection import Warehouse

# One process: the moments are measured on an undisturbed run of the same machine.
pytestmark = pytest.mark.xdist_group("kill")

N_KILLS = 5
SEED = 1
LIMIT_S = 300
FIRST, SECOND = date(2010, 3, 9), date(2010, 3, 10)

# What belongs together: everything a build makes has its number; findings come with a detection.
SEEN = """
SELECT (SELECT max(number) FROM ops.build WHERE is_committed),
       (SELECT count(*) FROM silver.transfer), (SELECT count(*) FROM silver.link_sample),
       (SELECT count(*) FROM silver.transfer t ANTI JOIN gold.mount s ON s.session_id = t.session_id),
       (SELECT count(*) FROM gold.mount), (SELECT sum(duration_us)::VARCHAR FROM gold.drive_ledger),
       (SELECT count(DISTINCT day) FROM gold.finding), (SELECT count(*) FROM gold.finding)
"""
READER = f"""
import json, sys, time
from pipelines import steps
from pipelines.warehouse import Warehouse, transaction
site = steps.site_at(sys.argv[1])
while True:
    with Warehouse(site).read() as connection, transaction(connection):
        print(json.dumps(connection.execute('''{SEEN}''').fetchone()), flush=True)
    time.sleep(1)  # or it would take from the steps the core they run on
"""


@dataclass
class Archive:
    """A site, and what a reader sees of it before the second day's steps and after each."""

    site: Site
    seen: list[tuple[Any, ...]]


@contextmanager
def python(*arguments: str, output: Any = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """Python with the repository on its path, in a process group of its own, which is gone at the end."""
    path = os.pathsep.join([str(REPO), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(LIMIT_S)


def run(site: Site, step: str, kill_after_s: float = LIMIT_S) -> float:
    """A step by the command line, killed so long after it took the writer's lock; how long it held that."""
    with python("-m", "pipelines.cli", step, "--site", str(site.root)) as process:
        begun = wait_for_lock(site, process)
        try:
            said, _ = process.communicate(timeout=kill_after_s)
        except subprocess.TimeoutExpired:
            assert kill_after_s < LIMIT_S, f"{step} does not end"
        else:
            assert process.returncode == 0, said
        return time.monotonic() - begun


def wait_for_lock(site: Site, process: subprocess.Popen[str]) -> float:
    """The moment at which a process has become the writer, or has ended."""
    holder = Warehouse(site).holder_file
    while process.poll() is None:
        try:
            if json.loads(holder.read_text())["pid"] == process.pid:
                break
        except (OSError, ValueError):
            pass
        time.sleep(0.005)
    return time.monotonic()


@contextmanager
def reader(site: Site, file: Path) -> Iterator[set[tuple[Any, ...]]]:
    """A process that reads over and over; afterwards the set holds what it saw."""
    seen: set[tuple[Any, ...]] = set()
    with file.open("w") as output, python("-c", READER, str(site.root), output=output) as process:
        while not file.read_text() and process.poll() is None:
            time.sleep(0.05)
        yield seen
        assert process.poll() is None, file.read_text()[-3000:]
    # the last line may be cut by the end of its writer
    seen |= {tuple(json.loads(line)) for line in file.read_text().splitlines() if line.endswith("]")}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """An archive of one day, built and judged; the logs of the next day have come. To be copied."""
    site = make_site(tmp_path_factory.mktemp("prepared"))
    arrive(site, FIRST)
    make(site)
    steps.detect(site)
    arrive(site, SECOND)
    return site


def arrive(site: Site, day: date) -> None:
    evening = datetime.combine(day, datetime.min.time()) + timedelta(hours=20, minutes=3, seconds=7)
    put(site, f"enstore/LOG-{day}", morning(day).days()[day])
    put(site, "mrtg/dm8-bond0.log", mrtg_text(evening))
    put(site, f"vmstat/dm8_{day}.txt", vmstat_text(evening, 60))


def look(site: Site) -> tuple[Any, ...]:
    return query(site, SEEN)[0]


def kept(site: Site) -> Rows:
    """All rows of bronze, the files and rejects, and the findings, lineage and all."""
    names = [relation.full_name for relation in load_catalog().layer("bronze")]
    rows = {name: query(site, f"SELECT * FROM {name}") for name in [*names, "ops.reject", "gold.finding"]}
    rows["ops.file"] = query(site, "SELECT * EXCLUDE modified_ns FROM ops.file")
    return {name: Counter(found) for name, found in rows.items()} | all_rows(site)


@pytest.fixture(scope="module")
def undisturbed(prepared: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Archive, dict[str, float]]:
    """The archive after the second day's steps, and how long each held the lock."""
    site = copied(prepared, tmp_path_factory.mktemp("undisturbed") / "site")
    archive, lasted = Archive(site, [look(site)]), {}
    for step in ("ingest", "build", "detect"):
        lasted[step] = run(site, step)
        archive.seen.append(look(site))
    assert len(set(archive.seen)) == 3, "a reader can tell build and detection; it does not look at bronze"
    return archive, lasted


def test_killed_steps_lose_and_double_nothing(
    prepared: Site, undisturbed: tuple[Archive, dict[str, float]], tmp_path: Path
) -> None:
    reference, lasted = undisturbed
    site = copied(prepared, tmp_path / "killed")
    assert look(site) == reference.seen[0]
    random = Random(SEED)
    for number, step in enumerate(lasted):
        moments = sorted((n + random.random()) / N_KILLS for n in range(N_KILLS))
        with reader(site, tmp_path / f"{step}.seen") as seen:
            for moment in moments:
                run(site, step, kill_after_s=moment * lasted[step])
                assert_files_are_whole(site)
            run(site, step)
        assert seen <= set(reference.seen[number : number + 2]), f"{step}: a reader saw what no whole step left"
        assert look(site) == reference.seen[number + 1]
    assert differences(kept(reference.site), kept(site)) == []


def assert_files_are_whole(site: Site) -> None:
    """Bronze has as many rows of a file as its entry says, and none of a file without entry."""
    parts = " UNION ALL ".join(
        f"SELECT file_id FROM {relation.full_name}"
        for relation in load_catalog().layer("bronze")
        if relation.name != "seen"  # not among a file's records
    )
    odd = query(
        site,
        f"SELECT coalesce(f.path, b.file_id), f.n_records, b.n FROM ops.file f"
        f" FULL JOIN (SELECT file_id, count(*) AS n FROM ({parts}) GROUP BY file_id) b USING (file_id)"
        " WHERE coalesce(f.n_records, -1) <> coalesce(b.n, 0)",
    )
    assert odd == []
