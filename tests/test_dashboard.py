"""The dashboard's pages on the sample archive's warehouse, in Streamlit's own test runner."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pandas as pd  # type: ignore[import-untyped]
import pytest
from streamlit.testing.v1 import AppTest

from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.contracts import load_catalog
from support.app import at
from support.served import APP, DEADLINE_S, HOSTILE, HOSTILE_STATION


@pytest.fixture
def app(archive: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    return AppTest.from_file(APP, default_timeout=DEADLINE_S)


def texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.text)


def in_url(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}


def box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def table(app: AppTest, *columns: str) -> pd.DataFrame:
    """The first table with these columns."""
    return next(frame.value for frame in app.dataframe if set(columns) <= set(frame.value.columns))


def stations_in_table(app: AppTest) -> set[str]:
    return set(table(app, "station", "drive", "lost_gb")["station"])


def opened(app: AppTest, page: str) -> AppTest:
    return at(app, page).run()


def test_gaps_shows_the_archive(app: AppTest) -> None:
    opened(app, "gaps")
    assert not app.exception
    assert app.title[0].value == "Is it the 10 s gap?"
    numbers = {metric.label: metric.value for metric in app.metric}
    assert numbers["long gaps"] == "1,550" and numbers["lost [h]"] == "3.45"
    assert stations_in_table(app) == {"stkendm8a", "stkendm12a", HOSTILE_STATION}
    text = texts(app)
    assert "snapshot" in text
    # what was lost and what can be gained stand in one sentence
    assert re.search(r"if nothing else limited: [\d,.]+ GB/day\. Gain is what remains of it", text)
    assert strip(app).startswith("▲"), "vmstat stops too early, and nothing shows it"
    for question in ("Coverage", "Judged gaps", "Cost of long gaps", "Examples of long gaps"):
        assert any(question in place.label for place in app.expander), question
    assert sum("SELECT" in code.value for code in app.code) >= 5
    assert in_url(app) == {"from": "2010-03-10", "to": "2010-03-10"}


def test_station_filter(app: AppTest) -> None:
    opened(app, "gaps")
    box(app, "Station").select("stkendm8a").run()
    assert not app.exception
    assert stations_in_table(app) == {"stkendm8a"}
    assert in_url(app)["station"] == "stkendm8a"
    # another page keeps it, and so does the way back
    app.switch_page("views/stations.py").run()
    assert box(app, "Station").value == "stkendm8a" and in_url(app)["station"] == "stkendm8a"
    app.switch_page("views/gaps.py").run()
    assert stations_in_table(app) == {"stkendm8a"}
    box(app, "Station").select("").run()
    assert len(stations_in_table(app)) == 3
    assert "station" not in in_url(app)


def test_url_is_honoured(app: AppTest) -> None:
    app.query_params["station"] = "stkendm12a"
    app.query_params["from"] = "2010-03-09"
    app.query_params["to"] = "2010-03-10"
    opened(app, "gaps")
    assert not app.exception
    assert box(app, "Station").value == "stkendm12a"
    assert stations_in_table(app) == {"stkendm12a"}
    assert "9 to 10 March 2010" in texts(app)


def test_nonsense_in_the_url_is_ignored(app: AppTest) -> None:
    app.query_params["station"] = "nobody"
    app.query_params["from"] = "yesterday"
    app.query_params["to"] = "1850-01-01"
    app.query_params["with"] = "<b>"
    opened(app, "gaps")
    assert not app.exception
    assert box(app, "Station").value == "" and box(app, "Compare with").value == ""


def notices(app: AppTest) -> list[str]:
    """What the head of the page says of its address, without the escapes of Markdown."""
    return [warning.value.replace("\\", "") for warning in app.warning if "Shown instead" in warning.value]


@pytest.mark.parametrize(
    "page, asked, expected",
    [
        (
            "drives",
            {"drive": "NOPE"},
            "Drive “NOPE” was asked for, but there is none to choose here. Shown instead: all.",
        ),
        (
            "drives",
            {"from": "2031-01-01"},
            "Period “from 2031-01-01” was asked for, but the days with data are 2010-02-20 to 2010-03-11."
            " Shown instead: 2010-03-10.",
        ),
        (
            "gaps",
            {"from": "yesterday", "to": "2010-03-09"},
            "Period “from yesterday” was asked for, but a day is written as 2010-03-11. Shown instead: 2010-03-09.",
        ),
        (
            "stations",
            {"threshold": "4000"},
            "A half-hour is active above [MB/s] “4000” was asked for, but that is no number from 0.5 to 100."
            " Shown instead: 5.",
        ),
        ("studies", {"study": "nope"}, "Document “nope” was asked for, but there is none to choose here."),
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


def test_a_choice_that_no_field_has_is_reported(app: AppTest) -> None:
    at(app, "gaps")
    app.query_params["drve"] = "LTO4_101"
    app.run()
    assert any("no choice named “drve”" in warning.value for warning in app.warning)


def test_text_of_logs_is_shown_literally(app: AppTest) -> None:
    opened(app, "gaps")
    shown = [code for code in app.code if HOSTILE in code.value]
    assert shown and {code.language for code in shown} <= {None, "", "plaintext"}
    for page in ("gaps", "overview", "changes"):
        app.switch_page(f"views/{page}.py").run()
        assert not app.exception
        marked = [*app.markdown, *app.caption, *app.subheader, *app.info, *app.warning, *app.error, *app.success]
        for element in marked:
            acting = element.value.replace("\\<", "").replace("\\*", "")
            assert "<script" not in acting and "*station*" not in acting
        for place in app.expander:
            assert "*station*" not in place.label
    assert HOSTILE in texts(app), "the change is not shown"


def strip(app: AppTest) -> str:
    """The line on which logs were received."""
    return next(place.label for place in app.expander if "logs" in place.label.lower())


def drawn(app: AppTest) -> list[Any]:
    return list(app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart"))


def links(app: AppTest) -> list[tuple[str, dict[str, list[str]]]]:
    return [(link.proto.page, parse_qs(link.proto.query_string)) for link in app.get("page_link")]


def test_figures_are_those_of_ask(app: AppTest, archive: Path) -> None:
    """The 10 s mode, as the question gives it."""

    def asked(name: str, **params: str) -> list[dict[str, Any]]:
        return ask(steps.site_at(archive), load_catalog(), name, {"last_day": "2010-03-10"} | params).as_dicts()

    opened(app, "gaps")
    box(app, "Drive").select("LTO4_101").run()
    peaks = table(app, "peak_s", "weight")
    assert set(peaks["peak_s"]) == {2.0, 10.0}
    assert in_url(app)["drive"] == "LTO4_101"


def test_down_to_the_lines(app: AppTest) -> None:
    """From the ledger to a drive, a mount's timeline and the log's own lines."""
    app.query_params["drive"] = "LTO4_101"
    opened(app, "ledger")
    assert not app.exception
    assert set(table(app, "session_id", "drive", "overall_rate_mb_s")["drive"]) == {"LTO4_101"}
    drawn = len(app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart"))
    box(app, "Mount").select_index(1).run()
    assert not app.exception
    assert len(app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")) == drawn + 1
    assert in_url(app)["session"].startswith("LTO4_101 ")
    assert set(table(app, "state", "interval_s")["drive"]) == {"LTO4_101"}
    lines = [code.value for code in app.code if "LOG-2010-03-10.zst:" in code.value and "LTO4_101" in code.value]
    assert len(lines) == 8 and all(len(text.splitlines()) == 2 for text in lines)
    box(app, "Bucket").select("down").run()
    assert "nothing in this bucket" in app.info[-1].value
    # without a drive chosen: the one that was down, not the first of the alphabet
    box(app, "Mount").select_index(0)
    box(app, "Drive").select("").run()
    assert "LTO2_204, 2010-03-10, the drive with most of it: 2.40 h." in texts(app)


def test_axes_words_and_what_is_empty(app: AppTest) -> None:
    """One drive's heat map spans the site's day; empty cells are explained; no bucket goes by its column's name."""
    app.query_params["drive"] = "LTO2_204"
    opened(app, "ledger")
    hours = spec(app, "Hours of drives at work")["encoding"]
    ends = [[end[part] for part in ("date", "hours")] for end in hours["x"]["scale"]["domain"]]
    assert ends == [[10, 6], [11, 6]], "a day of America/Chicago, in UTC"
    assert "hour [UTC]" in [tip.get("title") for tip in hours["tooltip"]]
    assert any(caption.value.startswith("Empty: ") for caption in app.caption)
    buckets = spec(app, "From all drive-hours")["layer"][0]["encoding"]["y"]["sort"]
    assert "mounted, no request" in buckets and not any("_" in bucket for bucket in buckets)
    groups = spec(app, "Where the drive-hours went, by storage group")["encoding"]["color"]["scale"]["domain"]
    assert groups == ["moving data", "waiting", "checksums", "between files", "tape motion", "mounting", "no request"]


