"""Changes, Plan, About and the links of the SQL desk, in Streamlit's own test runner."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboards import data
from dashboards.parts.plan.sizing import COSTS
from pipelines import steps
from pipelines.analysis.forecast import History, what_if
from pipelines.analysis.models.simulation import Changes
from pipelines.analysis.studies import VERDICTS
from pipelines.catalog.files import load_catalog
from pipelines.primitives.estimate import Estimate
from pipelines.primitives.format import percent
from support.app import at, box, drawn, drawn_rows, spec, table, texts, url
from support.served import HOSTILE


def opened(app: AppTest, page: str, part: str = "") -> AppTest:
    if part:
        app.query_params["part"] = part
    return at(app, page).run()


def field(app: AppTest, label: str) -> Any:
    return next(field for field in app.number_input if field.label == label)


def instant(app: AppTest) -> Any:
    return next(field for field in app.text_input if field.label.startswith("Instant"))


def sentences(app: AppTest) -> list[str]:
    """The sentences of the charts."""
    return [chart.proto.alt for chart in drawn(app)]


def test_a_recorded_change_or_an_instant(app: AppTest) -> None:
    """One method: the change that the log records, then an instant; what is no instant is refused with a hint."""
    opened(app, "changes")
    assert not app.exception
    assert box(app, "Change").value.endswith(HOSTILE)
    assert any("Did the change help?" in sentence for sentence in sentences(app))
    assert not any(one.label.startswith("Instant") for one in app.text_input)
    box(app, "Change").select("another instant").run()
    instant(app).set_value("banana").run()
    assert [error.value for error in app.error] == ["“banana” is not a date and time. Write it as 2010-03-10 17:00."]
    assert not drawn(app)
    instant(app).set_value("2010-03-10 17:00").run()
    assert not app.error and url(app)["at"] == "2010-03-10T23:00:00Z" and drawn(app)
    found = re.search(r"Median overall rate before .*?\((\d+) mounts?\)\. After it: .*?\((\d+) mounts?\)", texts(app))
    assert found and sum(map(int, found.groups())) == 89
    assert instant(app).label == "Instant in America/Chicago, written as 2010-03-10 17:00"
    (clock,) = (one for one in app.button_group if one.label == "Times in")
    clock.set_value("utc").run()
    assert instant(app).label.startswith("Instant in UTC") and instant(app).value == "2010-03-10 23:00:00"
    again = re.search(r"Median overall rate before .*?\((\d+) mounts?\)\. After it: .*?\((\d+) mounts?\)", texts(app))
    assert again and again.groups() == found.groups(), "another clock, another instant"


def test_sizing(app: AppTest) -> None:
    """Drives from traffic, factor, efficiency and speed of this site's own mounts; the URL has the sliders."""
    app.query_params["target"] = "500"
    opened(app, "plan")
    assert not app.exception
    head = next(one.value for one in app.header if "drives needed" in one.value)
    needed, there = map(int, re.match(r"(\d+) drives needed; the site has (\d+) LTO-2", head).groups())  # type: ignore[union-attr]
    assert there == 4
    assert not app.dataframe, "what mounts cost is drawn once it is opened"
    fits = data.fitted(data.newest("period").answer.snapshot, date(2010, 3, 10))
    (fit,) = [one for one in fits if (one.generation, one.mode) == ("LTO-2", "read")]
    found = re.search(r"Estimate: ([\d.]+).* moves data (\d+) %", texts(app))
    value, busy = map(float, found.groups())  # type: ignore[union-attr]
    # target x factor / (efficiency x speed x share of time); the share is shown in whole percent
    by_hand = 500 * 2 / (busy / 100 * fit.found.parameters["speed_mb_s"].value * 0.9)
    assert value == pytest.approx(by_hand, rel=0.01)
    low, high = map(float, re.search(r"\(([\d.]+) to ([\d.]+)\)", texts(app)).groups())  # type: ignore[union-attr]
    assert low <= needed <= high + 1
    # each cost alone at the ends of its interval: 10 files of 1000 MB take tM + n (tO + tS) + n F / S seconds
    costs = {name: cost for name, cost in fit.found.parameters.items() if isinstance(cost, Estimate)}
    bars = {row["input"]: (row["low"], row["high"]) for row in drawn_rows(app, "input")}
    assert set(bars) == {COSTS[name] for name, cost in costs.items() if cost.low < cost.high} and len(bars) > 2
    for name, cost in costs.items():
        for at_end, end in zip(bars.get(COSTS[name], ()), (cost.low, cost.high), strict=False):
            one = {key: other.value for key, other in costs.items()} | {name: end}
            took = one["mount_s"] + 10 * (one["file_s"] + one["seek_s"]) + 10 * 1000 / one["speed_mb_s"]
            assert at_end == pytest.approx(500 * 2 / 0.9 * took / (10 * 1000))
    assert url(app)["target"] == "500"
    curve = spec(app, "Efficiency by file size")["layer"][0]["encoding"]
    assert (curve["x"]["field"], curve["y"]["field"], curve["color"]["field"]) == ("file_mb", "efficiency", "n_files")


