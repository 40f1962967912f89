"""The dashboard's front door: `streamlit run dashboards/app.py`, on the site that TAPESCOPE_SITE names."""

import streamlit as st

# No icons by name: Streamlit would have the browser fetch them from a font server.
st.set_page_config(page_title="tapescope", layout="wide")
st.navigation(
    [
        st.Page("pages/gaps.py", title="Gaps", url_path="gaps", default=True),
        st.Page("pages/studies.py", title="Case studies", url_path="studies"),
    ]
).run()
