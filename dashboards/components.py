"""What all pages share: the head with period and filters, numbers, tables, charts, and the SQL behind each of them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import altair as alt
import streamlit as st

from dashboards import data, fields, period, state, words
from dashboards.data import Asked
from pipelines.catalog.contracts import Column
from pipelines.primitives import format
from pipelines.primitives.clock import day_bounds
from pipelines.primitives.text import escape_markdown

FILTERS = {"station": "Station", "drive": "Drive", "group": "Storage group"}
MOST_ROWS = 1000
ASKED_MOUNTS = 5000  # those that lost most time; a browser is slow with more
MOST_NUMBERS = 5  # side by side, on a laptop
AT_ONCE = 16  # rows of a table without a scroll bar of its own
ROW_PX = 36
LINES_AT_ONCE, MOST_LINES = 8, 6  # the same of rows so high that their texts are broken into lines; lines of a row
LINE_CHARS, LINE_PX = 55, 18
COVERAGE = ["source", "host", "expected_hours", "seen_hours", "missing_hours", "undeclared_hours", "share"]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Page:
    """One snapshot, the days that were chosen, those to compare with, and the filters."""

    snapshot: int
    site: dict[str, Any]
    first: date
    last: date
    before: tuple[date, date] | None
    chosen: dict[str, str]

    def ask(self, name: str, **params: object) -> Asked:
        """A question about the page's days, from its snapshot."""
        return self._ask(name, self.first, self.last, params)

    def ask_before(self, name: str, **params: object) -> Asked | None:
        """The same about the days to compare with, if any were chosen."""
        return self._ask(name, *self.before, params) if self.before else None

    def ask_until(self, name: str, last: date | None, n_days: int) -> Asked | None:
        """The same about so many days that end with one, if one is named."""
        return self._ask(name, last - timedelta(days=n_days - 1), last, {"n_days": n_days}) if last else None

    def _ask(self, name: str, first: date, last: date, params: dict[str, object]) -> Asked:
        days = {"first_day": first, "last_day": last}
        given = {key: str(value) for key, value in (days | params).items() if key in data.takes(name)}
        return data.ask(name, self.snapshot, given)

    @property
    def n_days(self) -> int:
        return (self.last - self.first).days + 1

    def last_days(self, n_days: int) -> date:
        """The first of so many days that end with the period."""
        return self.last - timedelta(days=n_days - 1)

    def span(self, first: date | None = None) -> tuple[datetime, datetime]:
        """UTC instants at which the period begins, or that day, and at which the period ends."""
        zone = self.site["zone"]
        return day_bounds(first or self.first, zone)[0], day_bounds(self.last, zone)[1]


def open_page(title: str, *filters: str, compares: bool = False) -> Page:
    """The head of a page: which site, period, snapshot and coverage; the filters it knows stand in the side bar.

    Days to compare with are offered by pages that show them. A page whose title is what it shows writes it itself.
    """
    if title:
        st.title(title, anchor=False)
    try:
        known = data.newest("period")
    except data.NoAnswer as problem:
        say_empty("Nothing has been loaded yet.", f"{problem}\n{problem.hint}")
    site = next(iter(known.rows), {})
    if not site.get("last_day"):
        _show_undated(known.answer.snapshot)
    first, last = period.choose(site["first_day"], site["last_day"], data.last_day(known.answer.snapshot))
    page = Page(known.answer.snapshot, site, first, last, period.choose_before(first, last) if compares else None, {})
    members = page.ask("members") if filters else None
    for name in filters:
        names = [row["name"] for row in members.rows if row["kind"] == name] if members else []
        page.chosen[name] = fields.choose(name, FILTERS[name], ["", *sorted(names, key=words.natural)], {"": "all"})
    against = f" · compared with {format.days_text(*page.before)}" if page.before else ""
    days = f"{format.days_text(first, last)} ({site['zone']})"
    show_freshness(
        data.ask("freshness", page.snapshot, {}), f"{site['name']} · {days}{against} · snapshot {page.snapshot}"
    )
    _show_coverage(page.ask("coverage"))
    return page


