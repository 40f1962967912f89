"""The store in trouble: a catalogue that is lost, data that are another's, files that are damaged, a disk that is full.

What is committed is never removed by a warehouse that does not know it, and comes back from a backup.
"""

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner

from pipelines import steps
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives import failures, store_errors
from pipelines.primitives.errors import ConfigError, QuestionRefused, TapescopeError
from pipelines.warehouse import backups, connection, maintenance, ownership, sqlite_catalogue
from pipelines.warehouse.connection import LAKE, Warehouse
from support import REPO
from support.archive import SITE, all_rows, copied, differences, make_site, morning, put, query
from support.two_days import FIRST, SECOND, arrive, kept

COUNT = "SELECT count(*), count(DISTINCT day), sum(line_no) FROM bronze.enstore_log_mover"
DAYS_AGO = 3


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A day's log, read: to be copied."""
    site = make_site(tmp_path_factory.mktemp("read"))
    put(site, f"enstore/LOG-{FIRST}", morning(FIRST).days()[FIRST])
    steps.ingest(site)
    return site


@pytest.fixture
def site(read_once: Site, tmp_path: Path) -> Site:
    return copied(read_once, tmp_path / "site")


def catalogue_of(site: Site) -> Path:
    return Warehouse(site).catalogue_file


def data_files(site: Site) -> set[Path]:
    return set(Path(Warehouse(site).data_path).rglob("*.parquet"))


