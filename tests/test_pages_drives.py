"""The pages on time, on drives and on one mount, on the sample archive in Streamlit's own test runner."""

import re
from pathlib import Path

import polars as pl
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboards.pages import find_parts
from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.files import load_catalog
from pipelines.primitives.format import percent
from support.app import at, box, drawn, linked_table, marks, spec, table, texts, url
from support.served import HOSTILE, HOSTILE_STATION

DAYS = {"first_day": "2010-03-10", "last_day": "2010-03-10"}
PARTS = [(page, part.name) for page in ("time", "drives") for part in find_parts(page)]


def opened(app: AppTest, page: str, **choices: str) -> AppTest:
    at(app, page)
    for name, value in choices.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def headings(app: AppTest) -> list[str]:
    return [one.value for one in app.header]


def test_tabs_of_time_and_drives(app: AppTest) -> None:
    assert 3 <= len(find_parts("time")) <= 7 and 3 <= len(find_parts("drives")) <= 7
    opened(app, "time")
    assert [tab.label for tab in app.tabs][:2] == ["Overview", "Gaps between files"]


def test_overview_in_words_from_all_hours_to_moving_data(app: AppTest) -> None:
    """264 = 11 drives of a day; hours that moved data are 57.17; the heat map spans the site's day, not its rows."""
    opened(app, "time", drive="LTO2_204")
    hours = marks(app, "Share of each hour in which each drive worked")["encoding"]
    ends = [[end[part] for part in ("date", "hours")] for end in hours["x"]["scale"]["domain"]]
    assert ends == [[10, 0], [11, 0]], "a day of America/Chicago, by its clock"
    assert "hour (America/Chicago)" in [tip.get("title") for tip in hours["tooltip"]]
    assert any(caption.value.startswith("Empty: ") for caption in app.caption)
    box(app, "Drive").select("").run()
    assert "Data moved in 57.17 of 264.00 drive-hours." in texts(app)
    buckets = spec(app, "From all drive-hours")["layer"][0]["encoding"]["y"]["sort"]
    assert "mounted, no work queued" in buckets and not any("_" in bucket for bucket in buckets)
    assert buckets[-1] == "blocks to or from tape", "top-down: what is left at the end moved data"
    shown = table(app, "drive", "moving_data_hours", "down_hours").set_index("drive")
    assert shown["moving_data_hours"].sum() == pytest.approx(57.17, abs=0.01)
    assert shown["down_hours"]["LTO2_204"] == pytest.approx(2.4)


@pytest.mark.parametrize(("under", "begin"), [("", "/drives?"), ("/tapescope/", "/tapescope/drives?")])
def test_names_lead_to_pages_below_the_path_that_serves_them(app: AppTest, under: str, begin: str) -> None:
    """A proxy may serve the pages below a path; links of tables and of charts begin with it."""
    before = st.get_option("server.baseUrlPath")
    st.config.set_option("server.baseUrlPath", under)
    try:
        opened(app, "time")
    finally:
        st.config.set_option("server.baseUrlPath", before)
    assert linked_table(app, "drive", "moving_data_hours")["drive"].str.startswith(begin).all()


def test_longer_periods_are_bars_by_day(app: AppTest) -> None:
    """More hours than a chart can hold: bars of days, which add up to the drives' hours."""
    opened(app, "time", **{"from": "2010-02-20", "to": "2010-03-11"})
    bars = marks(app, "Drive-hours by storage group")
    assert "Day by day" in headings(app) and bars["encoding"]["y"]["aggregate"] == "sum"
    box(app, "Drive").select("LTO2_204").run()
    assert not app.exception and "Day by day" in headings(app)


def test_other_days_are_drawn_into_the_same_charts(app: AppTest) -> None:
    opened(app, "time", **{"from": "2010-03-10", "to": "2010-03-10", "with": "before"})
    assert any("9 March 2010" in caption.value for caption in app.caption)
    opened(app, "drives", **{"with": "before"})
    # the log of that day is its last minute: drives were idle
    assert "No drive has both rates on 9 March 2010." in {one.value for one in app.caption}
    # no server log covers the day four weeks earlier: it was not nothing
    box(app, "Compare with").select("month").run()
    assert "No log of drives covers 10 February 2010." in {one.value for one in app.caption}


def test_gaps(app: AppTest) -> None:
    """What long gaps cost, lost and gain reconciled; bad drives in colours of their own; the expected gap drawn in."""
    opened(app, "time", part="gaps")
    text = texts(app)
    assert "1,550 of 11,621 gaps (13 %) were long and cost 3.45 h of drive time." in text
    assert (
        "A gap is long if its avoidable part exceeds the expected 2 s by more than the limit of the rule for long gaps."
        in text
    )
    assert re.search(
        r"Lost: without other limits, [\d,.]+ GB/day more could have moved in the time that long gaps cost\. Gain: the"
        r" next bottleneck \(.+\) allows .+ of the lost data\.",
        text,
    )
    costs = table(app, "station", "drive", "lost_gb")
    assert {"stkendm8a", "stkendm12a"} <= set(costs["station"]) and costs["drive"].iloc[0] == "LTO4_101"
    chart = str(spec(app, "Histogram of avoidable gaps between files. Gaps of station stkendm8a."))
    assert "'domain': ['LTO4_101', 'other drives']" in chart
    assert "'type': 'rule'" in chart, "the expected gap is not drawn in"
    shown = [code for code in app.code if HOSTILE in code.value]
    assert all(code.language in (None, "", "plaintext") for code in shown)
    assert "Examples of long gaps" in headings(app)
    assert any(len(code.value.splitlines()) == 2 and "LOG-2010-03-10.zst:" in code.value for code in app.code)


