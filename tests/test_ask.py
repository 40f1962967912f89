"""Questions answered, free SQL answered, and hostile SQL refused with the data untouched."""

import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pytest
from click.testing import CliRunner

from pipelines.answers import adhoc, guard, pool
from pipelines.answers import question as ask
from pipelines.answers import worker as sql_worker
from pipelines.catalog.contracts import Catalog, Column, Question
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError, ContractError, QuestionRefused, TapescopeError
from pipelines.warehouse.connection import Warehouse, snapshot_id
from pipelines.warehouse.tables import prepare_tables
from support.hostile_sql import ENDLESS, HUGE, REFUSED, named

HOSTILE_NAME = "\x1b[31mred'; DROP TABLE bronze.host_sample; --"
FACTS = (
    "SELECT count(*), sum(line_no), min(host), (SELECT [min(snapshot_id), max(snapshot_id)]"
    " FROM ducklake_snapshots('lake')) FROM bronze.host_sample"
)


def wait_for(is_so: Callable[[], bool], timeout_s: float = 30) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def facts(site: Site) -> tuple[object, list[str]]:
    """Rows, snapshots and files of the warehouse, to compare."""
    folder = Warehouse(site).folder
    files = sorted(str(path) for path in folder.rglob("*") if not path.name.startswith("catalogue.sqlite-"))
    with Warehouse(site).read() as connection:
        return connection.execute(FACTS).fetchall(), files


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small warehouse, which must be unchanged after all hostile statements."""
    site = Site(name="test", root=tmp_path_factory.mktemp("ask"))
    (site.root / "site.toml").write_text('name = "test"\n')
    with Warehouse(site).write("test") as connection:
        prepare_tables(connection, load_catalog())
        connection.execute(
            "INSERT INTO lake.bronze.host_sample (file_id, line_no, day, host, from_at, to_at, cpu_idle)"
            " SELECT 'f', i, DATE '2010-06-15', 'h' || i % 2, TIMESTAMP '2010-06-15' + i * INTERVAL 1 SECOND,"
            " TIMESTAMP '2010-06-15' + (i + 1) * INTERVAL 1 SECOND, i / 100 FROM range(100) t(i)"
        )
        connection.execute(
            "INSERT INTO lake.bronze.host_sample (file_id, line_no, day, host) VALUES ('g', 1, DATE '2010-06-16', ?)",
            [HOSTILE_NAME],
        )
    before = facts(site)
    yield site
    assert facts(site) == before


@pytest.mark.parametrize("sql", REFUSED, ids=named)
def test_refused_before_it_runs(sql: str) -> None:
    with pytest.raises(QuestionRefused) as refusal:
        guard.check(sql, load_catalog().relations)
    assert str(refusal.value)
    assert refusal.value.hint


@pytest.mark.parametrize("sql", REFUSED, ids=named)
def test_the_command_line_refuses(site: Site, sql: str) -> None:
    with pytest.raises(QuestionRefused) as refusal:
        cli.main(["sql", "--site", str(site.root), "--", sql], standalone_mode=False)
    assert refusal.value.hint


def test_many_comments_take_no_time() -> None:
    begin = time.monotonic()
    guard.check("/**/" * 4_000 + "SELECT 1")
    assert time.monotonic() - begin < 10


def test_a_refusal_names_the_table_that_was_meant() -> None:
    with pytest.raises(QuestionRefused, match=r"have no table .*host_sample") as refusal:
        guard.check("FROM host_sample", load_catalog().relations)
    assert "bronze.host_sample" in refusal.value.hint


@pytest.mark.parametrize("sql", ["DELETE FROM bronze.host_sample", "SELECT * FROM glob('/*')"])
def test_ask_sql_asks_the_guard(site: Site, sql: str) -> None:
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, sql)


@pytest.mark.parametrize("sql", ENDLESS, ids=named)
def test_what_does_not_end_is_stopped(site: Site, sql: str) -> None:
    begin = time.monotonic()
    with pytest.raises(QuestionRefused, match="stopped after 2 s") as refusal:
        ask.ask_sql(site, sql, timeout_s=2)
    assert time.monotonic() - begin < 10  # on a busy machine
    assert refusal.value.hint


@pytest.mark.parametrize("sql", HUGE, ids=named)
def test_what_needs_too_much_is_stopped(site: Site, sql: str) -> None:
    with pytest.raises(QuestionRefused, match=r"more memory|too large|ended") as refusal:
        ask.ask_sql(site, sql, timeout_s=60, memory="200MB")
    assert refusal.value.hint


def test_too_many_columns_are_too_large(site: Site) -> None:
    with pytest.raises(QuestionRefused, match="too large"):
        ask.ask_sql(site, f"SELECT {'*, ' * 80}1 FROM bronze.host_sample", timeout_s=60)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO bronze.host_sample (host) VALUES ('x')",
        "COPY (SELECT 1) TO '{root}/x.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SET memory_limit = '100GB'",
    ],
)
def test_the_process_holds_what_the_guard_let_slip(site: Site, monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    monkeypatch.setattr(pool, "COMMAND", ("-P", "-s", "-c", UNGUARDED))
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, sql.format(root=site.root), memory="300MB")  # a process of its own: no other test has this


# The confined process as it would be if the guard let everything through.
UNGUARDED = """
import sys
from pipelines.answers import guard, worker
guard.check = lambda text, known: guard.Allowed(text, ())
sys.exit(worker.main())
"""


def test_the_process_inherits_no_secret(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("PGPASSWORD", "secret")
    assert "secret" not in adhoc._environment(Warehouse(site)).values()
    postgres = site.model_copy(update={"catalogue": "postgres:dbname=x", "data_path": "/data"})
    assert adhoc._environment(Warehouse(postgres))["PGPASSWORD"] == "secret"


FRIENDLY = [
    "SELECT host, count(*) FROM bronze.host_sample GROUP BY ALL ORDER BY ALL;",
    "FROM bronze.host_sample LIMIT 3 -- the first",
    "TABLE lake.bronze.host_sample",
    "SELECT a.host FROM bronze.host_sample a JOIN bronze.host_sample b USING (file_id, line_no)"
    " ANTI JOIN site.station s ON s.station = a.host",
    "WITH a AS (SELECT * FROM Bronze.HOST_SAMPLE), b AS (FROM A) SELECT count(*) FROM b",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
    "SELECT lag(to_at) OVER w, rank() OVER w, row_number() OVER () FROM bronze.host_sample"
    " WINDOW w AS (PARTITION BY host ORDER BY to_at) QUALIFY rank() OVER w < 3",
    "SELECT unnest([1, 2]) AS x, [y * 2 FOR y IN [1, 2]]",
    "SELECT * FROM range(3) t(i), generate_series(1, i) u(j), unnest([i]) v(k)",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu_idle) FILTER (WHERE host > 'h') FROM bronze.host_sample",
    "SELECT date_trunc('hour', from_at), extract(year FROM from_at), CAST(day AS VARCHAR), day::TIMESTAMP"
    " FROM bronze.host_sample WHERE day BETWEEN DATE '2010-06-15' AND DATE '2010-06-16'",
    "SELECT coalesce(NULL, 1), nullif(1, 2), CASE WHEN true THEN 1 END, {'a': 1}.a, MAP {'k': 1}['k'], 1::DECIMAL(5)",
    "SELECT * EXCLUDE (file_id) REPLACE (upper(host) AS host) FROM bronze.host_sample",
    "SELECT max(COLUMNS('cpu_.*')) FROM bronze.host_sample",
    "SELECT 1 WHERE EXISTS (FROM bronze.host_sample) AND 1 IN (SELECT 1) UNION ALL BY NAME SELECT 2",
    "FROM (FROM bronze.host_sample) PIVOT (count(*) FOR host IN ('h0', 'h1'))",
    "UNPIVOT (SELECT cpu_idle, cpu_user FROM bronze.host_sample) ON cpu_idle, cpu_user",
    "PIVOT bronze.host_sample ON host, day USING count(*) GROUP BY file_id",
    "WITH p AS (PIVOT bronze.host_sample ON host) SELECT * FROM p",
    "SELECT iif(1 > 0, 2, 3), if(1 > 0, 2, 3), width_bucket(5, 0, 10, 4), setseed(0.5)",
    "SHOW TABLES",
    "SHOW ALL TABLES;",
    "SHOW TABLES FROM bronze",
    "SHOW SCHEMAS",
    "SHOW bronze.host_sample",
    "DESCRIBE bronze.host_sample",
    "SUMMARIZE SELECT cpu_idle FROM bronze.host_sample",
    "SELECT table_schema, table_name FROM information_schema.tables",
    "SELECT * FROM bronze.host_sample USING SAMPLE 5",
    "VALUES (1, 'a'), (2, 'b')",
    "/* why */ EXPLAIN SELECT * FROM bronze.host_sample",
    "EXPLAIN ANALYZE SELECT count(*) FROM bronze.host_sample",
]


@pytest.mark.parametrize("sql", FRIENDLY, ids=named)
def test_friendly_sql_runs(site: Site, sql: str) -> None:
    assert ask.ask_sql(site, sql).columns


def test_what_a_listing_holds(site: Site) -> None:
    tables = ask.ask_sql(site, "SHOW TABLES").rows
    assert ("bronze", "host_sample") in tables and ("gold", "finding") in tables
    assert {schema for schema, _ in tables} == {"site", "ops", "bronze", "silver", "gold"}
    assert all(schema == "bronze" for schema, _ in ask.ask_sql(site, "SHOW TABLES FROM bronze").rows)


def test_functions_of_other_databases(site: Site) -> None:
    sql = (
        "SELECT iif(i > 5, 'high', 'low') AS side, width_bucket(i, 0, 10, 4) AS bucket"
        " FROM (VALUES (-1), (0), (6), (10)) t(i)"
    )
    # quarters of 0 to 10: 6 is in the third; below is 0, from the end on 5
    assert ask.ask_sql(site, sql).rows == [("low", 0), ("low", 1), ("high", 3), ("high", 5)]


def test_pivot_finds_its_own_columns(site: Site) -> None:
    answer = ask.ask_sql(
        site, "PIVOT (SELECT host, line_no FROM bronze.host_sample WHERE file_id = 'f') ON host USING count(*)"
    )
    assert [column.name for column in answer.columns] == ["line_no", "h0", "h1"]
    assert len(answer.rows) == 100


def test_no_path_of_the_host_is_shown(site: Site) -> None:
    root = str(site.root)
    for sql in (
        "SELECT DISTINCT filename FROM bronze.host_sample",
        "EXPLAIN ANALYZE SELECT count(*) FROM bronze.host_sample WHERE day = '2010-06-15'",
    ):
        text = str(ask.ask_sql(site, sql).rows)
        assert root not in text and "tapescope-sql" not in text
        assert "warehouse/data" in text or "host_sample" in text
    with pytest.raises(QuestionRefused, match="txid_current") as refusal:
        ask.ask_sql(site, "SELECT txid_current()")
    assert root not in str(refusal.value)


def process_ids() -> set[int]:
    return {worker._process.pid for _, worker in pool._idle}


def test_the_process_is_used_again(site: Site) -> None:
    pool.close_all()
    ask.ask_sql(site, "SELECT 1")
    before = process_ids()
    ask.ask_sql(site, "SELECT setseed(0.5)")
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, "SELECT nothing")
    assert process_ids() == before and len(before) == 1


def test_a_statement_leaves_nothing_to_the_next(site: Site) -> None:
    sql = "SELECT random() FROM (SELECT setseed(0.25))"
    first, second = (ask.ask_sql(site, sql).rows, ask.ask_sql(site, "SELECT random()").rows)
    ask.ask_sql(site, sql)
    assert ask.ask_sql(site, "SELECT random()").rows not in (first, second)  # the seed has ended with its statement
    ask.ask_sql(site, "PIVOT bronze.host_sample ON host")
    kinds = ask.ask_sql(site, "PIVOT bronze.host_sample ON host USING count(*) GROUP BY day ORDER BY day").rows
    assert len(kinds) == 2  # a type of the same name is no longer there


def test_a_process_that_was_stopped_is_not_used_again(site: Site) -> None:
    pool.close_all()
    ask.ask_sql(site, "SELECT 1", memory="200MB")
    (before,) = process_ids()
    with pytest.raises(QuestionRefused, match=r"memory|too large|ended"):
        ask.ask_sql(site, "SELECT list(i) FROM range(100000000) t(i)", memory="200MB")
    assert before not in process_ids()


def test_a_new_snapshot_is_seen_by_a_process_in_use(tmp_path: Path) -> None:
    site = Site(name="growing", root=tmp_path)
    for n_rows in (1, 2):
        with Warehouse(site).write("test") as connection:
            prepare_tables(connection, load_catalog())
            connection.execute("INSERT INTO lake.bronze.host_sample (file_id, line_no) VALUES ('f', ?)", [n_rows])
        assert ask.ask_sql(site, "SELECT count(*) FROM bronze.host_sample").rows == [(n_rows,)]
    shutil.rmtree(Warehouse(site).folder)
    with pytest.raises(ConfigError, match="no warehouse"):
        ask.ask_sql(site, "SELECT 1")


def test_no_other_process_parses_the_text(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nested comments hold DuckDB's parser, and all threads of its process, for seconds."""
    parsed: list[str] = []
    monkeypatch.setattr(guard, "check", lambda text, *_: parsed.append(text))
    monkeypatch.setattr(duckdb, "extract_statements", parsed.append)
    assert ask.ask_sql(site, "SELECT 1 " + "/*" * 500 + "*/" * 500).rows == [(1,)]
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, "SELECT 1 " + "/*" * 4990 + "*/" * 4989)
    assert not parsed


