"""The list of pages in the side bar, in groups, each link with the period that the visitor chose."""

from collections.abc import Iterable

import streamlit as st

from dashboards import state
from dashboards.pages import View, in_groups


def show(views: Iterable[View]) -> None:
    """Headings and links. Streamlit's own list nests its groups in a way that screen readers cannot follow."""
    with st.sidebar.container(gap=None, key="pages"):
        for group, some in in_groups(view for view in views if view.listed).items():
            if group:
                st.caption(group)
            for view in some:
                state.link(view.name, view.title)
