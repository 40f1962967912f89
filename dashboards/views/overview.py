"""Is anything wrong, and is it worth my time? The night's verdict, what it cost, what changed, and where to look."""

from collections import Counter

import streamlit as st

from dashboards import components, finding_links
from pipelines.primitives.format import price

PAGE = {"title": "Tonight", "order": 10, "address": "tonight"}
HEAD = [
    "moved_tb", "n_sessions", "drive_rate_mb_s", "drive_rate_basis", "overall_rate_mb_s", "f", "moving_data_hours",
    "unknown_hours",
]  # fmt: skip
LOST = ["cause", "station", "drives", "lost_hours", "gain_gb_day", "bottleneck"]
MOVED = ["state", "severity", "rule", "entity", "text", "finding_id"]
SHOWN_LOSSES, SHOWN_LOST, SHOWN_FINDINGS = 5, 10, 30
SEVERITIES = ("critical", "warning", "info")

page = components.open_page("Is anything wrong?", compares=True)
found, withheld, days = page.ask("findings"), page.ask("withheld"), page.ask("day_state")
lives = page.ask("finding_life")
# What people muted or acknowledged no longer asks for anybody's time.
known = {row["finding_id"]: row for row in lives.rows if row["state"] in ("muted", "acknowledged")}
set_aside = {row["finding_id"]: row | known[row["finding_id"]] for row in found.rows if row["finding_id"] in known}
open_now = [row for row in found.rows if row["finding_id"] not in known]
counts = {name: sum(row["severity"] == name for row in open_now) for name in SEVERITIES}
counted = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
if counted:
    (st.error if counts["critical"] else st.warning)(f"Something is wrong: {counted}.")
elif set_aside:
    st.info("No finding is open: all of them are acknowledged or muted.")
# An all-clear needs rules that ran, on logs that were read, for every day of the period.
for row in days.rows:
    if row["state"] == "clean":
        st.success(row["summary"])
    elif row["state"] != "findings":
        st.warning(row["summary"])
    elif not found.rows:
        st.info(f"{row['summary']} They stand under the last day of the period that the rules looked at.")
if set_aside:
    numbers = Counter(row["state"] for row in set_aside.values())
    st.text(f"Not counted: {', '.join(f'{n} {state}' for state, n in sorted(numbers.items()))}; see below.")

headline = page.ask("headline")
earlier = page.ask_before("headline")
components.heading(headline)
components.show_numbers(headline, headline.rows[0], HEAD, next(iter(earlier.rows), {}) if earlier else None)
components.show_sql(headline)

losses = page.ask("losses")
components.heading(losses, "What it costs")
st.caption(
    "Lost: what could have moved in the lost time if nothing else limited. Gain: what remains of it after the next"
    " bottleneck, or the ceiling of the drives."
)
for row in losses.rows[:SHOWN_LOSSES]:
    text, gain, lead = st.columns([5, 3, 2], vertical_alignment="center")
    text.text(f"{row['rule']}   {row['entities']}")
    gain.text(price(row))
    with lead:
        finding_links.show(row["rule"], row["entities"] if row["n_findings"] == 1 else None)
components.say_cut(losses, len(losses.rows[:SHOWN_LOSSES]), len(losses.rows))
if not losses.rows:
    st.info("No finding of this period has a price.")
priced = page.ask("lost_time")
components.show_table(priced, LOST, [row for row in priced.rows if row["gain_gb_day"]], most=SHOWN_LOST)
components.show_sql(losses, priced)

components.heading(found, "Open findings")
for row in sorted(open_now, key=lambda row: SEVERITIES.index(row["severity"]))[:SHOWN_FINDINGS]:
    text, lead = st.columns([8, 2], vertical_alignment="center")
    text.text(f"{row['severity']} · {row['state']} · {row['text']}")
    with lead:
        finding_links.show(row["rule"], row["entity"])
    finding_links.show_command("acknowledge", row["finding_id"])
if len(open_now) > SHOWN_FINDINGS:
    st.text(f"and {len(open_now) - SHOWN_FINDINGS} more: see the table under the SQL")
if set_aside:
    st.subheader("Acknowledged or muted", anchor=False)
for row in list(set_aside.values())[:SHOWN_FINDINGS]:
    until = f" until {row['until_day']}" if row["until_day"] else ""
    st.text(f"{row['severity']} · {row['state']}{until} · {row['text']}" + (f" · {row['note']}" if row["note"] else ""))
    finding_links.show_command("reopen", row["finding_id"])
components.show_sql(found)

moved = [row for row in lives.rows if row["state"] in ("new", "returned", "gone")]
WIDE = {"rule": 140, "text": 380}
components.show_part(
    lives, MOVED, moved, "No finding came, returned or went.", wide=WIDE, text="What changed since earlier nights"
)

components.heading(withheld)
if withheld.rows:
    components.show_table(withheld, ["rule", "source", "host", "missing_hours", "share", "needed", "day"])
    st.caption("Too little was seen to judge these. The hours are missing from every number.")
elif all(row["state"] in ("findings", "clean") for row in days.rows):
    st.info("None: of every log that site.toml declares enough was read.")
else:
    st.info("No rule withheld a verdict, but some days have none: see the top of the page.")
components.show_sql(withheld, days)
