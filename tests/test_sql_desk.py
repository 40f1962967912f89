"""The SQL desk on the sample archive: what to start from, answers, charts, files, links, and hostile statements."""

import io
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dashboards import sql_desk
from pipelines import steps
from pipelines.answers.guard import check
from pipelines.catalog.files import load_catalog
from support.app import at
from support.hostile_sql import ENDLESS, HUGE, REFUSED
from support.served import APP, HOSTILE, HOSTILE_STATION

QUESTIONS = load_catalog().questions
GAPS = "SELECT drive, count(*) AS n_gaps, max(day) AS day FROM silver.gap GROUP BY drive ORDER BY drive"


@pytest.fixture
def page(archive: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    return at(AppTest.from_file(APP, default_timeout=120), "sql")


def run(page: AppTest, sql: str) -> AppTest:
    page.text_area(key="statement").set_value(sql)
    return page.button[0].click().run()


def in_url(page: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[-1] for name, value in page.query_params.items()}


def text_of(page: AppTest) -> str:
    return "\n".join(element.value for element in (*page.text, *page.code))


def test_an_answer_with_its_snapshot_and_its_link(page: AppTest, archive: Path) -> None:
    """The link holds statement, limits, snapshot and chart; opened afresh it shows the same."""
    run(page.run(), GAPS)
    assert not page.exception
    ours = steps.ask_sql(steps.site_at(archive), GAPS)
    table = page.dataframe[1].value
    assert list(table["drive"]) == [row[0] for row in ours.rows]
    assert list(table["n_gaps"]) == [row[1] for row in ours.rows]
    assert f"{len(ours.rows)} rows   ·   snapshot {ours.snapshot}   ·   " in text_of(page)
    page.selectbox(key="chart").select("bars").run()
    page.selectbox(key="y").select("n_gaps").run()
    link = in_url(page)
    assert link == {
        **{"sql": GAPS, "rows": "1000", "seconds": "30", "snapshot": str(ours.snapshot)},
        **{"chart": "bars", "x": "drive", "y": "n_gaps"},
    }
    again = at(AppTest.from_file(APP, default_timeout=120), "sql")
    for name, value in link.items():
        again.query_params[name] = value
    again.run()
    assert not again.exception
    assert again.dataframe[1].value.equals(table)
    assert again.get("vega_lite_chart"), "the chart is not drawn again"
    assert in_url(again) == link


@pytest.mark.parametrize("key", ["", "question gap_cost", "saved long_mounts"])
def test_beginnings(archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str) -> None:
    """The ten questions, the site's own statements, and all other questions of the catalogue."""
    shutil.copy(archive / "site.toml", tmp_path)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "long_mounts.sql").write_text("SELECT 42 AS answer -- long mounts\n")
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    if not key:
        assert [name.partition(" ")[2] for name in sql_desk.beginnings()][:10] == list(sql_desk.TEN)
        assert {name for name in sql_desk.beginnings()} == {
            *(f"question {name}" for name in QUESTIONS),
            "saved long_mounts",
        }
        return
    page = at(AppTest.from_file(APP, default_timeout=120), "sql").run()
    page.selectbox(key="beginning").select(key).run()
    assert not page.exception
    assert ("Cost of long gaps" if "gap_cost" in key else "SELECT 42") in page.text_area(key="statement").value


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_can_be_started_from(name: str) -> None:
    days = {"first_day": "2010-03-10", "last_day": "2010-03-10"}
    check(sql_desk.spelled_out(QUESTIONS[name], days), load_catalog().relations)


def test_a_question_spelled_out_says_what_ask_says(archive: Path) -> None:
    site = steps.site_at(archive)
    days = {"first_day": "2010-03-10", "last_day": "2010-03-10"}
    spelled = steps.ask_sql(site, sql_desk.spelled_out(QUESTIONS["gap_cost"], days))
    asked = steps.ask(site, "gap_cost", days)
    # sums of doubles depend on the order of threads in their last digits
    assert len(asked.rows) > 3 and spelled.rows == [tuple(map(nearly, row)) for row in asked.rows]


