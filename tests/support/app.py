"""The dashboard's pages in Streamlit's own test runner."""

from typing import Any

from streamlit.testing.v1 import AppTest

_registered: dict[str, Any] = {}


def at(app: AppTest, page: str) -> AppTest:
    """An app that stands at a page, which its next run shows.

    Streamlit learns of pages by running one: the landing page, the first time in a process. Later apps know them.
    """
    if not _registered:
        first = AppTest.from_file(app._script_path, default_timeout=app.default_timeout)  # its address stays as it is
        _registered.update(first.run()._registered_pages)
    app._registered_pages = app._registered_pages or dict(_registered)
    return app.switch_page(f"views/{page}.py")
