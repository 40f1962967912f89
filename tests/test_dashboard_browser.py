"""The dashboard in a real browser: every page opens, the URL restores the view, and nothing leaves the machine."""

import re
import shutil
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from subprocess import Popen, run
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from pipelines import steps
from pipelines.answers.question import ask
from pipelines.catalog.files import load_catalog
from support import REPO
from support.browsing import TOO_WIDE, browsing, leaving, visiting, wait_until_drawn
from support.screenshots import pages
from support.served import HOSTILE, chromium, make_hostile, served

OUTWARD = "[...document.links].map(link => link.href).filter(href => !href.startsWith(location.origin))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Each test has a visitor of its own, with an empty cache and no cookies."""
    with browsing(chromium()) as one:
        yield one


@pytest.fixture(scope="module")
def url(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The dashboard of the archive, for tests that only look at it."""
    with served(archive, tmp_path_factory.mktemp("served") / "streamlit.log") as address:
        yield address


LABELS = '[data-testid="stMetricLabel"] p, [data-testid="stCheckbox"] p'
CUT = f"() => [...document.querySelectorAll('{LABELS}')].some(one => one.scrollWidth > one.clientWidth)"
# How far the bar above a page, which a closed side bar leaves, reaches over its first element, in pixels.
COVERED = """() => { const top = one => document.querySelector(`[data-testid="${one}"]`).getBoundingClientRect();
                     const first = [...document.querySelectorAll('[data-testid="stMainBlockContainer"] :is(h1,p,pre)')]
                         .map(one => one.getBoundingClientRect()).find(one => one.height);
                     return top("stHeader").bottom - first.top }"""


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


def test_pages_of_hostile_names(archive: Path, browser: Any, tmp_path: Path) -> None:
    """Each page, by its own address, usable by anybody: names that logs hold are shown, and become nothing else."""
    barred: list[str] = []
    site = make_hostile(archive, tmp_path / "site")
    with served(site, tmp_path / "streamlit.log") as url, visiting(browser, reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        assert len(pages()) >= 3, "no list of pages"
        for name, path in pages().items():
            page.goto(f"{url}/{path}")
            wait_until_drawn(page)
            assert page.locator('[data-testid="stException"]').count() == 0, name
            assert not page.evaluate(TOO_WIDE), f"{name} is wider than the window"
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
        page.goto(f"{url}/plan?part=whatif")
        page.get_by_label("LTO2_201 http:").first.wait_for()
        assert not leaving(requests) and not complaints
        page.goto(f"{url}/www.198.51.100.1.example")  # of which Streamlit complains on the console
        wait_until_drawn(page)
        notice = page.get_by_text("There is no page “")
        assert "Shown instead: Tonight." in notice.inner_text() and not page.evaluate(OUTWARD)


def test_pages_in_the_dark_and_on_narrow_screens(url: str, browser: Any) -> None:
    """Usable by anybody there too, and no wider than the window."""
    barred: list[str] = []
    widths = cycle((900, 390))
    with visiting(browser, reduced_motion="reduce", color_scheme="dark") as page:
        for name, path in pages().items():
            width = next(widths)
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{url}/{path}")
            wait_until_drawn(page)
            assert not page.evaluate(TOO_WIDE), f"{name} is wider than {width} px"
            assert width > 390 or page.evaluate(COVERED) <= 0, f"the first line of {name} is covered"
            barred += barriers(page, f"{name} at {width} px")
        main = page.locator('[data-testid="stMainBlockContainer"]')
        main.evaluate("one => one.insertAdjacentHTML('beforeend', '<hr style=\"width: 1400px\">')")
        assert page.evaluate(TOO_WIDE), "nothing would be too wide"
    assert not barred, "\n".join(barred)


def test_labels_are_complete_and_the_focus_shows(url: str, browser: Any) -> None:
    """On a small laptop; Streamlit shades the link with the focus as it does the open page."""
    with visiting(browser) as page:
        page.set_viewport_size({"width": 1024, "height": 900})
        for path in ("", "tapes?part=positions", "plan?part=whatif"):
            page.goto(f"{url}/{path}")
            wait_until_drawn(page)
            assert page.locator(LABELS).count() and not page.evaluate(CUT), path
        for _ in range(2):  # past the link to the main content
            page.keyboard.press("Tab")
        focused = "document.activeElement"
        assert page.evaluate(f"[{focused}.tagName, getComputedStyle({focused}).outlineStyle]") == ["A", "solid"]


class Operator:
    """A visitor who opens an address on a screen of 1440 x 900, and whose clicks are counted."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.clicks = page, 0
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(url)
        wait_until_drawn(page)

    def click(self, place: Any) -> None:
        place.click()
        self.clicks += 1

    def reads(self) -> str:
        """What is on the screen, without scrolling."""
        return str(self.page.locator('[data-testid="stMain"]').inner_text())


def test_from_the_page_to_the_worst_problem_its_cause_and_the_lines(url: str, browser: Any) -> None:
    """The worst problem, its cause and the next step take no click; the two log lines one, and the gaps another."""
    with visiting(browser, reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        operator = Operator(page, url)
        first = page.locator('[data-testid="stMain"] a[href*="finding"]').first
        box = first.bounding_box()
        assert box and box["y"] < 900, "the worst problem is below the first screen"
        assert "Drive out of service" in first.inner_text() and "LTO2_204" in first.inner_text()
        assert (
            "Was offline, in error or cleaning from" in operator.reads()
            and "Next: Check the log line that begins the outage" in operator.reads()
        )
        assert page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollHeight") <= 900, (
            "Tonight scrolls"
        )
        operator.click(page.locator("a[href*='finding'][href*='id=']", has_text="stkendm8a/LTO4_101").first)
        page.get_by_text("What it usually means").wait_for()
        wait_until_drawn(page)
        lines = page.locator('[data-testid="stCode"]').filter(has_text="LOG-2010-03-10.zst:")
        assert lines.count() == 2 and operator.clicks == 1
        operator.click(page.locator("[data-testid=stMain] a[href*='gaps'][href*='stkendm8a']").first)
        stands_at_the_gap(page)
        mailed = page.url
        assert "station=stkendm8a" in mailed and "drive=LTO4_101" in mailed and "from=2010-03-10" in mailed
        page.goto("about:blank")
        page.goto(mailed)
        stands_at_the_gap(page)
        assert page.url == mailed
        # the list of pages keeps the period; another page that has the filter keeps that as well
        page.locator('[data-testid="stSidebar"]').get_by_role("link", name="Drives", exact=True).click()
        page.wait_for_url("**/drives?**drive=LTO4_101**")
        wait_until_drawn(page)
        assert not leaving(requests) and not complaints


def test_the_worst_problem_of_a_site_of_cta(cta: Path, browser: Any, tmp_path: Path) -> None:
    """There too: problem, cause and next step without a click, the lines that begin and end it with one."""
    site = shutil.copytree(cta, tmp_path / "site")
    with served(site, tmp_path / "streamlit.log") as url, visiting(browser, reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        operator = Operator(page, url)
        worst = page.locator('[data-testid="stMain"] a[href*="finding"]').first
        box = worst.bounding_box()
        assert box and box["y"] < 900 and worst.inner_text() == "Drive out of service · 3592JFD2"
        assert "offline, in error or cleaning from 2026-02-04 14:17 to 16:17 CET" in operator.reads().replace(
            "\u2060", ""
        )
        assert "Next: Check the log line that begins the outage" in operator.reads()
        operator.click(worst)
        page.get_by_text("What it usually means").wait_for()
        wait_until_drawn(page)
        proof = page.locator('[data-testid="stCode"]', has_text="→ logs/taped/tpsrv02-cta-taped-2026-02-04.log:743")
        assert "updateDriveStatus" in proof.first.inner_text() and "What to do" in operator.reads()
        assert operator.clicks == 1 and not leaving(requests) and not complaints


def stands_at_the_gap(page: Any) -> None:
    """The gaps of one drive at one station."""
    page.get_by_role("tab", name="Gaps between files", selected=True).wait_for()
    wait_until_drawn(page)
    main = page.locator('[data-testid="stMain"]')
    assert "1,022 of 1,669 gaps (61 %)" in main.inner_text() and "2.28 h" in main.inner_text()
    proof = main.locator('[data-testid="stCode"]').filter(has_text="LOG-2010-03-10.zst:").first.inner_text()
    assert proof.count("LOG-2010-03-10.zst:") == 2 and proof.count(HOSTILE) == 2


def test_a_brush_sets_the_period_and_a_bar_leads_to_its_drive(url: str, browser: Any) -> None:
    """On one and the same chart, whose bars are links: who drags over them gets the days, who clicks the drive."""
    with visiting(browser, reduced_motion="reduce") as page:
        requests, complaints = watched(page)
        page.goto(f"{url}/drives?from=2010-03-09&to=2010-03-10")
        point(page, 0.65, 0.35)
        page.mouse.down()
        point(page, 0.8, 0.35, waits=False)
        page.mouse.up()
        page.wait_for_url("**/drives?from=2010-03-10&to=2010-03-10")
        point(page, 0.15, 0.25)  # late in the night, the second drive from the top
        page.mouse.down()
        page.mouse.up()
        page.wait_for_url("**/drives?from=2010-03-10&to=2010-03-10&drive=LTO2_20*")
        wait_until_drawn(page)
        page.go_back()
        page.wait_for_url("**/drives?from=2010-03-10&to=2010-03-10")
        page.goto(f"{url}/stations")
        point(page, 0.3, 0.3)  # anywhere above a station's zero
        tip = page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert all(text in tip.inner_text() for text in ("station", "America/Chicago", "in, average", "out, peak"))
        assert not leaving(requests) and not complaints


def test_the_back_button_leads_to_the_page_before(url: str, browser: Any) -> None:
    """With one press, though each page adds its days to the address that the list of pages has."""
    with visiting(browser, reduced_motion="reduce") as page:
        page.goto(url)
        page.wait_for_url("**/?from=*")
        addresses = [page.url]
        for name in ("Drives", "Plan"):
            wait_until_drawn(page)
            page.locator('[data-testid="stSidebar"]').get_by_role("link", name=name, exact=True).click()
            page.wait_for_url(f"**/{name.lower()}?from=*")
            addresses.append(page.url)
        wait_until_drawn(page)
        for before in addresses[-2::-1]:
            page.go_back()
            page.wait_for_url(before)
            wait_until_drawn(page)


def point(page: Any, across: float, down: float, waits: bool = True) -> None:
    """Move the mouse to shares of the width and the height of the first chart."""
    if waits:
        wait_until_drawn(page)
        page.wait_for_timeout(800)  # the chart is painted some frames later, and nothing reports when
    box = page.locator('[data-testid="stVegaLiteChart"]').locator("canvas, svg").first.bounding_box()
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"], steps=5)


def test_two_browsers_and_the_command_line_mark_during_a_build(archive: Path, browser: Any, tmp_path: Path) -> None:
    """Nothing is lost: every mark is in the history with its author, and the last one holds."""
    site = tmp_path / "site"
    shutil.copytree(archive, site)
    (finding, *_) = (
        row["finding_id"]
        for row in ask(steps.site_at(site), load_catalog(), "findings", {}).as_dicts()
        if row["rule"] == "drive_down"
    )
    build = Popen([sys.executable, "-m", "pipelines.cli", "build", "--full", "--site", str(site)], cwd=REPO)
    with (
        served(site, tmp_path / "streamlit.log") as url,
        visiting(browser, reduced_motion="reduce") as one,
        visiting(browser, reduced_motion="reduce") as other,
    ):
        pages = (one, other)
        for page in pages:
            page.goto(f"{url}/finding?id={finding}")
            wait_until_drawn(page)
        for page, label, note in zip(pages, ("Mute", "Acknowledge"), ("first", "second"), strict=True):
            page.get_by_label("Note", exact=True).fill(note)
            page.get_by_role("button", name=label, exact=True).click()
        command = ("finding", "note", finding, "third", "--site", str(site))
        noted = run([sys.executable, "-m", "pipelines.cli", *command], cwd=REPO, capture_output=True, text=True)
        assert noted.returncode == 0, noted.stderr
        for page, word in zip(pages, ("Muted.", "Acknowledged."), strict=True):
            page.get_by_text(word).wait_for()
    assert build.wait() == 0
    marks = ask(steps.site_at(site), load_catalog(), "finding_marks", {"finding": finding}).as_dicts()
    assert {(mark["kind"], mark["note"]) for mark in marks} == {
        ("mute", "first"), ("acknowledge", "second"), ("note", "third"),
    }  # fmt: skip
    assert all(mark["author"] and mark["made_at"] for mark in marks)
    (life,) = (
        row
        for row in ask(steps.site_at(site), load_catalog(), "finding_life", {}).as_dicts()
        if row["finding_id"] == finding
    )
    last = max((mark for mark in marks if mark["kind"] != "note"), key=lambda mark: mark["made_at"])
    assert last["kind"] in ("mute", "acknowledge")
    assert life["state"] == {"mute": "muted", "acknowledge": "acknowledged"}[last["kind"]]


def barriers(page: Any, name: str) -> Iterator[str]:
    """What axe-core finds serious or critical on a page."""
    for violation in Axe().run(page).response["violations"]:
        if violation["impact"] in ("serious", "critical"):
            nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:2])
            yield f"{name}: {violation['id']}: {violation['help']}: {nodes}"
