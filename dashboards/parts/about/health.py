"""What did it not see? Coverage, lines that were refused, clocks, builds and their checks."""

import streamlit as st

from dashboards import charts, components
from dashboards.head import Page

PART = {
    "title": "Data health",
    "order": 20,
}
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
            hours, charts.heat_map(frame, "log", "seen_share", "read of what was declared", tips, page.span())
        )
        st.caption("Faint: declared, and little or nothing was read. Empty: nothing was declared for that hour.")
        if len(worst) > MOST_HOSTS:
            st.caption(f"The {MOST_HOSTS} logs with the least coverage, of {len(worst)}.")
    else:
        st.info("site.toml declares no log for these days (`expect` of its inputs): what is missing is not known.")
    undeclared = [row for row in hours.rows if row["seen_share"] is None]
    if undeclared:
        st.caption("Logs of these days that site.toml declares no hours for, by the hour: what was read.")
        components.show_table(hours, ["source", "host", "hour_at", "seen_s"], undeclared)
    components.show_sql(hours)
