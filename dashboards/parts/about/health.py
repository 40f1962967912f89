"""What did it not see? Coverage, lines that were refused, clocks, builds and their checks."""

import streamlit as st

from dashboards import charts, components
from dashboards.head import Page

PART = {
    "title": "Data health",
    "order": 20,
}
FRESH = ["kind", "name", "until_at", "ended_at", "outcome", "failure"]
LINES = ["source", "state", "n_files", "n_lines", "n_used", "n_skipped", "n_rejected", "n_records"]
FILES = ["path", "source", "state", "n_lines", "n_rejected", "first_at", "last_at", "reason", "note"]
CLOCKS = ["station", "tool", "watched", "direction", "skew_s", "skew_s_low", "skew_s_high", "summary"]
REJECTS = ["path", "reason", "n_lines", "line_no", "text"]
NAMES = ["kind", "name", "seen_in", "n_rows", "first_at", "last_at"]
CONTRADICTIONS = ["kind", "entity", "n", "n_compared", "what", "reported", "bound", "summary"]
MOST_HOSTS = 60

READ = ["source", "n_hosts", "n_days", "first_day", "last_day", "seen_hours"]
DATES = ["path", "source", "summary"]


def draw(page: Page) -> None:
    """Draw the part."""
    impossible = page.ask("impossible_dates")
    if impossible.rows:
        st.warning(f"{len(impossible.rows)} files hold dates that cannot be: those days do not count.")
        components.show_part(impossible, DATES, wide={"path": 260, "summary": 330})
    components.show_part(page.ask("logs_read"), READ)
    hours = page.ask("coverage_hours")
    components.heading(hours)
    declared = [row | {"log": f"{row['source']} {row['host']}"} for row in hours.rows if row["seen_share"] is not None]
    if declared:
        least: dict[str, float] = {}
        for row in declared:
            least[row["log"]] = min(least.get(row["log"], 1.0), row["seen_share"])
        worst = sorted(least, key=lambda log: (least[log], log))
        kept = set(worst[:MOST_HOSTS])
        frame = hours.frame([row for row in declared if row["log"] in kept]).with_columns(
            log=charts.joined("source", "host"),
        )
        tips = ["log:N", charts.instant("hour_at", "hour"), charts.share("seen_share", "seen")]
        components.show_chart(
            hours, charts.heat_map(frame, "log", "seen_share", "seen of what was declared", tips, page.span())
        )
        st.caption("Faint: declared, and little or nothing was seen. Empty: nothing was declared for that hour.")
        if len(worst) > MOST_HOSTS:
            st.caption(f"The {MOST_HOSTS} logs of which least was seen, of {len(worst)}.")
    else:
        st.info("site.toml declares no log for these days (`expect` of its inputs): what is missing is not known.")
    undeclared = [row for row in hours.rows if row["seen_share"] is None]
    if undeclared:
        st.caption("Logs of these days that site.toml declares no hours for, by the hour: what was read.")
        components.show_table(hours, ["source", "host", "hour_at", "seen_s"], undeclared)
    components.show_sql(hours)

    fresh = page.ask("freshness")
    components.show_part(fresh, FRESH, fresh.rows[1:], "Nothing was read, and nothing ran.", wide={"failure": 300})
    components.show_part(page.ask("lines_read"), LINES)
    rejects, files, unknown = (page.ask(name) for name in ("rejects", "files", "unknown_names"))
    components.show_part(rejects, REJECTS, lacking="No line was rejected.", wide={"path": 220, "text": 330})
    components.show_part(files, FILES, wide={"note": 300})
    nothing = "Every station, drive and link of these days' logs is declared."
    components.show_part(unknown, NAMES, lacking=nothing)
    nothing = "No station's clock could be held against the movers' log. `tapescope detect` does that."
    components.show_part(page.ask("clock_alignment"), CLOCKS, lacking=nothing, wide={"summary": 290})
    nothing = "Nothing was compared yet. `tapescope detect` does that."
    components.show_part(page.ask("contradictions"), CONTRADICTIONS, lacking=nothing, wide={"summary": 300})

    builds, failed = page.ask("builds"), page.ask("checks")
    components.heading(builds)
    components.show_table(
        builds, ["number", "build_id", "is_full", "is_committed", "n_days", "n_rows", "n_failed_checks"]
    )
    unmet = [row for row in failed.rows if row["outcome"] not in (None, "passed")]
    if unmet:
        st.warning("The last build did not meet all of its checks.")
        components.show_table(failed, ["relation", "expectation", "severity", "n_failing", "detail"], unmet)
    components.show_sql(builds, failed)
