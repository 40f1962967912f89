"""What pages are made of: headings, numbers, tables, charts, lines of logs, and the SQL of each of them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import altair as alt
import streamlit as st
import vl_convert

from dashboards import data, sql_desk, state, tables, zone
from dashboards.data import Asked
from dashboards.tables import Rows, say_cut, show_rows, show_table
from pipelines.answers.drill import Drilled
from pipelines.catalog.files import load_catalog
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown

__all__ = [
    "breadcrumbs", "closed", "heading", "instant", "say_cut", "show_chart", "show_intervals", "show_lines",
    "show_numbers", "show_part", "show_rows", "show_sql", "show_table",
]  # fmt: skip
ASKED_MOUNTS = 5000  # those that lost most time; a browser is slow with more
MOST_NUMBERS = 5  # side by side, on a laptop
SVG_PX = 900
_DRAWN = "drawn-charts"  # of this run, by question
ZOOM = "zoom"  # the selection of a chart whose brush sets the period


def begin() -> None:
    """Before a page runs: nothing is drawn yet."""
    st.session_state[_DRAWN] = {}


def heading(found: Asked, text: str = "") -> None:
    """A section of a part, named as its question unless it has words of its own."""
    st.header(text or found.title, help=found.why, anchor=False)


def breadcrumbs(*steps: tuple[str, str, dict[str, str]]) -> None:
    """The way here from the page above, each step a link: page (or `page/part`), words, choices. Words are escaped."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for number, (page, words, choices) in enumerate(steps):
            state.link(page, f"{'› ' if number else '← '}{escape_markdown(words)}", **choices)


