"""What did it not see? Coverage, lines that were refused, clocks, builds and their checks."""

import streamlit as st

from dashboards import charts, parts

LINES = ["source", "state", "n_files", "n_lines", "n_used", "n_skipped", "n_rejected", "n_records"]
FILES = ["path", "source", "state", "n_lines", "n_rejected", "first_at", "last_at", "reason"]
CLOCKS = ["station", "tool", "watched", "direction", "skew_s", "skew_s_low", "skew_s_high", "says"]
MOST_HOSTS = 60

page = parts.open_page("What did it not see?")
hours = page.ask("coverage_hours")
parts.heading(hours)
declared = [row | {"log": f"{row['source']} {row['host']}"} for row in hours.rows if row["seen_share"] is not None]
if declared:
    worst = sorted(
        {row["log"] for row in declared}, key=lambda log: min(r["seen_share"] for r in declared if r["log"] == log)
    )
    kept = set(worst[:MOST_HOSTS])
    frame = hours.frame([row for row in declared if row["log"] in kept]).with_columns(
        log=charts.joined("source", "host"),
    )
    tips = ["log:N", charts.instant("hour_at", "hour"), charts.share("seen_share", "seen")]
    parts.show_chart(hours, charts.heat_map(frame, "hour_at", "log", "seen_share", "seen of what was declared", tips))
    if len(worst) > MOST_HOSTS:
        st.caption(f"The {MOST_HOSTS} logs of which least was seen, of {len(worst)}.")
else:
    st.info("site.toml declares no log for these days (`expect` of its inputs), so nothing can be missed.")
parts.show_sql(hours)

lines = page.ask("lines_read")
parts.heading(lines)
parts.show_table(lines, LINES)
parts.show_sql(lines)
rejects = page.ask("rejects")
parts.heading(rejects)
if rejects.rows:
    parts.show_table(
        rejects, ["path", "reason", "n_lines", "line_no", "text"], rejects.rows[:500], wide={"path": 220, "text": 330}
    )
else:
    st.info("No line was rejected.")
parts.show_sql(rejects)
files = page.ask("files")
parts.heading(files)
parts.show_table(files, FILES, files.rows[:1000], 300)
parts.show_sql(files)

unknown = page.ask("unknown_names")
parts.heading(unknown)
if unknown.rows:
    parts.show_table(unknown, ["kind", "name", "seen_in", "n_rows", "first_at", "last_at"], unknown.rows[:500])
else:
    st.info("Every station, drive and link of these days' logs is declared.")
parts.show_sql(unknown)

clocks = page.ask("clock_alignment")
parts.heading(clocks)
if clocks.rows:
    parts.show_table(clocks, CLOCKS, wide={"says": 290})
else:
    st.info("No station's clock could be held against the movers' log. `tapescope detect` does that.")
parts.show_sql(clocks)
odd = page.ask("contradictions")
parts.heading(odd)
if odd.rows:
    parts.show_table(
        odd, ["kind", "entity", "n", "n_compared", "what", "stated", "possible", "says"], wide={"says": 300}
    )
else:
    st.info("Nothing was compared yet. `tapescope detect` does that.")
parts.show_sql(odd)

builds, failed = page.ask("builds"), page.ask("last_build")
parts.heading(builds)
parts.show_table(builds, ["number", "build_id", "is_full", "is_committed", "n_days", "n_rows", "n_failed_checks"])
unmet = [row for row in failed.rows if row["relation"]]
if unmet:
    st.warning("The last build did not meet all of its checks.")
    parts.show_table(failed, ["relation", "expectation", "severity", "n_failing", "detail"], unmet)
parts.show_sql(builds, failed)
