"""Pictures of every page, to be looked at: `make screenshots`.

Or `PYTHONPATH=tests python -m support.screenshots SITE FOLDER [dark]`.
"""

import sys
from pathlib import Path

from dashboards.pages import find_views
from support.browsing import WIDTH, opened, wait_until_drawn
from support.served import chromium, served

MOST_HEIGHT = 9000


def pages(listed_alone: bool = False) -> dict[str, str]:
    """Name and address of every page of the app, or of those in its list; the landing page comes first and has none."""
    views = [view for view in find_views() if view.listed or not listed_alone]
    return {view.name: view.address if number else "" for number, view in enumerate(views)}


def take(site: Path, folder: Path, scheme: str) -> None:
    """One picture a page, as long as the page is."""
    folder.mkdir(parents=True, exist_ok=True)
    with served(site, folder / "streamlit.log") as url, opened(chromium(), color_scheme=scheme) as page:
        for name, path in pages().items():
            page.set_viewport_size({"width": WIDTH, "height": 900})
            page.goto(f"{url}/{path}")
            wait_until_drawn(page)
            # the page scrolls within the window: a window as high as what it holds shows all of it
            whole = page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollHeight")
            page.set_viewport_size({"width": WIDTH, "height": min(int(whole) + 20, MOST_HEIGHT)})
            wait_until_drawn(page)
            page.wait_for_timeout(700)  # tables are painted some frames later, without any event
            page.screenshot(path=folder / f"{name}-{scheme}.png")
            print(folder / f"{name}-{scheme}.png")


if __name__ == "__main__":
    take(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3] if len(sys.argv) > 3 else "light")
