"""What are the drives doing all day? From all drive-hours to the moving ones, and down to a mount and its log lines."""

import streamlit as st

from dashboards import charts, components, data, fields, words
from dashboards.charts import ledger_charts
from dashboards.head import Page
from pipelines.primitives.format import quantity

PART = {
    "title": "Where the hours went",
    "order": 10,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives: Enstore, CTA, TSM, or counters of node_exporter",
    "filters": ["drive", "station", "group"],
    "compares": True,
}
MOST_MOUNTS = 200  # to choose from
MOUNT = ["session_id", "drive", "volume", "mode", "n_files", "volume_gb", "drive_rate_mb_s", "overall_rate_mb_s", "f"]


def draw(page: Page) -> None:
    """Draw the part."""
    drive, station, group = (page.chosen[name] for name in ("drive", "station", "group"))
    steps = page.ask("ledger_waterfall", drive=drive)
    if not steps.rows:
        st.info("No server log tells of drives in this period. Choose other days, or load logs with `tapescope run`.")
        return
    components.heading(steps)
    components.show_chart(steps, ledger_charts.waterfall(steps.frame()))
    earlier = page.ask_before("ledger_waterfall", drive=drive)
    if earlier and page.before:
        st.caption(f"The same from {page.before[0]} to {page.before[1]}:")
        if earlier.rows:
            components.show_chart(earlier, ledger_charts.waterfall(earlier.frame()))
        else:
            st.info("No server log covers these days.")
    components.show_sql(steps, *([earlier] if earlier else []))

    hours = page.ask("busy_hours", drive=drive, station=station)
    components.heading(hours, "Which drive, at which hour")
    WHAT = {
        "busy_share": "at work",
        "moving_share": "in transfers, not waiting",
        "lost_share": "the rest of the time at work",
    }
    what = fields.choose("show", "Show the share of each hour", list(WHAT), WHAT, st)
    if hours.rows:
        tips = ["drive:N", charts.instant("hour_at", "hour"), "station:N", "mode:N", "verdict:N"]
        tips += [charts.share(name, words) for name, words in WHAT.items()]
        colour = charts.RED if what == "lost_share" else charts.BLUE
        components.show_chart(
            hours, charts.heat_map(hours.frame(), "drive", what, WHAT[what], tips, page.span(), colour)
        )
        st.caption("Empty: at work for less than ten minutes of the hour: idle, down, or no log covers it.")
    else:
        st.info("No drive was at work for ten minutes of any hour.")
    components.show_sql(hours)

    groups = page.ask("hours_by_group")
    components.heading(groups)
    of_group = [row for row in groups.rows_of(storage_group=group) if row["storage_group"]]
    if of_group:
        chart = ledger_charts.stacked(groups.frame(of_group), "drive_hours", "storage_group", "drive-hours [h]")
        components.show_chart(groups, chart)
    else:
        st.info("No log names the storage groups of these days' files. Enstore's accounting export has them.")
    components.show_sql(groups)

    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, drive=drive, station=station, group=group)
    components.heading(mounts, "Down to one mount")
    components.show_table(mounts, MOUNT, most=MOST_MOUNTS)
    names = [row["session_id"] for row in mounts.rows[:MOST_MOUNTS]]
    session = fields.choose("session", "Mount", ["", *names], {"": "none; choose one to see what its drive did"}, st)
    if session:
        path = page.ask("mount_timeline", session=session)
        components.show_chart(path, ledger_charts.timeline(path.frame()))
        components.show_sql(path)
    components.show_sql(mounts)

    st.header("Down to the log's lines", anchor=False)
    of_mount = next((row["drive"] for row in mounts.rows if row["session_id"] == session), "")
    buckets = page.ask("drive_time_buckets")
    group_words = {row["time_group"]: row["group_words"] for row in reversed(buckets.rows)}
    bucket = fields.choose("bucket", "Bucket", sorted(group_words, key="between_files".__ne__), group_words, st)
    within = {row["bucket"] for row in buckets.rows_of(time_group=bucket)}
    spent: dict[str, float] = {}
    for row in page.ask("drive_ledger", first_day=page.last).rows:
        spent[row["drive"]] = spent.get(row["drive"], 0.0) + (row["seconds"] if row["bucket"] in within else 0.0)
    worst = min(spent, key=lambda name: (-spent[name], words.natural(name)), default="")
    if (drive or of_mount or worst) not in spent:
        st.info(
            f"No log tells of {'that' if drive or of_mount else 'a'} drive on {page.last}, the last day of the period."
        )
        return
    found = data.drilled(page.snapshot, drive or of_mount or worst, bucket, page.last)
    chosen = "" if drive or of_mount else f", the drive with most of it: {quantity(spent[worst] / 3600, 'h')}"
    st.text(f"{found.drive}, {found.day}{chosen}. The {data.DRILLED} longest intervals of “{group_words[bucket]}”:")
    for row in found.intervals:
        length = f"{row['bucket_words']} {quantity(row['interval_s'], 's')}"
        st.text(f"{row['from_at']} to {row['to_at']} UTC   {length}   {row['session_id'] or ''}")
        ends = (
            (row["path"], row["line_no"], row["message"]),
            (row["end_path"], row["end_line_no"], row["end_message"]),
        )
        components.show_lines(*((path, no, found.texts.get((path or "", no or 0), kept)) for path, no, kept in ends))
    if not found.intervals:
        st.info("The drive has nothing in this bucket on the last day of the period.")
