"""The days that a page is about, and those it compares them with: from the side bar, kept in the URL."""

from datetime import date, timedelta

import streamlit as st

from dashboards import fields, state

WITH = {"": "nothing", "before": "the previous period", "week": "a week earlier", "month": "four weeks earlier"}
PRESETS = {1: "Night", 7: "7 d", 30: "30 d", 90: "90 d"}
Days = tuple[date, date]


def choose(first: date, last: date, usual: date) -> Days:
    """Two days from the side bar; the URL has them as `from` and `to`. Without these both are the usual day.

    The presets end with the usual day: the last one whose logs are complete.
    """
    usual = min(max(usual, first), last)
    key = state.widget("period", _asked(first, last, usual))
    days = _inside(_both(st.session_state[key]), first, last)
    if days != _both(st.session_state[key]):
        st.session_state[key] = days
    presets = {n: (max(first, usual - timedelta(days=n - 1)), usual) for n in PRESETS}
    is_preset = next((n for n, ends in presets.items() if ends == days), None)
    st.session_state["choose-preset"] = is_preset

    def take() -> None:
        if chosen := st.session_state["choose-preset"]:
            st.session_state[key] = presets[chosen]

    with st.sidebar:
        st.segmented_control(
            "Period", list(PRESETS), key="choose-preset", format_func=PRESETS.__getitem__, on_change=take
        )
        chosen = st.date_input(
            "First and last site day of the period",
            min_value=first,
            max_value=last,
            key=key,
            format="YYYY-MM-DD",
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, gap="small"):
            _arrow("‹ earlier", "Move the period back by its own length", key, _moved(days, -1, first, last))
            _arrow("later ›", "Move the period forward by its own length", key, _moved(days, 1, first, last))
    days = _both(chosen)
    state.keep("from", days[0].isoformat())
    state.keep("to", days[1].isoformat())
    return days


def _both(chosen: date | tuple[date, ...]) -> Days:
    """Both ends; while the second is not chosen yet, one day."""
    days = chosen if isinstance(chosen, tuple) else (chosen,)
    return days[0], days[-1]


def _inside(days: Days, first: date, last: date) -> Days:
    """Days within those with data: a brush at the end of an axis can reach beyond them.

    >>> ends = date(2010, 3, 1), date(2010, 3, 11)
    >>> _inside((date(2010, 3, 9), date(2010, 3, 12)), *ends) == (date(2010, 3, 9), date(2010, 3, 11))
    True
    """
    begin, end = (min(max(day, first), last) for day in days)
    return begin, end


def _moved(days: Days, by: int, first: date, last: date) -> Days:
    """The period one length of itself earlier or later, within the days with data."""
    length = days[1] - days[0] + timedelta(days=1)
    begin = min(max(days[0] + by * length, first), max(last - length + timedelta(days=1), first))
    return begin, min(begin + length - timedelta(days=1), last)


def _arrow(label: str, help_text: str, key: str, to: Days) -> None:
    def move() -> None:
        st.session_state[key] = to

    is_at_end = to == _both(st.session_state[key])
    st.button(label, help=help_text, on_click=move, key=f"move-{label}", disabled=is_at_end, width="stretch")


def _asked(first: date, last: date, usual: date) -> Days:
    """The days of the URL, within those with data. Where it asks for others, that is reported."""
    asked = {name: text for name in ("from", "to") if (text := state.value(name))}
    days = {name: _day(text) for name, text in asked.items()}
    begin, end = (_within(days.get(name), first, last) for name in ("from", "to"))
    begin = begin or min(usual, end or usual)
    end = end or max(usual, begin)
    taken = {"from": min(begin, end).isoformat(), "to": end.isoformat()}
    if missed := " ".join(f"{name} {text}" for name, text in asked.items() if text != taken[name]):
        if None in days.values():
            why = f"write a day as {last}"
        elif all(first <= day <= last for day in days.values() if day):
            why = "the first day is after the last day"
        else:
            why = f"the days with data are {first} to {last}"
        state.say_instead("Period", missed, why, " to ".join(dict.fromkeys(taken.values())))
    return min(begin, end), end


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _within(day: date | None, first: date, last: date) -> date | None:
    return day and min(max(day, first), last)


def choose_before(first: date, last: date) -> Days | None:
    """The days to compare with; the URL has the choice as `with`."""
    length = last - first + timedelta(days=1)
    back = {"before": length, "week": timedelta(weeks=1), "month": timedelta(weeks=4)}
    chosen = fields.choose("with", "Compare with", list(WITH), WITH)
    return (first - back[chosen], last - back[chosen]) if chosen else None
