"""What all pages share: period, clock, parts, search, snapshot and the offer of newer data."""

import ast
import json
import re
import shutil
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboards import data, head, tabs
from dashboards.pages import find_parts, find_views, in_groups
from pipelines import steps
from pipelines.answers.question import OUTDATED
from pipelines.catalog.files import load_catalog
from pipelines.warehouse.connection import Warehouse
from support.app import at, box, button, drawn, url
from support.served import APP, DEADLINE_S, HOSTILE

DAY = date(2010, 3, 10)
CHANGED = datetime(2010, 3, 10, 9)  # by the site's clock: the archive's one change
SHORT = ("time", "drives", "tapes", "stations", "pools")
WITHOUT_SQL = {("about", "studies"), ("plan", "buffers")}  # published figures, what a model makes of its inputs


def links(app: AppTest) -> dict[str, str]:
    """Labels of links and what follows the page in their addresses."""
    return {link.proto.label: link.proto.query_string for link in app.get("page_link")}


def test_ten_pages_in_groups_and_each_has_parts() -> None:
    listed = [view for view in find_views() if view.listed]
    assert len(listed) <= 10 and len(in_groups(listed)) == 5
    relations = load_catalog().relations
    for view in listed[1:]:
        assert view.name == "sql" or 3 <= len(find_parts(view.name)) <= 7
        for part in find_parts(view.name):
            assert set(part.needs) <= set(relations), f"{part.page}/{part.name} needs what no contract has"
            assert bool(part.needs) == bool(part.lacking), f"{part.page}/{part.name} does not say what would bring it"
            assert set(part.filters) <= set(head.FILTERS)


PARTS = [(view.name, part.name) for view in find_views() for part in find_parts(view.name)]


@pytest.mark.parametrize(("page", "part"), [("tonight", ""), *PARTS])
def test_every_part(app: AppTest, page: str, part: str) -> None:
    """One snapshot, definitions and SQL, a sentence for who cannot see a chart, few charts and short tables."""
    if part:
        app.query_params["part"] = part
    at(app, page).run()
    assert not app.exception
    assert app.title[0].value.endswith("?") and not acting(app)
    assert {"from", "to"} <= url(app).keys()
    text = "\n".join(one.value for one in [*app.text, *app.caption])
    (snapshot,) = set(re.findall(r"snapshot (\d+)", text))
    assert int(snapshot) > 0 and "Data until 2010-03-11 0" in text and "Last run: " in text
    assert any(
        "logs are missing. Logs received: enstore_log >99.9 % · mrtg_log" in place.label for place in app.expander
    )
    charts = [chart.proto for chart in drawn(app)]
    assert all(chart.alt for chart in charts)
    check_few(app, page, [chart.alt for chart in charts])
    assert all(has_changes(chart) for chart in charts), "an axis of time without the change log"
    assert all(":T" not in chart.spec or "America/Chicago" in chart.spec for chart in charts), "an axis without a clock"
    data_of = [place.proto.id for place in app.expander if place.label.startswith("Data and SQL: ")]
    if page == "tonight":  # it is in the last strip, which is closed
        return
    if charts or app.dataframe or page in SHORT:
        assert data_of or (page, part) in WITHOUT_SQL, "numbers that no query stands for"
    if data_of:
        app.session_state[data_of[0][data_of[0].index("sql-") :]] = True
        app.run()
        assert not app.exception
        assert any("SELECT" in code.value for code in app.code), "the query does not open"


def has_changes(chart: Any) -> bool:
    """Whether each axis of time of a chart has ends, and a mark of the archive's one change if it is between them."""
    layers = json.loads(chart.spec).get("layer") or [json.loads(chart.spec)]
    axes = [
        layer["encoding"]["x"] for layer in layers if layer.get("encoding", {}).get("x", {}).get("type") == "temporal"
    ]
    ends = [axis["scale"]["domain"] for axis in axes if "scale" in axis]
    for first, last in ends:
        begin, end = (datetime(at["year"], at["month"], at["date"], at["hours"], at["minutes"]) for at in (first, last))
        if begin <= CHANGED < end and not any(axis["field"] == "changed_at" for axis in axes):
            return False
    return bool(ends) or not axes


