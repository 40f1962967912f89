"""The dashboard's pages in Streamlit's own test runner."""

import json
import re
from functools import cache
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

# A server looks once through all installed packages for components of Streamlit. The test runner does so for each app,
# which takes longer than most pages.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

_registered: dict[str, Any] = {}


def at(app: AppTest, page: str) -> AppTest:
    """An app set to a page, which its next run shows.

    Streamlit learns of pages by running one: the landing page, the first time in a process. Later apps know them.
    """
    if not _registered:
        first = AppTest.from_file(app._script_path, default_timeout=app.default_timeout)  # its address stays as it is
        _registered.update(first.run()._registered_pages)
    app._registered_pages = app._registered_pages or dict(_registered)
    return app.switch_page(f"views/{page}.py")


def url(app: AppTest) -> dict[str, str]:
    """What the page's address holds."""
    return {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}


def texts(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.text)


def box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def button(app: AppTest, label: str) -> Any:
    return next(one for one in app.button if one.label == label)


def linked_table(app: AppTest, *columns: str) -> pd.DataFrame:
    """The first table with these columns, as the browser gets it: names that lead to a page are its address."""
    return next(frame.value for frame in app.dataframe if set(columns) <= set(frame.value.columns))


def table(app: AppTest, *columns: str) -> pd.DataFrame:
    """The first table with these columns, as it is read: addresses show the names they lead to."""
    frame = linked_table(app, *columns)
    return frame.map(lambda cell: re.sub(r"^/.*[?&]\w+=", "", cell) if isinstance(cell, str) else cell)


def drawn(app: AppTest) -> list[Any]:
    """The charts."""
    return list(app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart"))


def spec(app: AppTest, part: str) -> dict[str, Any]:
    """The chart whose sentence has this part, as the browser gets it."""
    return json.loads(next(one.proto.spec for one in drawn(app) if part in one.proto.alt))  # type: ignore[no-any-return]


def marks(app: AppTest, part: str) -> dict[str, Any]:
    """What that chart is about: the first of its layers, for along time it has the change log over it."""
    chart = spec(app, part)
    return chart.get("layer", [chart])[0]  # type: ignore[no-any-return]


def drawn_rows(app: AppTest, column: str) -> list[dict[str, Any]]:
    """The rows of the first chart that draws a column."""
    for chart in drawn(app):
        for dataset in chart.proto.datasets:
            rows = pl.read_ipc_stream(dataset.data.data)
            if column in rows.columns:
                return rows.to_dicts()
    raise AssertionError(f"no chart draws {column}")
