"""The days that a page is about, and those it compares them with: from the side bar, kept in the URL."""

from datetime import date, timedelta

import streamlit as st

from dashboards import fields, state

WITH = {"": "nothing", "before": "the days just before", "week": "a week earlier", "month": "four weeks earlier"}


def choose(first: date, last: date, usual: date) -> tuple[date, date]:
    """Two days from the side bar; the URL has them as `from` and `to`. Without these both are the usual day."""
    key = state.widget("period", _asked(first, last, min(max(usual, first), last)))
    chosen = st.sidebar.date_input("Period (days of the site)", min_value=first, max_value=last, key=key)
    days = chosen if isinstance(chosen, tuple) else (chosen,)
    if len(days) < 2:
        st.info("Choose the last day of the period as well.")
        state.stop()
    state.keep("from", days[0].isoformat())
    state.keep("to", days[1].isoformat())
    return days[0], days[1]


def _asked(first: date, last: date, usual: date) -> tuple[date, date]:
    """The days of the URL, within those with data. Where it asks for others, that is reported."""
    asked = {name: text for name in ("from", "to") if (text := state.value(name))}
    days = {name: _day(text) for name, text in asked.items()}
    begin, end = (_within(days.get(name), first, last) for name in ("from", "to"))
    begin = begin or min(usual, end or usual)
    end = end or max(usual, begin)
    taken = {"from": min(begin, end).isoformat(), "to": end.isoformat()}
    if missed := " ".join(f"{name} {text}" for name, text in asked.items() if text != taken[name]):
        if None in days.values():
            why = f"a day is written as {last}"
        elif all(first <= day <= last for day in days.values() if day):
            why = "it begins after it ends"
        else:
            why = f"the days with data are {first} to {last}"
        fields.say_instead("Period", missed, why, " to ".join(dict.fromkeys(taken.values())))
    return min(begin, end), end


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _within(day: date | None, first: date, last: date) -> date | None:
    return day and min(max(day, first), last)


def choose_before(first: date, last: date) -> tuple[date, date] | None:
    """The days to compare with; the URL has the choice as `with`."""
    length = last - first + timedelta(days=1)
    back = {"before": length, "week": timedelta(weeks=1), "month": timedelta(weeks=4)}
    chosen = fields.choose("with", "Compare with", list(WITH), WITH)
    return (first - back[chosen], last - back[chosen]) if chosen else None
