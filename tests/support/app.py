"""The dashboard's pages in Streamlit's own test runner."""

from typing import Any

from streamlit.testing.v1 import AppTest

_registered: dict[str, Any] = {}


def at(app: AppTest, page: str) -> AppTest:
    """An app that stands at a page, which its next run shows.

    Streamlit learns of pages by running one: the landing page, the first time in a process. Later apps know them.
    """
    if not _registered:
        _registered.update(app.run()._registered_pages)
    app._registered_pages = app._registered_pages or dict(_registered)
    return app.switch_page(f"views/{page}.py")
