"""The search box of the side bar: drives, tapes, stations, groups, pools, hosts, findings, questions and pages."""

from collections.abc import Iterator

import streamlit as st

from dashboards import data, state
from dashboards.pages import find_parts, find_views
from pipelines.catalog.files import load_catalog
from pipelines.primitives.text import escape_markdown

MOST_SHOWN = 10
# The page, its choice, and the word for each kind of thing.
KINDS = {
    "drive": ("drives", "drive", "drive"),
    "volume": ("tapes", "tape", "tape"),
    "station": ("stations", "station", "station"),
    "group": ("tapes", "group", "storage group"),
    "pool": ("pools", "pool", "pool"),
    "finding": ("finding", "id", "finding"),
}


def show() -> None:
    """The box, and links to what has the text in its name."""
    text = str(st.sidebar.text_input("Search", placeholder="drive, tape, station, finding, page", key="search")).strip()
    if not text:
        return
    links = [*_pages(text), *_things(text)]
    with st.sidebar.container(gap=None):
        for page, label, choices in links[:MOST_SHOWN]:
            state.link(page, label, **state.shared(is_before=True) | choices)
        if not links:
            st.caption("No name contains this text.")
        elif len(links) > MOST_SHOWN:
            st.caption("There are more matches: type more of the name.")


def _pages(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    words = text.lower().split()
    for view in find_views():
        if view.listed and all(word in view.title.lower() for word in words):
            yield view.name, f"page **{view.title}**", {}
        for part in find_parts(view.name):
            if all(word in f"{view.title} {part.title}".lower() for word in words):
                yield f"{view.name}/{part.name}", f"page **{view.title}** · {part.title}", {}
    for name, question in load_catalog().questions.items():
        if all(word in f"{name} {question.title}".lower() for word in words):
            yield "sql", f"question **{question.title}**", {"start": name}


def _things(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    try:
        newest = data.newest_snapshot()
        found = data.ask("search", newest, {"text": text, "n": str(MOST_SHOWN + 1)})
    except data.NoAnswer:
        return
    for row in found.rows:
        page, choice, word = KINDS[row["kind"]]
        label = f"{word} **{escape_markdown(row['name'], 60)}**"
        yield page, label, {choice: row["id"]}
