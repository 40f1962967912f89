"""Fields of a page whose values are in its URL; a value of the URL that a field does not have is reported."""

import math
from datetime import datetime
from typing import Any

import streamlit as st

from dashboards import state, zone
from pipelines.primitives.clock import parse_instant
from pipelines.primitives.text import escape_markdown

MOST_NUMBER, MOST_COUNT = 1e9, 1000  # what a field takes


def choose(name: str, label: str, options: list[str], labels: dict[str, str] | None = None, page: Any = None) -> str:
    """One of several, the first if the URL names none of them; from the side bar, or where the page wants it."""
    names = labels or {}
    asked = state.value(name)
    key = state.widget(name, asked if asked in options else options[0])
    if st.session_state[key] not in options:
        asked = asked and str(st.session_state[key])  # what was shown, but never chosen, is not missed
        st.session_state[key] = options[0]
    if asked and asked not in options:
        state.say_instead(label, asked, "it is not among the choices", names.get(options[0], options[0]))
    place = page or st.sidebar
    chosen = place.selectbox(label, options, key=key, format_func=lambda value: names.get(value, value))
    return state.keep(name, "" if chosen == options[0] else str(chosen)) or options[0]


def type_text(name: str, label: str, start: str) -> str:
    """A text; the URL has it if it is not the one it starts with."""
    text = str(st.text_input(label, key=state.widget(f"{name}-{start}", state.value(name) or start)))
    return state.keep(name, "" if text == start else text) or start


def slide(name: str, label: str, least: float, most: float, start: float, step: float, help: str = "") -> float:
    """A number between two ends, which reach to where it starts; the URL has it if it is another."""
    least, most = min(least, start), max(most, start)
    key = state.widget(name, _number(name, label, least, most, start))
    chosen = float(st.slider(label, least, most, step=step, key=key, help=help or None, format="%g"))
    state.keep(name, "" if chosen == start else f"{chosen:g}")
    return chosen


def _number(name: str, label: str, least: float, most: float, start: float | None, step: float = 0) -> float | None:
    """What the URL has under a name; where it starts if that is no number within bounds, which is reported."""
    asked = state.value(name)
    try:
        value = float(asked)
    except ValueError:
        value = math.nan
    if least <= value <= most and not (step and value % step):
        return value
    if asked:
        kind = "whole number" if step else "number"
        instead = "as recorded" if start is None else f"{start:g}"
        state.say_instead(label, asked, f"it is not a {kind} from {least:g} to {most:g}", instead)
    return start


def number(name: str, label: str, least: float, place: Any, help: str = "", start: float | None = None) -> float | None:
    """A number that may be left out, in a place of the page; the URL has it if it is not where it starts."""
    key = state.widget(name, _number(name, label, least, MOST_NUMBER, start))
    chosen = place.number_input(
        label, least, MOST_NUMBER, None, format="%g", key=key, help=help or None, placeholder="as recorded"
    )
    state.keep(name, "" if chosen in (None, start) else f"{chosen:g}")
    return None if chosen is None else float(chosen)


def count(name: str, label: str, place: Any, help: str = "", start: int | None = None) -> int | None:
    """A whole number of 1 or more that may be left out, as `number`."""
    asked = _number(name, label, 1, MOST_COUNT, start, step=1)
    key = state.widget(name, None if asked is None else int(asked))
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


def instant(name: str, label: str, start: datetime | None = None) -> datetime | None:
    """An instant of UTC, typed by the page's clock; None where the field is empty.

    The URL has it in UTC: it stays the same instant under another clock. What is no instant ends the page at the field.
    """
    asked = state.value(name)
    try:
        known = parse_instant(asked) if asked else start
        shown = zone.text(known) if known else ""
    except ValueError:
        shown = asked  # is reported below, as if it had been typed
    key = state.widget(f"{name}-{zone.name()}", shown)
    text = str(st.text_input(f"{label} in {zone.name()}, written as 2010-03-10 17:00", key=key)).strip()
    try:
        chosen = zone.read(text) if text else None
    except ValueError:
        state.keep(name, text)
        st.error(f"“{escape_markdown(text, state.NAME_CHARS)}” is not a date and time. Write it as 2010-03-10 17:00.")
        state.stop()
    state.keep(name, f"{chosen.isoformat()}Z" if chosen and chosen != start else "")
    return chosen or start
