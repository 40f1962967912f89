"""Tonight and the page of a finding, on the sample archive, in Streamlit's own test runner."""

import json
import re
import shutil
from datetime import date, datetime
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from dashboards import findings
from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.files import load_catalog
from pipelines.warehouse.connection import LAKE, Warehouse
from support.app import button, drawn, texts, url
from support.served import APP, DEADLINE_S


def links(app: AppTest) -> list[tuple[str, dict[str, list[str]]]]:
    return [(link.proto.page, parse_qs(link.proto.query_string)) for link in app.get("page_link")]


def test_tonight(app: AppTest) -> None:
    """The verdict in a sentence, the hours, every drive's day, and each finding once, as a link to its page."""
    app.query_params["with"] = "before"
    app.run()
    assert not app.exception
    assert app.error[0].value == (
        "1 critical problem, 10 warnings and 1 note. 9.72 TB moved on 11 drives at an overall rate of"
        " 26.8 MB/s, which is 57 % of the drive rate of 47.2 MB/s."
    )
    assert "compared with 9 March 2010" in texts(app)
    bar, timeline = (json.loads(chart.proto.spec) for chart in drawn(app)[:2])
    assert "time_group" in str(bar) and "between files 4.6 %" in str(bar)
    assert "time in America/Chicago" in str(timeline) and "LTO4_101" in str(timeline)
    ids = [query["id"][0] for page, query in links(app) if page == "finding"]
    assert len(ids) == 12 == len(set(ids))
    days = {"from": ["2010-03-10"], "to": ["2010-03-10"], "with": ["before"]}
    assert all(query == days | {"id": query["id"]} for page, query in links(app) if page == "finding")
    numbers = {(metric.label, metric.value) for metric in app.metric}
    assert {("GB/day gain", "394"), ("GB/day gain", "1")} <= numbers
    cards = "\n".join(caption.value for caption in app.caption)
    assert (
        cards.count("1022 of 1669 avoidable gaps") == 1 and "Next: Check the log line that begins the outage" in cards
    )


def of_rule(site: Path, rule: str) -> str:
    rows = ask(steps.site_at(site), load_catalog(), "finding_life", {"last_day": "2010-03-10"}).as_dicts()
    return str(next(row["finding_id"] for row in rows if row["rule"] == rule))


def finding_page(app: AppTest, finding_id: str) -> AppTest:
    app.run().switch_page("views/finding.py")
    app.query_params["id"] = finding_id
    return app.run()


def test_the_way_from_a_finding_leads_to_what_it_is_about(cta: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finding of a site of CTA: the page it leads to has all choices of the link, and is narrowed by them."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(cta))
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S)
    site = steps.site_at(cta)
    lives = ask(site, load_catalog(), "finding_life", {"last_day": "2026-02-04"}).as_dicts()
    ways: dict[str, tuple[str, dict[str, list[str]]]] = {}
    for row in lives:
        rule = load_catalog().rules[row["rule"]]
        if row["rule"] not in ways and rule.page.partition("/")[0] not in ("drives", "time"):
            finding_page(app, row["finding_id"])
            name, query = next(way for way in links(app) if way[0] not in ("", "tonight", "finding", "sql"))
            ways[row["rule"]] = name, {key: value for key, value in query.items() if key not in ("from", "to")}
            app.query_params.clear()
            app.query_params.update({key: value[0] for key, value in query.items()})
            app.switch_page(f"views/{name}.py").run()
            assert not app.exception and not app.warning, (row["rule"], [one.value for one in app.warning])
    assert ways["starved_stream"] == ("stations", {"station": ["eosquark"], "part": ["streams"]})
    assert ways["host_saturated"] == ("stations", {"host": ["tpsrv02"], "part": ["hosts"]})
    assert ways["remounts"] == ("tapes", {"tape": ["LRMU01"]})
    assert ways["small_mounts"] == ("tapes", {"station": ["eoskaon"], "part": ["cost"]})


def test_every_finding_has_a_page(app: AppTest, archive: Path) -> None:
    """What happened, the chart, the lines, the cost, what to do, and its nights."""
    rows = ask(steps.site_at(archive), load_catalog(), "finding_life", {"last_day": "2010-03-10"}).as_dicts()
    for row in rows:
        finding_page(app, row["finding_id"])
        assert not app.exception, row["rule"]
        rule = load_catalog().rules[row["rule"]]
        assert app.title[0].value.replace("\\", "").startswith(rule.title) and url(app)["id"] == row["finding_id"]
        assert rule.means in texts(app) and len(drawn(app)) == 2, row["rule"]
        name, _, part = rule.page.partition("/")
        ways = [query for page, query in links(app) if page == name and query.get("part", [""]) == [part]]
        assert ways, "no way to the part of a page that shows its metric"
    finding_page(app, of_rule(archive, "long_gap"))
    chart = json.loads(drawn(app)[0].proto.spec)
    assert "avoidable part of the gap [s]" in str(chart) and [layer["mark"]["type"] for layer in chart["layer"]] == [
        "bar",
        "rule",
        "text",
    ]
    (proof, *_) = [code.value for code in app.code if "LOG-2010-03-10.zst:" in code.value]
    (todo,) = [one.value.splitlines() for one in app.markdown if one.value.startswith("- ")]
    assert len(todo) == 6 and "; then the queue" in todo[2], "a sentence each, complete"
    assert all("\\`" not in one.value for one in app.markdown), "a command is code"
    assert len(proof.splitlines()) == 5 and proof.splitlines()[2].startswith("→ ")
    assert "LTO4_103MV" in proof.splitlines()[2]
    finding_page(app, "nothing")
    assert not app.exception and "has the id" in app.info[0].value