def show_freshness(found: Asked | None = None, of: str = "") -> None:
    """Until when there are data, and how the last run ended; of the newest snapshot unless a page has its own."""
    try:
        (row,) = (found or data.newest("freshness")).rows_of(kind="all")
    except data.NoAnswer:
        return  # a page that needs no warehouse stands without one
    st.text(f"{of} · {row['summary']}" if of else row["summary"])
    if row["outcome"] == "failed":
        st.error("That run failed: what is shown was made before it.")
        st.code(row["failure"], language=None, wrap_lines=True)


def say_empty(message: str, detail: str = "") -> None:
    """Nothing can be shown: what to load."""
    st.info(f"{message} Run `tapescope run` on your logs, or `tapescope demo` to see how it looks.")
    if detail:
        st.text(detail)
    state.stop()


def _show_undated(snapshot: int) -> None:
    """The page of a warehouse without a day: what was read, how the last runs ended, and what to do."""
    files, last = data.ask("files", snapshot, {}), data.ask("freshness", snapshot, {}).rows[0]
    if any(row["first_at"] for row in files.rows):
        message = f"{len(files.rows)} files were read, but nothing has been built of them yet."
    elif files.rows:
        message = f"{len(files.rows)} files were looked at, and no line of them has a date. The reasons stand below."
    else:
        message = "No log has been read yet. Name your logs in `site.toml`."
    st.info(f"{message} Run `tapescope run` on your logs, or `tapescope demo` to see how it looks.")
    if last["name"]:
        st.text(f"{last['summary']}\n{last['failure'] or ''}")
    if files.rows:
        show_part(files, ["path", "source", "state", "n_lines", "n_rejected", "reason"], files.rows)
    state.stop()


def _show_coverage(found: Asked) -> None:
    """Which logs were received, in one line that opens: nothing below holds what they miss."""
    sources = found.rows_of(level="source")
    lines = [
        f"{row['source']} " + (found.shown(row, "share" if row["share"] is not None else "seen_hours"))
        for row in sources
    ]
    missing = any(row["missing_hours"] for row in sources)
    head = "▲ Some expected logs are missing" if missing else "Logs received"
    with st.expander(f"{head}: {' · '.join(lines) or 'none declared or read in this period'}"):
        if missing:
            st.text("What happened in the missing hours is in no number below.")
        show_table(found, COVERAGE, found.rows)
        show_sql(found)


def heading(found: Asked, text: str = "", whole: Page | None = None, by: Iterable[str] = ()) -> None:
    """A part of the page, named as its question unless it has words of its own.

    Where a page is given, the part says which of the page's filters do not narrow it: all but those it is asked by.
    """
    st.subheader(text or found.title, help=found.why, anchor=False)
    idle = [
        FILTERS[name].lower() for name, value in (whole.chosen if whole else {}).items() if value and name not in by
    ]
    if idle:
        st.caption(f"Not narrowed by the {' and the '.join(idle)} chosen in the side bar.")