def aged(site: Site) -> set[Path]:
    """All data files, so old that those without an owner may go."""
    then = time.time() - DAYS_AGO * 86_400
    for path in data_files(site):
        os.utime(path, (then, then))
    return data_files(site)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def test_a_large_lake_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last commit is read by a copy of the catalogue, whatever a step writes meanwhile."""
    large, small = make_site(tmp_path / "large"), make_site(tmp_path / "small")
    for site, least in ((large, 0), (small, 10**9)):
        monkeypatch.setattr(connection, "MANY_FILES", least)
        for day in (FIRST, SECOND):
            arrive(site, day)
            steps.ingest(site)
            steps.build(site)
            steps.detect(site)
            steps.forecast(site)
    assert differences(kept(small), kept(large)) == []
    forecasts = "SELECT * FROM gold.forecast ORDER BY ALL"
    assert query(large, forecasts) == query(small, forecasts) != []


def test_without_room_for_a_copy_of_the_catalogue_the_lake_is_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MANY_FILES", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(site.root / "absent"))
    assert steps.build(site).n_rows
    assert steps.detect(site).states[-1]["state"] != "not_run"


@pytest.mark.parametrize("lose", [Path.unlink, emptied], ids=["lost", "emptied"])
def test_a_lost_catalogue_is_an_error_and_comes_back(site: Site, lose: Callable[[Path], None]) -> None:
    with Warehouse(site).write("finding") as connection:  # no log has a person's mark
        connection.execute(
            f"INSERT INTO {LAKE}.ops.dirty_day VALUES ('said by a person', NULL)",
        )
    statement = "SELECT count(*) FROM ops.dirty_day WHERE relation = 'said by a person'"
    before = query(site, COUNT)
    assert before[0][0] > 0
    lose(catalogue_of(site))
    files = aged(site)
    for step in (steps.ingest, steps.build, steps.detect, steps.maintain, lambda one: query(one, COUNT)):
        with pytest.raises(
            ConfigError, match=r"catalogue\.sqlite is lost or empty, although its" " data are in"
        ) as failure:
            step(site)
        assert "`tapescope restore` restores the backup of" in failure.value.hint
    assert data_files(site) == files
    done = steps.restore(site)
    assert done.backup is not None and done.missing == []
    assert (query(site, COUNT), query(site, statement)) == (before, [(1,)])
    assert steps.ingest(site).as_dict()["unchanged"] == 1
    steps.maintain(site)
    assert query(site, COUNT) == before


def test_files_that_a_restored_catalogue_does_not_know_stay(site: Site) -> None:
    older = steps.backups_of(site)[0]
    put(site, f"enstore/LOG-{SECOND}", morning(SECOND).days()[SECOND])
    steps.ingest(site)
    newer, before = steps.backups_of(site)[0], query(site, COUNT)
    with pytest.raises(TapescopeError, match="exists and is not damaged") as failure:
        steps.restore(site, older.path.name)
    assert "--force" in failure.value.hint
    steps.restore(site, older.path.name, force=True)
    assert query(site, COUNT) != before
    files = aged(site)
    done = steps.maintain(site)
    assert done.maintenance.strangers_left > 0 and files <= data_files(site)
    steps.restore(site, newer.path.name, force=True)
    assert query(site, COUNT) == before, "nothing of the newer catalogue has gone"


def test_an_older_copy_of_a_catalogue_does_not_write(site: Site) -> None:
    """Two copies of a site with one data_path, or a catalogue that was brought back by hand."""
    old = catalogue_of(site).read_bytes()
    put(site, f"enstore/LOG-{SECOND}", morning(SECOND).days()[SECOND])
    steps.ingest(site)
    files = aged(site)
    for path in catalogue_of(site).parent.glob("catalogue.sqlite*"):
        path.unlink()
    catalogue_of(site).write_bytes(old)
    with pytest.raises(ConfigError, match="the catalogue is older than the data") as failure:
        steps.maintain(site)
    assert "--adopt" in failure.value.hint
    adopted = [CliRunner().invoke(cli, ["restore", "--adopt", "--site", str(site.root)]) for _ in range(2)]
    assert adopted[0].stdout.startswith("Data committed after the copy are lost.")
    assert adopted[1].stdout == "The catalogue is as new as the data: nothing is lost.\n"
    assert [(one.exit_code, one.stderr) for one in adopted] == [(0, "")] * 2, "a data file is missing"
    assert steps.maintain(site).maintenance.strangers_left > 0
    assert files <= data_files(site)


def test_two_sites_with_one_data_path_do_not_destroy_each_other(site: Site, tmp_path: Path) -> None:
    before, files = query(site, COUNT), aged(site)
    shared = f'name = "other"\ndata_path = "{Warehouse(site).data_path}"'
    other = make_site(tmp_path / "other", SITE.replace('name = "case"', shared))
    with pytest.raises(ConfigError, match="is lost or empty, although its data are in"):
        steps.ingest(other)
    # one that came to its own catalogue elsewhere
    own = make_site(tmp_path / "own")
    with Warehouse(own).write("test") as connection:
        connection.execute(f"CREATE TABLE {LAKE}.main.t AS SELECT 1 AS a")
    catalogue = catalogue_of(own).rename(catalogue_of(other))
    assert catalogue.exists()
    lake = {"schema_uuid": "'00000000-0000-4000-8000-000000000000'"}  # test sites are copies of one
    with sqlite3.connect(catalogue) as changed:
        changed.execute(f"UPDATE ducklake_schema SET schema_uuid = {lake['schema_uuid']} WHERE schema_id = 0")
    changed.close()
    for step in (steps.ingest, steps.maintain):
        with pytest.raises(ConfigError, match="contains the data of another site's warehouse"):
            step(other)
    assert data_files(site) == files and query(site, COUNT) == before


def test_a_data_path_that_was_in_use_before_keeps_what_its_catalogue_does_not_know(site: Site) -> None:
    """A warehouse of an earlier release has no identity file."""
    (Path(Warehouse(site).data_path) / ownership.FILE).unlink()
    stranger = Path(Warehouse(site).data_path) / "silver" / "ducklake-stranger.parquet"
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_bytes(b"another warehouse's")
    aged(site)
    steps.ingest(site)
    late = stranger.with_name("ducklake-late.parquet")
    late.write_bytes(b"a killed writer's")
    claim_at = datetime.now(UTC) - timedelta(days=DAYS_AGO + 1)
    with Warehouse(site).write("test") as connection:
        claim = ownership.read(connection, Warehouse(site).data_path)
        assert claim is not None and claim.since is not None
        assert ownership.strangers(connection, [str(stranger), str(late)], claim.since) == {str(stranger)}
    done = steps.maintain(site)
    assert (done.maintenance.strangers_left, done.maintenance.orphans_removed) == (1, 0)
    assert stranger.exists() and late.exists()
    with Warehouse(site).write("test") as connection:  # as if the claim were older than both
        ownership.write(connection, Warehouse(site).data_path, replace(claim, unknown_before=claim_at.isoformat()))
    assert steps.maintain(site).maintenance.orphans_removed == 1 and not stranger.exists()


def test_a_data_folder_that_is_not_mounted_is_an_error(site: Site) -> None:
    data = Path(Warehouse(site).data_path)
    data.rename(data.with_name("elsewhere"))
    data.mkdir()
    with pytest.raises(ConfigError, match=r"names data files, but .* contains none") as failure:
        steps.ingest(site)
    assert "mounted" in failure.value.hint
    assert list(data.iterdir()) == []


def test_a_restore_says_which_files_are_missing(site: Site) -> None:
    lost = sorted(data_files(site))[0]
    lost.unlink()
    catalogue_of(site).unlink()
    done = CliRunner().invoke(cli, ["restore", "--site", str(site.root)], catch_exceptions=False)
    assert done.exit_code == 0 and "Restored the catalogue from the backup of" in done.stdout
    named = lost.relative_to(Warehouse(site).data_path)
    assert f"1 data files are missing: {named}" in done.stderr
    assert "restore the file from a copy" in done.stderr, "no build makes a file of bronze"
    listed = CliRunner().invoke(cli, ["restore", "--list", "--site", str(site.root)], catch_exceptions=False)
    assert listed.stdout.splitlines()[0].startswith("catalogue-")


def test_the_newest_backups_and_one_a_day_are_kept(site: Site, tmp_path: Path) -> None:
    folder, now = tmp_path / "kept", datetime.now(UTC)
    folder.mkdir()
    for hours in range(2, 20 * 24, 8):  # three a day, for 20 days
        made = (now - timedelta(hours=hours)).strftime("%Y%m%dT%H%M%S%f")
        (folder / f"catalogue-{made}Z-1.sqlite").write_bytes(b"")
    newest = backups.keep(catalogue_of(site), folder, 7)
    found = backups.kept(folder)
    assert found[0] == newest and sqlite_catalogue.is_sound(newest.path)
    days = [backup.made_at.date() for backup in found]
    assert len(set(days)) == backups.DAYS and days[: backups.NEWEST] != days[backups.NEWEST :]
    assert backups.NEWEST <= len(found) <= backups.NEWEST + backups.DAYS
    assert not list(folder.glob("*.part*")), "nothing is left of the making"


def test_a_backup_that_is_superseded_makes_room_for_the_new_one(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a nearly full disk no step could be backed up, while a copy that would go at once took the space."""
    folder = tmp_path / "kept"
    for number in range(backups.NEWEST):
        backups.keep(catalogue_of(site), folder, number)

    def has_room(source: Path, target: Path) -> None:
        assert len(backups.kept(folder)) == backups.NEWEST - 1
        shutil.copy(source, target)

    monkeypatch.setattr(backups, "copy", has_room)
    backups.keep(catalogue_of(site), folder, 7)
    assert [backup.snapshot for backup in backups.kept(folder)] == [7, 4, 3, 2, 1]


