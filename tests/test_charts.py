"""Charts along time: the change log, and hours that the clocks repeat; links of what they name."""

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from dashboards import charts, link_loads, zone
from dashboards.charts import along, bars, drive_charts, hour_charts, ledger_charts, model_charts, rate_charts, series
from dashboards.head import Page

CHICAGO = "America/Chicago"
NIGHT = datetime(2010, 11, 7), datetime(2010, 11, 8)  # 25 hours in Chicago: 01:00 to 02:00 happens twice


@pytest.fixture
def chicago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zone, "name", lambda: CHICAGO)


def logged(monkeypatch: pytest.MonkeyPatch, *rows: tuple[datetime | None, str, str | None]) -> None:
    """A page whose change log has these entries."""
    schema = {"changed_at": pl.Datetime("us"), "what": pl.String, "entities": pl.String}
    monkeypatch.setattr(along.st, "session_state", {})
    along.log_changes(lambda: pl.DataFrame(list(rows), schema=schema, orient="row"))


def marks(span: along.Span) -> list[tuple[Any, ...]]:
    """Instants, words, whom and what is written of each mark."""
    layers = along.changes(span)
    return list(layers[0].data.iter_rows()) if layers else []


def test_entries_within_the_axis_are_marked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry has a row for each measure; one that could not be read has no time; others are outside."""
    at = datetime(2010, 3, 10, 9)
    logged(
        monkeypatch,
        (at, "Firmware", "LTO4_101"),
        (at, "Firmware", "LTO4_101"),
        (None, "not read", None),
        (datetime(2010, 3, 11), "on the day after", None),
        (datetime(2010, 3, 10, 20), "x" * 100, None),
    )
    found = marks((datetime(2010, 3, 10), datetime(2010, 3, 11)))
    assert [row[:3] for row in found] == [
        (at, "Firmware", "LTO4_101"),
        (datetime(2010, 3, 10, 20), "x" * 100, "the whole site"),
    ]
    assert [row[3] for row in found] == ["▼ Firmware", "▼"], "too near to the end for its words"
    assert not marks((datetime(2010, 3, 12), datetime(2010, 3, 13)))


def test_a_page_without_a_change_log_has_no_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(along.st, "session_state", {})
    assert not marks((datetime(2010, 3, 10), datetime(2010, 3, 11)))


def test_the_hour_that_clocks_repeat_is_named(monkeypatch: pytest.MonkeyPatch, chicago: None) -> None:
    logged(monkeypatch)
    assert [(at, what) for at, what, *_ in marks(NIGHT)] == [
        (datetime(2010, 11, 7, 1), "01:00 to 02:00 occurred twice, because the clock was set back")
    ]
    assert zone.repeated(*NIGHT) == [(datetime(2010, 11, 7, 1), datetime(2010, 11, 7, 2))]
    assert not zone.repeated(datetime(2010, 3, 14), datetime(2010, 3, 15)), "clocks go forward: no hour is repeated"
    both = [zone.text(datetime(2010, 11, 7, hour, 30)) for hour in (6, 7)]
    assert both == ["2010-11-07 01:30:00", "2010-11-07 01:30:00 (second time)"]
    assert [zone.read(text) for text in both] == [datetime(2010, 11, 7, hour, 30) for hour in (6, 7)]


def test_an_hour_that_happens_twice_is_two_hours_long(chicago: None) -> None:
    """3.6 GB in each of the hours from midnight to 3 are 1 MB/s in all of them, by the hour and by the day."""
    utc = [datetime(2010, 11, 7, hour) for hour in range(5, 9)]
    rows = pl.DataFrame({"family": "a", "hour_at": utc, "moved_gb": 3.6}).with_columns(zone.show(pl.col("hour_at")))
    rates = hour_charts.mean_rates(rows, "family", "hour")
    assert rates["hour_at"].dt.hour().to_list() == [0, 1, 2]
    assert rates["rate_mb_s"].to_list() == pytest.approx([1, 1, 1])
    daily = hour_charts.mean_rates(rows, "family", "day")
    assert daily["rate_mb_s"].to_list() == pytest.approx([4 / 25])


def test_a_day_of_links_ends_with_the_site_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """7 November has 25 hours in Chicago: 05:00 to 06:00 UTC of the next day. Hours of 22 days stay hours."""
    monkeypatch.setattr(zone.st, "session_state", {"view-zone": "UTC", "view-site-zone": CHICAGO})
    rows = pl.DataFrame({"from_at": [datetime(2010, 11, 6, 5), datetime(2010, 11, 7, 5)]})
    lengths = {}
    for n_days in (22, 23):
        page = Page(1, {}, date(2010, 11, 1), date(2010, 11, n_days), None, {})
        ends = rows.with_columns(to_at=link_loads.ends(page))
        lengths[n_days] = [row["to_at"] - row["from_at"] for row in ends.rows(named=True)]
    assert lengths == {22: [timedelta(hours=1)] * 2, 23: [timedelta(hours=24), timedelta(hours=25)]}


def test_the_scale_of_rates_is_in_plain_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """86.7 MB/s, not 9e+1."""
    logged(monkeypatch)
    at = datetime(2010, 3, 11)
    row = {"log": "l in", "station": None, "from_at": at, "to_at": at + timedelta(hours=1), "avg_mb_s": 80.0}
    drawn = series.heat(pl.DataFrame([row | {"max_mb_s": 86.7}]), "max_mb_s", "peak", (at, at + timedelta(days=1)))
    assert drawn.to_dict()["encoding"]["color"]["legend"]["format"] == ",.3~r"


def test_a_narrow_chart_keeps_its_marks_and_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    """More lines of a legend come on top, and a long title has lines of its own: a phone cuts what is wider."""
    logged(monkeypatch)
    rows = pl.DataFrame({"who": ["a"], "read": [1.0]})
    title = "share of the requests (pools) or bytes (disks)"
    drawn = bars.stacked(rows, "who", {"read": "reading"}, title, "h").to_dict()
    assert drawn["autosize"]["type"] == "fit-x" and drawn["height"] == 3 * bars.ROW_PX
    assert drawn["encoding"]["x"]["title"] == ["share of the requests (pools)", "or bytes (disks)"]
    layers = bars.single(rows.with_columns(fair=0.5), "who", "read", title, "fair").to_dict()["layer"]
    assert layers[0]["encoding"]["x"]["title"] == ["share of the requests (pools)", "or bytes (disks)"]
    served = model_charts.caught(pl.DataFrame({"size_tb": [1.0], "bytes": [0.2]})).to_dict()
    assert served["encoding"]["y"]["title"] == ["share of the bytes read that the", "buffer would have served"]
    at = datetime(2010, 3, 10)
    span = at, at + timedelta(days=1)
    load = pl.DataFrame([{"log": "l", "station": None, "from_at": at, "to_at": at, "avg_mb_s": 1.0, "max_mb_s": 2.0}])
    words = "highest peak of the hour or day, as a share of the link's capacity"
    legend = series.heat(load, "max_mb_s", words, span).to_dict()
    assert legend["encoding"]["color"]["title"] == [words[:37], words[38:]]
    assert legend["config"]["legend"]["labelLimit"] == 240
    one = {"drive": "D1", "from_at": at, "to_at": at, "group_words": "idle", "group_number": 1, "colour": "#C7CDD6"}
    states = pl.DataFrame([one | {"group_share": 1.0}])
    monkeypatch.setitem(along.st.session_state, "view-asked", {})
    assert ledger_charts.drives(states, [], span, legend=True).to_dict()["autosize"]["type"] == "fit-x"
    assert "autosize" not in ledger_charts.drives(states, [], span).to_dict()


def test_names_lead_to_their_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(along.st, "session_state", {"view-asked": {"from": "2010-03-10"}})
    span = datetime(2010, 3, 10), datetime(2010, 3, 11)
    happened = {"drive": ["D&1"], "what": ["tape alert"], "from_at": [span[0]], "to_at": [None], "volume": ["T"]}
    rows = pl.DataFrame(happened | {"lasted_hours": [None], "error": ["e"]}, schema_overrides={"to_at": pl.Datetime})
    (href,) = drive_charts.events(rows, span).layer[1].data["href"].to_list()
    assert href == "/drives?from=2010-03-10&drive=D%261"
    bins = {"station": ["s1"], "direction": ["in"], "bin_at": [span[0]], "bin_s": [1800.0], "avg_mb_s": [1.0]}
    drawn = series.traffic(pl.DataFrame(bins | {"max_mb_s": [2.0]}), ["s1"], 5.0, 2.0, span).to_dict()
    linked = [layer["mark"]["type"] for layer in drawn["layer"] if "href" in layer["encoding"]]
    assert linked == ["text"] and "/stations?from=2010-03-10&station=s1" in str(drawn["datasets"])


def test_names_next_to_dots_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """150 and 155 MB/s are 7 pixels apart: D2, the worse one, has its name to the right, and D1 to the left.

    On a phone, D3 then has no room to its right. Where names are long, the third of these drives has none at all.
    """
    monkeypatch.setattr(along.st, "session_state", {"view-asked": {}})
    rows = {"drive": ["D1", "D2", "D3"], "generation": "LTO-9", "drive_rate_mb_s": [330.0, 330.0, 270.0]}
    rows |= {"overall_rate_mb_s": [155.0, 150.0, 152.0], "nameplate_share": [0.8, 0.8, 0.7], "f": [0.5, 0.4, 0.6]}

    def sides(chosen: str, px: int) -> dict[str, int]:
        names = rate_charts.rates(pl.DataFrame(rows), None, chosen).layer[-1].data
        return dict(names.select("drive", f"side_{px}").iter_rows())

    phone, laptop, _ = rate_charts.PLOTS_PX
    assert sides("", laptop) == {"D1": -1, "D2": 1, "D3": 1}
    assert sides("", phone) == {"D1": -1, "D2": 1, "D3": -1}
    assert sides("D1", phone) == {"D1": 1, "D2": -1, "D3": -1}
    rows |= {"drive": ["LTO_101", "LTO_102", "LTO_103"], "drive_rate_mb_s": [330.0, 330.0, 331.0]}
    assert sides("", laptop) == {"LTO_101": -1, "LTO_102": 1, "LTO_103": 0}


def test_an_axis_of_zeros_has_a_length() -> None:
    none, some = pl.DataFrame({"value": [0.0, 0.0]}), pl.DataFrame({"value": [0.0, 2.0]})
    assert charts.from_zero(none, "value", padding=30).to_dict() == {"domain": [0, 1]}
    assert charts.from_zero(some, "value", padding=30).to_dict() == {"domainMin": 0, "padding": 30}


def test_an_axis_with_one_place_counts_in_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a format, Vega labels the only tick of an axis without length 0.000000."""
    monkeypatch.setattr(along.st, "session_state", {"view-asked": {}})
    rows = pl.DataFrame({"depth": [0, 0], "rate": [6.9, 7.0], "mode": ["read", "write"]})
    chart = charts.lines(rows, "depth", "rate", "mode", {"depth": "depth", "rate": "rate"}, log_x=True)
    assert chart.to_dict()["encoding"]["x"]["axis"] == {"format": "d", "values": [0]}


