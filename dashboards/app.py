"""The dashboard's front door: `streamlit run dashboards/app.py`, on the site that TAPESCOPE_SITE names."""

import streamlit as st

# The pages lie in views/: a folder pages/ would be Streamlit's older kind of app, which it shows to whoever comes first
# by a page's own address.
# No icons by name: Streamlit would have the browser fetch them from a font server.
st.set_page_config(page_title="tapescope", layout="wide")
st.navigation(
    [
        st.Page("views/gaps.py", title="Gaps", url_path="gaps", default=True),
        st.Page("views/studies.py", title="Case studies", url_path="studies"),
    ]
).run()
