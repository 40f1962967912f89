"""One writer and many readers: no one is blocked, no one reads half, and a second writer learns who is first.

A process ingests and builds over and over while four others ask questions and check, in one transaction, that tables
which belong together do.
"""

import json
import subprocess
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.answers.snapshot import SnapshotReader
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import WarehouseBusy
from support.archive import copied, make, make_site, morning, mrtg_text, put, query
from support.processes import kill, python, wait_for_lock

N_BUILDS = 3
N_READERS = 4
LIMIT_S = 1200
DAY = date(2010, 3, 10)

# The writer gives one log again and again, longer and shorter by one mount, so that every build changes something.
# A file marks that it is done, so that readers read as long as it writes, however quick the machine is.
WRITER = """
import sys
from pathlib import Path
from pipelines import steps
folder, log, n_builds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
site, texts = steps.site_at(folder), [(log.parent / f"log.{name}").read_text() for name in ("short", "long")]
changed = 0
try:
    for n in range(n_builds):
        log.write_text(texts[n % 2])
        steps.ingest(site)
        changed += bool(steps.build(site).days)
finally:
    (folder / "done").touch()
print(changed)
"""
# Of every mount that moved files there is a rate, of every drive's day all of it, and numbers of builds never fall.
READER = """
import json, sys, time
from pipelines import steps
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
site = steps.site_at(sys.argv[1])
reads, numbers, wrong = 0, [], []
while not (site.root / "done").exists():
    rows = steps.ask(site, "session_rates").as_dicts()
    wrong += [row for row in rows if not row["n_files"]]
    with Warehouse(site).read() as connection, transaction(connection):
        first = connection.execute("SELECT max(number), count(*) FROM ops.build").fetchone()
        moved = "SELECT count(DISTINCT session_id), count(*), sum(bytes) FROM silver.transfer WHERE status = 'ok'"
        rated = "SELECT count(*), sum(n_files), sum(volume_gb) * 1e9 FROM gold.mount"
        a, b = connection.execute(moved).fetchone(), connection.execute(rated).fetchone()
        if a[:2] != b[:2] or abs(a[2] - b[2]) > 1e-6 * a[2]:
            wrong.append([a, b])
        left = "SELECT sum(duration_us) - any_value(day_us) FROM gold.drive_ledger GROUP BY day, drive"
        wrong += [row for row in connection.execute(left).fetchall() if row != (0,)]
        if connection.execute("SELECT max(number), count(*) FROM ops.build").fetchone() != first:
            wrong.append("the snapshot moved under a transaction")
    numbers.append(first[0])
    reads += 1
    time.sleep(3)  # four that never rest would leave the writer no core
wrong += ["older than before"] if numbers != sorted(numbers) else []
print(json.dumps({"reads": reads, "builds": len(set(numbers)), "wrong": wrong[:5]}, default=str))
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The archive all tests copy."""
    site = make_site(tmp_path_factory.mktemp("grown"))
    story = morning(DAY)
    put(site, "enstore/log.short", story.days()[DAY])
    story.session("DRV_3", "VOL009", datetime(2010, 3, 10, 15), 4)
    log = put(site, "enstore/log.long", story.days()[DAY])
    put(site, f"enstore/LOG-{DAY}", log.read_bytes())
    put(site, "mrtg/dm8-bond0.log", mrtg_text(datetime(2010, 3, 10, 20, 3, 7)))
    make(site)
    return site


@pytest.fixture
def site(grown: Site, tmp_path: Path) -> Site:
    return copied(grown, tmp_path / "site")


def test_readers_see_whole_builds_while_one_writes(site: Site) -> None:
    log = site.root / "logs" / "enstore" / f"LOG-{DAY}"
    with python("-c", WRITER, str(site.root), str(log), str(N_BUILDS)) as writer:
        wait_for_lock(site, writer)
        readers = [python("-c", READER, str(site.root)) for _ in range(N_READERS)]
        results = _together(readers)
        n_builds = int(output_of(writer))
    assert [one["wrong"] for one in results] == [[]] * N_READERS
    assert all(one["reads"] > 1 for one in results), results
    assert n_builds == N_BUILDS, "each build changed something"
    assert query(site, "SELECT count(*) FROM ops.build WHERE NOT is_committed") == [(0,)]


def test_what_stays_open_answers_of_its_snapshot_from_a_copy_of_the_catalogue(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later builds and upkeep change nothing for it, and nothing is left of the copy."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    catalog = load_catalog()
    newest = SnapshotReader(site)
    before = newest.ask(catalog, "session_rates", {})
    kept = SnapshotReader(site, before.snapshot)
    assert list(scratch.iterdir()) == []
    with kept.cursor() as connection:
        (sources,) = {path for (path,) in connection.execute("SELECT path FROM duckdb_databases()").fetchall() if path}
    assert sources.startswith(str(scratch)), "it reads a copy"
    (site.root / "logs" / "enstore" / f"LOG-{DAY}").write_text((site.root / "logs/enstore/log.short").read_text())
    make(site)
    steps.maintain(site)
    assert newest.ask(catalog, "session_rates", {}).rows != before.rows
    after = kept.ask(catalog, "session_rates", {})
    assert (after.rows, after.snapshot) == (before.rows, before.snapshot)
    kept.close()
    newest.close()


def test_a_second_writer_learns_who_is_first(site: Site) -> None:
    code = "import sys, time\nfrom pipelines import steps\nfrom pipelines.warehouse.connection import Warehouse\n"
    code += "with Warehouse(steps.site_at(sys.argv[1])).write('build'):\n    time.sleep(600)\n"
    with python("-c", code, str(site.root)) as first:
        wait_for_lock(site, first)
        assert first.poll() is None, output_of(first)
        for step in (steps.ingest, steps.build, steps.detect):
            with pytest.raises(WarehouseBusy, match=f"`tapescope build`, process {first.pid} on ") as busy:
                step(site)
            assert busy.value.exit_code == 75
        with python("-m", "pipelines.cli", "build", "--site", str(site.root)) as second:
            output, _ = second.communicate(timeout=LIMIT_S)
            assert second.returncode == 75
            assert f"process {first.pid}" in output
        assert steps.ask(site, "session_rates").rows, "readers are not kept out"
        kill(first)
    assert make(site).days == [], "the lock of a dead writer is free"


def output_of(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, output
    return output


def _together(readers: list[Any]) -> list[dict[str, Any]]:
    """What each of some processes prints at its end."""
    if not readers:
        return []
    with readers[0] as process:
        rest = _together(readers[1:])
        return [json.loads(output_of(process).splitlines()[-1]), *rest]