def show_numbers(found: Asked, row: dict[str, Any], names: Iterable[str], before: dict[str, Any] | None = None) -> None:
    """A row of large numbers, units in their labels, next to those of other days; their meaning is the tooltip.

    An empty `before` is of days that no log covers.
    """
    chosen = list(names)
    n_rows = -(-len(chosen) // MOST_NUMBERS)
    width = -(-len(chosen) // n_rows)
    places = [place for _ in range(n_rows) for place in st.columns(width)]
    for place, name in zip(places, chosen, strict=False):
        column = found.column(name)
        place.metric(
            format.heading(column),
            format.cell(row[name], column),
            None if before is None else _was(column, row[name], before.get(name)),
            delta_color="off",
            delta_arrow="off",
            help=column.doc,
        )


def _was(column: Column, now: Any, before: Any) -> str | None:
    """The value of the other days; what no log covered then was not nothing."""
    if before is None:
        return "was not covered" if now is not None else None
    return f"was {format.cell(before, column)}"


def show_table(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    height: int | None = None,
    wide: dict[str, int] | None = None,
    most: int = MOST_ROWS,
) -> None:
    """Rows and columns of an answer, and how many are left out; labels, units and tooltips are the catalogue's.

    `wide` are the widths, in pixels, of columns with sentences: they are broken into lines.
    """
    every = found.rows if rows is None else rows
    columns = [found.column(name) for name in names]
    shown = data.table_rows(columns, [{name: row[name] for name in names} for row in every[:most]])
    _show(shown, data.column_config(columns, wide), height, found.title, bool(wide))
    say_cut(found, len(shown), len(every))


def say_cut(found: Asked, n_shown: int, n_rows: int) -> None:
    """Report that rows are left out. What the question itself leaves out is reported with its SQL."""
    if n_shown < n_rows:
        st.caption(f"The first {n_shown:,} of {n_rows:,} rows: `tapescope ask {found.name}` gives more.")


def show_part(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    lacking: str = "",
    height: int | None = None,
    wide: dict[str, int] | None = None,
    whole: Page | None = None,
    by: Iterable[str] = (),
    text: str = "",
    most: int = MOST_ROWS,
) -> None:
    """A part of the page that is a table alone: its heading, its rows or what to load for some, its SQL."""
    heading(found, text, whole, by)
    shown = found.rows if rows is None else rows
    if shown or not lacking:
        show_table(found, names, shown, height, wide, most)
    else:
        st.info(lacking)
    show_sql(found)


def show_rows(rows: Rows, config: dict[str, Any], alt: str = "", is_wide: bool = False) -> None:
    """Rows that are no answer of the warehouse."""
    _show(rows, config, None, alt, is_wide)


def _show(rows: Rows, config: dict[str, Any], height: int | None, alt: str, is_wide: bool) -> None:
    row_px, most = (_lines_px(rows), LINES_AT_ONCE) if is_wide else (ROW_PX, AT_ONCE)
    if height:
        most = height // row_px - 1  # a table never has room for rows that it has not
    st.dataframe(
        rows,
        column_config=config,
        hide_index=True,
        width="stretch",
        height="content" if len(rows) <= most else height or (LINES_AT_ONCE * row_px if is_wide else "auto"),
        row_height=row_px if is_wide else None,
        placeholder="–",
        alt=alt or None,
    )


def _lines_px(rows: Rows) -> int:
    """Height of rows that have room for the longest text, in lines; three at least.

    >>> [_lines_px([{"text": "x" * n}]) for n in (10, 220, 5000)]
    [66, 84, 120]
    """
    longest = max((len(value) for row in rows for value in row.values() if isinstance(value, str)), default=0)
    return 12 + LINE_PX * min(MOST_LINES, max(3, math.ceil(longest / LINE_CHARS)))


def show_chart(found: Asked, chart: alt.Chart, says: str = "", place: Any = None) -> None:
    """A chart; who cannot see it has a sentence, and its rows as a table where its SQL stands."""
    (place or st).altair_chart(chart, width="stretch", alt=f"{found.title}. {says or found.why}")


def show_sql(*asked: Asked) -> None:
    """What stands behind the numbers above: definitions, rows and the query; that rows are missing is said openly."""
    for found in asked:
        for notice in found.answer.notices:
            st.caption(escape_markdown(notice))
        with st.expander(f"SQL of “{found.title}”"):
            st.caption(f"{found.why} Question `{found.name}`, snapshot {found.answer.snapshot}.")
            st.text("   ".join(f"${key} = {value!r}" for key, value in found.params.items()))
            st.text("\n".join(f"{format.heading(column)}: {column.doc}" for column in found.answer.columns))
            show_table(found, found.names, height=220)
            st.code(found.answer.sql, language="sql", wrap_lines=True)


def show_lines(*lines: tuple[str | None, int | None, str | None], marked: int | None = None) -> None:
    """Lines of logs with where they stand, one of them marked: shown as they are, never read as markup."""
    sign = {True: "→ ", False: "  " if marked is not None else ""}
    shown = [
        f"{sign[number == marked]}{path}:{number}  {text or 'not kept'}"
        for path, number, text in lines
        if path and number is not None
    ]
    st.code("\n".join(shown) or "no line tells", language=None, wrap_lines=True)