def check_few(app: AppTest, page: str, sentences: list[str]) -> None:
    """At most three charts and two tables on every part as opened, and no word that only the warehouse knows."""
    assert len(sentences) <= 3 and len(app.dataframe) <= 2
    if page in ("time", "drives"):
        assert len({one.partition(".")[0] for one in sentences}) <= 2
        words = [one.value for one in [*app.text, *app.header]] + [tab.label for tab in app.tabs]
        assert not [word for word in words if re.search(r"\b(no_request|long_gap|wait_room|between_files)\b", word)]
    if page in SHORT:
        assert not app.error


def test_presets_and_arrows_move_the_period(app: AppTest) -> None:
    at(app, "time").run()
    (preset,) = (one for one in app.button_group if one.label == "Period")
    assert preset.value == 1, "a page opens on the last night"
    preset.set_value(7).run()
    assert app.date_input[0].value == (date(2010, 3, 4), DAY)
    assert url(app)["from"] == "2010-03-04" and url(app)["to"] == "2010-03-10"
    button(app, "‹ earlier").click().run()
    # seven days earlier; data begin on 21 February, long before
    assert app.date_input[0].value == (date(2010, 2, 25), date(2010, 3, 3))
    (preset,) = (one for one in app.button_group if one.label == "Period")
    assert preset.value is None, "no preset ends on another day than the last one"
    button(app, "later ›").click().run()
    assert app.date_input[0].value == (date(2010, 3, 4), DAY)


def test_times_are_the_sites_unless_utc_is_chosen(app: AppTest) -> None:
    app.query_params["part"] = "gaps"
    at(app, "time").run()
    assert not app.exception
    text = "\n".join(one.value for one in app.text)
    # the first example of a long gap on LTO4_101 ends in the log line of 00:14:59, site time: 06:14:59 UTC
    assert "times in UTC" not in text
    local = [code.value for code in app.code]
    (clock,) = (one for one in app.button_group if one.label == "Times in")
    clock.set_value("utc").run()
    assert "times in UTC" in "\n".join(one.value for one in app.text)
    assert url(app)["tz"] == "utc" and [code.value for code in app.code] == local, "log lines stay as they are"


def test_a_part_shows_only_if_its_log_was_read(app: AppTest) -> None:
    has_rows = data.filled(data.newest("period").answer.snapshot, frozenset(load_catalog().relations))
    missing = [part for view in find_views() for part in find_parts(view.name) if not tabs.is_shown(part, has_rows)]
    assert missing, "the sample archive has no dCache and no ENDIT"
    part = missing[0]
    app.query_params["part"] = part.name
    at(app, part.page).run()
    assert not app.exception and part.title not in {tab.label for tab in app.tabs}
    (notice,) = (warning.value for warning in app.warning if "Shown instead" in warning.value)
    assert "this site has no data for this part" in notice and part.lacking[:20] in notice.replace("\\", "")


def test_links_to_parts_that_were_merged(app: AppTest) -> None:
    """An address with the former name of a part opens the part that has taken its place, without a notice."""
    parts = [part for view in find_views() for part in find_parts(view.name)]
    merged = [(part, former) for part in parts for former in part.was]
    assert merged and not {(part.page, former) for part, former in merged} & {(part.page, part.name) for part in parts}
    for part, former in merged:
        app.query_params["part"] = former
        at(app, part.page).run()
        assert not app.exception and not [one for one in app.warning if "Shown instead" in one.value]
        first = next(one.name for one in parts if one.page == part.page)
        assert url(app).get("part", first) == part.name


def test_search_finds_things_and_pages(app: AppTest) -> None:
    at(app, "time").run()
    before = set(links(app))
    app.text_input(key="search").set_value("LTO4_101").run()
    assert not app.exception
    found = {label: query for label, query in links(app).items() if label not in before}
    assert "drive=LTO4" in found["drive **LTO4\\_101**"]
    assert any(label.startswith("finding") and "id=" in query for label, query in found.items())
    app.text_input(key="search").set_value("gaps between").run()
    assert any("part=gaps" in query for query in links(app).values())
    app.text_input(key="search").set_value("no such thing").run()
    assert "No name contains this text." in [one.value for one in app.caption]


def test_a_found_thing_opens_on_the_same_days(app: AppTest) -> None:
    """The box is above the page: its links have the period before the page has drawn it, and after."""
    app.query_params.update({"from": "2010-03-09", "to": "2010-03-10"})
    at(app, "time").run()
    app.text_input(key="search").set_value("LTO4_101").run()
    assert "from=2010-03-09&to=2010-03-10&drive=" in links(app)["drive **LTO4\\_101**"]


