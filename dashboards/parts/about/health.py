"""Can the data be trusted? Hours that logs cover, impossible dates, clocks, and logs that contradict each other."""

import polars as pl
import streamlit as st

from dashboards import charts, components, zone
from dashboards.charts.series import MOST_HOURLY_DAYS
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Data health",
    "order": 20,
    "was": ["clocks"],
}
MOST_HOSTS = 60

READ = ["source", "n_hosts", "n_days", "first_day", "last_day", "covered_hours"]
DATES = ["path", "source", "summary"]
CLOCKS = ["station", "tool", "watched", "direction", "skew_s", "skew_s_low", "skew_s_high", "summary"]
CONTRADICTIONS = ["kind", "entity", "n", "n_compared", "what", "reported", "bound", "summary"]


def draw(page: Page) -> None:
    """Draw the part."""
    impossible = page.ask("impossible_dates")
    if impossible.rows:
        st.warning(
            f"{format.counted(len(impossible.rows), 'file')} with impossible dates: such dates do not"
            " count as days with data."
        )
        components.show_part(impossible, DATES, wide={"path": 260, "summary": 330})
    components.show_part(page.ask("logs_read"), READ)
    _show_coverage(page)
    nothing = "No station's clock could be compared with the clock of the movers' log up to the period's last day."
    components.show_closed(page.ask("clock_alignment"), CLOCKS, lacking=nothing, wide={"summary": 290})
    nothing = "No impossible value and no contradiction between logs was found."
    components.show_closed(page.ask("contradictions"), CONTRADICTIONS, lacking=nothing, wide={"summary": 300})


def _show_coverage(page: Page) -> None:
    """What was read of the hours that site.toml declares, by log and hour."""
    hours = page.ask("coverage_hours")
    declared = [
        row | {"log": f"{row['source']} {row['host']}"} for row in hours.rows if row["covered_share"] is not None
    ]
    is_daily = page.n_days > MOST_HOURLY_DAYS
    step = "day" if is_daily else "hour"
    components.heading(hours, f"How much of each {step} the logs cover")
    if declared:
        least: dict[str, float] = {}
        for row in declared:
            least[row["log"]] = min(least.get(row["log"], 1.0), row["covered_share"])
        worst = sorted(least, key=lambda log: (least[log], log))
        kept = set(worst[:MOST_HOSTS])
        frame = hours.frame([row for row in declared if row["log"] in kept]).with_columns(
            log=charts.joined("source", "host"), hour_at="from_at"
        )
        if is_daily:  # a row of a day is that site day by either clock
            days = frame["hour_at"].map_elements(zone.site_day, return_dtype=pl.Date).cast(pl.Datetime("us"))
            frame = frame.with_columns(hour_at=days)
        tips = [
            "log:N",
            charts.instant("hour_at", step),
            charts.share("covered_share", "coverage"),
        ]
        components.show_chart(
            hours,
            charts.heat_map(
                frame,
                "log",
                "covered_share",
                "coverage: share of the expected time that the log covers",
                tips,
                page.span(),
                daily=is_daily,
            ),
        )
        st.caption(
            f"Faint: site.toml declares a log for the {step}, but little or nothing was read. Empty:"
            f" site.toml declares no log for the {step}."
        )
        if len(worst) > MOST_HOSTS:
            st.caption(
                f"The chart shows {MOST_HOSTS} of {len(worst)} logs, those with the lowest coverage in any {step}."
            )
    else:
        st.info("No input of site.toml declares (`expect`) a log for these days, so missing logs cannot be detected.")
    undeclared = [row for row in hours.rows if row["covered_share"] is None]
    if undeclared:
        st.caption(f"The table lists {step}s that a log covers, although site.toml does not declare this log for them.")
        components.show_table(hours, ["source", "host", "from_at", "covered_s"], undeclared)
    components.show_sql(hours)
