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
from pipelines.analysis.forecast import History, what_if
from pipelines.analysis.models.simulation import Changes
from pipelines.analysis.studies import VERDICTS
from pipelines.catalog.contracts import load_catalog
from pipelines.primitives.format import percent
from support.app import at
from support.served import APP, DEADLINE_S, HOSTILE


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


def test_empty_warehouse_says_what_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site.toml").write_text('name = "new"\n')
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S).run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value
    steps.ingest(steps.site_at(tmp_path))
    steps.build(steps.site_at(tmp_path))
    app.run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value


def test_case_studies_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no warehouse; the URL names the document; figures of the chosen one stand there, with their verdicts."""
    (tmp_path / "site.toml").write_text('name = "new"\n')
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S)
    app.query_params["study"] = "pic_step09"
    opened(app, "studies")
    assert not app.exception
    assert app.title[0].value == "Can I trust the product?"
    assert app.selectbox[0].value == "pic_step09" and in_url(app)["study"] == "pic_step09"
    assert "J. Flix" in texts(app)
    figures, audit = app.dataframe[0].value, app.dataframe[1].value
    (first,) = figures[figures["what"] == "f, test [1]: complete"].to_dict("records")
    assert (first["printed"], first["verdict"]) == ("0.87", "matches") and first["ours"] == pytest.approx(
        0.8705, abs=1e-4
    )
    assert set(audit[audit["id"] == "P15"]["verdict"]) == {"wrong"}
    numbers = {metric.label: metric.value for metric in app.metric}
    assert set(numbers) == set(VERDICTS) and int(numbers["wrong"]) > 5
    app.selectbox[0].select("nasa_eos_archive").run()
    assert not app.exception and "A. Lake" in texts(app)
    # the first of the list needs no name in the URL: nothing of the choice before may stay there
    first, *_, last = app.selectbox[0].options
    for choice, titled in ((0, first), (len(app.selectbox[0].options) - 1, last)):
        app.selectbox[0].select_index(choice).run()
        assert app.selectbox[0].format_func(app.selectbox[0].value) == titled
    app.selectbox[0].select_index(0).run()
    assert "study" not in in_url(app)


def strip(app: AppTest) -> str:
    """The line on which logs were received."""
    return next(place.label for place in app.expander if "logs" in place.label.lower())


def drawn(app: AppTest) -> list[Any]:
    return list(app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart"))


def links(app: AppTest) -> list[tuple[str, dict[str, list[str]]]]:
    return [(link.proto.page, parse_qs(link.proto.query_string)) for link in app.get("page_link")]


def test_change(app: AppTest) -> None:
    """A change of the log is picked, and described."""
    opened(app, "changes")
    assert not app.exception
    assert box(app, "Change").value.endswith(HOSTILE)
    assert app.text_input[0].value == "2010-03-10 15:00:00"
    assert {metric.label for metric in app.metric} >= {"sessions", "p50 [MB/s]", "overall rate [MB/s]"}
    app.text_input[0].set_value("banana").run()
    assert [error.value for error in app.error] == ["“banana” is no instant. Write it as 2010-03-10 17:00."]
    assert not app.metric
    app.text_input[0].set_value("2010-03-10 17:00").run()
    assert not app.error and in_url(app)["at"] == "2010-03-10 17:00"


def spec(app: AppTest, start: str) -> dict[str, Any]:
    """The chart whose sentence begins so, as the browser gets it."""
    charts = app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")
    return json.loads(next(chart.proto.spec for chart in charts if start in chart.proto.alt))  # type: ignore[no-any-return]


def test_sizing(app: AppTest) -> None:
    """Drives from traffic, factor, efficiency and speed of this site's own mounts; the URL has the sliders."""
    app.query_params["target"] = "500"
    opened(app, "sizing")
    assert not app.exception
    numbers = {metric.label: metric.value for metric in app.metric}
    costs = table(app, "drives", "cost", "fitted, 90 %")
    fitted = costs[(costs["drives"] == "LTO-2 read") & (costs["cost"] == "speed [MB/s]")]["fitted, 90 %"].item()
    speed = float(fitted.split()[0])
    reckoned = 500 * 2 / (float(numbers["efficiency"]) * speed * 0.9)
    assert float(numbers["estimate, 90 %"].split()[0]) == pytest.approx(reckoned, rel=0.005)
    assert in_url(app)["target"] == "500" and costs["fitted, 90 %"].str.startswith("cannot estimate: ").sum() == 2
    curve = spec(app, "Efficiency against size")["layer"][0]["encoding"]
    assert (curve["x"]["field"], curve["y"]["field"], curve["color"]["field"]) == ("file_mb", "efficiency", "n_files")


