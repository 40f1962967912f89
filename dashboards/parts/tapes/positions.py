"""Where files are on tape, the way of a mount through them, and what each way costs."""

import streamlit as st

from dashboards import charts, components, fields, tape_maps
from dashboards.head import Page

PART = {
    "title": "Positions and seeks",
    "order": 50,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive"],
}
MOST_MOUNTS = 500  # to choose from


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, drive=drive)
    reads = [row for row in mounts.rows if row["mode"] == "read"]
    if reads:
        reads.sort(key=lambda row: (-(row["position_s"] or 0), row["session_id"]))
        session = fields.choose(
            "session", "Mount (most tape motion first)", [row["session_id"] for row in reads[:MOST_MOUNTS]], page=st
        )
        mount = next(row for row in reads if row["session_id"] == session)
        components.show_numbers(mounts, mount, ["n_files", "drive_rate_mb_s", "overall_rate_mb_s", "f", "position_s"])
        tape_maps.show(page, mount["volume"], session)
    else:
        st.text("No log shows a mount that only read files in this period. Choose other days.")
    seeks = page.ask("seek_times", drive=drive)
    components.heading(seeks)
    if seeks.rows:
        titles = {
            "from_files": "files passed during the tape motion (lower end of the class)",
            "mean_s": seeks.label("mean_s"),
        }
        rows = [
            row | {"generation": f"{row['generation'] or 'unknown'} {'backwards' if row['is_back'] else 'forwards'}"}
            for row in seeks.rows
        ]
        chart = charts.lines(seeks.frame(rows), "from_files", "mean_s", "generation", titles, True)
        components.show_chart(seeks, chart, "Mean time of a tape motion, by the number of files that the tape passed.")
    else:
        st.text("No log shows tape motion between two files that a mount read in this period.")
    components.show_sql(seeks)
