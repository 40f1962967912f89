"""The dashboard in a real browser: every page opens, the URL restores the view, and nothing leaves the machine."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from support.browsing import leaving, opened, wait_until_drawn
from support.screenshots import pages
from support.served import HOSTILE, chromium, make_hostile, served

OUTWARD = "[...document.links].map(link => link.href).filter(href => !href.startsWith(location.origin))"


def watched(page: Any) -> tuple[list[str], list[str]]:
    """Requests of a page, and complaints on its console."""
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("websocket", lambda socket: requests.append(socket.url))
    page.on("console", lambda message: complaints.append(message.text) if is_fault(message) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return requests, complaints


def is_fault(message: Any) -> bool:
    """An error, but for Streamlit's search of its server: below a page's own address first, where there is none."""
    return message.type == "error" and "/_stcore/" not in str(message.location.get("url"))


def test_pages_of_hostile_names(archive: Path, tmp_path: Path) -> None:
    """Each page, by its own address, usable by anybody: names that logs hold are shown, and become nothing else."""
    barred: list[str] = []
    site = make_hostile(archive, tmp_path / "site")
    with served(site, tmp_path / "streamlit.log") as url, opened(chromium(), reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        assert len(pages()) >= 3, "no list of pages"
        for name, path in pages().items():
            page.goto(f"{url}/{path}")
            wait_until_drawn(page)
            assert page.locator('[data-testid="stException"]').count() == 0, name
            assert page.evaluate("document.documentElement.scrollWidth") <= 1280, f"{name} is wider than the window"
            assert "owned" not in page.title()
            assert not page.evaluate(OUTWARD), f"{name} has links that logs made"
            assert not page.locator("strong, em", has_text=re.compile("^[bi]$")).count(), (
                f"{name} reads names as markup"
            )
            barred += barriers(page, name)
        assert not barred, "\n".join(barred)
        # theme and toolbar are those of the package, though the dashboard starts in a folder without any
        assert page.locator('[data-testid="stAppDeployButton"]').count() == 0
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(10, 13, 16)"
        page.goto(f"{url}/whatif")
        page.get_by_label("LTO2_201 http:").first.wait_for()
        assert not leaving(requests) and not complaints
        page.goto(f"{url}/www.198.51.100.1.example")  # of which Streamlit complains on the console
        wait_until_drawn(page)
        notice = page.get_by_text("There is no page “")
        assert "Shown instead: Tonight." in notice.inner_text() and not page.evaluate(OUTWARD)


def test_to_the_gap_and_back(archive: Path, tmp_path: Path) -> None:
    """From the landing page to the lines that prove the gap, and back by URL."""
    with served(archive, tmp_path / "streamlit.log") as url, opened(chromium(), reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        find_the_gap(page, url)
        assert not leaving(requests) and not complaints


def barriers(page: Any, name: str) -> Iterator[str]:
    """What axe-core finds serious or critical on a page."""
    for violation in Axe().run(page).response["violations"]:
        if violation["impact"] in ("serious", "critical"):
            nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:2])
            yield f"{name}: {violation['id']}: {violation['help']}: {nodes}"


def find_the_gap(page: Any, url: str) -> None:
    """At most four clicks from the landing page: here they are two, by the finding's own page."""
    page.goto(url)
    wait_until_drawn(page)
    page.locator("a[href*='finding'][href*='id=']", has_text="stkendm8a/LTO4_101").first.click()
    page.get_by_text("What it usually means").wait_for()
    wait_until_drawn(page)
    assert page.locator('[data-testid="stCode"]').filter(has_text="LOG-2010-03-10.zst:").count() == 2
    page.locator("[data-testid=stMain] a[href*='gaps'][href*='stkendm8a']").first.click()
    page.get_by_text("SQL of “Examples of long gaps”").wait_for()
    wait_until_drawn(page)
    stands_at_the_gap(page)
    mailed = page.url
    assert "station=stkendm8a" in mailed and "drive=LTO4_101" in mailed and "from=2010-03-10" in mailed
    page.goto("about:blank")
    page.goto(mailed)
    page.get_by_text("SQL of “Examples of long gaps”").wait_for()
    wait_until_drawn(page)
    stands_at_the_gap(page)
    assert page.url == mailed
    # the list of pages keeps the period and the filters
    page.get_by_role("link", name="Drives", exact=True).click()
    page.get_by_text("SQL of “Health of drives over a period”").wait_for()
    page.wait_for_url("**/drives?**drive=LTO4_101**")


def stands_at_the_gap(page: Any) -> None:
    """The station, its 10 s mode, the cost, and two log lines."""
    main = page.locator('[data-testid="stMain"]')
    assert page.locator(".vega-embed").count() == 2, "one station was asked for: its gaps, and its drive's dead time"
    assert main.get_by_text("stkendm8a   LTO4_101", exact=False).count() >= 1
    numbers = main.locator('[data-testid="stMetricValue"]').all_inner_texts()
    assert "1,022" in numbers and "615" in numbers
    proof = main.locator('[data-testid="stCode"]').filter(has_text="LOG-2010-03-10.zst:").first.inner_text()
    assert proof.count("LOG-2010-03-10.zst:") == 2 and proof.count(HOSTILE) == 2