def test_peaks_of_one_drive(app: AppTest) -> None:
    """Its gaps pile up at the expected 2 s and at 10 s: both are drawn with their shares."""
    opened(app, "time", part="gaps", drive="LTO4_101")
    tables = [pl.read_ipc_stream(one.data.data) for one in drawn(app)[0].proto.datasets]
    peaks = next(one for one in tables if "peak_s" in one.columns)
    assert set(peaks["peak_s"]) == {2.0, 10.0} and url(app)["drive"] == "LTO4_101"


def test_station_of_the_url_narrows_and_stays(app: AppTest) -> None:
    opened(app, "time", part="gaps", station="stkendm12a")
    assert set(table(app, "station", "drive", "lost_gb")["station"]) == {"stkendm12a"}
    box(app, "Station").select("stkendm8a").run()
    assert set(table(app, "station", "drive", "lost_gb")["station"]) == {"stkendm8a"}
    assert url(app)["station"] == "stkendm8a" and url(app)["part"] == "gaps"
    box(app, "Station").select("").run()
    assert len(set(table(app, "station", "drive", "lost_gb")["station"])) == 3 and "station" not in url(app)


def test_nonsense_in_the_url_is_reported(app: AppTest) -> None:
    opened(app, "time", part="gaps", station="nobody", **{"from": "yesterday", "with": "<b>"})
    assert box(app, "Station").value == "" and box(app, "Compare with").value == ""
    assert any("nobody" in warning.value for warning in app.warning)


def test_standing_still(app: AppTest) -> None:
    opened(app, "time", part="dead", drive="LTO4_101")
    assert set(table(app, "station", "ready_share")["station"]) == {"stkendm8a"}
    (dead,) = table(app, "drive", "dead_hours", "request_hours").to_dict("records")
    assert dead["dead_hours"] == pytest.approx(12.60, abs=0.01)


def test_groups(app: AppTest) -> None:
    """P12, P15, P20: families stacked by the hour, their figures below them, hours in the ledger's order."""
    opened(app, "time", part="groups")
    bars = marks(app, "Rate of each file family")
    assert bars["encoding"]["y"]["aggregate"] == "sum" and "stack" not in bars["encoding"]["y"]
    assert "cms t1d0data read" in bars["encoding"]["color"]["scale"]["domain"]
    rates = table(app, "storage_group", "min_mb_s", "max_mb_s", "average_mb_s", "last_mb_s")
    assert set(rates["storage_group"]) >= {"all groups", "cms", "lattice"}
    assert (rates["min_mb_s"] <= rates["max_mb_s"]).all()
    of_groups = rates[rates["storage_group"] != "all groups"]["moved_tb"].sum()
    assert of_groups == pytest.approx(rates[rates["storage_group"] == "all groups"]["moved_tb"].sum(), rel=0.01)
    groups = spec(app, "Drive-hours by storage group")["encoding"]["color"]["scale"]["domain"]
    assert groups == ["moving data", "waiting", "checksums", "between files", "tape motion", "mounting", "no request"]
    box(app, "Storage group").select("cms").run()
    assert not app.exception
    assert set(table(app, "storage_group", "min_mb_s")["storage_group"]) == {"cms"}
    box(app, "Of").select("read").run()
    assert not app.exception and url(app)["mode"] == "read"


def test_drives_in_use(app: AppTest) -> None:
    opened(app, "time", part="in_use")
    assert re.search(r"At most \d+ of 11 drives were in use at the same time", texts(app))
    assert not any("more drives were in use" in warning.value for warning in app.warning)


def test_down_to_the_lines(app: AppTest) -> None:
    """The longest intervals of a state with the log's own lines; without a drive, of the one with most of it."""
    opened(app, "time", part="lines", drive="LTO4_101")
    lines = [code.value for code in app.code if "LOG-2010-03-10.zst:" in code.value and "LTO4_101" in code.value]
    assert len(lines) == 8 and all(len(text.splitlines()) == 2 for text in lines)
    box(app, "State").select("down").run()
    assert r"LTO4\_101 spent no time in this state." in app.info[-1].value
    box(app, "Drive").select("").run()
    assert "LTO2_204, the drive with most time in this state on one day, on 10 March 2010: 2.40 h." in texts(app)
    assert "2010-03-10 09:05:00 to 2010-03-10 11:29:00" in texts(app), "times are by the site's clock"