def test_backups_of_a_clock_that_was_ahead_are_older_than_the_next_one(site: Site, tmp_path: Path) -> None:
    folder, now = tmp_path / "kept", datetime.now(UTC)
    folder.mkdir()
    for number in range(1, backups.NEWEST + 2):
        made = (now + timedelta(hours=3, minutes=number)).strftime("%Y%m%dT%H%M%S%f")
        (folder / f"catalogue-{made}Z-{number}.sqlite").write_bytes(b"")
    newest = backups.keep(catalogue_of(site), folder, 7)
    found = backups.kept(folder)
    assert found[0] == newest and [backup.snapshot for backup in found] == [7, 6, 5, 4, 3]


def test_a_file_goes_only_when_no_kept_backup_needs_it(site: Site) -> None:
    """Files given up 10 days ago, and a backup that is older than that."""
    warehouse = Warehouse(site)
    with warehouse.write("test") as connection:
        for _ in range(3):
            connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day VALUES ('none', NULL)")
    before = steps.backups_of(site)[0]
    steps.maintain(site)  # merges, and so gives files up
    _shift(catalogue_of(site), "ducklake_files_scheduled_for_deletion", "schedule_start", 10)
    old = before.path.with_name(f"catalogue-20200101T000000000000Z-{before.snapshot}.sqlite")
    shutil.copy(before.path, old)
    files = data_files(site)
    assert steps.maintain(site).maintenance.files_removed == 0 and files <= data_files(site)
    assert steps.restore(site, old.name, force=True).missing == [], "the backup finds all of its files"
    steps.restore(site, force=True)
    old.unlink()
    for backup in steps.backups_of(site):
        backup.path.unlink()
    assert steps.maintain(site).maintenance.files_removed > 0


