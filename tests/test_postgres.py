"""The catalogue in a real PostgreSQL: the same rows as with SQLite, writers that take turns, no secret shown.

The server asks for a password, which only the environment holds.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipelines import cli, steps
from pipelines.build import apart
from pipelines.build.part import PartBuild, cut
from pipelines.catalog.contracts import Relation
from pipelines.config.site import Site, load_site
from pipelines.ingest import run as ingest_run
from pipelines.primitives.errors import ConfigError, QuestionRefused, TapescopeError, WarehouseBusy
from pipelines.warehouse import writer_lock
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from support import REPO
from support.archive import SITE, all_rows, differences, make, make_site, put, query
from support.memory_lake import plain_store
from support.postgres import OWNER, PASSWORD, make_lake, pgserver_tools, postgres
from support.processes import LIMIT_S, python, run
from support.stories import week
from support.two_days import FIRST, SECOND, arrive, kept


@dataclass
class Server:
    own: Any
    socket_folder: Path
    database: str = "lake"

    def site(self, folder: Path, data: str = "data", database: str = "lake", host: Path | None = None) -> Site:
        catalogue = f"postgres:dbname={database} host={host or self.socket_folder} user={OWNER}"
        text = SITE.replace('name = "case"', f'name = "case"\ncatalogue = "{catalogue}"\ndata_path = "{data}"')
        return make_site(folder, text)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The role's password is in the environment."""
    with postgres() as own, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        yield Server(own, make_lake(own))


@pytest.fixture(scope="module")
def both(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Site]:
    """The same two days with SQLite and with PostgreSQL, where two processes read at once."""
    plain = make_site(tmp_path_factory.mktemp("plain"))
    site = server.site(tmp_path_factory.mktemp("site"))
    for day in (FIRST, SECOND):
        arrive(plain, day)
        arrive(site, day)
    steps.ingest(plain)
    arguments = ("-m", "pipelines.cli", "ingest", "--site", str(site.root))
    with python(*arguments) as one, python(*arguments) as other:
        for process in (one, other):
            output, _ = process.communicate(timeout=LIMIT_S)
            assert process.returncode == 0, output
    for each in (plain, site):
        steps.build(each)
    return plain, site


def test_before_the_first_ingest_all_is_to_be_read(server: Server, tmp_path: Path) -> None:
    server.own.psql(f"CREATE DATABASE fresh OWNER {OWNER}")
    site = server.site(tmp_path, database="fresh")
    arrive(site, FIRST)
    assert steps.pending_files(site).n_new == 3 and steps.dirty_tables(site) == {}


def test_two_at_once_give_the_rows_that_sqlite_gives(both: tuple[Site, Site]) -> None:
    plain, site = both
    assert differences(kept(plain), kept(site)) == []
    assert not Warehouse(site).catalogue_file.exists()


def test_everything_else_works_on_it(both: tuple[Site, Site]) -> None:
    plain, site = both
    rows = all_rows(site)
    assert steps.ask(site, "session_rates").rows == steps.ask(plain, "session_rates").rows != []
    count = "SELECT count(*) FROM silver.transfer"
    assert steps.ask_sql(site, count).rows == query(plain, count)
    with pytest.raises(QuestionRefused):
        steps.ask_sql(site, f"SELECT * FROM postgres_query('{LAKE}', 'SELECT 1')")
    with pytest.raises(QuestionRefused):
        steps.ask_sql(site, "SELECT * FROM __ducklake_metadata_lake.ducklake_snapshot")
    written = steps.report(site)
    assert (site.root / "var" / "reports").samefile(written["json"].parent)
    assert all(PASSWORD not in path.read_text() for path in written.values())
    page = written["checks"].read_text()
    assert f'href="{written["checks"].name}"' in written["html"].read_text() and "ExpectColumn" in page
    assert "://" not in page and "<script" not in page, "nothing is asked of another host"
    done = steps.maintain(site).as_dict()
    assert done["files_after"] < done["files_before"]
    assert differences(rows, all_rows(site)) == []
    steps.forget(site, f"logs/enstore/LOG-{SECOND}")
    assert query(site, f"SELECT count(*) FROM bronze.enstore_log_mover WHERE day > DATE '{FIRST}'") == [(0,)]
    steps.ingest(site, again=True)
    steps.build(site)
    assert differences(rows, all_rows(site)) == []


