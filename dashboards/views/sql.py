"""Anything else: a SELECT of one's own over the warehouse, next to the dictionary of its relations."""

from dataclasses import replace

import streamlit as st

from dashboards import head, sql_desk
from dashboards.tables import AT_ONCE, ROW_PX
from pipelines.primitives.format import counted

PAGE = {"title": "SQL", "order": 90, "group": "Ask"}


def start() -> None:
    """The chosen beginning goes into the editor."""
    if key := st.session_state["beginning"]:
        try:
            st.session_state["statement"] = sql_desk.beginning(key)
        except (OSError, ValueError) as problem:
            st.session_state["statement"] = f"-- the saved statement cannot be read: {problem}"


st.title("SQL desk", anchor=False)
head.show_freshness()
st.caption("One SELECT at a time, read-only, with limits. Statements here change nothing and reach no file.")
last: sql_desk.Ran | None = st.session_state.get("ran")
params = st.query_params.to_dict()
linked = sql_desk.from_url(params) if last is None or params.get("sql", last.asked.sql) != last.asked.sql else None
if linked:
    last = None
    for key in ("statement", "rows", "seconds", "chart", "x", "y"):
        st.session_state.pop(key, None)
if begun := sql_desk.question_of(params):
    st.session_state["beginning"] = begun
    start()
    st.session_state["ran"] = last = None
    st.query_params.clear()
asked = last.asked if last else linked or sql_desk.Asked("", sql_desk.ROWS[1], 30)
for key, value in (("statement", asked.sql), ("rows", asked.rows), ("seconds", asked.seconds)):
    st.session_state.setdefault(key, value)
editor, dictionary = st.columns([3, 2])
with editor:
    titles = sql_desk.beginnings()
    begin = ["", *titles]
    st.selectbox("Start from", begin, format_func=lambda key: titles.get(key, "—"), key="beginning", on_change=start)
    sql = st.text_area("Statement", key="statement", height=260, placeholder="SELECT drive, median(avoidable_s) FROM …")
    left, right, run = st.columns([2, 2, 1], vertical_alignment="bottom")
    rows = left.selectbox("At most, rows", sql_desk.ROWS, key="rows", format_func=lambda number: f"{number:,}")
    seconds = int(right.number_input("Stop the query after [s]", 1, 60, key="seconds"))
    if run.button("Run", type="primary", width="stretch") and sql.strip():
        st.session_state["ran"] = sql_desk.run(sql_desk.Asked(sql, rows, seconds))
    elif linked:
        st.session_state["ran"] = sql_desk.run(linked)
with dictionary:
    words = st.text_input("Look up tables, columns, units", placeholder="gap drive", key="words")
    st.dataframe(sql_desk.dictionary(words), hide_index=True, height=345, width="stretch")

ran: sql_desk.Ran | None = st.session_state.get("ran")
if ran is None:
    st.stop()
if ran.found is None:
    st.error("The statement failed.")
    st.code(ran.message, language=None, wrap_lines=True)
    st.text(f"Hint: {ran.hint}")
    st.code(ran.asked.sql, language="sql", line_numbers=True, wrap_lines=True)
    st.query_params.from_dict(sql_desk.as_url(ran.asked))
    st.stop()

found = ran.found
shown = found.shown(sql_desk.SHOWN_ROWS, sql_desk.SHOWN_CHARS)
n_rows, cut = found.table.num_rows, ", cut off at the limit" if found.is_cut else ""
more = f", the first {shown.num_rows:,} shown" if shown.num_rows < n_rows else ""
st.text(f"{counted(n_rows, 'row')}{cut}{more}   ·   snapshot {found.snapshot}   ·   {ran.took_s:.2f} s")
st.dataframe(
    shown,
    hide_index=True,
    width="stretch",
    height="content" if shown.num_rows <= AT_ONCE else (AT_ONCE + 1) * ROW_PX,
    row_height=ROW_PX,
)
csv, parquet, chart_at, x_at, y_at = st.columns([1, 1, 1, 2, 2], vertical_alignment="bottom")
csv.download_button("CSV", lambda: sql_desk.as_csv(found), "answer.csv", on_click="ignore", width="stretch")
parquet.download_button(
    "Parquet", lambda: sql_desk.as_parquet(found), "answer.parquet", on_click="ignore", width="stretch"
)
drawn = replace(ran.asked, snapshot=found.snapshot, chart="none", x="", y="")
if measures := sql_desk.measures(shown):
    for key, choice, options in (
        *(("chart", ran.asked.chart, sql_desk.CHARTS), ("x", ran.asked.x, shown.column_names)),
        ("y", ran.asked.y, measures),
    ):
        sql_desk.keep(key, choice, options)
    chart = chart_at.selectbox("Chart", sql_desk.CHARTS, key="chart")
    x, y = (
        x_at.selectbox("Horizontal axis", shown.column_names, key="x"),
        y_at.selectbox("Vertical axis", measures, key="y"),
    )
    if chart != "none":
        drawn = replace(drawn, chart=chart, x=x, y=y)
        st.altair_chart(sql_desk.drawn(shown, chart, x, y), width="stretch")
link = sql_desk.as_url(drawn)
st.query_params.from_dict(link)
st.caption(
    "Copy this page's address to share the query and its result." if link else "This statement is too long for a link."
)
st.code(found.sql, language="sql", line_numbers=True, wrap_lines=True)
