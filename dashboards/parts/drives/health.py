"""Is a drive ill? What failed on it, and what its own counters count."""

import streamlit as st

from dashboards import components
from dashboards.charts import drive_charts
from dashboards.head import Page

PART = {
    "title": "Health",
    "order": 40,
    "needs": ["gold.drive_health", "silver.drive_counter"],
    "lacking": "logs of the drives, their SCSI log pages (sg_logs), or node_exporter's tapestats collector",
    "filters": ["drive"],
}
HEALTH = [
    "drive", "n_mounts", "volume_gb", "n_failed_transfers", "n_failed_mounts", "drive_read_errors",
    "drive_write_errors", "uncorrected_errors", "block_retries", "n_alerts", "n_outages", "n_restarts", "n_cleanings",
    "most_volumes_failed", "lost_hours", "down_hours",
]  # fmt: skip
FAILED = ["n_failed_transfers", "n_failed_mounts", "uncorrected_errors", "n_alerts", "n_outages", "n_cleanings"]
COUNTED = [
    "drive", "host", "device", "sampled_hours", "busy_share", "read_gb", "written_gb", "drive_rate_mb_s",
    "overall_rate_mb_s", "f", "note",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    health = page.ask("drive_health", drive=drive)
    components.heading(health, "Failures, errors, alerts and cleanings of each drive")
    if any(row[name] for row in health.rows for name in FAILED):
        titles = {name: health.label(name) for name in FAILED}
        components.show_chart(
            health, drive_charts.failures(health.frame(), titles), "Number of events by drive and kind."
        )
    elif health.rows:
        st.text(
            "The logs show no failed transfer, mount or dismount, no uncorrected error,"
            " and no alert, outage or cleaning of a drive."
        )
    if health.rows:
        components.show_table(health, HEALTH)
    else:
        st.info("No log of drives covers these days.")
    counted = page.ask("drive_counters")
    rows = counted.rows_of(drive=drive)
    if rows:
        components.heading(counted)
        components.show_table(counted, COUNTED, rows)
    components.show_sql(health, counted)