def _shift(catalogue: Path, table: str, column: str, days: int) -> None:
    with sqlite3.connect(catalogue) as changed:
        earlier = f"strftime('%Y-%m-%d %H:%M:%f', substr({column}, 1, 23), '-{days} days') || '000+00'"
        changed.execute(f"UPDATE {table} SET {column} = {earlier}")
    changed.close()


# --- damage, a full disk, missing rights -------------------------------------------------------------------------


def test_a_full_build_replaces_files_that_are_missing_or_damaged(read_once: Site, tmp_path: Path) -> None:
    site = copied(read_once, tmp_path / "site")
    steps.build(site)
    before, folder = all_rows(site), Path(Warehouse(site).data_path)
    missing, cut, wrong = (
        next(folder.glob(f"{name}/**/*.parquet")) for name in ("silver/session", "silver/transfer", "gold/drive_ledger")
    )
    missing.unlink()
    os.truncate(cut, 500)
    wrong.write_bytes(wrong.read_bytes()[:4] + b"U" * 100 + wrong.read_bytes()[104:])
    with pytest.raises(
        TapescopeError, match=r"a data file of silver\.session is missing: .*silver/session/"
    ) as failure:
        all_rows(site)
    assert str(folder) not in str(failure.value) and "`tapescope build --full`" in failure.value.hint
    with pytest.raises(TapescopeError, match=r"^a data file of silver\.session is missing") as failure:
        steps.ask_sql(site, "SELECT sum(hash(s)) FROM silver.session s")
    assert failure.value.exit_code == 1 and "`tapescope build --full`" in failure.value.hint
    steps.build(site, full=True)
    assert differences(before, all_rows(site)) == []


@pytest.mark.parametrize(
    ("harm", "message", "hint"),
    [
        (lambda file: os.truncate(file, 9000), "the catalogue is damaged", "tapescope restore"),
        (lambda file: file.write_bytes(b"no database" * 999), "the catalogue is damaged", "tapescope restore"),
    ],
    ids=["cut", "overwritten"],
)
def test_a_damaged_catalogue_is_named_and_comes_back(
    site: Site, harm: Callable[[Path], None], message: str, hint: str
) -> None:
    before = query(site, COUNT)
    for path in catalogue_of(site).parent.glob("catalogue.sqlite-*"):
        path.unlink()
    harm(catalogue_of(site))
    for step in (steps.ingest, steps.maintain, lambda one: steps.ask(one, "files"), lambda one: query(one, COUNT)):
        with pytest.raises(TapescopeError, match=message) as failure:
            step(site)
        assert hint in failure.value.hint
    assert steps.restore(site).aside is not None
    assert query(site, COUNT) == before


