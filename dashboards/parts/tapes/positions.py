"""Should we read the whole tape? Where its files lie, the way of a mount through them, and what each way costs."""

import streamlit as st

from dashboards import charts, components, data, fields, whole_tapes
from dashboards.charts import tape_charts
from dashboards.head import Page

PART = {
    "title": "Positions on tape",
    "order": 20,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive"],
}
MOST_MOUNTS = 500  # to choose from
MOUNTS = [
    "session_id",
    "drive",
    "pattern",
    "n_files",
    "volume_gb",
    "file_share",
    "position_s",
    "overall_rate_mb_s",
    "f",
]


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, drive=drive)
    reads = [row for row in mounts.rows if row["mode"] == "read"]
    components.heading(mounts, "Mounts that read")
    if not reads:
        st.info("No mount read anything in this period. Choose other days, or load server logs with `tapescope run`.")
        return
    reads.sort(key=lambda row: (-(row["position_s"] or 0), row["session_id"]))
    components.show_table(mounts, MOUNTS, reads, most=MOST_MOUNTS)
    components.show_sql(mounts)

    session = fields.choose("session", "Mount", [row["session_id"] for row in reads[:MOST_MOUNTS]], page=st)
    mount = next(row for row in reads if row["session_id"] == session)
    components.show_numbers(mounts, mount, ["n_files", "drive_rate_mb_s", "overall_rate_mb_s", "f", "position_s"])
    path = page.ask("mount_path", session=session)
    components.heading(path)
    left, right = st.columns(2)
    titles = {
        "number": "number in the mount",
        "file_number": "file on the tape",
        "position_s": path.label("position_s"),
    }
    components.show_chart(path, tape_charts.way(path.frame(), titles), "The way through the tape's files.", left)
    contents = page.ask("tape_contents", volume=mount["volume"])
    places = data.places(contents)
    if places is not None:
        read = {row["file_number"] for row in path.rows}
        components.show_chart(
            contents, tape_charts.serpentine(places, read), "Files by wrap and metres along the tape.", right
        )
    else:
        right.info(
            "Where the tape's files lie is not known: its technology has no tracks in the table, or its files no sizes."
        )
    components.show_sql(path, contents)

    seeks = page.ask("seek_times", drive=drive)
    components.heading(seeks)
    if seeks.rows:
        titles = {"from_files": "files passed over, at least", "mean_s": seeks.label("mean_s")}
        rows = [
            row | {"generation": f"{row['generation'] or 'unknown'} {'back' if row['is_back'] else 'on'}"}
            for row in seeks.rows
        ]
        components.show_chart(
            seeks, charts.lines(seeks.frame(rows), "from_files", "mean_s", "generation", titles, True)
        )
    else:
        st.info("No motion between two files of a reading mount is known.")
    components.show_sql(seeks)
    whole = page.ask("whole_tape_reads")
    whole_tapes.show(whole, whole.rows_of(drive=drive))