def test_drives_and_tapes_apart_with_their_intervals(app: AppTest) -> None:
    """The table itself has the ratios, not only the answer below it: most drives of a site cannot be drawn."""
    opened(app, "drives")
    shown = [list(frame.value.columns) for frame in app.dataframe]
    rated = ["drive", "volume", "mode", "ratio", "ratio_low", "ratio_high", "rate_mb_s", "n_files"]
    assert [*rated, "n_errors", "n_block_retries", "summary"] in shown


def spec(app: AppTest, start: str) -> dict[str, Any]:
    """The chart whose sentence begins so, as the browser gets it."""
    charts = app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")
    return json.loads(next(chart.proto.spec for chart in charts if start in chart.proto.alt))  # type: ignore[no-any-return]


def test_groups(app: AppTest) -> None:
    """P12, P15, P20: families stacked by the hour, their figures beside them, and drives in use."""
    opened(app, "groups")
    assert not app.exception
    bars = spec(app, "Rates of file families")
    assert bars["encoding"]["y"]["aggregate"] == "sum" and "stack" not in bars["encoding"]["y"]
    assert "cms t1d0data read" in bars["encoding"]["color"]["scale"]["domain"]
    rates = table(app, "storage_group", "min_mb_s", "max_mb_s", "average_mb_s", "last_mb_s")
    assert set(rates["storage_group"].dropna()) >= {"cms", "lattice"} and (rates["min_mb_s"] <= rates["max_mb_s"]).all()
    hours, moved_tb = table(app, "file_family", "hour_at"), rates[rates["storage_group"].notna()]["moved_tb"].sum()
    assert hours["moved_gb"].sum() == pytest.approx(1000 * moved_tb, rel=0.01)
    assert any("Drives in use" in alt for alt in sentences(app))
    assert not any("more drives were in use" in warning.value for warning in app.warning)
    box(app, "Storage group").select("cms").run()
    assert not app.exception
    assert set(table(app, "file_family", "hour_at", "rate_mb_s")["storage_group"]) == {"cms"}
    box(app, "Of").select("read").run()
    assert not app.exception and in_url(app)["mode"] == "read"