def test_a_reader_keeps_its_locks_whatever_its_process_asks(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks of a file go with any file handle that a process closes: another process then removed the reader's log."""
    file, log = catalogue_of(site), Path(f"{catalogue_of(site)}-wal")
    write = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE x (y)'); c.commit(); c.close()"
    )
    with Warehouse(site).read() as reader:
        snapshot = reader.execute(f"BEGIN TRANSACTION; SELECT max(snapshot_id) FROM ducklake_snapshots('{LAKE}')")
        (newest,) = snapshot.fetchone() or (0,)
        monkeypatch.setattr(sqlite_catalogue, "_LAKES", set())  # what this process has cached of its files
        assert Warehouse(site).exists()
        with Warehouse(site).read(newest, is_long_lived=True) as other:
            assert other.execute(COUNT).fetchone() == reader.execute(COUNT).fetchone()
        subprocess.run([sys.executable, "-c", write, str(file)], check=True)
        assert log.exists(), "another process took itself for the only one"


def test_run_writes_its_report_after_any_failure_and_names_it_first(site: Site) -> None:
    next(Path(Warehouse(site).data_path).glob("bronze/enstore_log_mover/**/*.parquet")).unlink()
    command = [sys.executable, "-m", "pipelines.cli", "run", "--site", str(site.root)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    message = "a data file of bronze.enstore_log_mover is missing: "
    [error_line] = [line for line in done.stderr.splitlines() if line.startswith("tapescope: ")]
    assert error_line.startswith(f"tapescope: {message}") and "  hint: restore the file from a copy" in done.stderr
    [written] = (site.root / "var" / "reports").glob("report-*.json")
    assert json.loads(written.read_text())["problems"][0].startswith(f"build failed: TapescopeError: {message}")


def test_a_report_that_a_run_sends_names_what_failed(site: Site) -> None:
    """`deliver` after it would write the report again, without the failure."""
    (site.root / "site.toml").write_text(SITE + '[deliver]\nfolder = "out"\nprometheus = "out/t.prom"\n')
    next(Path(Warehouse(site).data_path).glob("bronze/enstore_log_mover/**/*.parquet")).unlink()
    done = CliRunner().invoke(cli, ["run", "--deliver", "--site", str(site.root)])
    assert isinstance(done.exception, TapescopeError) and "folder       sent " in done.stdout
    [sent] = (site.root / "out").glob("report-*.json")
    assert json.loads(sent.read_text())["problems"][0].startswith("build failed: TapescopeError: a data file of bronze")
    figures = (site.root / "out" / "t.prom").read_text()
    assert 'tapescope_report_problems{site="case"} 0.0' not in figures


SPILLS = """
import sys
from pathlib import Path
from pipelines.config.site import load_site
from pipelines.warehouse.connection import Warehouse
warehouse = Warehouse(load_site(Path(sys.argv[1])))
with warehouse.duckdb_session("60MB") as connection:
    connection.execute("SET threads = 1")
    connection.execute("CREATE TEMP TABLE t AS SELECT i, hash(i)::VARCHAR || '-' || i AS s FROM range(1500000) r(i)")
    for spilled in warehouse.temp_folder.glob("**/duckdb_temp_*"):
        print("spilled")
        break
    sys.stdout.flush()
    sys.stdin.readline()  # until the others have spilled too
    print(connection.execute("SELECT count(*), sum(i), bit_xor(hash(i, s)) FROM t").fetchall())
"""


def test_processes_that_put_rows_down_at_once_keep_them_apart(site: Site) -> None:
    """Of a reader and a writer in one folder, both ended with a segmentation fault."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SPILLS, str(site.root / "site.toml")]
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=REPO) for _ in range(2)]
    first_lines = [process.stdout.readline().strip() for process in processes if process.stdout]
    answers = [process.communicate("on\n")[0].strip() for process in processes]
    assert first_lines == ["spilled"] * 2
    assert [process.returncode for process in processes] == [0, 0]
    assert answers[0] == answers[1] and answers[0].startswith("[(1500000, 1124999250000,")  # 1.5 M * 1,499,999 / 2
    assert list(Warehouse(site).temp_folder.iterdir()) == []


def test_what_killed_processes_put_down_goes_after_a_day(site: Site) -> None:
    """A writer removes the folders of sessions, and the files of former releases, which all were in one folder."""
    temp = Warehouse(site).temp_folder
    for name, days in (("spill-old", DAYS_AGO), ("spill-live", 0), ("apart-old", DAYS_AGO)):
        (temp / name).mkdir(parents=True)
        (temp / name / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
        then = time.time() - days * 86_400
        for path in (temp / name / "duckdb_temp_storage_DEFAULT-0.tmp", temp / name):
            os.utime(path, (then, then))
    (temp / "duckdb_temp_storage_S32K-0.tmp").write_bytes(b"rows")
    os.utime(temp / "duckdb_temp_storage_S32K-0.tmp", (then, then))
    with Warehouse(site).write("test"):
        assert [path.name for path in temp.iterdir()] == ["spill-live"]


def test_maintain_gives_space_back_before_it_needs_any(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files given up 10 days ago go, although there is no room to merge others."""
    with Warehouse(site).write("test") as connection:
        for _ in range(3):
            connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day VALUES ('none', NULL)")
    steps.maintain(site)  # merges, and so gives files up
    _shift(catalogue_of(site), "ducklake_files_scheduled_for_deletion", "schedule_start", 10)
    for backup in steps.backups_of(site):
        backup.path.unlink()
    before = data_files(site)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(maintenance, "merge", full)
    with pytest.raises(TapescopeError, match="the disk is full"):
        steps.maintain(site)
    assert before - data_files(site)


def test_an_export_that_fails_leaves_nothing_on_the_full_disk(site: Site) -> None:
    before, (soft, hard) = set(site.root.iterdir()), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))  # of a file, in bytes
    try:
        with pytest.raises(TapescopeError, match="the disk is full"):
            steps.export(site, site.root / "copy.duckdb")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert set(site.root.iterdir()) == before


