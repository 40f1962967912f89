"""One finding: what happened, what proves it, what it costs, what to do, and its life from night to night."""

import json

import streamlit as st

from dashboards import access, components, data, finding_links, findings, head, marking, state, zone
from dashboards.charts import finding_charts
from pipelines.catalog.files import load_catalog
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown
from pipelines.primitives.times import day_text, instant
from pipelines.reporting import finding_words

PAGE = {"title": "Finding", "order": 15, "listed": False}
CONTEXT = 2  # lines of the log before and after one that proves it
MOST_PROOFS = 2

page = head.open_page("")
chosen = state.value("id")
lives = page.ask("finding_life")
life = next((row for row in lives.rows if row["finding_id"] == chosen), None)
if life is None:
    if chosen:
        st.info(f"No finding up to {page.last} has the id “{escape_markdown(chosen, 40)}”.")
    st.title("Which finding?", anchor=False)
    for row in findings.ranked(page.ask("findings").rows, {row["finding_id"]: row for row in lives.rows}):
        findings.link(row)
    components.show_sql(lives)
    state.stop()
state.keep("id", chosen)

days = {"first_day": page.site["first_day"], "last_day": life["last_day"]}
found = page.ask("findings", finding=chosen, **days)
row = findings.ranked([one for one in found.rows if one["day"] == life["last_day"]], {chosen: life})[0]
rule = load_catalog().rules.get(row["rule"])

state.link("tonight", "← Tonight")
st.title(f"{escape_markdown(rule.title if rule else row['rule'])}: {escape_markdown(row['entity'])}", anchor=False)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    findings.badge(row["severity"])
    st.text(finding_words.since(life))
    st.text(format.price(row))
    finding_links.show(row["rule"], row["entity"])

left, right = st.columns([13, 7], gap="large")
with left:
    st.text(row["text"])
    shown = data.exhibit(page.snapshot, row)
    if shown and shown.rows.height:
        components.show_chart(found, finding_charts.exhibit(shown), "Rows of the metric that the rule judged.")
        if shown.rows.height < shown.n_rows:
            st.caption(f"{shown.rows.height:,} of {shown.n_rows:,} rows are drawn.")
    st.text(f"What it usually means: {row['means']}")
    findings.handbook(rule)
    st.header("Evidence", anchor=False)
    proofs = [proof for proof in json.loads(row["evidence"] or "[]") if proof.get("path") and proof.get("line_no")]
    for proof in proofs[:MOST_PROOFS]:
        number = int(proof["line_no"])
        around = data.lines(page.snapshot, proof["path"], range(max(1, number - CONTEXT), number + CONTEXT + 1))
        if isinstance(around, str):
            components.show_lines((proof["path"], number, proof.get("text")))
            st.caption(f"The log lines before and after this line cannot be shown: {escape_markdown(around)}.")
        else:
            components.show_lines(*((proof["path"], no, text) for no, text in sorted(around.items())), marked=number)
    if not proofs:
        st.text(
            "The finding rests on many rows, so no single log line proves it. The rows"
            " are under “Data and SQL” of the chart."
        )

with right:
    st.header("What to do", anchor=False)
    st.markdown("\n".join(f"- {findings.as_markdown(step)}" for step in findings.steps(row["rule"])))
    with st.container(border=True):
        marking.show(chosen, life["state"], access.writer(), page.last)
    st.header("What it costs", anchor=False)
    components.show_numbers(found, row, ["lost_hours", "gain_gb_day"])
    for name in ("lost_gb_day", "gain_gb_day_low", "gain_gb_day_high", "bottleneck", "confidence"):
        if row[name] is not None:
            st.text(f"{found.label(name)}: {format.cell(row[name], found.column(name))}")
    st.caption(
        "Lost: data that could have moved in the lost time without other limits. Gain: the part of the lost"
        " data that the next bottleneck and the drives' ceiling allow. Low and high are the ends of the 90 %"
        " interval of the gain."
    )
    st.header("From night to night", anchor=False)
    nights = page.ask("finding_days", finding=chosen)
    components.show_chart(
        nights, finding_charts.nights(nights.frame()), "Outcome of the rule on each of the last nights."
    )
    notes = page.ask("finding_marks", finding=chosen)
    for mark in notes.rows:
        when = instant(mark["made_at"], zone.name()) if mark["made_at"] else day_text(mark["day"])
        until = f" until {mark['until_day']}" if mark["until_day"] else ""
        st.text(
            f"{when}  {mark['author'] or 'unknown'}: {mark['kind']}{until}"
            + (f". {mark['note']}" if mark["note"] else "")
        )

about = findings.names(row)
others = page.ask("findings", first_day=life["last_day"], last_day=life["last_day"])
related = [
    other
    for other in findings.ranked(others.rows)
    if other["finding_id"] != chosen and (about & findings.names(other) or chosen == other["joined_to"])
]
if related:
    st.header("Related findings", anchor=False)
    for other in related[:8]:
        findings.link(other)
components.show_sql(found, nights, notes)