def test_whatif(app: AppTest, archive: Path) -> None:
    """The replay's error first; fields, URL and figures of a run are those of the simulator on the same days."""
    opened(app, "plan", "whatif")
    assert not app.exception
    history = History(steps.site_at(archive), load_catalog(), n_days=7)
    as_it_was = what_if(history, Changes())
    assert f"The replay differs from the logs by up to {percent(as_it_was.error)}" in app.success[0].value
    assert "Nothing is changed yet" in texts(app) and set(table(app, "run")["run"]) == {"recorded", "replayed"}
    field(app, "Gaps of at most [s]").set_value(2.0)
    field(app, "LTO-4 drives").set_value(4)
    field(app, "Tapes that each process writes at once").set_value(1)
    app.button[0].click().run()
    app.session_state["takes"] = True  # what it takes of the drives is closed
    app.run()
    assert not app.exception
    assert url(app) | {"gap": "2", "drives-LTO-4": "4", "outputs": "1"} == url(app)
    changes = Changes(gap_s=2.0, drives={"LTO-4": 4}, outputs=1)
    answer = what_if(history, changes)
    assert answer.changed and answer.changed.uses != answer.replayed.uses
    shown = table(app, "drives", "run", "busy_hours").set_index(["drives", "run"])
    runs = {"recorded": answer.record.recorded, "replayed": answer.replayed, "changed": answer.changed}
    assert len(shown) == sum(len(run.uses) for run in runs.values())
    for name, run in runs.items():
        for key, use in run.uses.items():
            row = shown.loc[(" ".join(key), name)]
            assert row["busy_hours"] == pytest.approx(use.busy_s / 3600) and row["mounts"] == use.n_mounts
            assert row["rate_mb_s"] == pytest.approx(use.rate_mb_s)
            assert row["waited_hours"] == pytest.approx(use.waited_s / 3600)
            assert row["last_end_hours"] == pytest.approx(use.ended_s / 3600)
            assert any(f"{' '.join(key)} {name} {use.busy_s / 3600:,.2f}" in sentence for sentence in sentences(app))
    assert {sentence.partition(" [")[0] for sentence in sentences(app)} == {
        "all work ends after", "waited", "drive-hours", "overall rate of a drive",
    }  # fmt: skip
    alone = table(app, "scenario", "busy_hours").set_index("scenario")
    only_gaps = what_if(history, Changes(gap_s=2.0)).changed
    assert only_gaps and len(alone) == 5
    assert alone["busy_hours"]["gaps of at most 2 s"] == pytest.approx(
        sum(use.busy_s for use in only_gaps.uses.values()) / 3600
    )
    assert alone["average_end_hours"].is_monotonic_increasing, "what is done soonest stands first"
    assert any("Compared with the replay" in one.value for one in (*app.warning, *app.success))


def test_whatif_fewer_drives_is_no_gain(app: AppTest) -> None:
    """One drive of seven: the page says that it cannot go on, shows the waits in a chart, and ranks it last."""
    app.query_params["gap"], app.query_params["drives-LTO-4"] = "2", "1"
    opened(app, "plan", "whatif")
    assert not app.exception
    assert (
        "These changes do not work: LTO-4 drives cannot keep up" in app.error[0].value and "worse" in app.error[0].value
    )
    names = list(table(app, "scenario", "average_end_hours")["scenario"])
    assert names[:2] == ["gaps of at most 2 s", "none: the replay"] and "1 LTO-4 drive" in names[-1]
    waits = next(sentence for sentence in sentences(app) if sentence.startswith("waited"))
    assert float(re.search(r"LTO-4 write changed ([\d,.]+)", waits)[1].replace(",", "")) > 500  # type: ignore[index]


