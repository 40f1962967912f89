"""The first visit: a folder without a warehouse becomes a site, and a site that shows nothing yet explains itself."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.pages import find_parts
from pipelines import steps
from pipelines.sources.packing import open_bytes
from pipelines.warehouse.connection import Warehouse
from support import REPO
from support.app import texts
from support.browsing import opened, wait_until_drawn
from support.served import APP, DEADLINE_S, chromium, served

LOGS = ("mrtg/dm8-bond0.log", "vmstat/stkendm8a_2010-03-10.txt.gz")
SERVER_LOG = "LOG-2010-03-10"
FROM, TO = b"08:30", b"12:00"  # in which a drive is out of service


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder whose pages are served to this machine alone."""
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    monkeypatch.setenv("TAPESCOPE_DASHBOARD_ADDRESS", "127.0.0.1")
    return tmp_path


def run_app() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=DEADLINE_S).run()
    assert not app.exception
    return app


def judges(page: Any) -> None:
    """The page is Tonight, with its verdict."""
    page.get_by_text("critical problem").first.wait_for()
    wait_until_drawn(page)
    assert page.locator("h1").inner_text() == "Is anything wrong?"
    assert not page.locator('[data-testid="stException"]').count()
    assert "No logs have been read yet" not in page.locator('[data-testid="stMain"]').inner_text()


def cells_of(page: Any, one: str) -> list[str]:
    """The cells of the tables of a page once one of these texts is there; the canvas has them for screen readers."""
    page.locator('[role="gridcell"]', has_text=one).first.wait_for(state="attached")
    return list(page.locator('[role="gridcell"]').all_text_contents())


def test_the_sample_archive_in_a_browser(tmp_path: Path) -> None:
    """One press: the sample is copied, read and judged, and Tonight shows; the report exists as after `run`."""
    site = tmp_path / "new"
    site.mkdir()
    with served(site, tmp_path / "streamlit.log") as url, opened(chromium(), reduced_motion="reduce") as page:
        page.goto(url)
        page.get_by_role("button", name="Try the sample archive").click()
        page.get_by_text("Building silver.").wait_for()
        judges(page)
    assert (site / "site.toml").exists() and list((site / "var" / "reports").glob("report-2010-03-10.html"))
    runs = {row["step"] for row in steps.ask(steps.site_at(site), "runs").as_dicts()}
    assert {"ingest", "build", "detect", "forecast"} <= runs


def test_a_folder_of_logs_in_a_browser(tmp_path: Path) -> None:
    """Three steps: what each file is, one of them unknown; site.toml; reading. About lists what such a site lacks."""
    site, logs = tmp_path / "new", tmp_path / "logs"
    for folder in (site, logs):
        folder.mkdir()
    for name in LOGS:
        shutil.copy(REPO / "sample_data" / "logs" / name, logs)
    with open_bytes(REPO / "sample_data" / "logs" / "enstore" / f"{SERVER_LOG}.zst") as packed:
        lines = packed.read().splitlines(keepends=True)
    (logs / SERVER_LOG).write_bytes(b"".join(line for line in lines if FROM <= line < TO))
    (logs / "notes.txt").write_text("a list of things to do\n")
    with served(site, tmp_path / "streamlit.log") as url, opened(chromium(), reduced_motion="reduce") as page:
        page.goto(url)
        box = page.get_by_label("Folder of logs")
        for folder, answer in (
            ("logs", "There is no such folder"),
            (str(logs), "reads: 3 of 4 files."),
        ):
            box.fill(folder)
            box.press("Enter")
            page.get_by_text(answer).wait_for()
        cells = cells_of(page, "not known")
        assert {"enstore_log", "mrtg_log", "vmstat"} <= set(cells)
        assert cells.index("notes.txt") == len(cells) - 3, "what is not known stands last"
        assert not (site / "site.toml").exists()
        page.get_by_role("button", name="Write site.toml from these").click()
        page.get_by_role("button", name="Read the logs now").click()
        judges(page)
        page.goto(f"{url}/about?part=missing")
        wait_until_drawn(page)
        cells_of(page, "Campaigns")
        page.goto(f"{url}/plan")
        wait_until_drawn(page)
        tabs = page.get_by_role("tab").all_inner_texts()
        assert "Campaigns" not in tabs and 0 < len(tabs) < len(find_parts("plan"))


def test_a_step_that_fails_is_shown_and_the_report_is_written(local: Path) -> None:
    """A site whose logs have no date yet explains itself, offers to read them, and says why that failed."""
    (local / "site.toml").write_text('name = "new"\n')
    app = run_app()
    assert app.button(key="first-run").label == "Read the logs now"
    app.button(key="first-run").click().run()
    assert not app.exception and "no file matches an input of site.toml" in texts(app)
    app.run()
    assert not app.exception
    assert "tapescope run" in app.info[0].value
    with Warehouse(steps.site_at(local)).turn("another"):
        app.button(key="first-run").click().run()
    assert not app.exception and "Not every step finished." in app.error[0].value
    assert "ingest failed: WarehouseBusy" in texts(app)
    (report,) = (local / "var" / "reports").glob("*.txt")
    assert str(report.with_suffix(".html")) in texts(app) and "WarehouseBusy" in report.read_text()


def test_a_mistake_in_site_toml_is_no_first_visit(local: Path) -> None:
    """Who breaks the site.toml of a site reads which line is wrong, and is offered no other site."""
    (local / "site.toml").write_text('name = "old"\nzonne = "UTC"\n')
    app = run_app()
    assert "cannot be shown" in app.error[0].value and "zonne" in texts(app)
    assert not app.button and not app.header


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.7"])
def test_a_visit_from_elsewhere_shows_commands_only(local: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Who may not write gets the commands: no field for a folder of the server, no button."""
    monkeypatch.setenv("TAPESCOPE_DASHBOARD_ADDRESS", address)
    app = run_app()
    assert [field.key for field in app.text_input] == ["search"] and not app.button
    assert "tapescope init" in app.code[0].value and "tapescope run" in app.code[0].value
