"""Many visitors in real browsers while the pipeline writes: no page fails, and each is of one snapshot."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

from support.browsing import browsing, new_page
from support.screenshots import pages
from support.served import chromium, served, written

# Together they see every page, each first one by its address and then others by the list of pages; that each of the ten
# sees every one takes minutes, and as many turns as there are pages.
SESSIONS, TURNS = 10, int(os.environ.get("TAPESCOPE_PAGE_TURNS", "2"))
LINKS = ".st-key-pages a"
DONE = "[data-testid=stApp][data-test-script-state=notRunning]"


def opened(browser: Any, url: str) -> Any:
    page = new_page(browser, reduced_motion="reduce")
    page.goto(url)
    wait_until_there(page)
    return page


def show(page: Any, place: int) -> None:
    """Click the n-th page of the list and wait until it is there."""
    link = page.locator(LINKS).nth(place)
    address = str(link.get_attribute("href"))
    link.click()
    page.wait_for_url(re.compile(re.escape(address.rstrip("/")) + r"/?([?#].*)?$"))
    wait_until_there(page)


def wait_until_there(page: Any) -> None:
    page.locator(LINKS).first.wait_for()
    page.locator("h1").first.wait_for()
    page.locator(DONE).wait_for()


def test_ten_sessions_while_the_pipeline_commits(archive: Path, tmp_path: Path) -> None:
    """No page fails, and none shows numbers of two snapshots."""
    site = tmp_path / "site"
    shutil.copytree(archive, site)
    seen: set[str] = set()
    with (
        served(site, tmp_path / "streamlit.log") as url,
        browsing(chromium()) as browser,
        written(site, pause_s=10.0) as commits,
    ):
        addresses = list(pages(listed_alone=True).values())
        assert len(addresses) <= SESSIONS * TURNS
        sessions: list[Any] = []
        for turn in range(TURNS):
            for number in range(SESSIONS):
                place = (number * TURNS + turn) % len(addresses)
                address = f"{url}/{addresses[place]}"
                if turn:
                    page = sessions[number]
                    show(page, place)
                else:
                    page = opened(browser, address)
                    sessions.append(page)
                assert page.locator("[data-testid=stException]").count() == 0, address
                snapshots = set(re.findall(r"snapshot (\d+)", page.locator("body").inner_text()))
                assert len(snapshots) <= 1, f"{address} shows snapshots {snapshots}"
                seen |= snapshots
        assert len(commits) > 1
    assert len(seen) > 1, "all that was seen is one snapshot"
