"""What all pages share: the period and station in the URL, coverage, tables, numbers that open their SQL."""

from datetime import date
from typing import Any

import streamlit as st

from dashboards import data
from pipelines.ask import Answer


def choose_period(first: date, last: date) -> tuple[date, date]:
    """Two days from the side bar; the URL has them as `from` and `to`. The default is the last day with data."""
    if "period" not in st.session_state:
        begin, end = _day("from", first, last, last), _day("to", first, last, last)
        st.session_state["period"] = (min(begin, end), end)
    chosen = st.sidebar.date_input("Period (days of the site)", min_value=first, max_value=last, key="period")
    days = chosen if isinstance(chosen, tuple) else (chosen,)
    if len(days) < 2:
        st.info("Choose the last day of the period as well.")
        st.stop()
    begin, end = days[0], days[1]
    st.query_params.update({"from": begin.isoformat(), "to": end.isoformat()})
    return begin, end


def _day(name: str, first: date, last: date, default: date) -> date:
    try:
        return min(max(date.fromisoformat(st.query_params.get(name, "")), first), last)
    except ValueError:
        return default


def choose_station(stations: list[str]) -> str:
    """One station, or the empty text for all; the URL has it as `station`."""
    return choose("station", "Station", ["", *stations], {"": "all stations"})


def choose(name: str, label: str, options: list[str], labels: dict[str, str]) -> str:
    """One of several from the side bar, the first if the URL names none of them; the URL has it under its name."""
    wanted = st.session_state.get(name, st.query_params.get(name, ""))
    st.session_state[name] = wanted if wanted in options else options[0]
    chosen = str(st.sidebar.selectbox(label, options, key=name, format_func=lambda value: labels.get(value, value)))
    if chosen:
        st.query_params[name] = chosen
    else:
        st.query_params.pop(name, None)
    return chosen


def show_coverage(found: Answer) -> None:
    """What was seen of what should have been logged, before anything is made of it."""
    by_name = {column.name: column for column in found.columns}
    lines = []
    for row in found.as_dicts():
        seen = data.shown(by_name["seen_hours"], row["seen_hours"])
        expected = data.shown(by_name["expected_hours"], row["expected_hours"])
        share = (
            "none declared"
            if row["share"] is None
            else f"{expected} declared, {data.shown(by_name['share'], row['share'])}"
        )
        lines.append(f"{row['source']}: {seen} seen of {share}")
    if any(row["missing_hours"] for row in found.as_dicts()):
        st.warning("Not all that should have been logged was seen. What happened then is in no number below.")
    st.text(
        "Coverage   " + "   ·   ".join(lines) if lines else "Coverage   nothing was declared or seen in this period"
    )


def show_numbers(found: Answer, row: dict[str, Any], names: list[str]) -> None:
    """A row of large numbers, units in their labels; what each means is its tooltip."""
    by_name = {column.name: column for column in found.columns}
    for place, name in zip(st.columns(len(names)), names, strict=True):
        column = by_name[name]
        place.metric(data.label(column), data.shown(column, row[name], with_unit=False), help=column.doc)


def show_table(found: Answer, rows: list[dict[str, Any]], names: list[str]) -> None:
    """Some rows and columns of an answer; labels, units and tooltips are the catalogue's."""
    st.dataframe(
        [{name: row[name] for name in names} for row in rows],
        column_config=data.column_config(found),
        hide_index=True,
        width="stretch",
    )


def show_rows(rows: list[dict[str, Any]], config: dict[str, Any]) -> None:
    """Rows that are no answer of the warehouse."""
    st.dataframe(rows, column_config=config, hide_index=True, width="stretch")


def show_sql(name: str, found: Answer, params: dict[str, str]) -> None:
    """The query behind what stands above."""
    with st.expander(f"SQL of “{data.title(name)}”"):
        st.caption(f"{data.why(name)} Question `{name}`, snapshot {found.snapshot}.")
        st.text("   ".join(f"${key} = {value!r}" for key, value in params.items()))
        st.code(found.sql, language="sql")