def test_killed_in_a_build_it_loses_nothing_and_lets_the_next_one_go_on(both: tuple[Site, Site]) -> None:
    site = both[1]
    rows = all_rows(site)
    log = site.root / "logs" / "enstore" / f"LOG-{SECOND}"
    text = log.read_text()
    log.write_text(text.replace("DRV_2", "DRV_7"))
    steps.ingest(site)
    run(site, "build", kill_after_s=1.5)
    assert differences(rows, all_rows(site)) == [], "a reader sees the last whole build"
    log.write_text(text)
    steps.ingest(site)
    steps.build(site)
    assert differences(rows, all_rows(site)) == []


def test_a_build_in_parts(both: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch) -> None:
    """Made while another process writes; in between site.toml is another, so that rows of all days differ."""
    plain, site = both
    monkeypatch.setattr(apart, "PAYING_ROWS", 0)
    monkeypatch.setattr(apart, "PART_DAYS", 1)
    file = site.root / "site.toml"
    text = file.read_text()
    file.write_text(text.replace('zone = "', 'expected_gap_s = 9.0\nlog_silence_s = 60\nzone = "'))
    steps.build(load_site(file), workers=1)
    expected = all_rows(plain)
    assert differences(expected, all_rows(site)) != []
    file.write_text(text)
    parts = apart.plan(load_site(file), 2)
    assert len(parts) == 2
    for own in parts:
        with Warehouse(site).write("test"):
            assert apart.make_part(load_site(file), own)["rows"]
    steps.build(load_site(file), is_apart=True)
    assert [*Path(Warehouse(site).data_path).rglob("staged-*.parquet")]
    assert differences(expected, all_rows(site)) == []


