"""Questions answered, free SQL answered, and hostile SQL refused with the data untouched."""

import math
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

from pipelines import ask, sql_guard, sql_worker
from pipelines.catalog import Catalog, Column, Question, load_catalog
from pipelines.config import Site
from pipelines.errors import ConfigError, ContractError, QuestionRefused, TapescopeError
from pipelines.tables import create_tables
from pipelines.warehouse import Warehouse, snapshot_id, transaction

# These share one warehouse: one process makes it.
pytestmark = pytest.mark.xdist_group("ask")

HOSTILE_NAME = "\x1b[31mred'; DROP TABLE bronze.host_sample; --"
FACTS = (
    "SELECT count(*), sum(line_no), min(host), (SELECT [min(snapshot_id), max(snapshot_id)]"
    " FROM ducklake_snapshots('lake')) FROM bronze.host_sample"
)


def facts(site: Site) -> tuple[object, list[str]]:
    """Rows, snapshots and files of the warehouse, to compare."""
    folder = Warehouse(site).folder
    files = sorted(str(path) for path in folder.rglob("*") if not path.name.startswith("catalogue.sqlite-"))
    with Warehouse(site).read() as connection:
        return connection.execute(FACTS).fetchall(), files


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small warehouse, which must be as it was when all that is hostile has been tried."""
    site = Site(name="test", root=tmp_path_factory.mktemp("ask"))
    with Warehouse(site).write("test") as connection, transaction(connection):
        create_tables(connection, load_catalog())
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


REFUSED = [
    "INSERT INTO bronze.host_sample (host) VALUES ('x')",
    "DELETE FROM bronze.host_sample",
    "UPDATE bronze.host_sample SET host = 'x'",
    "DROP TABLE bronze.host_sample",
    "TRUNCATE bronze.host_sample",
    "MERGE INTO bronze.host_sample USING bronze.host_sample AS s ON false WHEN NOT MATCHED THEN INSERT BY NAME",
    "WITH a AS (DELETE FROM bronze.host_sample RETURNING *) SELECT * FROM a",
    "ALTER TABLE bronze.host_sample DROP COLUMN host",
    "CREATE TABLE memory.t AS SELECT 1",
    "CREATE OR REPLACE MACRO upper(x) AS 1",
    "CREATE SECRET s (TYPE s3)",
    "COMMENT ON TABLE bronze.host_sample IS 'x'",
    "ATTACH 'x.duckdb'",
    "DETACH lake",
    "USE memory",
    "COPY bronze.host_sample TO 'x.csv'",
    "COPY (SELECT 1) TO '/tmp/x.csv'",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "PRAGMA show_tables",
    "PRAGMA memory_limit = '100GB'",
    "SET memory_limit = '100GB'",
    "RESET lock_configuration",
    "SET VARIABLE x = 1",
    "CHECKPOINT",
    "VACUUM",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "CALL ducklake_expire_snapshots('lake', older_than => now())",
    "CALL pragma_version()",
    "SELECT * FROM ducklake_expire_snapshots('lake', older_than => now())",
    "SELECT * FROM DuckLake_Cleanup_Old_Files('lake', cleanup_all => true)",
    "SELECT * FROM lake.snapshots()",
    "SELECT * FROM sqlite_scan('catalogue.sqlite', 'ducklake_snapshot')",
    "SELECT * FROM postgres_query('x', 'select 1')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM system.main.read_text('/etc/passwd')",
    "SELECT * FROM read_parquet('/x')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 'catalogue.sqlite'",
    "SELECT getenv('HOME')",
    "SELECT current_setting('temp_directory')",
    "SELECT nextval('s')",
    "SELECT setseed(0.5)",
    "SELECT sleep_ms(100000)",
    "SELECT pg_sleep(100)",
    "SELECT write_log('x')",
    "SELECT json_serialize_plan('SELECT * FROM read_text(''/etc/passwd'')')",
    "SELECT * FROM json_execute_serialized_sql('{}')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('bronze.host_sample')",
    "SELECT * FROM histogram('bronze.host_sample', host)",
    "FROM duckdb_secrets()",
    "FROM duckdb_secrets",
    "FROM duckdb_settings()",
    "FROM pg_catalog.pg_settings",
    "FROM sqlite_master",
    "FROM memory.t",
    "FROM memory.bronze.host_sample",
    "FROM __ducklake_metadata_lake.ducklake_snapshot",
    "FROM information_schema.schemata_extra",
    "WITH a AS (SELECT * FROM glob('/*')) SELECT * FROM a",
    "WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT 1 FROM read_text('/etc/passwd')) SELECT * FROM a",
    "SELECT (SELECT max(content) FROM read_text('/etc/passwd'))",
    "SELECT * FROM bronze.host_sample WHERE EXISTS (SELECT 1 FROM read_blob('/etc/passwd'))",
    "SELECT 1 ORDER BY (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT 1 LIMIT (SELECT count(*) FROM glob('/*'))",
    "SELECT max(1) FILTER (WHERE EXISTS (FROM glob('/*')))",
    "SELECT 1 UNION SELECT content FROM read_text('/etc/passwd')",
    "SELECT list_transform([1], lambda x: (SELECT count(*) FROM glob('/*')))",
    "VALUES ((SELECT content FROM read_text('/etc/passwd')))",
    "DESCRIBE SELECT * FROM read_csv('/etc/passwd')",
    "SUMMARIZE '/etc/passwd'",
    "SHOW DATABASES",
    "SHOW TABLES",
    "FROM (SHOW ALL TABLES)",
    "PIVOT bronze.host_sample ON host USING count(*)",
    # a CTE's name opens no door outside the CTE's own scope
    "SELECT * FROM (WITH duckdb_secrets AS (SELECT 1) FROM duckdb_secrets), duckdb_secrets",
    "WITH duckdb_secrets AS (FROM duckdb_secrets) FROM duckdb_secrets",
    "WITH a AS (FROM duckdb_secrets), duckdb_secrets AS (SELECT 1) FROM a",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE bronze.host_sample",
    "EXPLAIN DELETE FROM bronze.host_sample",
    "EXPLAIN ANALYZE INSERT INTO bronze.host_sample (host) VALUES ('x')",
    "EXPLAIN ANALYZE SELECT * FROM read_text('/etc/passwd')",
    "EXPLAIN SELECT 1; DROP TABLE bronze.host_sample",
    "EXPLAIN COPY (SELECT 1) TO '/tmp/x'",
    "EXPLAIN EXPLAIN SELECT 1",
    "SELECT $name",
    "SELECT ?",
    "SELECT no_such_function(1)",
    "SELECT * FROM host_sample",
    "SELEC 1",
    "",
    ";",
    "-- nothing",
    "SELECT '\0'",
    "SELECT " + "NOT " * 800 + "true",
    "SELECT " + "(" * 5000,
    "SELECT '" + "x" * sql_guard.MAX_CHARACTERS + "'",
]


@pytest.mark.parametrize("sql", REFUSED, ids=lambda sql: sql[:60].replace("\0", "NUL"))
def test_refused_before_it_runs(sql: str) -> None:
    with pytest.raises(QuestionRefused) as refusal:
        sql_guard.check(sql, load_catalog().relations)
    assert str(refusal.value)
    assert refusal.value.hint


def test_many_comments_take_no_time() -> None:
    begin = time.monotonic()
    sql_guard.check("/**/" * 4_000 + "SELECT 1")
    assert time.monotonic() - begin < 10


def test_a_refusal_names_the_table_that_was_meant() -> None:
    with pytest.raises(QuestionRefused, match="host_sample is not a table") as refusal:
        sql_guard.check("FROM host_sample", load_catalog().relations)
    assert "bronze.host_sample" in refusal.value.hint


@pytest.mark.parametrize("sql", ["DELETE FROM bronze.host_sample", "SELECT * FROM glob('/*')"])
def test_ask_sql_asks_the_guard(site: Site, sql: str) -> None:
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, sql)


BOMBS = {
    "cross join": "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE hash(a, b, c) = 1",
    "recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
}


@pytest.mark.parametrize("sql", BOMBS.values(), ids=BOMBS)
def test_what_does_not_end_is_stopped(site: Site, sql: str) -> None:
    begin = time.monotonic()
    with pytest.raises(QuestionRefused, match="stopped after 2 s") as refusal:
        ask.ask_sql(site, sql, timeout_s=2)
    assert time.monotonic() - begin < 10  # on a busy machine
    assert refusal.value.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 2000000000)",
        "SELECT list(a) FROM range(1000000000) t(a)",
        "SELECT repeat('x', 10000) FROM range(20000)",
    ],
)
def test_what_needs_too_much_is_stopped(site: Site, sql: str) -> None:
    with pytest.raises(QuestionRefused, match=r"stopped|ended") as refusal:
        ask.ask_sql(site, sql, memory="200MB")
    assert refusal.value.hint


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
    monkeypatch.setattr(sql_guard, "check", lambda text, known: sql_guard.Allowed(text, ()))
    with pytest.raises(QuestionRefused):
        ask.ask_sql(site, sql.format(root=site.root))


def test_the_process_inherits_no_secret(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("PGPASSWORD", "secret")
    assert "secret" not in ask._environment(Warehouse(site)).values()
    postgres = site.model_copy(update={"catalogue": "postgres:dbname=x", "data_path": "/data"})
    assert ask._environment(Warehouse(postgres))["PGPASSWORD"] == "secret"


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
    "DESCRIBE bronze.host_sample",
    "SUMMARIZE SELECT cpu_idle FROM bronze.host_sample",
    "SELECT table_schema, table_name FROM information_schema.tables",
    "SELECT * FROM bronze.host_sample USING SAMPLE 5",
    "VALUES (1, 'a'), (2, 'b')",
    "/* why */ EXPLAIN SELECT * FROM bronze.host_sample",
    "EXPLAIN ANALYZE SELECT count(*) FROM bronze.host_sample",
]


def test_friendly_sql_passes_and_runs(site: Site) -> None:
    allowed = [sql_guard.check(sql).sql for sql in FRIENDLY]
    with Warehouse(site).read() as connection:
        for sql in allowed:
            connection.execute(sql).fetchall()


def test_the_tables_a_statement_names() -> None:
    assert sql_guard.check("WITH a AS (FROM silver.gap) FROM a JOIN lake.Gold.x USING (d)").tables == (
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


def test_many_rows_are_cut_and_said_so(site: Site) -> None:
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


def test_lists_of_many_values_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_worker, "MAX_VALUES", 1000)
    with duckdb.connect() as connection:
        result = connection.execute("SELECT list({'a': true}) FROM range(600)")
        assert sql_worker._fetch(result, 10) == (None, False)


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
        ("SELECT hots FROM bronze.host_sample", "hots", "mend"),
        ("SELECT 'x'::INTEGER", "Conversion", "mend"),
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
    monkeypatch.setattr(ask.sys, "executable", "/bin/false")
    with pytest.raises(TapescopeError, match="failed"):
        ask.ask_sql(site, "SELECT 1")


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
    with pytest.raises(QuestionRefused, match="cannot be answered") as refusal:
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

    assert asked(of_all) == (date(2010, 6, 14), "up to 2010-06-14, the last day with server logs")
    # nothing but a stray day is better than nothing
    assert asked(of_links) == (date(2010, 9, 1), "up to 2010-09-01, the last day with traffic of links")
    with Warehouse(site).write("test") as connection:
        connection.execute("INSERT INTO lake.gold.link_load VALUES ('2010-06-18')")
    stray = "the last day with traffic of links; a log goes on to 2010-09-01, after it was last written"
    assert asked(of_links) == (date(2010, 6, 18), f"up to 2010-06-18, {stray}")
