"""Is anything wrong, and is it worth my time? One screen: the verdict, where the hours went, the problems ranked."""

from collections import Counter

import streamlit as st

from dashboards import components, findings, head
from dashboards.charts import ledger_charts
from pipelines.primitives import format

PAGE = {"title": "Tonight", "order": 10}
CARDS_PX = 420  # with what stands above it this is one screen of a laptop
SHOWN_FINDINGS = 30

page = head.open_page("Is anything wrong?", compares=True)
found, days, lives = page.ask("findings"), page.ask("day_state"), page.ask("finding_life")
# What people muted or acknowledged no longer asks for anybody's time.
known = {row["finding_id"]: row for row in lives.rows}
standing = [row | {"life": known.get(row["finding_id"], {})} for row in findings.ranked(found.rows)]
set_aside = [row for row in standing if row["life"].get("state") in findings.SET_ASIDE]
open_now = [row for row in standing if row not in set_aside]

headline, steps = page.ask("headline"), page.ask("ledger_waterfall")
verdict = findings.counted(open_now)
moved = findings.moved(headline.rows[0])
if verdict:
    (st.error if open_now[0]["severity"] == "critical" else st.warning)(f"{verdict}. {moved}")
elif set_aside:
    st.info(f"No finding is open: all of them are acknowledged or muted. {moved}")
# An all-clear needs rules that ran, on logs that were read, for every day of the period.
for row in days.rows:
    if row["state"] == "clean":
        st.success(f"{row['summary']} {moved}")
    elif row["state"] != "findings":
        st.warning(row["summary"])
    elif not found.rows:
        st.info(f"{row['summary']} They stand under the last day of the period that the rules looked at.")

if steps.rows:
    bars = steps.frame().with_columns(period=findings.days_of(page.first, page.last))
    earlier = page.ask_before("ledger_waterfall")
    if earlier and page.before and earlier.rows:
        bars = bars.vstack(earlier.frame().with_columns(period=findings.days_of(*page.before)))
    components.show_chart(steps, ledger_charts.one_bar(bars), "Drive-hours, by what they went on.")
    if page.before and not (earlier and earlier.rows):
        st.caption(f"No drive's log covers {format.days_text(*page.before)}.")

left, right = st.columns([11, 9], gap="medium")
with left:
    drives = page.ask("drive_timeline")
    if drives.rows:
        marks = findings.marks(open_now, {row["drive"] for row in drives.rows})
        chart = ledger_charts.drives(drives.frame(), marks, page.span())
        components.show_chart(drives, chart, "Each drive's time along the period; findings are marked.")
    else:
        st.info("No log of drives covers this period. Add one to site.toml, or choose other days.")
with right:
    trend = page.ask("finding_days")
    with st.container(height=CARDS_PX, border=False, key="cards"):
        for row in open_now[:SHOWN_FINDINGS]:
            findings.card(row, trend.rows_of(finding_id=row["finding_id"]))
        components.say_cut(found, len(open_now[:SHOWN_FINDINGS]), len(open_now))
        for row in set_aside[:SHOWN_FINDINGS]:
            findings.card(row, trend.rows_of(finding_id=row["finding_id"]))
        if not standing:
            st.text("No finding stands in this period.")

gone = [row for row in lives.rows if row["state"] == "gone"]
withheld = page.ask("withheld")
numbers = Counter(row["life"]["state"] for row in set_aside)
notes = [f"{n} {state}" for state, n in sorted(numbers.items())]
notes += [f"{len(gone)} gone since earlier nights"] if gone else []
notes += [f"{len(withheld.rows)} verdicts withheld for lack of logs"] if withheld.rows else []
with st.expander(f"Not counted above: {' · '.join(notes)}" if notes else "Data of this page"):
    if gone:
        components.show_part(lives, findings.GONE, gone, text="Findings that are gone")
    components.heading(withheld)
    if withheld.rows:
        components.show_table(withheld, ["rule", "source", "host", "missing_hours", "share", "needed", "day"])
        st.caption("Too little was read to judge these. The hours are missing from every number.")
    elif all(row["state"] in ("findings", "clean") for row in days.rows):
        st.info("None: of every log that site.toml declares enough was read.")
    else:
        st.info("No rule withheld a verdict, but some days have none: see the top of the page.")
    components.show_sql(found, lives, trend, headline, steps, drives, days, withheld)
