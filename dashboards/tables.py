"""Tables of pages: labels, units and tooltips from the catalogue, names of things as links to their pages."""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboards import state, zone
from dashboards.data import Asked
from pipelines.catalog.contracts import Column
from pipelines.primitives import format

Rows = list[dict[str, Any]]
AT_ONCE = 12  # rows of a table without a scroll bar of its own
ROW_PX = 36
LINES_AT_ONCE, MOST_LINES = 6, 6  # the same of rows so high that their texts are broken into lines; lines of a row
LINE_CHARS, LINE_PX = 55, 18
MOST_ROWS = 1000
TIME, TIME_PX = "YYYY-MM-DD HH:mm:ss", 140  # a column whose first rows are empty would be too narrow
# The page, and its choice, that each name leads to.
LINKS = {
    "drive": ("drives", "drive"),
    "volume": ("tapes", "tape"),
    "station": ("stations", "station"),
    "session_id": ("mount", "id"),
}


def show_table(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    wide: dict[str, int] | None = None,
    most: int = MOST_ROWS,
) -> None:
    """Rows and columns of an answer, and how many are left out.

    `wide` are the widths, in pixels, of columns with sentences: they are broken into lines.
    """
    every = found.rows if rows is None else rows
    columns = [found.column(name) for name in names]
    shown = cells(columns, [{name: row[name] for name in names} for row in every[:most]])
    config = {
        column.name: configured(column, (wide or {}).get(column.name), [row[column.name] for row in every[:most]])
        for column in columns
    }
    show_rows(shown, config, found.title, bool(wide))
    say_cut(found, len(shown), len(every))


def say_cut(found: Asked, n_shown: int, n_rows: int) -> None:
    """Report that rows are left out. What the question itself leaves out is reported with its SQL."""
    if n_shown < n_rows:
        st.caption(f"The first {n_shown:,} of {n_rows:,} rows: `tapescope ask {found.name}` gives more.")


def show_rows(rows: Rows, config: dict[str, Any], alt: str = "", is_wide: bool = False) -> None:
    """Rows as they are. A table is as high as its rows, twelve at most; the rest of them scroll."""
    row_px, most = (_lines_px(rows), LINES_AT_ONCE) if is_wide else (ROW_PX, AT_ONCE)
    st.dataframe(
        rows,
        column_config=config,
        hide_index=True,
        width="stretch",
        height="content" if len(rows) <= most else (most + 1) * row_px,
        row_height=row_px if is_wide else None,
        placeholder="–",
        alt=alt or None,
    )


def cells(columns: Iterable[Column], rows: Rows) -> Rows:
    """Values for a table whose headings have the units: shares in percent, instants by the page's clock, links."""
    kinds = {column.name: column for column in columns}
    return [{name: _cell(kinds[name], value) for name, value in row.items()} for row in rows]


def _cell(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if format.is_share(column):
        return 100 * value
    if isinstance(value, datetime):
        return zone.show_one(value)
    if column.name == "drive_rate_basis":
        return format.cell(value, column)  # an estimate in words
    if column.name in LINKS:
        return address(*LINKS[column.name], value)
    return value


def address(page: str, choice: str, name: str) -> str:
    """The address of a thing's page, about the same days; the name comes last, where the table finds its text."""
    under = st.get_option("server.baseUrlPath").strip("/")
    return f"/{under}{'/' if under else ''}{page}?{urlencode(state.shared() | {choice: name})}"


def configured(column: Column, width: int | None = None, values: Sequence[Any] = ()) -> Any:
    """Label, unit, decimals and tooltip of a column, from the catalogue, and its width in pixels.

    Of a share, the values decide the decimals: what is below 100 % must not be shown as all.
    """
    head = format.heading(column)
    if column.type in format.NUMBERS:
        decimals = format.decimals(column)
        if format.is_share(column) and decimals is not None:
            decimals = format.decimals_below(decimals, values)
        form = "%.4g" if decimals is None else f"%.{decimals}f"
        return st.column_config.NumberColumn(
            head, help=column.doc, format=form if column.type == "DOUBLE" else "localized"
        )
    if column.type == "TIMESTAMP":
        doc = column.doc.replace(", UTC", "")
        head = head.removesuffix(" [UTC]")
        return st.column_config.DatetimeColumn(head, help=f"{doc} ({zone.name()})", format=TIME, width=TIME_PX)
    if column.name in LINKS:
        choice = LINKS[column.name][1]
        return st.column_config.LinkColumn(head, help=column.doc, display_text=rf"[?&]{choice}=([^&]*)$")
    return st.column_config.Column(head, help=column.doc, width=width)


def _lines_px(rows: Rows) -> int:
    """Height of rows that have room for the longest text, in lines; three at least.

    >>> [_lines_px([{"text": "x" * n}]) for n in (10, 220, 5000)]
    [66, 84, 120]
    """
    longest = max((len(value) for row in rows for value in row.values() if isinstance(value, str)), default=0)
    return 12 + LINE_PX * min(MOST_LINES, max(3, math.ceil(longest / LINE_CHARS)))
