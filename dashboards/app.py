"""The dashboard's front door: `streamlit run dashboards/app.py`, on the site that TAPESCOPE_SITE names."""

import streamlit as st

from dashboards import access, data, state

# The pages lie in views/: a folder pages/ would be Streamlit's older kind of app, which it shows to whoever comes first
# by a page's own address.
# No icons by name: Streamlit would have the browser fetch them from a font server.
st.set_page_config(page_title="tapescope", layout="wide")
access.require_login(data.site_path())
# One list: with headings between them Streamlit nests lists in a way that screen readers cannot follow.
PAGES = [
    st.Page("views/tonight.py", title="Tonight", url_path="tonight", default=True),
    st.Page("views/ledger.py", title="Where the time went", url_path="time"),
    st.Page("views/stations.py", title="Stations", url_path="stations"),
    st.Page("views/gaps.py", title="Gaps", url_path="gaps"),
    st.Page("views/drives.py", title="Drives", url_path="drives"),
    st.Page("views/tapes.py", title="Tapes and positions", url_path="tapes"),
    st.Page("views/groups.py", title="Groups and families", url_path="groups"),
    st.Page("views/recalls.py", title="Recalls", url_path="recalls"),
    st.Page("views/pools.py", title="Pools and network", url_path="pools"),
    st.Page("views/sizing.py", title="Sizing", url_path="sizing"),
    st.Page("views/whatif.py", title="What-if", url_path="whatif"),
    st.Page("views/changes.py", title="Before/after", url_path="changes"),
    st.Page("views/sql.py", title="SQL", url_path="sql"),
    st.Page("views/studies.py", title="Case studies", url_path="studies"),
    st.Page("views/archive.py", title="The archive", url_path="archive"),
    st.Page("views/health.py", title="Data health", url_path="health"),
]
page = st.navigation(PAGES, expanded=True)
state.begin(page.url_path)
state.say_other_page(page.title)
try:
    page.run()
    state.say_unused()
except data.NoAnswer as problem:
    st.error("A part of this page cannot be shown. A warehouse that an older release built lacks it.")
    st.text(f"{problem}\nHint: {problem.hint or 'run `tapescope run`'}")
finally:
    state.end()
