"""Tonight on a wall screen (`/?wall=1`): large type, no side bar, pictures in turn, always the newest data."""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboards import state

TURN_S = 20  # how long each picture stays
_TURN = "wall-turn"


def is_on() -> bool:
    """Whether the URL asks for it."""
    return bool(state.keep("wall", "1" if state.value("wall") == "1" else ""))


def show(pictures: Sequence[Callable[[], None]]) -> None:
    """One of the pictures; the next one after a while."""
    st.html(Path(__file__).parent / "wall.css")
    st.session_state[_TURN] = -1

    @st.fragment(run_every=TURN_S)
    def turn() -> None:
        st.session_state[_TURN] += 1
        pictures[st.session_state[_TURN] % len(pictures)]()

    turn()
