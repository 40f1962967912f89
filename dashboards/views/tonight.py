"""Is anything wrong, and is it worth my time? The night's verdict, what it cost, what changed, and where to look."""

import streamlit as st

from dashboards import leads, parts

HEAD = ["moved_tb", "n_sessions", "drive_rate_mb_s", "overall_rate_mb_s", "f", "transfer_hours", "unknown_hours"]
LOST = ["cause", "station", "drives", "lost_hours", "gain_gb_day", "bottleneck"]
MOVED = ["state", "severity", "rule", "entity", "text"]
SHOWN_LOSSES, SHOWN_FINDINGS = 5, 30
SEVERITIES = ("critical", "warning", "info")

page = parts.open_page("Is anything wrong?", compares=True)
found, withheld = page.ask("findings"), page.ask("withheld")
told = page.ask("finding_life")
# What people muted or acknowledged no longer asks for anybody's time.
known = {row["finding_id"] for row in told.rows if row["state"] in ("muted", "acknowledged")}
open_now = [row for row in found.rows if row["finding_id"] not in known]
counts = {name: sum(row["severity"] == name for row in open_now) for name in SEVERITIES}
said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
if said:
    (st.error if counts["critical"] else st.warning)(f"Something is wrong: {said}.")
elif withheld.rows:
    st.warning("Nothing was found, but not all could be judged: see the verdicts withheld.")
else:
    st.success("Nothing that the rules look for was found in this period.")

headline = page.ask("headline")
earlier = page.ask_before("headline")
parts.heading(headline)
parts.show_numbers(headline, headline.rows[0], HEAD, next(iter(earlier.rows), None) if earlier else None)
parts.show_sql(headline)

losses = page.ask("losses")
parts.heading(losses, "What it costs")
for row in losses.rows[:SHOWN_LOSSES]:
    text, gain, lead = st.columns([5, 3, 2], vertical_alignment="center")
    text.text(f"{row['rule']}   {row['entities']}")
    worth = "gain_gb_day" if row["gain_gb_day"] is not None else "lost_gb_day"
    gain.text(f"{losses.label(worth).partition(' [')[0]} {losses.shown(row, worth)}, {losses.shown(row, 'lost_hours')}")
    with lead:
        leads.show(row["rule"], row["entities"] if row["n_findings"] == 1 else None)
if not losses.rows:
    st.info("No finding of this period has a price.")
priced = page.ask("lost_time")
parts.show_table(priced, LOST, [row for row in priced.rows if row["gain_gb_day"]][:10])
parts.show_sql(losses, priced)

parts.heading(found, "Open findings")
for row in sorted(open_now, key=lambda row: SEVERITIES.index(row["severity"]))[:SHOWN_FINDINGS]:
    text, lead = st.columns([8, 2], vertical_alignment="center")
    text.text(f"{row['severity']} · {row['state']} · {row['text']}")
    with lead:
        leads.show(row["rule"], row["entity"])
if len(open_now) > SHOWN_FINDINGS:
    st.text(f"and {len(open_now) - SHOWN_FINDINGS} more: see the table below")
parts.show_sql(found)

moved = [row for row in told.rows if row["state"] in ("new", "returned", "gone")]
WIDE = {"rule": 140, "text": 380}
parts.show_part(
    told, MOVED, moved, "No finding came, returned or went.", wide=WIDE, text="What changed since earlier nights"
)

parts.heading(withheld)
if withheld.rows:
    parts.show_table(withheld, ["rule", "source", "host", "missing_hours", "share", "needed", "day"])
    st.caption("Too little was seen to judge these. The hours are missing from every number.")
else:
    st.info("None: enough was seen for every rule.")
parts.show_sql(withheld)