def test_kinds_of_events_that_have_no_sign_of_their_own_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(along.st, "session_state", {"view-asked": {}})
    kinds = ["empty mount", "mover restart", "session killed", "tape alert"]
    at = [datetime(2010, 3, 10, hour) for hour in range(4)]
    rows = pl.DataFrame({"drive": "D1", "what": kinds, "from_at": at, "to_at": None, "volume": "T", "error": "e"})
    rows = rows.with_columns(lasted_hours=pl.lit(None, dtype=pl.Float64), to_at=pl.lit(None, dtype=pl.Datetime))
    drawn = drive_charts.events(rows, (at[0], datetime(2010, 3, 11))).to_dict()["layer"][1]["encoding"]
    looks = list(zip(drawn["color"]["scale"]["range"], drawn["shape"]["scale"]["range"], strict=True))
    assert len(set(looks)) == 4 and sorted(drawn["shape"]["scale"]["domain"]) == kinds


def test_what_is_planned_has_changes_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """The axis of what will be held ends with the last plan; a change recorded for a day to come is on it."""
    logged(monkeypatch, (datetime(2010, 9, 1), "new drives", None))
    rows = pl.DataFrame({"day": [date(2010, 3, 10), date(2010, 12, 1)], "value": 1.0, "low": 0.9, "high": 1.1})
    planned = pl.DataFrame({"day": [date(2011, 1, 1)], "value": [2.0], "plan": ["more"]})
    chart = model_charts.ahead(rows, planned)
    assert [layer.data["what"].to_list() for layer in chart.layer[4:]] == [["new drives"]] * 2
    assert not model_charts.ahead(rows, planned.clear()).layer[4].data.is_empty()


def test_a_day_has_one_label() -> None:
    """On an axis of a few days, ticks at every six or twelve hours bore the same day again and again."""
    first = datetime(2010, 3, 9)
    rows = pl.DataFrame({"bin_at": [first], "bin_s": [3600.0], "n": [1.0]})
    for n_days, ticks in ((1, 8), (3, {"interval": "day", "step": 1}), (8, 8)):
        drawn = series.bars(rows, {"n": "requests"}, "requests", (first, first + timedelta(days=n_days)))
        assert drawn.to_dict()["encoding"]["x"]["axis"]["tickCount"] == ticks, n_days
