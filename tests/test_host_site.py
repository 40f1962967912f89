"""A site with logs of hosts and links alone: its pages open, show what was read, and give no false all-clear."""

import shutil
from collections.abc import Iterator
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.parts.about import health
from pipelines import steps
from pipelines.config.site import Site
from pipelines.primitives.times import day_text
from support import REPO
from support.app import at
from support.screenshots import pages
from support.served import APP, DEADLINE_S

DAY = date(2026, 11, 21)
EMPTY = "No log has been read yet"
OF_OTHERS = ("sql", "studies", "finding")  # they ask nothing of the site's days, or need a finding


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The captures as a new user has them: `init`, then what `run` does. Some vmstat lines are of 2099."""
    folder = tmp_path_factory.mktemp("hosts")
    shutil.copytree(REPO / "sample_data" / "captured", folder, dirs_exist_ok=True)
    lines = (folder / "vmstat.txt").read_text().splitlines(keepends=True)
    far = [line.replace("2026-11-21", "2099-11-21") for line in lines]
    (folder / "far.txt").write_text("".join(far[:12]))
    steps.init(folder, folder / "site.toml", force=False)
    site = steps.site_at(folder)
    steps.ingest(site)
    steps.build(site)
    steps.detect(site)
    yield site


@pytest.fixture
def app(site: Site, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAPESCOPE_SITE", str(site.root))
    return AppTest.from_file(APP, default_timeout=DEADLINE_S)


def shown(app: AppTest) -> str:
    boxes = [*app.error, *app.warning, *app.success, *app.info, *app.text, *app.caption]
    return "\n".join(str(box.value) for box in boxes)


def test_every_page_opens_on_the_last_sound_day(app: AppTest) -> None:
    app.run()
    for name in pages():
        if name not in OF_OTHERS:
            app.switch_page(f"views/{name}.py").run()
            assert not app.exception, name
            text = shown(app)
            assert EMPTY not in text and day_text(DAY) in text, name
            assert not app.success, f"{name} gives an all-clear for some minutes of logs"


def test_tonight_says_how_little_was_read(app: AppTest) -> None:
    app.run()
    (short,) = (one.value for one in app.warning if "that is no all-clear: no log covers more than" in one.value)
    assert "vmstat" in short and "mrtg_log" in short


def test_data_health_shows_what_was_read_and_which_dates_cannot_be(app: AppTest) -> None:
    app.query_params["part"] = "health"
    at(app, "about").run()
    frames = {frozenset(frame.value.columns): frame.value for frame in app.dataframe}
    read = frames[frozenset({"source", "n_hosts", "n_days", "first_day", "last_day", "covered_hours"})]
    assert set(read["source"]) == {"vmstat", "iostat", "mrtg_log"}
    impossible = frames[frozenset({"path", "source", "summary"})]
    assert list(impossible["path"]) == ["far.txt"] and "up to 2099-11-21" in impossible["summary"][0]
    assert "1 file with impossible dates" in shown(app)


def test_data_health_over_many_days_speaks_of_days(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MOST_HOURLY_DAYS", 0)
    app.query_params["part"] = "health"
    at(app, "about").run()
    headers = [one.value for one in app.header]
    assert "How much of each day the logs cover" in headers and not [one for one in headers if "hour" in one]


def test_stations_shows_links_that_belong_to_none(app: AppTest) -> None:
    at(app, "stations").run()
    assert "site.toml names no station for this traffic" in app.info[0].value
    assert {"lo"} in [set(frame.value["link"]) for frame in app.dataframe if "link" in frame.value.columns]


def test_the_calendar_ends_before_the_impossible_day(app: AppTest) -> None:
    app.run()
    assert app.date_input[0].max == DAY and app.date_input[0].value == (DAY, DAY)
