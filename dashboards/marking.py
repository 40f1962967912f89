"""What people note of a finding, from the page: acknowledge, mute, reopen, comment, by the step the CLI uses."""

from datetime import date, timedelta

import streamlit as st

from dashboards import access
from dashboards.access import Writer
from dashboards.site import site_path
from pipelines import steps
from pipelines.primitives.errors import TapescopeError, WarehouseBusy
from pipelines.primitives.text import escape_markdown

DONE = {"acknowledge": "Acknowledged", "mute": "Muted", "reopen": "Reopened", "note": "Noted"}
_OUTCOME = "marking-outcome"


def show(finding_id: str, state: str, writer: Writer, last: date) -> None:
    """The form; who may not write reads why."""
    outcome = st.session_state.pop(_OUTCOME, None)
    if outcome:
        (st.success if outcome[0] else st.error)(outcome[1])
    st.text_input("Note", max_chars=500, key="marking-note", disabled=not writer.may_write)
    st.date_input(
        "Mute until", last + timedelta(days=7), min_value=last, key="marking-until", disabled=not writer.may_write
    )
    kinds = {"note": "Add note", "mute": "Mute"}
    kinds |= {"reopen": "Reopen"} if state in ("acknowledged", "muted") else {"acknowledge": "Acknowledge"}
    with st.container(horizontal=True, gap="small"):
        for kind, label in sorted(kinds.items()):
            st.button(
                label,
                key=f"marking-button-{kind}",
                type="primary" if kind == "acknowledge" else "secondary",
                disabled=not writer.may_write,
                on_click=_mark,
                args=(finding_id, kind),
            )
    st.caption(escape_markdown(writer.why))


def _mark(finding_id: str, kind: str) -> None:
    """Write it, if the server itself finds that the visitor may: a button's state is the browser's word."""
    writer = access.writer()
    note, until = str(st.session_state.get("marking-note") or "").strip() or None, st.session_state.get("marking-until")
    if not writer.may_write:
        st.session_state[_OUTCOME] = (False, f"Refused. {escape_markdown(writer.why)}")
        return
    if kind == "note" and not note:
        st.session_state[_OUTCOME] = (False, "Not saved: the field “Note” is empty.")
        return
    try:
        site = steps.site_at(site_path())
        steps.mark_finding(site, finding_id, kind, until if kind == "mute" else None, note, writer.name)
    except WarehouseBusy as busy:
        st.session_state[_OUTCOME] = (
            False,
            f"Not saved: {escape_markdown(str(busy))}. Try again when that step has finished.",
        )
    except TapescopeError as problem:
        st.session_state[_OUTCOME] = (False, f"Not saved: {escape_markdown(str(problem))}")
    else:
        st.session_state[_OUTCOME] = (True, f"{DONE[kind]}.")
        st.session_state["marking-note"] = ""
