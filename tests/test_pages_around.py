"""The pages of tapes, stations and pools on the sample archive, in Streamlit's own test runner."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from streamlit.testing.v1 import AppTest

from dashboards.parts.stations import hosts
from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.files import load_catalog
from pipelines.warehouse.connection import LAKE, Warehouse
from support.app import at, box, linked_table, url
from support.archive import copied
from support.served import APP, DEADLINE_S

PAGES = ("tapes", "stations", "pools")


def opened(app: AppTest, page: str, **choices: str) -> AppTest:
    for name, value in choices.items():
        app.query_params[name] = value
    at(app, page).run()
    assert not app.exception
    return app


def texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in [*app.text, *app.markdown, *app.caption, *app.info])


def charts(app: AppTest) -> list[Any]:
    return [one.proto for one in app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")]


def spec(app: AppTest, part: str) -> dict[str, Any]:
    return json.loads(next(one.spec for one in charts(app) if part in one.alt))  # type: ignore[no-any-return]


def data(app: AppTest, part: str) -> list[pa.Table]:
    chart = next(one for one in charts(app) if part in one.alt)
    return [pa.ipc.open_stream(one.data.data).read_all() for one in chart.datasets]


def test_stations_week_on_one_scale_with_its_threshold(app: AppTest) -> None:
    """M05: a plot for each of the eight stations with traffic, a week each; words, not colours, name in and out."""
    opened(app, "stations")
    (chart,) = charts(app)
    names = chart.alt.partition(" Traffic of the stations ")[2].rstrip(".").split(", ")
    assert len(names) == len(set(names)) == 8 and {"stkendm5a", "stkendm12a"} <= set(names)
    assert names.index("stkendm5a") < names.index("stkendm10a"), "numbers in names are numbers"
    drawn = spec(app, "Traffic of the stations ")
    assert "area: out" in drawn["title"]["text"][0]
    step = drawn["layer"][0]["encoding"]["y"]["scale"]["domain"][1] / 8
    assert step > 50, "all on one scale, one above the other"
    tables = data(app, "Traffic of the stations ")
    zeros = {row["station"]: row["zero"] for one in tables if "zero" in one.column_names for row in one.to_pylist()}
    assert sorted(zeros.values()) == [step * at for at in range(8)] and zeros["stkendm5a"] == 7 * step
    both = next(one.to_pylist() for one in tables if {"max_mb_s_in", "max_mb_s_out"} <= set(one.column_names))
    assert len(both) > 2000 and all(row["top"] - row["zero"] == step for row in both)
    assert any("threshold 5 MB/s" in str(one.to_pydict()) for one in tables)
    assert "4 to 10 March 2010" in texts(app)


def test_the_days_compared_with_are_named(app: AppTest) -> None:
    """The week before is offered under this one, and named; the archive has no traffic of it."""
    opened(app, "stations", **{"with": "before"})
    assert "Grey: the 7 days up to 3 March 2010" in texts(app)
    assert "grey: the comparison days" in spec(app, "stkendm8a")["title"]["text"][1]


@pytest.mark.parametrize(
    ("page", "choices"), [("pools", {"with": "before"}), ("stations", {"from": "2010-02-20", "with": "week"})]
)
def test_days_compared_with_can_be_without_a_row(app: AppTest, page: str, choices: dict[str, str]) -> None:
    """No request and no traffic is logged of them: the page shows the period alone."""
    opened(app, page, **choices)
    assert charts(app) and url(app)["with"] == choices["with"]


def test_threshold(app: AppTest) -> None:
    opened(app, "stations", part="duty")
    assert app.slider[0].value == 5.0
    app.slider[0].set_value(40.0).run()
    assert not app.exception and url(app)["threshold"] == "40"
    assert "Duty factor above 40 MB/s" in {one.value for one in [*app.header, *app.subheader]}


@pytest.mark.parametrize("threshold", [0.3, 150.0])
def test_the_threshold_of_a_site_can_be_beyond_the_usual_ends(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threshold: float
) -> None:
    site = copied(steps.site_at(archive), tmp_path / "site")
    with Warehouse(site).write("test") as connection:
        connection.execute(f"UPDATE {LAKE}.site.setting SET duty_threshold_mb_s = {threshold}")
    monkeypatch.setenv("TAPESCOPE_SITE", str(site.root))
    app = opened(AppTest.from_file(APP, default_timeout=DEADLINE_S), "stations", part="duty")
    assert app.slider[0].value == threshold
    assert f"Duty factor above {threshold:g} MB/s" in {one.value for one in [*app.header, *app.subheader]}


def test_sentences_are_about_the_chosen_station(app: AppTest, archive: Path) -> None:
    """Traffic, duty factor and remounts of one station; a scanning station has no duty factor."""
    opened(app, "stations", station="stkendm8a")
    rows = {row["direction"]: row for row in asked(archive, "duty_total", station="stkendm8a")}
    assert f"{rows['in']['moved_tb']:.2f}" == "26.34"
    assert "Inbound traffic: 26.34 TB moved; the duty factor is 0.8 (" in texts(app)
    opened(app, "stations", station="stkendm9a")
    assert "duty factor is" not in texts(app) and "Network traffic of stations" in str([one.alt for one in charts(app)])
    app.query_params.pop("part", None)
    opened(app, "tapes", station="stkendm8a")
    (sentence,) = [one.value for one in app.markdown if "were remounts of a tape" in one.value]
    assert sentence.startswith("**5 mounts were remounts of a tape on the same day.")
    opened(app, "time", part="dead", station="stkendm8a")
    assert "These hours include the mounts of all stations" in texts(app)


def test_the_host_is_that_of_the_chosen_station(app: AppTest) -> None:
    """Also where another host was on the page before."""
    opened(app, "stations", part="hosts")
    assert "stkendm8a was sampled for 3.00 h" in texts(app)
    box(app, "Station").select("stkendm12a").run()
    assert "stkendm12a was sampled for 2.25 h" in texts(app) and not app.warning


@pytest.mark.parametrize(
    ("page", "choices", "says"),
    [
        ("drives", {"part": "hosts", "drive": "LTO4_101"}, "The comparison of hosts includes all of their drives."),
        ("drives", {"part": "effect", "drive": "LTO4_101", "of": "tapes"}, "Tapes are compared in all drives."),
        ("stations", {"part": "hosts", "station": "stkendm5a"}, "No log of these days has samples of a host"),
    ],
)
def test_what_a_choice_does_not_narrow_is_reported_next_to_it(
    app: AppTest, page: str, choices: dict[str, str], says: str
) -> None:
    opened(app, page, **choices)
    (caption,) = (one.value for one in app.caption if says in one.value)
    assert caption.startswith("These data are not narrowed to ")
    app.query_params.clear()
    opened(app, page, **{name: text for name, text in choices.items() if name not in ("drive", "station")})
    assert "not narrowed" not in texts(app)


def test_pools_know_no_station(cta: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients of recalled files are those of all stations, which the page states before it shows them."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(cta))
    app = opened(AppTest.from_file(APP, default_timeout=DEADLINE_S), "tapes", part="waits", station="eoskaon")
    assert "These data are not narrowed to station eoskaon. Logs of pools name no station" in texts(app)


def test_one_stream_and_others_against_it(app: AppTest) -> None:
    """N24 to N27: a stream's rate by streams at once, alone; with the slider also against some the other way."""

    def lines() -> set[str]:
        return set(data(app, "streams")[0]["line"].to_pylist())

    opened(app, "stations", part="streams")
    alone = lines()
    assert "pic-stager read alone" in alone and all(name.endswith(" alone") for name in alone)
    app.slider[0].set_value(2.0).run()
    assert not app.exception and url(app)["opposite"] == "2"
    assert "stkendm8a read against 2" in lines() > alone