def test_whatif_by_url(app: AppTest) -> None:
    """A link holds the changes; nonsense in it changes nothing, and what does not fit together is reported."""
    app.query_params["gap"], app.query_params["depth"], app.query_params["disk"] = "2.5", "nan", "nan"
    app.query_params["wait"], app.query_params["drives-LTO-4"] = "yes", "-3"
    opened(app, "plan", "whatif")
    assert not app.exception
    assert "Changed: gaps of at most 2.5 s, stations write only what they have read." in texts(app)
    assert field(app, "Requests that a client keeps queued").value == 1
    field(app, "Migration processes at a station").set_value(2)
    app.button[0].click().run()
    assert not app.exception and "the number of tapes that one migration process" in app.warning[-1].value
    assert "Nothing is changed yet" in texts(app)


def test_whatif_withheld_and_empty(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days without a mount say what to load; a replay that is too far off withholds the change."""
    monkeypatch.setattr("pipelines.analysis.forecast.whatif.MOST_ERROR", 0.0)
    app.query_params["gap"], app.query_params["days"] = "1.75", "5"  # answers are kept, and other tests ask of a week
    opened(app, "plan", "whatif")
    assert not app.exception
    assert "withheld" in app.error[0].value and "withheld" in texts(app)
    assert set(table(app, "run")["run"]) == {"recorded", "replayed"}
    assert not any("scenario" in frame.value.columns for frame in app.dataframe)
    app.query_params["from"] = app.query_params["to"] = "2010-03-05"
    app.query_params["days"] = "1"
    app.run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value and "No mount" in app.info[0].value


def test_campaigns_growth_and_buffers(app: AppTest) -> None:
    """What the command line forecasts has a tab each, or the reason why there is no estimate."""
    opened(app, "plan", "growth")
    assert not app.exception and "on tape at the end of 2010-03-10" in texts(app)
    opened(app, "plan", "buffers")
    assert not app.exception and "would have served" in texts(app)
    assert spec(app, "Share of the bytes read")["encoding"]["x"]["title"] == "buffer size [TB]"
    opened(app, "plan", "campaigns")
    assert not app.exception


def test_case_studies_page(app: AppTest) -> None:
    """The URL names the document; the page shows figures of the chosen one, with their verdicts."""
    app.query_params["study"] = "pic_step09"
    opened(app, "about", "studies")
    assert not app.exception
    assert box(app, "Document").value == "pic_step09" and url(app)["study"] == "pic_step09"
    assert "J. Flix" in texts(app)
    figures, audit = [frame.value for frame in app.dataframe if "verdict" in frame.value.columns]
    (first,) = figures[figures["what"] == "f, test [1]: complete"].to_dict("records")
    assert (first["printed"], first["verdict"]) == ("0.87", "matches") and first["ours"] == pytest.approx(
        0.8705, abs=1e-4
    )
    assert set(audit[audit["id"] == "P15"]["verdict"]) == {"wrong"}
    numbers = {metric.label: metric.value for metric in app.metric}
    assert set(numbers) == set(VERDICTS) and int(numbers["wrong"]) > 5
    box(app, "Document").select("nasa_eos_archive").run()
    assert not app.exception and "A. Lake" in texts(app)
    # the first of the list needs no name in the URL: nothing of the choice before may stay there
    # the first of the list needs no name in the URL: nothing of the choice before may stay there
    options = box(app, "Document").options
    for choice in (0, len(options) - 1):
        box(app, "Document").select_index(choice).run()
        assert box(app, "Document").format_func(box(app, "Document").value) == options[choice]
    box(app, "Document").select_index(0).run()
    assert "study" not in url(app)


def test_a_question_opens_in_the_sql_desk(app: AppTest) -> None:
    """A link of the search box fills the editor; a link with a statement runs it, also after another was run."""
    app.query_params["start"] = "headline"
    opened(app, "sql")
    assert not app.exception
    assert load_catalog().questions["headline"].title in str(app.text_area(key="statement").value)
    app.query_params["sql"] = "SELECT 41 + 1 AS answer"
    app.run()
    assert not app.exception
    assert table(app, "answer")["answer"].tolist() == [42]
    app.query_params["sql"] = "SELECT 7 AS other"
    app.run()
    assert table(app, "other")["other"].tolist() == [7]