def show_numbers(found: Asked, row: dict[str, Any], names: Iterable[str]) -> None:
    """A row of large numbers, units in their labels; their meaning is the tooltip."""
    chosen = list(names)
    n_rows = -(-len(chosen) // MOST_NUMBERS)
    width = -(-len(chosen) // n_rows)
    places = [place for _ in range(n_rows) for place in st.columns(width)]
    for place, name in zip(places, chosen, strict=False):
        column = found.column(name)
        place.metric(format.heading(column), format.cell(row[name], column), help=column.doc)


def show_part(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    lacking: str = "",
    wide: dict[str, int] | None = None,
    text: str = "",
    most: int = tables.MOST_ROWS,
) -> None:
    """A section that is a table alone: its heading, its rows or why there are none, its SQL."""
    heading(found, text)
    shown = found.rows if rows is None else rows
    if shown or not lacking:
        show_table(found, names, shown, wide, most)
    else:
        st.info(lacking)
    show_sql(found)


@contextmanager
def closed(title: str, key: str) -> Iterator[bool]:
    """Details under a title: what the block draws once it `is_open`, for most visitors never open it."""
    place = st.expander(title, key=key, on_change="rerun")
    with place:
        yield bool(place.open)


def show_closed(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    lacking: str = "",
    wide: dict[str, int] | None = None,
) -> None:
    """What `show_part` shows, for a visitor to open; the reason why it is empty is always visible."""
    if not (found.rows if rows is None else rows):
        show_part(found, names, rows, lacking)
        return
    with closed(found.title, found.name) as is_open:
        if is_open:
            show_part(found, names, rows, wide=wide)


def show_chart(found: Asked, chart: alt.Chart, says: str = "", place: Any = None, zooms: bool = False) -> None:
    """A chart; who cannot see it has a sentence, and its rows as a table with its SQL.

    Where it `zooms`, days that are brushed along its axis of time become the period of the page.
    """
    says = f"{found.title}{'' if found.title.endswith('?') else '.'} {says or found.why}"
    st.session_state.setdefault(_DRAWN, {}).setdefault(found.name, []).append(chart)
    if not zooms:
        (place or st).altair_chart(chart, width="stretch", alt=says)
        return
    period = "-".join(found.params.get(name, "") for name in ("first_day", "last_day"))
    key = f"chart-{found.name}-{period}"  # another period begins without a brush

    def take() -> None:
        chosen = next(iter((st.session_state[key].selection.get(ZOOM) or {}).values()), None)
        if chosen and len(chosen) == 2:
            first, last = (datetime(1970, 1, 1) + timedelta(milliseconds=float(at)) for at in chosen)
            st.session_state["choose-period"] = (
                zone.site_day(first),
                zone.site_day(last - timedelta(seconds=1)),
            )

    brush = alt.selection_interval(name=ZOOM, encodings=["x"])
    if isinstance(chart, alt.LayerChart):
        chart.layer[0] = chart.layer[0].add_params(brush)
    else:
        chart = chart.add_params(brush)
    (place or st).altair_chart(chart, width="stretch", alt=says, key=key, on_select=take, selection_mode=ZOOM)


def show_sql(*asked: Asked) -> None:
    """The data of what is shown above: definitions, rows, the query. That rows are missing is reported openly.

    It is drawn once it is opened: most visitors never do.
    """
    for found in asked:
        for notice in found.answer.notices:
            st.caption(escape_markdown(notice))
        place = st.expander(
            f"Data and SQL: {found.title}",
            key=f"sql-{found.name}-{'-'.join(found.params.values())}",
            on_change="rerun",
            type="compact",
        )
        if place.open:
            with place:
                _show_query(found)


def _show_query(found: Asked) -> None:
    st.caption(f"{found.why} Question `{found.name}`, snapshot {found.answer.snapshot}.")
    st.text("   ".join(f"${key} = {value!r}" for key, value in found.params.items()))
    st.text("\n".join(f"{format.heading(column)}: {column.doc}" for column in found.answer.columns))
    show_table(found, found.names)
    sql = sql_desk.spelled_out(load_catalog().asked[found.name], found.params)
    with st.container(horizontal=True):
        days = "_".join(found.params.get(name, "") for name in ("first_day", "last_day")).strip("_")
        name = f"{found.name}_{days}" if days else found.name
        st.download_button("CSV", lambda: data.as_csv(found), f"{name}.csv", "text/csv", on_click="ignore")
        for number, chart in enumerate(st.session_state.get(_DRAWN, {}).get(found.name, ())):
            st.download_button(
                "Chart as SVG", partial(as_svg, chart), f"{name}.svg", "image/svg+xml", on_click="ignore",
                key=f"svg-{found.name}-{number}",
            )  # fmt: skip
        state.link("sql", "Open in the SQL desk", sql=sql, snapshot=str(found.answer.snapshot))
    st.code(sql, language="sql", wrap_lines=True)


def as_svg(chart: alt.Chart) -> str:
    """A chart as it is on the page, on a white ground; the toolbar of a chart has its PNG."""
    with alt.data_transformers.disable_max_rows():
        return str(vl_convert.vegalite_to_svg(chart.properties(width=SVG_PX, background="white").to_json()))


def show_lines(*lines: tuple[str | None, int | None, str | None], marked: int | None = None) -> None:
    """Lines of logs with their places, one of them marked: shown as they are, never read as markup."""
    sign = {True: "→ ", False: "  " if marked is not None else ""}
    shown = [
        f"{sign[number == marked]}{path}:{number}  {text or 'not kept'}"
        for path, number, text in lines
        if path and number is not None
    ]
    st.code("\n".join(shown) or "no log line", language=None, wrap_lines=True)


def show_intervals(found: Drilled) -> None:
    """Intervals of a drive's state, each with the log lines that begin and end it."""
    for row in found.intervals:
        length = f"{row['bucket_words']} {format.quantity(row['interval_s'], 's')}"
        tape = f"   tape {row['volume']}" if row["volume"] else ""
        st.text(f"{instant(row['from_at'])} to {instant(row['to_at'])}   {length}{tape}")
        ends = (
            (row["path"], row["line_no"], row["message"]),
            (row["end_path"], row["end_line_no"], row["end_message"]),
        )
        show_lines(*((path, no, found.texts.get((path or "", no or 0), kept)) for path, no, kept in ends))


def instant(at: datetime | None) -> str:
    """An instant of UTC by the page's clock."""
    return zone.text(at) if at else format.NOTHING
