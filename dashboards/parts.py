"""What all pages share: the head with period and filters, numbers, tables, charts, and the SQL behind each of them."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import altair as alt
import streamlit as st

from dashboards import data, state
from dashboards.data import Asked

WITH = {"": "nothing", "before": "the days just before", "week": "a week earlier", "month": "four weeks earlier"}
FILTERS = {"station": "Station", "drive": "Drive", "group": "Storage group"}
MOST_ROWS = 1000
MOST_NUMBERS = 5  # side by side, on a laptop
AT_ONCE = 16  # rows of a table without a scroll bar of its own
ROW_PX = 36
LINES_AT_ONCE, MOST_LINES = 8, 6  # the same of rows so high that their texts are broken into lines; lines of a row
LINE_CHARS, LINE_PX = 55, 18
MOST_NUMBER, MOST_COUNT = 1e9, 1000  # what a field takes
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


def open_page(title: str, *filters: str, compares: bool = False) -> Page:
    """The head of a page: which site, period, snapshot and coverage; the filters it knows stand in the side bar.

    Days to compare with are offered by pages that show them.
    """
    st.title(title, anchor=False)
    try:
        period = data.newest("period")
    except data.NoAnswer as problem:
        say_empty("Nothing has been loaded yet.", f"{problem}\n{problem.hint}")
    site = next(iter(period.rows), {})
    if not site.get("last_day"):
        say_empty("The warehouse holds no drive's log and no link's yet. Name your logs in `site.toml`.")
    first, last = _choose_period(site["first_day"], site["last_day"])
    page = Page(period.answer.snapshot, site, first, last, _choose_before(first, last) if compares else None, {})
    members = page.ask("members") if filters else None
    for name in filters:
        known = [row["name"] for row in members.rows if row["kind"] == name] if members else []
        page.chosen[name] = choose(name, FILTERS[name], ["", *known], {"": "all"})
    against = f"   ·   beside {page.before[0]} to {page.before[1]}" if page.before else ""
    st.text(f"{site['name']}   ·   {first} to {last}, days in {site['zone']}{against}   ·   snapshot {page.snapshot}")
    _show_coverage(page.ask("coverage_by_source"))
    return page


def say_empty(message: str, detail: str = "") -> None:
    """Nothing can be shown: what to load."""
    st.info(f"{message} Run `tapescope run` on your logs, or `tapescope demo` to see how it looks.")
    if detail:
        st.text(detail)
    st.stop()


def _choose_period(first: date, last: date) -> tuple[date, date]:
    """Two days from the side bar; the URL has them as `from` and `to`. The default is the last day with data."""
    begin, end = _day("from", first, last), _day("to", first, last)
    key = state.widget("period", (min(begin, end), end))
    chosen = st.sidebar.date_input("Period (days of the site)", min_value=first, max_value=last, key=key)
    days = chosen if isinstance(chosen, tuple) else (chosen,)
    if len(days) < 2:
        st.info("Choose the last day of the period as well.")
        st.stop()
    state.keep("from", days[0].isoformat())
    state.keep("to", days[1].isoformat())
    return days[0], days[1]


def _day(name: str, first: date, last: date) -> date:
    try:
        return min(max(date.fromisoformat(state.value(name)), first), last)
    except ValueError:
        return last


def _choose_before(first: date, last: date) -> tuple[date, date] | None:
    """The days to compare with; the URL has the choice as `with`."""
    length = last - first + timedelta(days=1)
    back = {"before": length, "week": timedelta(weeks=1), "month": timedelta(weeks=4)}
    chosen = choose("with", "Compare with", list(WITH), WITH)
    return (first - back[chosen], last - back[chosen]) if chosen else None


def choose(name: str, label: str, options: list[str], labels: dict[str, str] | None = None, page: Any = None) -> str:
    """One of several, the first if the URL names none of them; from the side bar, or where the page wants it."""
    start = state.value(name) if state.value(name) in options else options[0]
    key = state.widget(name, start)
    if st.session_state[key] not in options:
        st.session_state[key] = options[0]
    names = labels or {}
    place = page or st.sidebar
    chosen = place.selectbox(label, options, key=key, format_func=lambda value: names.get(value, value))
    return state.keep(name, "" if chosen == options[0] else str(chosen)) or options[0]


def type_text(name: str, label: str, start: str) -> str:
    """A text; the URL has it if it is not the one it starts with."""
    text = str(st.text_input(label, key=state.widget(f"{name}-{start}", state.value(name) or start)))
    return state.keep(name, "" if text == start else text) or start


def slide(name: str, label: str, least: float, most: float, start: float, step: float, help: str = "") -> float:
    """A number between two ends; the URL has it if it is not where it starts."""
    key = state.widget(name, _number(name, least, most, start))
    chosen = float(st.slider(label, least, most, step=step, key=key, help=help or None, format="%g"))
    state.keep(name, "" if chosen == start else f"{chosen:g}")
    return chosen


def _number(name: str, least: float, most: float, start: float | None) -> float | None:
    """What the URL has under a name, within bounds; nonsense is where it starts."""
    try:
        value = float(state.value(name))
    except ValueError:
        return start
    return min(max(value, least), most) if math.isfinite(value) else start


def number(name: str, label: str, least: float, place: Any, help: str = "", start: float | None = None) -> float | None:
    """A number that may be left out, in a place of the page; the URL has it if it is not where it starts."""
    key = state.widget(name, _number(name, least, MOST_NUMBER, start))
    chosen = place.number_input(
        label, least, MOST_NUMBER, None, format="%g", key=key, help=help or None, placeholder="as recorded"
    )
    state.keep(name, "" if chosen in (None, start) else f"{chosen:g}")
    return None if chosen is None else float(chosen)


def count(name: str, label: str, place: Any, help: str = "", start: int | None = None) -> int | None:
    """A whole number above nothing that may be left out, as `number`."""
    text = state.value(name)
    key = state.widget(name, min(max(int(text), 1), MOST_COUNT) if re.fullmatch(r"\d{1,9}", text) else start)
    chosen = place.number_input(
        label, 1, MOST_COUNT, None, step=1, key=key, help=help or None, placeholder="as recorded"
    )
    state.keep(name, "" if chosen in (None, start) else str(chosen))
    return None if chosen is None else int(chosen)


def tick(name: str, label: str, place: Any, help: str = "") -> bool:
    """Yes or no; the URL has the yes."""
    chosen = bool(place.checkbox(label, key=state.widget(name, state.value(name) == "yes"), help=help or None))
    state.keep(name, "yes" if chosen else "")
    return chosen


def plain(text: str) -> str:
    """A name of a log as it stands, for labels that would read it as markup.

    >>> plain("LTO-4"), plain("<b>*x*")
    ('LTO-4', '\\\\<b\\\\>\\\\*x\\\\*')
    """
    return re.sub(r"([^\w\s.-])", r"\\\1", text)


def _show_coverage(found: Asked) -> None:
    """What was seen of what should have been logged, before anything is made of it."""
    lines = []
    for row in found.rows:
        seen, expected = found.shown(row, "seen_hours"), found.shown(row, "expected_hours")
        declared = f"{expected} declared, {found.shown(row, 'share')}" if row["share"] is not None else "none declared"
        lines.append(f"{row['source']}: {seen} seen of {declared}")
    if any(row["missing_hours"] for row in found.rows):
        st.warning("Not all that should have been logged was seen. What happened then is in no number below.")
    said = "   ·   ".join(lines) or "nothing was declared or seen in this period"
    st.text(f"Coverage   {said}")
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
    """A row of large numbers, units in their labels, beside those of other days; their meaning is the tooltip."""
    wanted = list(names)
    n_rows = -(-len(wanted) // MOST_NUMBERS)
    width = -(-len(wanted) // n_rows)
    places = [place for _ in range(n_rows) for place in st.columns(width)]
    for place, name in zip(places, wanted, strict=False):
        column = found.column(name)
        told = before is not None and before[name] is not None and row[name] is not None
        change = f"was {data.shown(column, before[name], with_unit=False)}" if before and told else None
        place.metric(
            data.label(column),
            data.shown(column, row[name], with_unit=False),
            change,
            delta_color="off",
            delta_arrow="off",
            help=column.doc,
        )


def show_table(
    found: Asked,
    names: list[str],
    rows: Rows | None = None,
    height: int | None = None,
    wide: dict[str, int] | None = None,
) -> None:
    """Rows and columns of an answer; labels, units and tooltips are the catalogue's.

    `wide` are the widths, in pixels, of columns with sentences: they are broken into lines.
    """
    shown = [{name: row[name] for name in names} for row in (found.rows if rows is None else rows)]
    _show(shown, data.column_config(found, wide), height, found.title, bool(wide))


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
) -> None:
    """A part of the page that is a table alone: its heading, its rows or what to load for some, its SQL."""
    heading(found, text, whole, by)
    shown = found.rows if rows is None else rows
    if shown or not lacking:
        show_table(found, names, shown, height, wide)
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
    """What stands behind the numbers above: definitions, rows and the query."""
    for found in asked:
        with st.expander(f"SQL of “{found.title}”"):
            st.caption(f"{found.why} Question `{found.name}`, snapshot {found.answer.snapshot}.")
            st.text("   ".join(f"${key} = {value!r}" for key, value in found.params.items()))
            st.text("\n".join(f"{data.label(column)}: {column.doc}" for column in found.answer.columns))
            show_table(found, found.names, found.rows[:MOST_ROWS], 220)
            st.code(found.answer.sql, language="sql", wrap_lines=True)


def show_lines(*lines: tuple[str | None, int | None, str | None]) -> None:
    """Lines of logs with where they stand: shown as they are, never read as markup."""
    told = [f"{path}:{number}  {text or 'not kept'}" for path, number, text in lines if path and number is not None]
    st.code("\n".join(told) or "no line tells", language=None, wrap_lines=True)