def test_a_part_that_was_being_made_while_logs_came_is_not_taken(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL shows a process what others commit meanwhile; the other part is made after that."""
    server.own.psql(f"CREATE DATABASE late OWNER {OWNER}")
    site, texts = server.site(tmp_path / "late", database="late"), week()
    late = [*texts][2]
    for day in texts.keys() - {late}:
        put(site, f"enstore/LOG-{day}", texts[day])
    steps.ingest(site)
    make_days, made = PartBuild.make_days, []

    def interrupted(build: PartBuild, relation: Relation, days: set[date]) -> None:
        make_days(build, relation, days)
        made.append(relation.full_name)
        if len(made) == 20:
            put(site, f"enstore/LOG-{late}", texts[late])
            steps.ingest(site)

    monkeypatch.setattr(PartBuild, "make_days", interrupted)
    for part in cut(dict.fromkeys(texts, 1), 2):
        apart.make_part(site, part)
    steps.build(site, is_apart=True)
    assert len(made) > 40
    with plain_store():
        plain = make_site(tmp_path / "once")
        for day, text in texts.items():
            put(plain, f"enstore/LOG-{day}", text)
        make(plain)
        expected = all_rows(plain)
    assert differences(expected, all_rows(site)) == []


def test_a_writer_that_does_not_wait_learns_who_writes(both: tuple[Site, Site]) -> None:
    hasty = Warehouse(both[1].model_copy(update={"lock_wait_s": 0.0}))
    with (
        Warehouse(both[1]).write("build"),
        pytest.raises(WarehouseBusy, match="tapescope build, process "),
        hasty.write("ingest"),
    ):
        pass


def test_no_limit_of_the_server_ends_the_turn_of_a_writer(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a second writer would come in while the first one computes."""
    setting, ask, keepers = "idle_in_transaction_session_timeout", writer_lock._ask_server, []

    def noted(keeper: Connection, sql: str) -> Any:
        keepers.append(keeper)
        return ask(keeper, sql)

    monkeypatch.setattr(writer_lock, "_ask_server", noted)
    server.own.psql(f"ALTER ROLE {OWNER} SET {setting} = '1h'")
    try:
        with Warehouse(server.site(tmp_path)).turn("build"):
            assert ask(keepers[0], f"SELECT current_setting('{setting}')") == "0"
    finally:
        server.own.psql(f"ALTER ROLE {OWNER} RESET {setting}")


def test_a_server_that_goes_away_in_a_turn_does_not_abort_the_process(server: Server, tmp_path: Path) -> None:
    site = server.site(tmp_path)
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'tapescope build,%'"
    with pytest.raises(ZeroDivisionError), Warehouse(site).turn("build"):
        server.own.psql(end)
        raise ZeroDivisionError


def test_a_writer_whose_lock_is_lost_commits_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection for work is still there, and another writer has read the same logs meanwhile."""
    server.own.psql(f"CREATE DATABASE cut OWNER {OWNER}")
    site, end = server.site(tmp_path, database="cut"), "SELECT pg_terminate_backend(pid) FROM pg_locks"
    arrive(site, FIRST)
    load_all = ingest_run.load_all

    def interrupted(*arguments: Any) -> Iterator[Any]:
        yield from load_all(*arguments)
        monkeypatch.setattr(ingest_run, "load_all", load_all)
        server.own.psql(f"{end} WHERE locktype = 'advisory' AND granted")
        assert steps.ingest(site).as_dict()["loaded"] == 3

    monkeypatch.setattr(ingest_run, "load_all", interrupted)
    with pytest.raises(TapescopeError, match="connection to the catalogue in PostgreSQL was lost"):
        steps.ingest(site)
    lines = query(site, "SELECT count(*), count(DISTINCT line_no) FROM bronze.enstore_log_mover")
    assert lines[0][0] == lines[0][1] > 0, "both writers added the rows of one log"


def test_its_data_may_be_moved(server: Server, both: tuple[Site, Site]) -> None:
    site = both[1]
    rows = all_rows(site)
    (site.root / "data").rename(site.root / "moved")
    moved = server.site(site.root, "moved")
    assert differences(rows, all_rows(moved)) == []
    (site.root / "moved").rename(site.root / "data")
    server.site(site.root)


def test_a_dump_is_restored_over_the_catalogue_as_the_guide_states(server: Server, tmp_path: Path) -> None:
    server.own.psql(f"CREATE DATABASE dumped OWNER {OWNER}")
    site, dump = server.site(tmp_path, database="dumped"), str(tmp_path / "lake.dump")
    at, tools = f"dbname=dumped host={server.socket_folder} user={OWNER}", pgserver_tools()
    arrive(site, FIRST)
    steps.ingest(site)
    subprocess.run([tools / "pg_dump", "--format=custom", f"--file={dump}", at], check=True)
    arrive(site, SECOND)
    make(site)
    expected = all_rows(site)
    guide = (REPO / "docs" / "guides" / "upgrade-and-backup.md").read_text()
    (options,) = re.findall(r"^pg_restore (.*) --dbname=", guide, re.MULTILINE)
    subprocess.run([tools / "pg_restore", *options.split(), f"--dbname={at}", dump], check=True)
    with pytest.raises(ConfigError, match="the catalogue is older than the data") as failure:
        steps.build(site)
    assert "--adopt" in failure.value.hint
    assert steps.adopt(site).missing == []
    make(site)
    assert differences(expected, all_rows(site)) == []


def test_a_server_that_is_away_or_refuses_is_reported_without_a_secret(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    away = server.site(tmp_path / "away", host=tmp_path)
    with pytest.raises(TapescopeError, match="cannot be reached") as failure:
        steps.build(away)
    assert "running" in failure.value.hint
    with pytest.raises(ConfigError, match="does not exist"):
        steps.build(server.site(tmp_path / "none", database="nowhere"))
    assert cli_errors(away, monkeypatch, capfd).count("hint:") == 1
    monkeypatch.setenv("PGPASSWORD", "wrong-" + PASSWORD[::-1])
    with pytest.raises(ConfigError, match="password authentication failed") as refused:
        steps.ask(server.site(tmp_path / "wrong"), "files")
    assert PASSWORD[::-1] not in str(refused.value) + refused.value.hint
    for secret in ("postgres:dbname=lake password=sesame", "postgresql://keeper:sesame@localhost/lake"):
        with pytest.raises(ConfigError, match="must not hold a password") as wrong:
            make_site(tmp_path / "secret", f'name = "x"\ncatalogue = "{secret}"\ndata_path = "data"\n')
        assert "sesame" not in str(wrong.value)


def cli_errors(site: Site, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr("sys.argv", ["tapescope", "build", "--json", "--site", str(site.root)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    captured: Any = capfd.readouterr()
    assert PASSWORD not in captured.out + captured.err and "Traceback" not in captured.err
    return str(captured.err)