def test_rules_and_forecasts_of_another_release_ask_for_a_build(site: Site) -> None:
    steps.build(site)
    with Warehouse(site).write("test") as connection:
        connection.execute(f"ALTER TABLE {LAKE}.silver.gap RENAME COLUMN client_s TO as_it_was_called")
        connection.execute(f"UPDATE {LAKE}.ops.build SET fingerprint = 'of another release'")
    with pytest.raises(TapescopeError, match="the warehouse lacks tables or columns") as failure:
        steps.detect(site)
    assert failure.value.hint == "run `tapescope build` first"
    steps.build(site)
    assert steps.detect(site).findings
    with Warehouse(site).read() as connection:
        (failed,) = connection.execute("SELECT failure FROM ops.run WHERE failure IS NOT NULL").fetchall()
    assert "the warehouse lacks tables" in failed[0] and "Binder" not in failed[0]


def test_what_only_the_next_build_makes_is_reported_in_words(site: Site) -> None:
    """An empty table of a new name would answer as a quiet day does; so it is missing until a build fills it."""
    steps.build(site)
    with Warehouse(site).write("test") as connection:
        connection.execute(f"DROP TABLE {LAKE}.gold.drive_day")
    steps.ingest(site)
    what = "another release of tapescope built the warehouse"
    ways: list[Callable[[], object]] = [
        lambda: steps.ask(site, "gap_cost"),
        lambda: steps.ask_sql(site, "SELECT 1 FROM gold.drive_day"),
    ]
    for way in ways:
        with pytest.raises(QuestionRefused, match=f"^{what}") as refusal:
            way()
        assert refusal.value.hint == "run `tapescope run` first"
    with pytest.raises(QuestionRefused, match="not_a_table"):
        steps.ask_sql(site, "SELECT 1 FROM gold.not_a_table")
    shown = CliRunner().invoke(cli, ["report", "--site", str(site.root)]).stderr.splitlines()
    assert len(shown) == 1 and what in shown[0] and f"run `tapescope run --site {site.root}` first" in shown[0]
    steps.build(site)
    assert steps.ask(site, "gap_cost").rows


