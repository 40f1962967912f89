"""A page as tabs: its parts, of which one is drawn; the URL names it, unless it is the first."""

import streamlit as st

from dashboards import head, state
from dashboards.data import filled
from dashboards.pages import Part, find_parts
from pipelines.primitives.times import days_text


def show(page_name: str, title: str) -> None:
    """Draw a page. Parts whose logs were never read do not show: About lists them with what would bring them."""
    page = head.open_page(title)
    parts = find_parts(page_name)
    has_rows = filled(page.snapshot, frozenset(name for part in parts for name in part.needs))
    shown = {part.name: part for part in parts if is_shown(part, has_rows)}
    if not shown:
        st.info("No log that this page needs was ever read. The page About lists the logs that are needed.")
        state.link("about/missing", "What is missing, and how to add it")
        state.stop()
    asked = state.value("part")
    asked = next((part.name for part in parts if asked in part.was), asked)
    if asked and asked not in shown:
        known = next((part for part in parts if part.name == asked), None)
        why = (
            f"this site has no data for this part, which needs {known.lacking}"
            if known
            else "this page has no part with that name"
        )
        state.say_instead("Part", asked, why, next(iter(shown.values())).title)
    names = list(shown)
    titles = [part.title for part in shown.values()]
    key = state.widget("part", shown[asked].title if asked in shown else titles[0])
    if st.session_state[key] not in titles:
        st.session_state[key] = titles[0]
    tabs = st.tabs(titles, key=key, on_change="rerun")
    at = titles.index(st.session_state[key])
    state.keep("part", names[at] if at else "")
    part = shown[names[at]]
    page = page.narrowed(part.filters, part.compares)
    with tabs[at]:
        if page.before:
            st.caption(f"Compared with {days_text(*page.before)}.")
        part.draw(page)


def is_shown(part: Part, has_rows: set[str]) -> bool:
    """Whether anything that a part needs was ever read."""
    return not part.needs or bool(has_rows & set(part.needs))