def test_drives_at_one_glance(app: AppTest) -> None:
    """Every drive's time with findings on it, then named dots against the rates the drives are sold with."""
    opened(app, "drives")
    timeline = str(spec(app, "What each drive did"))
    assert "triangle-down" in timeline and "time in America/Chicago" in timeline
    rates = str(spec(app, "Drives. Drive rate against overall"))
    assert "native_mb_s" in rates and "'text': {'field': 'drive'" in rates
    assert len(table(app, "drive", "drive_rate_mb_s", "f")) == 11


def test_one_drive(app: AppTest) -> None:
    """Its name in a heading, when it was down and until when, its findings, and a way back to all drives."""
    opened(app, "drives", drive="LTO2_204")
    assert headings(app)[0] == r"Drive LTO2\_204", "its name is no markup"
    opened(app, "time", drive="LTO2_204")
    assert headings(app)[0] == r"How LTO2\_204 spent its time"
    opened(app, "drives", drive="LTO2_204")
    assert "out of service from 2010-03-10 09:05:00 to 2010-03-10 11:29:00 (2.40 h)" in texts(app)
    rows = str(spec(app, "What each drive did")["layer"][0]["encoding"]["y"]["sort"])
    assert "'findings'" in rows and "'out of service'" in rows and "'moving data'" in rows
    pages = [(link.proto.page, link.proto.label) for link in app.get("page_link")]
    assert ("drives", "← Drives") in pages and any(page == "finding" for page, _ in pages)


def test_errors_and_outages_with_their_lines(app: AppTest) -> None:
    opened(app, "drives", part="events")
    events = table(app, "what", "from_at", "message")
    assert events["what"].value_counts().to_dict() == {
        "transfer failed": 8, "mount failed": 4, "out of service": 1, "mover restart": 1,
    }  # fmt: skip
    assert any("mover is set OFFLINE" in code.value and "starting mover LTO2_204" in code.value for code in app.code), (
        "the lines that began and ended the outage"
    )
    box(app, "Show").select("mount failed").run()
    assert set(table(app, "what", "from_at")["drive"]) == {"LTO4_102"} and url(app)["what"] == "mount failed"


def test_drives_and_tapes_apart_with_their_intervals(app: AppTest) -> None:
    """The table itself has the ratios, not only the answer below it: most drives of a site cannot be drawn."""
    opened(app, "drives", part="effect")
    rated = ["drive", "mode", "ratio", "ratio_low", "ratio_high", "rate_mb_s", "n_files"]
    assert [*rated, "n_errors", "n_block_retries", "summary"] in [list(one.value.columns) for one in app.dataframe]
    box(app, "Of").select("tapes").run()
    assert "G03243" in set(table(app, "volume", "ratio")["volume"])


def test_mount_page(app: AppTest, archive: Path) -> None:
    """The facts in one line, the states, the way, the files, the lines at its longest time; links to what it is of."""
    rows = ask(steps.site_at(archive), load_catalog(), "session_rates", DAYS).as_dicts()
    mount = next(row for row in rows if row["pattern"] == "sparse")
    # a link opens whatever days the page shows
    opened(app, "mount", id=mount["session_id"], **{"from": "2010-03-01", "to": "2010-03-01"})
    assert app.title[0].value.replace("\\", "") == f"Tape {mount['volume']} in {mount['drive']}"
    assert f"{mount['n_files']} files" in texts(app) and f"efficiency {percent(mount['f'])}" in texts(app)
    assert len(drawn(app)) == 2
    assert len(table(app, "file_number", "position_s")) == mount["n_files"]
    assert any(".zst:" in code.value or ".log:" in code.value for code in app.code)
    links = {link.proto.label: link.proto.page for link in app.get("page_link")}
    assert links["← Drives"] == "drives" and links[f"Tape {mount['volume']}"] == "tapes"
    assert links[f"Station {mount['station']}"] == "stations"
    assert url(app)["id"] == mount["session_id"]
    longest = box(app, "State").value
    timeline = ask(
        steps.site_at(archive), load_catalog(), "mount_timeline", {"session": mount["session_id"]}
    ).as_dicts()
    spent: dict[str, float] = {}
    for row in timeline:
        spent[row["state"]] = spent.get(row["state"], 0.0) + row["interval_s"]
    spent.pop("transfer")
    assert longest == max(spent, key=lambda name: spent[name])


def test_a_mount_that_is_not_there(app: AppTest) -> None:
    opened(app, "mount", id=f"nothing {HOSTILE_STATION}")
    assert "No mount that moved files has the id" in app.info[0].value and "<script" not in app.info[0].value


def test_slowest_mounts_lead_to_their_pages(app: AppTest) -> None:
    opened(app, "time", part="mounts", drive="LTO4_101")
    cells = next(one.value for one in app.dataframe if "session_id" in one.value.columns)
    assert cells["session_id"].str.startswith("/mount?").all()
    assert set(table(app, "session_id", "drive")["drive"]) == {"LTO4_101"}