def test_days_without_a_log_of_drives_are_named(app: AppTest) -> None:
    """“No log covers 50 % of the drive-hours” is of the two days that have a log of drives."""
    app.query_params |= {"from": "2010-02-21", "to": "2010-03-10"}
    app.run()
    notes = [one.value for one in app.caption if "have no log of the tape system" in one.value]
    assert notes == ["16 of 18 days have no log of the tape system and are left out of all totals."]


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server as `tapescope dashboard` starts it on this machine."""
    monkeypatch.setenv("TAPESCOPE_DASHBOARD_ADDRESS", "127.0.0.1")
    monkeypatch.setenv("TAPESCOPE_DASHBOARD_HOSTS", "")


def test_findings_are_acknowledged_muted_and_reopened_on_their_page(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: None
) -> None:
    """What is set aside stays on Tonight and is not counted; every note has its author."""
    folder = tmp_path / "site"
    shutil.copytree(archive, folder)
    monkeypatch.setenv("TAPESCOPE_SITE", str(folder))
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S)
    finding_page(app, of_rule(folder, "drive_down"))
    app.text_input(key="marking-note").set_value("its technician comes")
    button(app, "Acknowledge").click().run()
    assert not app.exception and app.success[0].value == "Acknowledged."
    assert any("acknowledge. its technician comes" in text.value for text in app.text)
    assert [one.label for one in app.button if one.label in ("Acknowledge", "Reopen")] == ["Reopen"]
    finding_page(app, of_rule(folder, "flush_burst"))
    next(one for one in app.date_input if one.label == "Mute until").set_value(date(2010, 3, 12))
    button(app, "Mute").click().run()
    app.switch_page("views/tonight.py").run()
    assert "critical" not in app.warning[0].value and not app.error
    assert any("Not counted above: 1 acknowledged · 1 muted" in place.label for place in app.expander)
    app.session_state["rest"] = True
    app.run()
    (rest,) = [place for place in app.expander if place.label.startswith("Not counted above")]
    assert [link.proto.page for link in rest.get("page_link")][:2] == ["finding", "finding"]
    assert [re.sub("[\\\\\u2060]", "", one.value) for one in rest.caption][:2] == [
        "acknowledged: its technician comes",
        "muted until 12 March 2010",
    ]
    captions = "\n".join(re.sub("[\\\\\u2060]", "", caption.value) for caption in app.caption)
    assert "acknowledged: its technician comes" in captions and "muted until 12 March 2010" in captions
    finding_page(app, of_rule(folder, "drive_down"))
    button(app, "Reopen").click().run()
    app.switch_page("views/tonight.py").run()
    assert "1 critical problem" in app.error[0].value
    marks = ask(steps.site_at(folder), load_catalog(), "finding_marks", {}).as_dicts()
    assert [mark["kind"] for mark in marks] == ["reopen", "mute", "acknowledge"]
    assert all(mark["author"] and mark["made_at"] for mark in marks)
    # a warehouse as an older release built it: what is lacking is reported with what to run, without a traceback
    with Warehouse(steps.site_at(folder)).write("test") as connection:
        connection.execute(f"ALTER TABLE {LAKE}.gold.finding DROP COLUMN confidence")
    app.run()
    assert not app.exception
    assert "an older release" in app.error[0].value and "Hint: run `tapescope run` first" in texts(app)


def test_who_may_not_write_is_refused_by_the_server(
    archive: Path, monkeypatch: pytest.MonkeyPatch, local: None
) -> None:
    """The button is only the browser's: the right is asked again when it was pressed."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S)
    finding_page(app, of_rule(archive, "drive_down"))
    monkeypatch.setenv("TAPESCOPE_DASHBOARD_ADDRESS", "0.0.0.0")
    button(app, "Acknowledge").click().run()
    assert app.error[0].value.startswith("Refused.") and button(app, "Acknowledge").disabled
    assert not ask(steps.site_at(archive), load_catalog(), "finding_marks", {}).rows


def test_a_day_the_rules_never_saw_is_no_all_clear(app: AppTest) -> None:
    """A day before the last one: `detect --day` would find six warnings, and no drive log covers it."""
    app.query_params["from"] = app.query_params["to"] = "2010-03-07"
    app.run()
    assert not app.exception and not app.success and not app.error
    assert [box.value for box in app.warning if "rules" in box.value] == [
        "The rules have not run for 2010-03-07: run `tapescope detect --day 2010-03-07`."
    ]
    assert "enough was read" not in "\n".join(box.value for box in app.info)
    app.query_params["from"] = "2010-02-01"  # of several days each has its own state
    app.query_params["to"] = "2010-03-10"
    app.run()
    assert not app.success and "critical problem" in app.error[0].value


def test_a_name_with_slashes_stays_whole() -> None:
    """Drives of some logs are named by their device, or by library and number."""
    row = {"severity": "warning", "started_at": datetime(2010, 3, 10, 9)}
    rows = [row | {"rule": "drive_down", "entity": "/dev/nst0"}, row | {"rule": "long_gap", "entity": "s1/1/2"}]
    assert [mark["drive"] for mark in findings.marks(rows, {"/dev/nst0", "1/2"})] == ["/dev/nst0", "1/2"]
    assert [findings.names(one) for one in rows] == [{"/dev/nst0"}, {"s1", "1/2"}]
    assert findings.names(row | {"rule": "a rule of old", "entity": "s1/D1"}) == {"s1", "D1"}
