"""Is it the 10 s gap? How long drives stand still between files, what it costs, and the log lines that prove it."""

import polars as pl
import streamlit as st

from dashboards import charts, components, state
from dashboards.head import Page
from pipelines.primitives.format import label

PART = {
    "title": "Gaps between files",
    "order": 20,
    "needs": ["silver.gap"],
    "lacking": "logs that time each file: Enstore's movers, CTA's tape daemon",
    "filters": ["station", "drive"],
    "compares": True,
}
HEAD = ["n_gaps", "share_long", "n_long_gaps", "lost_hours", "lost_gb_day"]
COST = ["station", "drive", "n_gaps", "p50_s", "share_long", "n_long_gaps", "lost_hours", "lost_gb", "lost_gb_day"]
PARTS = ["filemark_s", "checksum_s", "database_s", "no_request_s", "request_s", "position_s", "start_s"]
DEAD = [
    "drive", "share", "dead_hours", "filemark_hours", "checksum_hours", "database_hours", "no_request_hours",
    "request_hours", "position_hours", "start_hours",
]  # fmt: skip
SPLIT = ["station", "n_gaps", "p50_s", "p95_s", "ready_share", "metadata_hours", "starved_hours"]


def draw(page: Page) -> None:
    """Draw the part."""
    station, drive = page.chosen["station"], page.chosen["drive"]
    cost = page.ask("gap_cost", station=station, drive=drive)
    if not cost.rows:
        st.info("No gaps between files in this period. Choose other days, or load their logs with `tapescope run`.")
        return
    before = page.ask_before("gap_cost", station=station, drive=drive)
    components.show_numbers(
        cost, cost.rows_of(level="all")[0], HEAD, next(iter(before.rows_of(level="all")), None) if before else None
    )

    histogram = page.ask("gap_histogram", station=station, drive=drive)
    peaks = page.ask("gap_peaks", station=station, drive=drive)
    components.heading(histogram)
    unit = histogram.column("bin_from_s").unit
    st.caption(f"Dashed line: the expected gap, {page.site['expected_gap_s']:g} {unit}. Orange: where a peak begins.")
    bins, tops = histogram.frame(), peaks.frame()
    shown = [row["station"] for row in cost.rows_of(level="station")]
    places = st.columns(min(2, len(shown)))
    for number, name in enumerate(shown):
        is_shown = (pl.col("station") == name) if name is not None else pl.col("station").is_null()
        parts = bins.filter(is_shown), tops.filter(is_shown)
        chart = charts.gap_histogram(*parts, name or "-", page.site["expected_gap_s"], unit)
        components.show_chart(histogram, chart, place=places[number % 2])
    components.show_sql(histogram, peaks)

    components.heading(cost)
    components.show_table(cost, COST, cost.rows_of(level="drive"))
    priced = page.ask("lost_time")
    gains = [row for row in priced.rows_of(station=station, cause="long_gap") if row["gain_gb_day"] is not None]
    if not drive:
        lost = cost.shown(cost.rows_of(level="all")[0], "lost_gb_day")
        if gains:
            total = gains[0] | {"gain_gb_day": sum(row["gain_gb_day"] for row in gains)}
            st.text(
                f"Lost is what could have moved in the time beyond the expected gap if nothing else limited: {lost}. Gain"
                f" is what remains of it after the next bottleneck of each drive ({total['bottleneck']}):"
                f" {priced.shown(total, 'gain_gb_day')}."
            )
        else:
            st.text(f"Lost, {lost}, is at most: what remains of it after the next bottleneck, the gain, is not known.")
    state.link(
        "plan/whatif",
        f"What if no gap were longer than {page.site['expected_gap_s']:g} {unit}?",
        gap=f"{page.site['expected_gap_s']:g}",
    )
    components.show_sql(cost, priced, *([before] if before else []))

    dead = page.ask("dead_time", drive=drive)
    components.heading(dead)
    hours = [row for row in dead.rows if row["hour_at"]]
    if hours:
        tips = ["drive:N", charts.instant("hour_at", "hour"), charts.share("share", "of the hour")]
        tips += [charts.number(name, dead.label(name)) for name in DEAD[2:]]
        chart = charts.heat_map(dead.frame(hours), "drive", "share", "share of the hour", tips, page.span(), charts.RED)
        components.show_chart(dead, chart)
        st.caption("Empty: the drive moved no two files one after the other in that hour.")
        components.show_table(dead, DEAD, [row for row in dead.rows if not row["hour_at"]])
    else:
        st.info("No drive stood still between two files.")
    components.show_sql(dead)

    split = page.ask("gaps_and_spool", longer_than_s=0, drive=drive)
    components.show_part(split, SPLIT, split.rows_of(station=station), text="Was the next file at hand?")

    examples = page.ask("gap_examples", station=station, drive=drive)
    components.heading(examples)
    if not examples.rows:
        st.info("No gap was long: none was judged longer than expected by more than the rule long_gap allows.")
    for row in examples.rows:
        with st.container(border=True):
            st.text(f"{row['station']}   {row['drive']}   {row['started_at']} to {row['ended_at']} UTC")
            whole = [f"{label(examples.column(name))} {examples.shown(row, name)}" for name in PARTS]
            st.text(
                f"gap {examples.shown(row, 'gap_s')}, judged {examples.shown(row, 'avoidable_s')}:   {'   '.join(whole)}"
            )
            previous = (row["path"], row["previous_line_no"], row["previous_message"])
            components.show_lines(previous, (row["next_path"], row["next_line_no"], row["next_message"]))
    components.show_sql(examples)