def nearly(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


def test_the_dictionary_is_searched(page: AppTest) -> None:
    page.run()
    assert set(page.dataframe[0].value["relation"]) == set(load_catalog().relations)
    page.text_input(key="words").set_value("avoidable GAP").run()
    rows = page.dataframe[0].value.to_dict("records")
    assert ("silver.gap", "avoidable_s", "s") in {(row["relation"], row["column"], row["unit"]) for row in rows}
    assert all("avoidable" in f"{row}".lower() for row in rows)


def test_files_hold_the_answer(page: AppTest) -> None:
    run(page.run(), GAPS)
    found = page.session_state["ran"].found
    from_csv = pa_csv.read_csv(io.BytesIO(sql_desk.as_csv(found))).to_pylist()
    from_parquet = pq.read_table(io.BytesIO(sql_desk.as_parquet(found))).to_pylist()
    assert from_csv == from_parquet and len(from_csv) > 3
    assert [button.label for button in page.get("download_button")] == ["CSV", "Parquet"]


def test_a_csv_acts_on_nothing(page: AppTest) -> None:
    """Neither a spreadsheet nor a terminal; numbers stay numbers, and Parquet holds what the log holds."""
    run(page.run(), "SELECT '=HYPERLINK(1)' AS \"@a\", chr(27) || '[31m' AS b, -1.5 AS c, '-2.5' AS d")
    found = page.session_state["ran"].found
    assert sql_desk.as_csv(found).decode().splitlines() == [
        '"\'@a","b","c","d"',
        '"\'=HYPERLINK(1)","\\x1b[31m",-1.5,"-2.5"',
    ]
    assert pq.read_table(io.BytesIO(sql_desk.as_parquet(found))).to_pylist()[0]["@a"] == "=HYPERLINK(1)"


def test_what_logs_say_is_shown_and_never_rendered(page: AppTest) -> None:
    """In cells, in headings, in errors and in charts."""
    text = HOSTILE.replace("'", "''")
    run(page.run(), f'SELECT DISTINCT station AS "<i>*{HOSTILE_STATION}*", 1 AS "image" FROM silver.gap ORDER BY 1')
    assert not page.exception
    assert HOSTILE_STATION in list(page.dataframe[1].value[f"<i>*{HOSTILE_STATION}*"])
    page.selectbox(key="chart").select("bars").run()
    (drawing,) = page.get("vega_lite_chart")
    assert '"title": "image"' in drawing.proto.spec and '"field": "image"' not in drawing.proto.spec
    assert '"tooltip": [{"field": "x", "title": "x"' in drawing.proto.spec
    run(page, f"SELECT CAST('{text}' AS INTEGER)")
    assert HOSTILE in text_of(page)
    for element in (*page.markdown, *page.caption, *page.error, *page.info, *page.warning):
        assert "script" not in element.value and "*station*" not in element.value
    for code in page.code:
        assert code.language in ("plaintext", "", None, "sql")


def test_mistakes_are_reported_with_a_hint(page: AppTest) -> None:
    run(page.run(), "SELECT *\nFROM silver.gapp")
    assert "The statement failed." in page.error[0].value
    assert "LINE 2" in text_of(page) and "Hint: did you mean silver.gap" in text_of(page)
    assert in_url(page)["sql"] == "SELECT *\nFROM silver.gapp"


def test_hostile_statements_are_refused(page: AppTest) -> None:
    """The same list as at the command line's border; nothing of the kind gets an answer."""
    page.run()
    for sql in [sql for sql in REFUSED if sql.strip()][::5]:
        run(page, sql)
        ran = page.session_state["ran"]
        assert not page.exception and ran.asked.sql == sql
        assert ran.found is None and ran.message and ran.hint, sql
        assert len(page.dataframe) == 1, "only the dictionary is a table"


def test_the_desk_refuses_all_of_them(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    for sql in REFUSED:
        ran = sql_desk.run(sql_desk.Asked(sql, 100, 5))
        assert ran.found is None and ran.message and ran.hint, sql


def test_what_takes_too_much_is_stopped(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    page.run()
    page.number_input(key="seconds").set_value(2).run()
    run(page, ENDLESS[0])
    assert not page.exception and "stopped after 2 s" in text_of(page)
    page.number_input(key="seconds").set_value(60).run()
    monkeypatch.setattr(sql_desk, "MEMORY", "200MB")
    for sql in HUGE[:3]:
        run(page, sql)
        assert not page.exception and page.session_state["ran"].found is None
        assert "memory" in text_of(page) or "too large" in text_of(page)


def test_only_so_many_run_at_once(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    asked = sql_desk.Asked("SELECT 1", 100, 1)
    turns = sql_desk._turns()
    for _ in range(sql_desk.AT_ONCE):
        turns.acquire()
    try:
        assert "still running" in sql_desk.run(asked).message
    finally:
        for _ in range(sql_desk.AT_ONCE):
            turns.release()
    assert sql_desk.run(replace(asked, seconds=60)).found is not None


def test_links_are_read_with_care() -> None:
    invalid = {"sql": "SELECT 1", "rows": "-5", "seconds": "9999", "snapshot": "x", "chart": "<b>"}
    assert sql_desk.from_url(invalid) == sql_desk.Asked("SELECT 1", 1_000, 30)
    assert sql_desk.from_url({"rows": "5"}) is None
    asked = sql_desk.Asked("SELECT 'ä' AS x", 100, 5, 7, "line", "x", "y")
    assert sql_desk.from_url(sql_desk.as_url(asked)) == asked
    long = sql_desk.Asked("SELECT " + "1 + " * 3_000 + "1", 100, 5)
    assert sql_desk.as_url(long) == {}
    assert len(urlencode(sql_desk.as_url(asked))) < sql_desk.MAX_LINK
