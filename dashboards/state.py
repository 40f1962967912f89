"""The state of a page, kept in its URL: any view can be sent in a mail, and opens unchanged."""

from typing import Any, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pipelines.primitives.text import escape_markdown

# The choices made so far in this session, those that we put into the URL, and those the running page has asked for; the
# names it looked for, and the place of notices.
_KEPT, _WRITTEN, _ASKED, _IS_NEW, _PAGE = "view-kept", "view-written", "view-asked", "view-is-new", "view-page"
_NAMES, _NOTICES = "view-names", "view-notices"
SHARED = ("from", "to", "with", "tz", "snapshot", "refresh")
NAME_CHARS = 80  # of a name or a value of the URL, in a notice


def begin(page: str) -> None:
    """Before a page runs: a URL that the visitor opened, followed or went back to has precedence over kept choices.

    Streamlit empties the URL when another page is chosen from the list: then what was kept goes on.
    """
    url = st.query_params.to_dict()
    kept = st.session_state.setdefault(_KEPT, {})
    is_new = bool(url) and url != st.session_state.get(_WRITTEN)
    if is_new:
        kept.clear()
        kept.update(url)
    is_other = st.session_state.get(_PAGE) != page
    if is_other and not is_new:
        kept.pop("part", None)  # a part belongs to its page
    st.session_state[_IS_NEW], st.session_state[_ASKED], st.session_state[_PAGE] = is_new or is_other, {}, page
    st.session_state[_NAMES], st.session_state[_NOTICES] = set(), st.container()


def end() -> None:
    """After it ran: the URL has what the page asked for, and nothing else."""
    asked = st.session_state[_ASKED]
    # a page that looks for no name here writes its URL itself
    if st.session_state[_NAMES] and st.query_params.to_dict() != asked:
        st.query_params.from_dict(asked)
    st.session_state[_WRITTEN] = dict(asked)


def stop() -> NoReturn:
    """End the page here. Streamlit takes no new URL from a page that it has been asked to stop."""
    end()
    st.stop()


def run_again() -> NoReturn:
    """Run the page again with the choices made so far: its URL goes with it."""
    end()
    st.rerun()


def notice(text: str) -> None:
    """Report something at the head of the page, from wherever it runs. The text is Markdown."""
    st.session_state[_NOTICES].warning(text)


def say_instead(label: str, asked: str, why: str, instead: str) -> None:
    """Report at the head of the page that what the URL asks for is not shown, why, and what is shown in its place."""
    asked, instead = escape_markdown(asked, NAME_CHARS), escape_markdown(instead, NAME_CHARS)
    notice(f"{label} “{asked}” cannot be shown: {why}. Shown instead: {instead}.")


def say_other_page(title: str) -> None:
    """Report that the URL names a page that does not exist: Streamlit runs the landing page in its place."""
    running = get_script_run_ctx()
    if running is None:
        return
    pages = running.pages_manager
    asked = "" if pages.intended_page_script_hash else pages.intended_page_name
    if asked and all(page["url_pathname"] != asked for page in pages.get_pages().values()):
        notice(f"There is no page “{escape_markdown(asked, NAME_CHARS)}”. Shown instead: {title}.")


def say_unused() -> None:
    """Report names of the URL that the page, which ran to its end, did not look for.

    A URL that we wrote ourselves can have some: another choice, made since, can leave the page without their field.
    """
    names = st.session_state[_NAMES]
    if names and st.session_state[_IS_NEW] and (unused := sorted(set(st.query_params) - names)):
        listed = ", ".join(f"“{escape_markdown(name, NAME_CHARS)}”" for name in unused)
        notice(f"This page has no choice named {listed}: that part of the address was ignored.")


def value(name: str) -> str:
    """What the URL, or a choice made before, has under a name; empty if nothing."""
    st.session_state[_NAMES].add(name)
    return str(st.session_state[_KEPT].get(name, ""))


def keep(name: str, chosen: str) -> str:
    """Keep a choice for the pages to come, and write it into the URL unless it is the empty one."""
    st.session_state[_NAMES].add(name)
    st.session_state[_KEPT][name] = chosen
    if chosen:
        st.session_state[_ASKED][name] = chosen
    return chosen


def widget(name: str, start: Any) -> str:
    """The key of a choice's widget, set to where it starts if the URL or the page is another than before."""
    key = f"choose-{name}"
    if st.session_state[_IS_NEW] or key not in st.session_state:
        st.session_state[key] = start
    return key


def shared(is_before: bool = False) -> dict[str, str]:
    """What all pages share of the choices made: the period, the clock and the snapshot.

    Where the page has not asked for them yet there are none, but for what `is_before`: those of its last run, or of
    the URL. The list of pages needs none, for all that was kept goes on where the URL is empty.
    """
    chosen = st.session_state[_KEPT if is_before else _ASKED]
    return {name: chosen[name] for name in SHARED if chosen.get(name)}


def link(page: str, label: str, **choices: str | None) -> None:
    """A link to another page with the same period, and these choices. The label is ours, never a log's.

    `page` may name a part of it: `time/gaps`.
    """
    name, _, part = page.partition("/")
    chosen = {name: text for name, text in (choices | {"part": part}).items() if text}
    st.page_link(f"views/{name}.py", label=label, query_params=shared() | chosen)
