"""A real browser on the dashboard: for tests, and for `make screenshots`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from support.served import DEADLINE_S, FLAGS

WIDTH, HEIGHT = 1280, 900
DRAWN = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')]
                 .every(chart => chart.querySelector('canvas, svg'))"""

# Elements are painted some frames after the script has ended: two looks in a row must find as many.
SETTLED = """() => { const count = document.querySelectorAll('*').length, before = window.elementsBefore;
                     window.elementsBefore = count; return count === before }"""

# The page scrolls within the window, which itself never becomes wider than it is.
TOO_WIDE = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
                    .some(part => part.scrollWidth > part.clientWidth)"""


@contextmanager
def browsing(program: str) -> Iterator[Any]:
    """A browser that ends with the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(program: str, **options: Any) -> Iterator[Any]:
    """A page of a browser of its own."""
    with browsing(program) as browser, visiting(browser, **options) as page:
        yield page


@contextmanager
def visiting(browser: Any, **options: Any) -> Iterator[Any]:
    """A page of a visitor of its own, who leaves with the block."""
    page = new_page(browser, **options)
    try:
        yield page
    finally:
        page.close()


def new_page(browser: Any, **options: Any) -> Any:
    """A page as wide as a laptop's, of a visitor of its own."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, **options)
    page.set_default_timeout(DEADLINE_S * 1000)
    return page


def wait_until_drawn(page: Any) -> None:
    """Until the script has run to its end, and every chart has its canvas."""
    page.get_by_role("heading", level=1).wait_for()
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_function(SETTLED, polling=300)
    page.wait_for_function(DRAWN)


def leaving(requests: list[str]) -> list[str]:
    """Those requests that went to another machine."""
    network = [address for address in requests if not address.startswith(("data:", "blob:"))]
    assert len(network) > 5, "no request was seen"
    return [address for address in network if urlsplit(address).hostname != "127.0.0.1"]
