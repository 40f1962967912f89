"""The dashboard on the sample archive's warehouse: in Streamlit's own test runner, and once in a real browser."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pipelines import steps
from pipelines.warehouse import LAKE, Warehouse, transaction

REPO = Path(__file__).resolve().parent.parent
APP = REPO / "dashboards" / "app.py"
HOSTILE = "<script>document.title = 'owned'</script> **bold** [link](http://198.51.100.1/) `code` $x^2$ ~~gone~~"
HOSTILE_STATION = "<b>*station*</b>"
DEADLINE_S = 120
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# Nothing a browser does of its own accord may be taken for a request of the page.
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]
# One process for all: the warehouse is built once.
pytestmark = pytest.mark.xdist_group("dashboard")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample archive's warehouse, with what an ill-willed client could have put into a log."""
    folder = tmp_path_factory.mktemp("archive")
    shutil.copy(REPO / "sample_data" / "site.toml", folder)
    shutil.copytree(REPO / "sample_data" / "logs", folder / "logs")
    site = steps.site_at(folder)
    steps.ingest(site)
    steps.build(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        connection.execute(f"UPDATE {LAKE}.silver.mover_step SET message = ? WHERE drive = 'LTO4_101'", [HOSTILE])
        connection.execute(f"UPDATE {LAKE}.silver.gap SET station = ? WHERE station = 'pic-stager'", [HOSTILE_STATION])
    return folder


@pytest.fixture
def app(archive: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAPESCOPE_SITE", str(archive))
    return AppTest.from_file(APP, default_timeout=60)


def texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.text)


def in_url(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}


def stations_in_table(app: AppTest) -> set[str]:
    return set(app.dataframe[0].value["station"])


def test_page_shows_the_archive(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert app.title[0].value == "Is it the 10 s gap?"
    numbers = {metric.label: metric.value for metric in app.metric}
    assert numbers["long gaps"] == "1,550" and numbers["lost [h]"] == "3.4"
    assert stations_in_table(app) == {"stkendm8a", "stkendm12a", HOSTILE_STATION}
    said = texts(app)
    assert "snapshot" in said and said.index("Coverage") > said.index("snapshot")
    assert app.warning, "vmstat stops too early, and nobody says so"
    for question in ("Coverage by source", "Judged gaps", "Cost of long gaps", "Examples of long gaps"):
        assert any(question in place.label for place in app.expander), question
    assert sum("SELECT" in code.value for code in app.code) >= 5
    assert in_url(app) == {"from": "2010-03-10", "to": "2010-03-10"}


def test_station_filter(app: AppTest) -> None:
    app.run()
    app.selectbox[0].select("stkendm8a").run()
    assert not app.exception
    assert stations_in_table(app) == {"stkendm8a"}
    assert in_url(app)["station"] == "stkendm8a"
    app.selectbox[0].select("").run()
    assert len(stations_in_table(app)) == 3
    assert "station" not in in_url(app)


def test_url_is_honoured(app: AppTest) -> None:
    app.query_params["station"] = "stkendm12a"
    app.query_params["from"] = "2010-03-09"
    app.query_params["to"] = "2010-03-10"
    app.run()
    assert not app.exception
    assert app.selectbox[0].value == "stkendm12a"
    assert stations_in_table(app) == {"stkendm12a"}
    assert "2010-03-09 to 2010-03-10" in texts(app)


def test_nonsense_in_the_url_is_ignored(app: AppTest) -> None:
    app.query_params["station"] = "nobody"
    app.query_params["from"] = "yesterday"
    app.query_params["to"] = "1850-01-01"
    app.run()
    assert not app.exception
    assert app.selectbox[0].value == ""


def test_text_of_logs_is_shown_literally(app: AppTest) -> None:
    app.run()
    shown = [code for code in app.code if HOSTILE in code.value]
    assert shown and {code.language for code in shown} <= {None, "", "plaintext"}
    for element in [*app.markdown, *app.caption, *app.subheader, *app.info, *app.warning]:
        assert "script" not in element.value and "*station*" not in element.value
    for place in app.expander:
        assert "*station*" not in place.label


def test_empty_warehouse_says_what_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site.toml").write_text('name = "new"\n')
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value
    steps.ingest(steps.site_at(tmp_path))
    steps.build(steps.site_at(tmp_path))
    app.run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value


def studies_page(app: AppTest) -> AppTest:
    return app.run().switch_page("views/studies.py")


def test_case_studies_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no warehouse; the URL names the document; figures of the chosen one stand there, with their verdicts."""
    (tmp_path / "site.toml").write_text('name = "new"\n')
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["study"] = "pic_step09"
    studies_page(app).run()
    assert not app.exception
    assert app.title[0].value == "Can I trust the product?"
    assert app.selectbox[0].value == "pic_step09" and in_url(app)["study"] == "pic_step09"
    assert "J. Flix" in texts(app)
    figures, audit = app.dataframe[0].value, app.dataframe[1].value
    (first,) = figures[figures["what"] == "f, test [1]: complete"].to_dict("records")
    assert (first["printed"], first["verdict"]) == ("0.87", "OK") and first["ours"] == pytest.approx(0.8705, abs=1e-4)
    assert set(audit[audit["id"] == "P15"]["verdict"]) == {"X"}
    numbers = {metric.label: metric.value for metric in app.metric}
    assert set(numbers) == {"OK", "R", "X", "new", "read", "open"} and int(numbers["X"]) > 5
    app.selectbox[0].select("nasa_eos_archive").run()
    assert not app.exception and "A. Lake" in texts(app)


@contextmanager
def served(site: Path, log: Path) -> Iterator[str]:
    """Streamlit in its own session on a free port of this machine; its whole process group ends afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environment = os.environ | {"TAPESCOPE_SITE": str(site), "PYTHONPATH": str(REPO)}
    host, port = address.split(":")
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.address", host, "--server.port", port]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=REPO, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_until_healthy(process, f"http://{address}/_stcore/health", log)
        yield f"http://{address}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no answer from {url} in {DEADLINE_S} s:\n{log.read_text()}")


def test_in_a_real_browser(archive: Path, tmp_path: Path) -> None:
    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if program is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("no Chromium or no Playwright here: `apt-get install chromium`, and `make install`")
    from playwright.sync_api import sync_playwright

    requests: list[str] = []
    picture = tmp_path / "gaps.png"
    with served(archive, tmp_path / "streamlit.log") as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(DEADLINE_S * 1000)
            page.on("request", lambda request: requests.append(request.url))
            page.on("websocket", lambda socket: requests.append(socket.url))
            page.goto(f"{url}/?station=stkendm8a")
            page.locator(".vega-embed canvas, .vega-embed svg").first.wait_for()
            page.get_by_text("SQL of “Examples of long gaps”").wait_for()
            page.get_by_text(HOSTILE, exact=False).first.wait_for()
            assert "owned" not in page.title()
            assert page.locator(".vega-embed").count() == 1, "one station was asked for"
            width = page.evaluate("document.documentElement.scrollWidth")
            page.screenshot(path=picture)
        finally:
            browser.close()
    assert picture.stat().st_size > 10_000
    assert width <= 1280, "wider than the window"
    network = [address for address in requests if not address.startswith(("data:", "blob:"))]
    assert len(network) > 5, "no request was seen"
    assert not [address for address in network if urlsplit(address).hostname != "127.0.0.1"]