def test_the_start_of_a_process_takes_no_time_of_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes an empty line once it is ready: the limit, here no time at all, counts from there."""
    reply = "json.dumps({'n_rows': 1, 'n_bytes': 0})"  # written with the empty line; then it waits
    code = f"import json, sys; input(); print(); print({reply}, flush=True); sys.stdin.read()"
    monkeypatch.setattr(pool, "COMMAND", ("-c", code))
    worker = pool.Worker(pool.Opening((), "{}", (), ""))
    try:
        assert worker.ask({}, timeout_s=0) == ({"n_rows": 1, "n_bytes": 0}, b"")
        with pytest.raises(QuestionRefused):
            worker.ask({}, timeout_s=0)
    finally:
        worker.close()


def test_a_process_ends_with_the_program_that_started_it(site: Site) -> None:
    """Killed, the program cannot clean up: the process sees its input end, and removes its folder."""
    code = (
        "import os, signal, sys; from pathlib import Path; from pipelines.answers import pool, question;"
        "from pipelines.config.site import load_site; question.ask_sql(load_site(Path(sys.argv[1])), 'SELECT 1');"
        "((_, worker),) = pool._idle; print(worker._process.pid, worker._folder.name, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(site.root)], capture_output=True, text=True, timeout=120
    ).stdout
    pid, folder = out.split()
    wait_for(lambda: not Path(folder).exists() and not Path(f"/proc/{pid}/exe").exists())


def test_the_tables_a_statement_names() -> None:
    assert guard.check("WITH a AS (FROM silver.gap) FROM a JOIN lake.Gold.x USING (d)").tables == (
        "gold.x",
        "silver.gap",
    )


def test_free_sql_gives_rows_types_and_snapshot(site: Site) -> None:
    sql = (
        "SELECT host, sum(line_no) AS total, min(from_at) AS from_at, min(from_at), min(day) AS day, 1.50 AS price,"
        " [1, 2] AS many, {'a': 1} AS one, NULL AS nothing, sum(line_no)::DOUBLE AS total"
        " FROM bronze.host_sample WHERE line_no < 4 GROUP BY host ORDER BY host DESC"
    )
    answer = ask.ask_sql(site, sql)
    begin = datetime(2010, 6, 15)
    assert [column.name for column in answer.columns][:4] == ["host", "total", "from_at", "min(from_at)"]
    assert [column.type for column in answer.columns][:3] == ["VARCHAR", "HUGEINT", "TIMESTAMP"]
    assert answer.columns[-1].name == "total_2"
    assert answer.rows[1] == (
        *("h0", 2, begin, begin, date(2010, 6, 15)),
        *(Decimal("1.50"), [1, 2], {"a": 1}, None, 2.0),
    )
    assert answer.rows[2][0] == HOSTILE_NAME  # text of a log is data, whatever it says
    assert answer.as_dicts()[0]["host"] == "h1"
    with Warehouse(site).read() as connection:
        assert answer.snapshot == snapshot_id(connection)
    assert answer.sql == sql
    assert not answer.is_cut


def test_many_rows_are_cut_and_marked_so(site: Site) -> None:
    answer = ask.ask_sql(site, "SELECT i FROM range(1000000000) t(i)", max_rows=12_345)
    assert answer.is_cut
    assert len(answer.rows) == 12_345


def test_every_kind_of_value_comes_through(site: Site) -> None:
    answer = ask.ask_sql(
        site,
        "SELECT MAP {'a': [1, 2]} AS map, [{'b': MAP {1: true}}] AS deep, '101'::BIT AS bit, 1::HUGEINT AS big,"
        " UUID '00000000-0000-0000-0000-000000000001' AS uuid, INTERVAL 1 DAY AS span, 'x'::BLOB AS blob,"
        " 'a'::ENUM ('a', 'b') AS word, union_value(u := 1) AS one_of, [1, 2]::INTEGER[2] AS pair, '{}'::JSON AS json,"
        " TIMESTAMPTZ '2010-06-15 12:00:00+02' AS instant, TIME '10:00' AS clock, 'inf'::DOUBLE AS endless",
    )
    assert answer.rows == [
        (
            *({"a": [1, 2]}, [{"b": {1: True}}], "101", 1, UUID(int=1), timedelta(days=1), b"x", "a", 1, (1, 2), "{}"),
            *(datetime(2010, 6, 15, 10, tzinfo=UTC), clock_time(10), math.inf),
        )
    ]


def test_files_get_only_what_any_reader_knows(site: Site) -> None:
    quoted = HOSTILE_NAME.replace("'", "''")
    found = adhoc.run(
        site,
        "SELECT MAP {'a': [1, 2]} AS map, 7::HUGEINT AS small, 170141183460469231731687303715884105727 AS big,"
        " UUID '00000000-0000-0000-0000-000000000001' AS uuid, INTERVAL 1 DAY AS span, 1.50 AS price, NULL AS nothing,"
        f" '{quoted}' AS \"red \x1b\"",
        plain=True,
    )
    (row,) = found.named().to_pylist()
    assert list(row.values())[:-1] == [
        *("{a=[1, 2]}", 7, "170141183460469231731687303715884105727", "00000000-0000-0000-0000-000000000001", "1 day"),
        *(Decimal("1.50"), None),
    ]
    (shown,) = found.shown(10, 12).to_pylist()
    assert shown["small"] == 7 and shown["map"] == "{a=[1, 2]}" and shown["uuid"] == "00000000-000"
    assert list(shown.items())[-1] == ("red \\x1b", "\\x1b[31mred'; D")


def test_another_snapshot_can_be_asked(site: Site) -> None:
    with Warehouse(site).read() as connection:
        newest = snapshot_id(connection)
    assert ask.ask_sql(site, "SELECT count(*) FROM bronze.host_sample", snapshot=newest).rows == [(101,)]
    with pytest.raises(QuestionRefused, match="does not keep that snapshot") as refusal:
        ask.ask_sql(site, "SELECT 1", snapshot=newest + 1000)
    assert "newest" in refusal.value.hint


def test_lists_of_many_values_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_worker, "MAX_VALUES", 1000)
    with duckdb.connect() as connection:
        result = connection.execute("SELECT list({'a': true}) FROM range(600)")
        assert sql_worker._fetch(result, 10) == (None, False)


@pytest.mark.parametrize("plain", [False, True])
def test_texts_of_an_enum_are_counted_as_written_out(site: Site, plain: bool) -> None:
    """Five million numbers of two bytes here are five million texts of 9,000 characters for whoever reads them."""
    word = "y" * 9000
    with pytest.raises(QuestionRefused, match=r"too large|memory|ended"):
        adhoc.run(site, f"SELECT list('{word}'::ENUM('{word}')) FROM range(5000000)", timeout_s=60, plain=plain)


def test_a_csv_on_the_command_line_acts_on_nothing(site: Site) -> None:
    sql = "SELECT '=1+1' AS a, chr(27) || '[31m' AS b, -1 AS c"
    done = CliRunner().invoke(cli, ["sql", sql, "--format", "csv", "--site", str(site.root)])
    assert done.stdout.splitlines() == ["a,b,c", "'=1+1,\\x1b[31m,-1"]


def test_no_rows_is_an_answer(site: Site) -> None:
    answer = ask.ask_sql(site, "SELECT host FROM bronze.host_sample WHERE false")
    assert (answer.rows, answer.is_cut, [column.name for column in answer.columns]) == ([], False, ["host"])


def test_explain_gives_the_plan(site: Site) -> None:
    answer = ask.ask_sql(site, "EXPLAIN SELECT host FROM bronze.host_sample")
    assert "host_sample" in str(answer.rows)


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("SELECT * FROM bronze.host_samples", "host_samples", "bronze.host_sample"),
        ("SELECT hots FROM bronze.host_sample", "hots", "correct"),
        ("SELECT 'x'::INTEGER", "Conversion", "correct"),
    ],
)
def test_a_mistake_is_shown_in_duckdbs_words(site: Site, sql: str, message: str, hint: str) -> None:
    with pytest.raises(QuestionRefused, match=message) as refusal:
        ask.ask_sql(site, sql)
    assert hint in refusal.value.hint


def test_without_a_warehouse(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no warehouse"):
        ask.ask_sql(Site(name="empty", root=tmp_path), "SELECT 1")


def test_a_process_that_fails_says_why(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "COMMAND", ("-c", "import sys; sys.exit('no such thing')"))
    with pytest.raises(TapescopeError, match="failed: no such thing"):
        ask.ask_sql(site, "SELECT 1", memory="250MB")


def question(sql: str, columns: list[str], **params: dict[str, object]) -> Catalog:
    asked = Question("idle", "Idle", "why", tuple(Column(name, "", "") for name in columns), sql, params)
    return Catalog({}, {}, {"idle": asked, "load": asked}, "")


DAYS = {
    "first_day": {"type": "DATE", "doc": "first day"},
    "last_day": {"type": "DATE", "doc": "last day"},
}


def test_a_question_with_its_parameters(site: Site) -> None:
    catalog = question(
        "SELECT host, count(*) AS n FROM bronze.host_sample WHERE day = $day AND cpu_idle >= $least AND line_no < $line"
        " AND host <> $not_host GROUP BY host",
        ["host", "n"],
        day={"type": "DATE", "default": "2010-06-15", "doc": "day"},
        least={"type": "DOUBLE", "default": 0.1, "doc": "share"},
        line={"type": "BIGINT", "doc": "line"},
        not_host={"type": "VARCHAR", "default": "", "doc": "host"},
    )
    answer = ask.ask(site, catalog, "idle", {"line": "20", "not_host": "h0"})
    assert answer.as_dicts() == [{"host": "h1", "n": 5}]
    assert ask.ask(site, catalog, "idle", {"line": "20", "not_host": "' OR 1=1 --"}).rows != []
    assert ask.ask(site, catalog, "idle", {"line": "20"}, snapshot=answer.snapshot).snapshot == answer.snapshot
    for params, message, hint in (
        ({}, "needs line", "line="),
        ({"line": "many"}, "line=many is not a BIGINT", ""),
        ({"line": "1", "day": "June"}, "not a DATE", "2010-06-15"),
        ({"line": "1", "least": "nan"}, "not a DOUBLE", ""),
        ({"line": "1", "hots": "x"}, "no parameter hots", "day, least, line, not_host"),
    ):
        with pytest.raises(QuestionRefused, match=message) as refusal:
            ask.ask(site, catalog, "idle", params)
        assert hint in refusal.value.hint


def test_an_unknown_question_names_its_neighbours(site: Site) -> None:
    with pytest.raises(QuestionRefused, match="'idel'") as refusal:
        ask.ask(site, question("SELECT 1 AS x", ["x"]), "idel")
    assert "idle" in refusal.value.hint


def test_a_question_differing_from_its_header(site: Site) -> None:
    with pytest.raises(ContractError, match="columns x"):
        ask.ask(site, question("SELECT 1 AS x", ["y"]), "idle")
    with pytest.raises(QuestionRefused, match=r"^another release of tapescope built the warehouse") as refusal:
        ask.ask(site, question("SELECT 1 AS x FROM gold.not_built", ["x"]), "idle")
    assert "run" in refusal.value.hint


def test_the_period_is_the_last_day_with_data(tmp_path: Path) -> None:
    site = Site(name="days", root=tmp_path)
    warehouse = Warehouse(site)
    catalog = question("SELECT $first_day AS a, $last_day AS b", ["a", "b"], **DAYS)

    def period(**params: str) -> tuple[date, date]:
        first, last = ask.ask(site, catalog, "idle", params).rows[0]
        return first, last

    with warehouse.write("test") as connection:
        connection.execute("CREATE SCHEMA lake.gold")
    assert period() == (ask.NO_DATA, ask.NO_DATA)
    with warehouse.write("test") as connection:
        connection.execute("CREATE TABLE lake.gold.drive_ledger (day DATE)")
        connection.execute("CREATE TABLE lake.gold.duty_factor AS SELECT DATE '2010-06-14' AS day")
    assert period() == (date(2010, 6, 14), date(2010, 6, 14))
    with warehouse.write("test") as connection:
        connection.execute("INSERT INTO lake.gold.drive_ledger VALUES ('2010-06-15'), ('2010-06-13')")
    assert period() == (date(2010, 6, 15), date(2010, 6, 15))
    assert period(first_day="2010-06-01") == (date(2010, 6, 1), date(2010, 6, 15))
    assert period(last_day="2010-06-02") == (date(2010, 6, 2), date(2010, 6, 2))
    with pytest.raises(QuestionRefused, match="is after"):
        period(first_day="2010-07-01")


def test_the_default_day_is_of_what_is_asked_and_no_stray_one(tmp_path: Path) -> None:
    site = Site(name="days", root=tmp_path)
    with Warehouse(site).write("test") as connection:
        connection.execute("CREATE SCHEMA lake.gold; CREATE SCHEMA lake.ops; CREATE SCHEMA lake.site")
        connection.execute("CREATE TABLE lake.gold.drive_ledger AS SELECT DATE '2010-06-14' AS day")
        connection.execute("CREATE TABLE lake.gold.link_load AS SELECT DATE '2010-09-01' AS day")
        # written at noon of 20 June 2010
        connection.execute("CREATE TABLE lake.ops.file AS SELECT 1277035200000000000 AS modified_ns")
    of_all = question("SELECT $first_day AS a, $last_day AS b", ["a", "b"], **DAYS)
    of_links = question("SELECT $first_day AS a, $last_day AS b FROM gold.link_load", ["a", "b"], **DAYS)

    def asked(catalog: Catalog) -> tuple[date, str]:
        answer = ask.ask(site, catalog, "idle")
        return answer.rows[0][1], answer.period

    assert asked(of_all) == (date(2010, 6, 14), "up to 2010-06-14, the last day with logs of drives")
    # nothing but a stray day is better than nothing
    assert asked(of_links) == (date(2010, 9, 1), "up to 2010-09-01, the last day with traffic of links")
    with Warehouse(site).write("test") as connection:
        connection.execute("INSERT INTO lake.gold.link_load VALUES ('2010-06-18')")
    stray = (
        "the last day with traffic of links; some lines have dates up to 2010-09-01, but no file was modified that late"
    )
    assert asked(of_links) == (date(2010, 6, 18), f"up to 2010-06-18, {stray}")