def field(app: AppTest, label: str) -> Any:
    return next(field for field in app.number_input if field.label == label)


def sentences(app: AppTest) -> list[str]:
    """The sentences of the charts."""
    return [chart.proto.alt for chart in drawn(app)]


def test_filters_narrow_or_say_so(app: AppTest) -> None:
    """Tables follow the side bar; the parts that cannot say which choice does not narrow them."""
    opened(app, "gaps")
    box(app, "Station").select("").run()
    assert len(table(app, "station", "ready_share")) > 1
    box(app, "Drive").select("LTO4_101").run()
    assert not app.exception
    assert set(table(app, "station", "ready_share")["station"]) == {"stkendm8a"}


def test_compare_with(app: AppTest) -> None:
    """Offered where other days are shown, and kept on the way through pages that show none."""
    app.query_params["with"] = "before"
    opened(app, "tapes")
    assert "with" not in in_url(app) and "Compare with" not in {box.label for box in app.selectbox}
    app.switch_page("views/drives.py").run()
    assert not app.exception and in_url(app)["with"] == "before"
    assert any("The same from 2010-03-09 to 2010-03-09" in caption.value for caption in app.caption)
    # no server log covers the day four weeks earlier: it was not nothing
    box(app, "Compare with").select("month").run()
    assert "No server log covers these days." in {one.value for one in app.info}
    app.switch_page("views/overview.py").run()
    assert not app.exception and not app.success, "an all-clear next to findings"
    assert any("No drive's log covers 10 February 2010" in caption.value for caption in app.caption)
