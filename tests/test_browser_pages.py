"""Every page of the app in a real browser, whichever there are: usable by anybody, and of one snapshot each."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from served import DEADLINE_S, FLAGS, chromium, served, written

pytestmark = pytest.mark.xdist_group("dashboard")

SESSIONS, TURNS = 10, 2  # together they see every page; each of ten on every one would take minutes
LINKS = "[data-testid=stSidebarNavLink]"
DONE = "[data-testid=stApp][data-test-script-state=notRunning]"


@contextmanager
def browsing() -> Iterator[Any]:
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def opened(browser: Any, url: str) -> Any:
    context = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(DEADLINE_S * 1000)
    page = context.new_page()
    page.goto(url)
    page.locator(LINKS).first.wait_for()
    return page


def show(page: Any, place: int) -> str:
    """Click the n-th page and wait until it is there; its address."""
    link = page.locator(LINKS).nth(place)
    address = str(link.get_attribute("href"))
    link.click()
    page.wait_for_url(re.compile(re.escape(address.rstrip("/")) + r"/?([?#].*)?$"))
    page.locator(DONE).wait_for()
    page.locator("h1").first.wait_for()
    return address


def test_no_page_keeps_anybody_out(archive: Path, tmp_path: Path) -> None:
    """axe-core finds nothing serious or critical on any page."""
    pytest.importorskip("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe

    found: list[str] = []
    with served(archive, tmp_path / "streamlit.log") as url, browsing() as browser:
        page = opened(browser, url)
        n_pages = page.locator(LINKS).count()
        for place in range(n_pages):
            address = show(page, place)
            for violation in Axe().run(page).response["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:2])
                    found.append(f"{address}: {violation['id']}: {violation['help']}: {nodes}")
    assert n_pages >= 3, "no list of pages"
    assert not found, "\n".join(found)


def test_ten_sessions_while_the_pipeline_commits(archive: Path, tmp_path: Path) -> None:
    """No page fails, and none shows numbers of two snapshots."""
    site = tmp_path / "site"
    shutil.copytree(archive, site)
    seen: set[str] = set()
    with (
        served(site, tmp_path / "streamlit.log") as url,
        browsing() as browser,
        written(site, pause_s=1.0) as commits,
    ):
        pages = [opened(browser, url) for _ in range(SESSIONS)]
        n_pages = pages[0].locator(LINKS).count()
        assert n_pages <= SESSIONS * TURNS
        for turn in range(TURNS):
            for number, page in enumerate(pages):
                address = show(page, (number * TURNS + turn) % n_pages)
                assert page.locator("[data-testid=stException]").count() == 0, address
                snapshots = set(re.findall(r"snapshot (\d+)", page.locator("body").inner_text()))
                assert len(snapshots) <= 1, f"{address} shows snapshots {snapshots}"
                seen |= snapshots
        assert len(commits) > 1
    assert len(seen) > 1, "all that was seen is one snapshot"