def test_what_is_loaded_is_not_asked_for(app: AppTest) -> None:
    opened(app, "stations", part="disks")
    assert "vmstat logs (stkendm8a, stkendm12a) only count the sum over all disks of a host" in texts(app)


def test_links_are_scaled_to_the_fullest(app: AppTest) -> None:
    """The fullest hour has the full colour, or all links look alike; cut tables say so."""
    opened(app, "stations", part="links")
    assert "The first 10 of 384 rows: `tapescope ask link_loads` gives more." in texts(app)
    domain = spec(app, "Load of the links by hour")["layer"][0]["encoding"]["color"]["scale"]["domain"]
    most = linked_table(app, "max_share", "link")["max_share"].max() / 100
    assert domain == [0, pytest.approx(most)] and 0.4 < most < 0.6


def test_hosts_are_drawn_with_what_drives_moved_meanwhile(app: AppTest) -> None:
    """Three hours of vmstat do not shrink to a corner of the day, and one host is chosen by the URL."""
    opened(app, "stations", part="hosts", host="stkendm12a")
    titles = [chart.alt for chart in charts(app)]
    assert [any(word in alt for alt in titles) for word in ("Processors", "Disks", "Drives")] == [True] * 3
    assert not any("Network" in alt for alt in titles), "vmstat has no network"
    ends = spec(app, "Processors")["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert [end["hours"] for end in ends] == [9, 12], "where there are samples, in the site's clock"
    assert "stkendm12a was sampled for 2.25 h" in texts(app) and url(app)["host"] == "stkendm12a"
    assert linked_table(app, "cpu_idle", "tape_write_mb_s")["tape_write_mb_s"].max() > 10


def test_a_host_is_not_sampled_for_longer_than_from_its_first_sample_to_its_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two steps of 4 h, 08:00 to 16:00, have samples from 10:00 to 15:00: 5 h of them."""
    written: list[str] = []
    monkeypatch.setattr(hosts.st, "markdown", written.append)
    sampled = {"host": "h1", "from_at": datetime(2010, 3, 10, 10), "to_at": datetime(2010, 3, 10, 15)}
    hosts._say(sampled, [{"cpu_idle": 0.5, "cpu_wait": 0.1, "write_mb_s": 1.0, "bin_s": 14_400.0}] * 2)
    assert written[0].startswith("**h1 was sampled for 5.00 h;")


def test_whole_tape_or_files(app: AppTest) -> None:
    """A sentence counts those that should have read all; group and station narrow it."""
    opened(app, "tapes", part="whole")
    compared = linked_table(app, "is_whole_quicker", "requested_at")
    assert not compared["is_whole_quicker"].any()
    n_partial = sum(compared["byte_share"] != 100)
    assert f"faster than reading some of its files in any of {n_partial} mounts" in texts(app)
    opened(app, "tapes", part="whole", group="cms", station="pic-stager")
    narrowed = linked_table(app, "volume", "is_whole_quicker")
    assert 0 < len(narrowed) < len(compared) and narrowed["volume"].str.endswith("tape=G03243").all()


def asked(archive: Path, name: str, **params: str) -> list[dict[str, Any]]:
    days = {"last_day": "2010-03-10"} | params
    return ask(steps.site_at(archive), load_catalog(), name, days).as_dicts()


def test_mounts_that_came_back_are_counted_in_a_sentence(app: AppTest, archive: Path) -> None:
    opened(app, "tapes")
    rows = asked(archive, "remount_cost", first_day="2010-03-10")
    n_extra, hours = sum(row["n_extra"] for row in rows), sum(row["wasted_hours"] for row in rows)
    assert n_extra == 16 and f"{n_extra} mounts were remounts of a tape" in texts(app)
    assert f"Mounting and dismounting in these remounts took {hours:.2f} h of drive time" in texts(app)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("true", "No log shows how long mounting and dismounting took in these remounts.**"),
        ("volume = 'G03243'", "for storage group survey. For 3 of these remounts, no log shows how long this took.**"),
    ],
)
def test_remounts_without_a_known_time_do_not_count_as_zero_hours(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, expected: str
) -> None:
    """Of all 16 remounts the time is unknown, or of the three of the one group that read its tape four times."""
    site = copied(steps.site_at(archive), tmp_path / "site")
    with Warehouse(site).write("test") as connection:
        connection.execute(f"UPDATE {LAKE}.silver.session SET mount_s = NULL, dismount_s = NULL WHERE {where}")
    monkeypatch.setenv("TAPESCOPE_SITE", str(site.root))
    app = opened(AppTest.from_file(APP, default_timeout=DEADLINE_S), "tapes")
    (sentence,) = [one.value for one in app.markdown if "were remounts of a tape" in one.value]
    assert sentence.startswith("**16 mounts were remounts of a tape on the same day. ") and sentence.endswith(expected)


def test_figures_are_those_of_ask(app: AppTest, archive: Path) -> None:
    """f of the sparse read, and the duty factors' sum, as the questions give them."""
    mounts = asked(archive, "session_rates", first_day="2010-03-10")
    (sparse,) = [row for row in mounts if row["pattern"] == "sparse"]
    opened(app, "tapes", part="positions", session=sparse["session_id"])
    shown = {metric.label: metric.value for metric in app.metric}
    assert f"{sparse['f']:.3f}" == "0.365" in shown.values()
    opened(app, "tapes", part="positions", session="")
    box(app, "Drive").select("LTO2_202").run()
    assert not any("cannot be shown" in one.value for one in app.warning), "nobody chose the mount shown before"
    (total,) = [row["duty_total"] for row in asked(archive, "duty_total") if row["direction"] == "in"]
    opened(app, "stations", part="", session="")
    assert f"the duty factors of 7 stations add up to {total:.1f} (" in texts(app) and f"{total:.3f}" == "2.402"


def test_one_tape(app: AppTest) -> None:
    """Named by the URL or typed: its mounts alone, its map, its drives, and the way back."""
    opened(app, "tapes")
    app.text_input(key="choose-tape-").set_value("G03243").run()
    assert not app.exception and url(app)["tape"] == "G03243"
    assert [title.value for title in app.title] == ["Tape G03243"]
    mounts = linked_table(app, "session_id", "mode", "wall_s")
    assert len(mounts) == 4 and mounts["session_id"].str.contains("G03243").all()
    assert any("Position of each file on the tape" in chart.alt for chart in charts(app))
    assert "← Tapes and recalls" in {link.proto.label for link in app.get("page_link")}
    opened(app, "tapes", tape="**b**")
    assert "No log or list names a file on a tape with this label, and no log shows" in texts(app)
    assert [title.value for title in app.title] == [r"Tape \*\*b\*\*"]


def test_requests_and_what_they_waited_for(app: AppTest) -> None:
    """All requests are in the bars, and the largest stage in the sentence."""
    opened(app, "pools")
    assert "11,710 requests. The requests waited 1,129.04 h in total, 94 % of this time in queues." in texts(app)
    drawn = data(app, "Number of requests over the period")[0].to_pydict()
    assert sum(drawn["value"]) == 11710 and set(drawn["what"]) == {"read from tape", "written to tape"}
