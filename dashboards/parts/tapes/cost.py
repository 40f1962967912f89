"""What mounts cost: how much of a tape each reads, what it makes of the drive, and hours of mounts that came again."""

import polars as pl
import streamlit as st

from dashboards import components, fields, state
from dashboards.charts import bars, tape_charts
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "What mounts cost",
    "order": 10,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["group", "station"],
    "names": ["tape"],
}
TABLE = [
    "session_id", "volume", "drive", "storage_group", "pattern", "n_files", "file_share", "overall_rate_mb_s", "f",
    "wall_s", "position_s", "n_mounts_day",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    group, station = page.chosen["group"], page.chosen["station"]
    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, group=group, station=station)
    again = page.ask("remount_cost", station=station)
    wasted = _by_group(again.frame(again.rows_of(storage_group=group)))
    reads = [row for row in mounts.rows if row["mode"] == "read"]
    rated = [row for row in reads if row["f"] is not None and row["file_share"] is not None]
    _say(len(mounts.rows), wasted)
    left, right = st.columns([3, 2], gap="large")
    with left:
        components.heading(mounts, "Share of the tape that a mount reads, and drive efficiency")
        if rated:
            chart = tape_charts.cost(mounts.frame(rated))
            components.show_chart(
                mounts, chart, "A point for each mount that read files; its shape shows the access pattern."
            )
        else:
            st.markdown(
                "No log shows which share of a tape a mount read. Read logs of the drives and"
                " an export of the archive's file table with `tapescope run`."
            )
    with right:
        components.heading(again, "Drive-hours of mounting and dismounting in remounts")
        if wasted.height and wasted["wasted_hours"].sum() > 0:
            components.show_chart(
                again,
                bars.single(
                    wasted.drop_nulls("wasted_hours"), "storage_group", "wasted_hours", again.label("wasted_hours")
                ),
            )
        else:
            st.text("No log shows a remount together with the time that mounting took.")
    _choose_tape()
    if mounts.rows:
        components.show_table(mounts, TABLE, reads or mounts.rows)
    components.show_sql(mounts, again)


def _by_group(rows: pl.DataFrame) -> pl.DataFrame:
    """Hours wasted and mounts too many of each storage group, the most first; `n_untimed` mounts have no known time."""
    hours, n_extra = pl.col("wasted_hours").cast(pl.Float64), pl.col("n_extra")  # without a type where no time is known
    named = rows.with_columns(pl.col("storage_group").fill_null("unknown"))
    sums = named.group_by("storage_group").agg(
        pl.when(hours.count() > 0).then(hours.sum()), n_extra.sum(), n_untimed=n_extra.filter(hours.is_null()).sum()
    )
    return sums.sort("wasted_hours", "storage_group", descending=[True, False], nulls_last=True)


def _say(n_mounts: int, wasted: pl.DataFrame) -> None:
    """The answer as a sentence."""
    if not n_mounts:
        st.text("No log shows a mount that moved files in this period. Choose other days.")
    elif n_extra := int(wasted["n_extra"].sum()):
        remounts = "1 mount was a remount" if n_extra == 1 else f"{n_extra:,} mounts were remounts"
        st.markdown(f"**{remounts} of a tape on the same day. {_time_taken(wasted, n_extra)}**")
    else:
        st.markdown(f"**None of {format.counted(n_mounts, 'mount')} was a remount of a tape on the same day.**")


def _time_taken(wasted: pl.DataFrame, n_extra: int) -> str:
    """How long the remounts took, as far as logs show it."""
    n_untimed = int(wasted["n_untimed"].sum())
    these = "this remount" if n_extra == 1 else "these remounts"
    if n_untimed == n_extra:
        return f"No log shows how long mounting and dismounting took in {these}."
    worst, hours = wasted["storage_group"][0], format.quantity(float(wasted["wasted_hours"].sum()), "h")
    untimed = f" For {n_untimed:,} of these remounts, no log shows how long this took." if n_untimed else ""
    return (
        f"Mounting and dismounting in {these} took {hours} of drive time,"
        f" the largest part for storage group {escape_markdown(worst)}.{untimed}"
    )


def _choose_tape() -> None:
    """A field for one tape's label: there may be too many for a list."""
    with st.columns(3)[0]:
        tape = fields.type_text("tape", "Show one tape: enter its label", "").strip()
    if tape:
        state.run_again()  # the page of one tape takes over
