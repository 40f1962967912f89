"""How long drives wait between files, what it costs, and the log lines that prove it."""

import polars as pl
import streamlit as st

from dashboards import components, state, words
from dashboards.charts import gap_charts
from dashboards.data import Asked
from dashboards.head import Page
from dashboards.tables import Rows
from pipelines.primitives import format

PART = {
    "title": "Gaps between files",
    "order": 20,
    "needs": ["silver.gap"],
    "lacking": "logs with times for each file: Enstore's movers, CTA's tape daemon",
    "filters": ["station", "drive"],
    "compares": True,
}
COST = ["station", "drive", "n_gaps", "p50_s", "share_long", "n_long_gaps", "lost_hours", "lost_gb", "lost_gb_day"]
PARTS = ["filemark_s", "checksum_s", "database_s", "no_request_s", "request_s", "position_s", "start_s"]
MOST_STATIONS, MOST_SLOW, MOST_EXAMPLES = 3, 3, 4
MUCH = 0.2  # share of long gaps from which a drive has a colour of its own


def draw(page: Page) -> None:
    """Draw the part."""
    station, drive = page.chosen["station"], page.chosen["drive"]
    cost = page.ask("gap_cost", station=station, drive=drive)
    if not cost.rows:
        st.info("No log shows a gap between two files of the same mount in this period.")
        return
    earlier = page.ask_before("gap_cost", station=station, drive=drive)
    priced = page.ask("lost_time")
    _say_cost(page, cost, earlier, priced)
    asked = _show_histograms(page, cost)
    components.heading(cost)
    drives = words.in_order(cost.rows_of(level="drive"), "drive")
    components.show_table(cost, COST, sorted(drives, key=lambda row: (-(row["lost_hours"] or 0), -row["n_gaps"])))
    expected = f"{page.site['expected_gap_s']:g}"
    state.link("plan/whatif", f"What if no gap were longer than {expected} s?", gap=expected)
    asked.append(_show_examples(page))
    components.show_sql(*asked, cost, priced)


def _say_cost(page: Page, cost: Asked, earlier: Asked | None, priced: Asked) -> None:
    """What long gaps cost in a sentence; what could have moved at most, and what remains of it as gain."""
    (every,) = cost.rows_of(level="all")
    is_long = (
        f"A gap is long if its avoidable part exceeds the expected {page.site['expected_gap_s']:g} s by more than"
        " the limit of the rule for long gaps."
    )
    if not every["n_long_gaps"]:
        st.text(f"None of {format.counted(every['n_gaps'], 'gap')} was long{_before(cost, earlier)}. {is_long}")
        return
    were = "was" if every["n_long_gaps"] == 1 else "were"
    st.text(
        f"{every['n_long_gaps']:,} of {format.counted(every['n_gaps'], 'gap')} ({format.percent(every['share_long'])})"
        f" {were} long and cost {cost.shown(every, 'lost_hours')} of drive time{_before(cost, earlier)}. {is_long}"
    )
    if page.chosen["drive"]:
        return
    lost = cost.shown(every, "lost_gb_day")
    gains = [
        row
        for row in priced.rows_of(station=page.chosen["station"], cause="long_gap")
        if row["gain_gb_day"] is not None
    ]
    if gains:
        total = gains[0] | {"gain_gb_day": sum(row["gain_gb_day"] for row in gains)}
        st.text(
            f"Lost: without other limits, {lost} more could have moved in the time that long gaps cost. Gain:"
            f" the next bottleneck ({total['bottleneck']}) allows {priced.shown(total, 'gain_gb_day')} of the lost"
            " data."
        )
    else:
        st.text(
            f"At most {lost} more could have moved in the time that long gaps cost. The gain is unknown, because"
            " the next bottleneck is unknown."
        )


def _before(cost: Asked, earlier: Asked | None) -> str:
    """The same of the days to compare with."""
    if earlier is None:
        return ""
    then = next(iter(earlier.rows_of(level="all")), None)
    if then is None:
        return "; no log shows a gap on the comparison days"
    return f"; on the comparison days, long gaps cost {cost.shown(then, 'lost_hours')}"


def _show_histograms(page: Page, cost: Asked) -> list[Asked]:
    """A histogram for each of the stations that lost most."""
    chosen = {"station": page.chosen["station"], "drive": page.chosen["drive"]}
    bins, peaks = page.ask("gap_histogram", **chosen), page.ask("gap_peaks", **chosen)
    earlier = page.ask_before("gap_histogram", **chosen)
    components.heading(bins, "Gap lengths by station")
    stations = sorted(cost.rows_of(level="station"), key=lambda row: -(row["lost_hours"] or 0))
    shown = words.in_order(stations[:MOST_STATIONS], "station")
    places = st.columns(min(2, len(shown)))
    for number, row in enumerate(shown):
        name = row["station"]
        is_its = pl.col("station").eq_missing(pl.lit(name, dtype=pl.String))
        chart = gap_charts.histogram(
            bins.frame().filter(is_its),
            peaks.frame().filter(is_its),
            _slow([one for one in cost.rows_of(level="drive") if one["station"] == name]),
            name or "unknown station",
            page.site["expected_gap_s"],
            earlier.frame().filter(is_its) if earlier and earlier.rows else None,
        )
        says = f"Gaps of station {name}." if name else "Gaps between files for which no station is known."
        components.show_chart(bins, chart, says, places[number % len(places)])
    notes = [
        f"Up to {MOST_SLOW} drives of a station have their own colours: those that lost most time. Only drives with"
        f" at least {MUCH:.0%} long gaps get a colour."
    ]
    if len(shown) < len(stations):
        notes.append(
            f"Of {len(stations)} stations, the {MOST_STATIONS} that lost most time are shown;"
            " choose another in the side bar."
        )
    if earlier and earlier.rows:
        notes.append("Dashed: the comparison days.")
    st.caption(" ".join(notes))
    return [bins, peaks, *([earlier] if earlier else [])]


def _slow(drives: Rows) -> list[str]:
    """The drives of a station with many long gaps, the worst first."""
    many = [row for row in drives if (row["share_long"] or 0) >= MUCH]
    return [row["drive"] for row in sorted(many, key=lambda row: -row["lost_hours"])[:MOST_SLOW]]


def _show_examples(page: Page) -> Asked:
    """The two log lines around a usual long gap of each drive."""
    found = page.ask("gap_examples", station=page.chosen["station"], drive=page.chosen["drive"], n=1)
    components.heading(found)
    if not found.rows:
        st.info("No log shows a long gap in this period.")
    for row in found.rows[:MOST_EXAMPLES]:
        parts = [f"{format.label(found.column(name))} {found.shown(row, name)}" for name in PARTS if row[name]]
        st.text(
            f"{row['drive']} for {row['station'] or 'an unknown station'}, {components.instant(row['started_at'])} to"
            f" {components.instant(row['ended_at'])}: gap of {found.shown(row, 'gap_s')} ({', '.join(parts)})."
        )
        components.show_lines(
            (row["path"], row["previous_line_no"], row["previous_message"]),
            (row["next_path"], row["next_line_no"], row["next_message"]),
        )
    return found