def test_a_warehouse_without_tables_is_not_called_another_release(tmp_path: Path) -> None:
    """As it is in the first second of a first run: the catalogue is there, and no table."""
    site = make_site(tmp_path)
    shutil.rmtree(Warehouse(site).folder)  # which has all tables
    with Warehouse(site).write("ingest"):
        pass
    ways: list[Callable[[], object]] = [
        lambda: steps.ask(site, "gap_cost"),
        lambda: steps.ask_sql(site, "SELECT 1 FROM gold.drive_day"),
        lambda: steps.maintain(site, dry_run=True),
    ]
    for way in ways:
        with pytest.raises(QuestionRefused, match=r"^the warehouse has no tables yet: the first run has just begun"):
            way()


def test_an_export_below_a_question_mark_is_refused_in_words(site: Site) -> None:
    (site.root / "why?").mkdir()
    with pytest.raises(TapescopeError, match="contains a question mark"):
        steps.export(site, site.root / "why?" / "copy.duckdb")


def test_what_systems_say_is_named() -> None:
    """The words of DuckDB, SQLite, Polars and the system, as they were on a full and on a read-only disk."""
    full, lost = "the disk is full", "the connection to the catalogue in PostgreSQL was lost"
    rights = "this user lacks the right to read or write"
    for error, message in (
        (OSError(28, "No space left on device"), full),
        (sqlite3.OperationalError("database or disk is full"), full),
        (duckdb.IOException('IO Error: Could not write file "x.parquet": No space left on device'), full),
        (pl.exceptions.ComputeError("parquet: underlying IO error: No space left on device (os error 28)"), full),
        (sqlite3.OperationalError("attempt to write a readonly database"), rights),
        (PermissionError(13, "Permission denied", "writer.lock"), rights),
        (OSError(30, "Read-only file system", "writer.json"), rights),
        (sqlite3.OperationalError("disk I/O error"), "the disk reports an error"),
        (duckdb.OutOfMemoryException("Out of Memory Error: Failed to allocate block"), "there is not enough memory"),
        (
            duckdb.IOException(
                'IO Error: Extension "x" could not be loaded: x: failed to map segment from shared object'
            ),
            "there is not enough memory",
        ),
        (
            duckdb.IOException(
                "IO Error: Could not connect to server error for HTTP GET to 'http://h/b/gold/a/x.parquet'"
            ),
            "the object storage cannot be reached",
        ),
        (
            duckdb.HTTPException(
                "HTTP Error: HTTP GET error reading 'http://h/b/gold/a/x.parquet' (HTTP 403 Forbidden)\n\n"
                "Authentication Failure - this is usually caused by invalid or missing credentials."
            ),
            "the object storage refused a request",
        ),
        (
            duckdb.HTTPException(
                "HTTP Error: HTTP GET error reading 'http://h/b/gold/a/x.parquet' (HTTP 404 Not Found)\n\n"
                "NoSuchBucket: The specified bucket does not exist"
            ),
            "the object storage refused a request",
        ),
        (duckdb.Error("Failed to copy data: server closed the connection unexpectedly"), lost),
        (duckdb.TransactionException('Failed to commit: Failed to execute query "ROLLBACK": '), lost),
    ):
        own = store_errors.known_error(error)
        assert own is not None and str(own).startswith(message) and own.hint and own.exit_code == 1
        assert not store_errors.is_damage(error)
    assert store_errors.known_error(ValueError("of something else")) is None
    assert "the disk is full" in failures.summarize_failure("build", OSError(28, "No space left on device"))