def test_no_plain_text_has_marks_of_code() -> None:
    """Backticks are marks in Markdown only: st.text shows them."""
    for path in Path(tabs.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "st.text":
                assert "`" not in ast.unparse(call), f"{path.name}, line {call.lineno}"


def test_a_page_can_be_pinned_to_a_snapshot(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    shutil.copytree(archive, site)
    monkeypatch.setenv("TAPESCOPE_SITE", str(site))
    app = at(AppTest.from_file(APP, default_timeout=DEADLINE_S), "time").run()
    (line,) = (one.value for one in app.text if "snapshot" in one.value)
    old = line.split("snapshot ")[1].split(" ")[0]
    steps.detect(steps.site_at(site))
    app.query_params["snapshot"] = old
    app = at(app, "time").run()
    assert f"pinned to snapshot {old}" in app.info[0].value
    assert any(f"snapshot {old}" in one.value for one in app.text)
    button(app, "Show the newest snapshot").click().run()
    assert "snapshot" not in app.query_params and not any("pinned" in one.value for one in app.info)
    app.query_params["snapshot"] = "999999"
    at(app, "time").run()
    assert any("Snapshot" in one.value and "Shown instead" in one.value for one in app.warning)
    assert not any("site.toml changed" in one.value for one in app.warning)
    file = site / "site.toml"
    file.write_text(file.read_text().replace("log_silence_s = 600", "log_silence_s = 700"))
    at(app, "time").run()
    assert [one.value for one in app.warning].count(OUTDATED) == 1


def test_a_page_that_reloads_itself_keeps_that_in_its_address(app: AppTest) -> None:
    app.query_params["refresh"] = "yes"
    at(app, "time").run()
    assert not app.exception and url(app)["refresh"] == "yes"
    assert not any("no choice named" in one.value for one in app.warning)


def test_a_warehouse_that_is_replaced_while_a_page_is_open(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gone, it is reported as such; another in its place is asked again, even with the inode of the old one."""
    site = shutil.copytree(archive, tmp_path / "site")
    monkeypatch.setenv("TAPESCOPE_SITE", str(site))
    newest, before = head.data.newest_snapshot(), Warehouse(steps.site_at(site)).identity
    (claim,) = site.rglob("tapescope-warehouse.json")
    claim.write_text(json.dumps(json.loads(claim.read_text()) | {"warehouse": "another"}))
    assert Warehouse(steps.site_at(site)).identity != before
    (site / "var").rename(tmp_path / "aside")
    with pytest.raises(head.data.NoAnswer, match="there is no warehouse"):
        head.data.newest_snapshot()
    (tmp_path / "aside").rename(site / "var")
    assert head.data.newest_snapshot() == newest


def test_newer_data_are_offered(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look for newer data is what a fragment of the page repeats; it is asked here about an older snapshot."""
    shown: list[str] = []
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    monkeypatch.setattr(head.st, "button", lambda label, **_: shown.append(label))
    newest = head.data.newest("freshness").answer.snapshot
    head.offer_newer(newest, False)
    assert not shown
    head.offer_newer(newest - 1, False)
    (label,) = shown
    assert label.startswith("Updated ") and label.endswith("reload")


@pytest.mark.parametrize(
    "page, asked, expected",
    [
        (
            "drives",
            {"drive": "NOPE"},
            "Drive “NOPE” cannot be shown: it is not among the choices. Shown instead: all.",
        ),
        (
            "drives",
            {"from": "2031-01-01"},
            "Period “from 2031-01-01” cannot be shown: the days with data are 2010-02-20 to 2010-03-11."
            " Shown instead: 2010-03-1",
        ),
        (
            "time",
            {"from": "yesterday", "to": "2010-03-09"},
            "Period “from yesterday” cannot be shown: write a day as 2010-03-11. Shown instead: 2010-03-09.",
        ),
        (
            "stations",
            {"part": "duty", "threshold": "4000"},
            "Traffic above which a half-hour counts as active [MB/s] “4000” cannot be shown:"
            " it is not a number from 0.5 to 100."
            " Shown instead: 5.",
        ),
        ("time", {"snapshot": "-1"}, "Snapshot “-1” cannot be shown: the warehouse has no snapshot with that number."),
        ("time", {"snapshot": "9" * 20}, f"Snapshot “{'9' * 20}” cannot be shown: the warehouse has no snapshot"),
        ("time", {"tz": "mars"}, "Times in “mars” cannot be shown: write utc, or leave it out."),
        ("about", {"part": "studies", "study": "nope"}, "Document “nope” cannot be shown: it is not among the choices"),
        (
            "time",
            {"part": "nope"},
            "Part “nope” cannot be shown: this page has no part with that name. Shown instead: Overview.",
        ),
    ],
)
def test_what_the_address_asks_for_and_is_not_there_is_reported(
    app: AppTest, page: str, asked: dict[str, str], expected: str
) -> None:
    at(app.run(), page)
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    (notice,) = notices(app)
    assert notice.startswith(expected)
    app.run()
    assert not notices(app), "what is shown is what the address now asks for"


def notices(app: AppTest) -> list[str]:
    """The text of the page's head about its address, without the escapes of Markdown."""
    return [warning.value.replace("\\", "") for warning in app.warning if "Shown instead" in warning.value]


def test_a_choice_that_no_field_has_is_reported(app: AppTest) -> None:
    at(app, "time")
    app.query_params["drve"] = "LTO4_101"
    app.run()
    assert any("no choice named “drve”" in warning.value for warning in app.warning)


def test_a_choice_whose_field_another_choice_removes_is_not_reported(app: AppTest) -> None:
    """The page itself wrote it into its address; a drive without an event leaves none to choose from."""
    app.query_params["part"] = "events"
    at(app, "drives").run()
    box(app, "Show").select("transfer failed").run()
    box(app, "Drive").select("LTO4_103").run()
    assert not app.exception and not app.warning and "what" not in url(app)
    assert any("no error and no outage of LTO4_103" in one.value for one in app.info)


def test_text_of_logs_is_shown_literally(app: AppTest) -> None:
    app.query_params["part"] = "gaps"
    at(app, "time").run()
    shown = [code for code in app.code if HOSTILE in code.value]
    assert shown and {code.language for code in shown} <= {None, "", "plaintext"}
    app.query_params.clear()
    at(app, "changes").run()
    assert any(HOSTILE in option for option in box(app, "Change").options), "the change is not shown"


def test_filters_and_comparison_stay_on_the_way_through_other_pages(app: AppTest) -> None:
    """Each is offered where it means something, and kept on the way through pages that do not have it."""
    app.query_params["part"] = "gaps"
    at(app, "time").run()
    box(app, "Drive").select("LTO4_101").run()
    box(app, "Compare with").select("month").run()
    assert not app.exception and url(app)["drive"] == "LTO4_101" and url(app)["with"] == "month"
    app.switch_page("views/plan.py").run()
    assert not {"with", "drive", "part"} & url(app).keys() and not notices(app)
    app.switch_page("views/drives.py").run()
    assert box(app, "Drive").value == "LTO4_101" and box(app, "Compare with").value == "month"
    app.switch_page("views/tonight.py").run()
    assert not app.exception and not app.success, "an all-clear next to findings"
    assert any("No drive's log covers 10 February 2010" in caption.value for caption in app.caption)


def test_the_side_bar_has_one_order_on_all_pages(app: AppTest) -> None:
    for page in ("tonight", "time"):
        at(app, page).run()
        labels = [getattr(one, "label", "") for one in app.sidebar]
        assert labels.index("Times in") < labels.index("Compare with"), page


def test_each_name_of_the_address_is_kept_by_one_field() -> None:
    """Fields of several pages or parts that have one name must have one meaning, and so one label."""
    calls = re.compile(r'fields\.\w+\(\s*f?"([^"]+)",\s*f?"([^"]+)"')
    labels: dict[str, set[str]] = {}
    for path in sorted(Path(APP).parent.rglob("*.py")):
        for name, label in calls.findall(path.read_text(encoding="utf-8")):
            labels.setdefault(name, set()).add(label)
    assert len(labels) > 20 and {name: some for name, some in labels.items() if len(some) > 1} == {}


def acting(app: AppTest) -> list[str]:
    """Texts that a browser would read as markup, with what the logs' names would make of them."""
    marked = [
        *app.markdown,
        *app.caption,
        *app.header,
        *app.subheader,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
    ]
    texts = [one.value.replace("\\<", "").replace("\\*", "") for one in marked] + [
        place.label for place in app.expander
    ]
    return [text for text in texts if "<script" in text or "*station*" in text]