def field(app: AppTest, label: str) -> Any:
    return next(field for field in app.number_input if field.label == label)


def sentences(app: AppTest) -> list[str]:
    """The sentences of the charts."""
    return [chart.proto.alt for chart in drawn(app)]


def test_whatif(app: AppTest, archive: Path) -> None:
    """The replay's error first; fields, URL and figures of a run are those of the simulator on the same days."""
    opened(app, "whatif")
    assert not app.exception
    history = History(steps.site_at(archive), load_catalog(), n_days=7)
    as_it_was = what_if(history, Changes())
    assert f"The replay is {percent(as_it_was.error)} off" in app.success[0].value
    assert "Nothing is changed yet" in texts(app) and set(table(app, "run")["run"]) == {"recorded", "replayed"}
    field(app, "Gaps of at most [s]").set_value(2.0)
    field(app, "LTO-4 drives").set_value(4)
    field(app, "Outputs of an instance").set_value(1)
    app.button[0].click().run()
    assert not app.exception
    assert in_url(app) | {"gap": "2", "drives-LTO-4": "4", "outputs": "1"} == in_url(app)
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
            assert row["ended_hours"] == pytest.approx(use.ended_s / 3600)
            assert any(f"{' '.join(key)} {name} {use.busy_s / 3600:,.2f}" in sentence for sentence in sentences(app))
    assert {sentence.partition(" [")[0] for sentence in sentences(app)} == {
        "ended after", "waited", "drive-hours", "rate of a drive",
    }  # fmt: skip
    alone = table(app, "scenario", "busy_hours").set_index("scenario")
    only_gaps = what_if(history, Changes(gap_s=2.0)).changed
    assert only_gaps and len(alone) == 5
    assert alone["busy_hours"]["gaps of at most 2 s"] == pytest.approx(
        sum(use.busy_s for use in only_gaps.uses.values()) / 3600
    )
    assert alone["done_hours"].is_monotonic_increasing, "what is done soonest stands first"
    assert any("Against the replay" in one.value for one in (*app.warning, *app.success))


def test_whatif_fewer_drives_is_no_gain(app: AppTest) -> None:
    """One drive of seven: the page says that it cannot go on, shows the waits in a chart, and ranks it last."""
    app.query_params["gap"], app.query_params["drives-LTO-4"] = "2", "1"
    opened(app, "whatif")
    assert not app.exception
    assert "Cannot go on like this: LTO-4 drives cannot keep up" in app.error[0].value and "worse" in app.error[0].value
    names = list(table(app, "scenario", "done_hours")["scenario"])
    assert names[:2] == ["gaps of at most 2 s", "none: the replay"] and "1 LTO-4 drive" in names[-1]
    waits = next(sentence for sentence in sentences(app) if sentence.startswith("waited"))
    assert float(re.search(r"LTO-4 write changed ([\d,.]+)", waits)[1].replace(",", "")) > 500  # type: ignore[index]


def test_whatif_by_url(app: AppTest) -> None:
    """A link holds the changes; nonsense in it changes nothing, and what does not fit together is reported."""
    app.query_params["gap"], app.query_params["depth"], app.query_params["disk"] = "2.5", "nan", "nan"
    app.query_params["wait"], app.query_params["drives-LTO-4"] = "yes", "-3"
    opened(app, "whatif")
    assert not app.exception
    assert "Changed: gaps of at most 2.5 s, writes wait for reads." in texts(app)
    assert field(app, "Requests a client keeps queued").value == 1
    field(app, "Instances at a station").set_value(2)
    app.button[0].click().run()
    assert not app.exception and "instances need inputs or outputs" in app.warning[-1].value
    assert "Nothing is changed yet" in texts(app)


def test_whatif_withheld_and_empty(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days without a mount say what to load; a replay that is too far off withholds the change."""
    monkeypatch.setattr("pipelines.analysis.forecast.whatif.MOST_ERROR", 0.0)
    app.query_params["gap"], app.query_params["days"] = "1.75", "5"  # answers are kept, and other tests ask of a week
    opened(app, "whatif")
    assert not app.exception
    assert "withheld" in app.error[0].value and "withheld" in texts(app)
    assert set(table(app, "run")["run"]) == {"recorded", "replayed"} and len(app.dataframe) == 5
    app.query_params["from"] = app.query_params["to"] = "2010-03-05"
    app.query_params["days"] = "1"
    app.run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value and "No mount" in app.info[0].value


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
    app.switch_page("views/tonight.py").run()
    box(app, "Compare with").select("month").run()
    assert not app.exception and not app.success, "an all-clear next to findings"
    assert any("No drive's log covers 10 February 2010" in caption.value for caption in app.caption)
