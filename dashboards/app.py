"""The dashboard's front door: `streamlit run dashboards/app.py`, on the site that TAPESCOPE_SITE names."""

from pathlib import Path

import streamlit as st

from dashboards import access, components, data, navigation, search, state
from dashboards.pages import find_views
from dashboards.site import site_path

# The pages are in views/: Streamlit takes a folder pages/ for its older kind of app, and shows that to whoever first
# opens a page by its own address.
# No icons by name: Streamlit would have the browser fetch them from a font server.
st.set_page_config(page_title="tapescope", layout="wide")
st.html(Path(__file__).parent / "pages.css")
script = (Path(__file__).parent / "pages.js").read_text(encoding="utf-8")
st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
access.require_login(site_path())
VIEWS = find_views()
page = st.navigation(
    [
        st.Page(f"views/{view.name}.py", title=view.title, url_path=view.address, default=view is VIEWS[0])
        for view in VIEWS
    ],
    position="hidden",
)
state.begin(page.url_path)
components.begin()
state.say_other_page(page.title)
try:
    navigation.show(VIEWS)
    search.show()
    page.run()
    state.say_unused()
except data.NoAnswer as problem:
    st.error("A part of this page cannot be shown. Perhaps an older release built the warehouse without this data.")
    st.text(f"{problem}\nHint: {problem.hint or 'run tapescope run'}")
finally:
    state.end()
