"""A step killed at any moment loses and doubles nothing, and readers never see half of it.

Each step runs as the command line runs it, in a process of its own, and is killed (SIGKILL) at moments spread over the
time it holds the writer's lock when undisturbed; then it runs once more. Meanwhile another process reads, and what it
sees in one transaction is always all of one build.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from sample_data.cta.taped import Taped
from support.archive import SITE, copied, differences, make, make_site, put, query
from support.processes import python, run
from support.two_days import FIRST, SECOND, arrive, kept

N_KILLS = 5
SEED = 1
TAPED = '\n[[drive]]\nname = "D9"\n\n[[input]]\nglob = "logs/taped/*"\n'

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
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
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
    site = make_site(tmp_path_factory.mktemp("prepared"), SITE + TAPED)
    come(site, FIRST)
    make(site)
    steps.detect(site)
    come(site, SECOND)
    return site


def come(site: Site, day: date) -> None:
    """A day's logs; that of CTA's drive grows, over a mount that lasts over midnight."""
    arrive(site, day)
    story = Taped({"D9": "tpsrv01"})
    begin = datetime.combine(FIRST, datetime.min.time())
    story.heartbeat("D9", begin, begin + timedelta(days=2), 900)
    story.mount("D9", "VA", begin + timedelta(hours=23, minutes=55), 12, file_s=60)
    put(site, "taped/D9.log", "".join(text for (_, own), text in story.files().items() if own <= day))


def look(site: Site) -> tuple[Any, ...]:
    return query(site, SEEN)[0]


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
    assert query(site, "SELECT drive, status, n_file_lines FROM silver.cta_mount") == [("D9", "ok", 12)]


def assert_files_are_whole(site: Site) -> None:
    """Bronze has as many rows of a file as its entry says, and none of a file without entry."""
    parts = " UNION ALL ".join(
        f"SELECT file_id FROM {relation.full_name}"
        for relation in load_catalog().layer("bronze")
        if relation.name != "log_coverage"  # not among a file's records
    )
    mismatches = query(
        site,
        f"SELECT coalesce(f.path, b.file_id), f.n_records, b.n FROM ops.file f"
        f" FULL JOIN (SELECT file_id, count(*) AS n FROM ({parts}) GROUP BY file_id) b USING (file_id)"
        " WHERE coalesce(f.n_records, -1) <> coalesce(b.n, 0)",
    )
    assert mismatches == []
