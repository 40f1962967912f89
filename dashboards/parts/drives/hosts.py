"""Does a host or the robot hold drives back? Equal drives on different hosts, mounts that wait, changes of mode."""

import streamlit as st

from dashboards import components
from dashboards.charts import drive_charts
from dashboards.head import Page

PART = {
    "title": "Hosts and robots",
    "order": 50,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive"],
}
TURNS = ["drive", "n_read", "n_write", "n_mixed", "n_turns", "turn_share", "turn_hours", "n_came_back", "least_back_h"]
ROBOTS = [
    "robot",
    "n_drives",
    "n_alone",
    "alone_s",
    "n_together",
    "together_s",
    "step_s",
    "waited_hours",
    "concurrency",
]


def draw(page: Page) -> None:
    """Draw the part."""
    by_host = page.ask("rates_by_mover")
    components.heading(by_host)
    page.say_not_narrowed("drive", "The comparison of hosts includes all of their drives")
    if by_host.rows:
        components.show_chart(by_host, drive_charts.hosts(by_host.frame()))
    else:
        st.info("No log of these days shows a drive that moved a large file.")
    robots, turns = page.ask("robot_waits"), page.ask("drive_turns", drive=page.chosen["drive"])
    for found, columns, lacking in (
        (robots, ROBOTS, "No log covers a mount from the request until the tape is loaded."),
        (turns, TURNS, "No log shows a mount that moved files."),
    ):
        components.heading(found)
        if found is robots:
            page.say_not_narrowed("drive", "A mount can wait for mounts in the robot's other drives")
        if found.rows:
            components.show_table(found, columns)
        else:
            st.info(lacking)
    components.show_sql(by_host, robots, turns)
