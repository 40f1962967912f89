"""Is it the 10 s gap? How long drives stand still between files, what it costs, and the log lines that prove it."""

import polars as pl
import streamlit as st

from dashboards import charts, data, parts

HEAD = ["n_gaps", "share_over_5s", "n_long_gaps", "lost_hours", "lost_gb_day"]
COST = ["station", "drive", "n_gaps", "p50_s", "share_over_5s", "n_long_gaps", "lost_hours", "lost_gb", "lost_gb_day"]
PARTS = ["filemark_s", "checksum_s", "database_s", "no_request_s", "request_s", "position_s", "start_s"]

st.title("Is it the 10 s gap?", anchor=False)
try:
    period = data.newest("period")
except data.NoAnswer as problem:
    st.info("Nothing has been loaded yet. Run `tapescope run` on your logs, or `tapescope demo` to see how it looks.")
    st.text(f"{problem}\n{problem.hint}")
    st.stop()
site = next(iter(period.as_dicts()), {})
if not site.get("last_day"):
    st.info("The warehouse holds no drive's log yet. Name your logs in `site.toml`, then run `tapescope run`.")
    st.stop()
first, last = parts.choose_period(site["first_day"], site["last_day"])
days = {"first_day": first.isoformat(), "last_day": last.isoformat()}
everywhere = data.answer("gap_cost", period.snapshot, days)
names = sorted({row["station"] for row in everywhere.as_dicts() if row["level"] == "station" and row["station"]})
params = days | {"station": parts.choose_station(names)}
st.text(f"{site['name']}   ·   {first} to {last}, days in {site['zone']}   ·   snapshot {period.snapshot}")

coverage = data.answer("coverage_by_source", period.snapshot, days)
parts.show_coverage(coverage)
parts.show_sql("coverage_by_source", coverage, days)

cost = data.answer("gap_cost", period.snapshot, params)
if not cost.rows:
    st.info("No gaps between files in this period. Choose other days, or load their logs with `tapescope run`.")
    st.stop()
parts.show_numbers(cost, next(row for row in cost.as_dicts() if row["level"] == "all"), HEAD)

st.subheader(data.title("gap_histogram"), help=data.why("gap_histogram"), anchor=False)
histogram, peaks = (data.answer(name, period.snapshot, params) for name in ("gap_histogram", "gap_peaks"))
unit = next(column.unit for column in histogram.columns if column.name == "bin_from_s")
st.caption(f"Dashed line: the expected gap, {site['expected_gap_s']:g} {unit}. Orange: where a peak begins.")
bins, tops = data.frame(histogram), data.frame(peaks)
shown = [row["station"] for row in cost.as_dicts() if row["level"] == "station"]
for number, station in enumerate(shown):
    if number % 2 == 0:
        places = st.columns(2)
    mine = (pl.col("station") == station) if station is not None else pl.col("station").is_null()
    chart = charts.gap_histogram(bins.filter(mine), tops.filter(mine), station or "-", site["expected_gap_s"], unit)
    places[number % 2].altair_chart(chart, width="stretch")
parts.show_sql("gap_histogram", histogram, params)
parts.show_sql("gap_peaks", peaks, params)

st.subheader(data.title("gap_cost"), help=data.why("gap_cost"), anchor=False)
parts.show_table(cost, [row for row in cost.as_dicts() if row["level"] == "drive"], COST)
parts.show_sql("gap_cost", cost, params)

st.subheader(data.title("gap_examples"), help=data.why("gap_examples"), anchor=False)
examples = data.answer("gap_examples", period.snapshot, params)
if not examples.rows:
    st.info("No gap was long: none was judged more than 3 s longer than expected.")
units = {column.name: column for column in examples.columns}
for row in examples.as_dicts():
    with st.container(border=True):
        st.text(f"{row['station']}   {row['drive']}   {row['started_at']} to {row['ended_at']} UTC")
        whole = [f"{data.label(units[name]).partition(' [')[0]} {data.shown(units[name], row[name])}" for name in PARTS]
        st.text(f"gap {row['gap_s']:g} s, judged {row['judged_s']:g} s:   {'   '.join(whole)}")
        lines = (f"{row['path']}:{row['previous_line_no']}", f"{row['next_path']}:{row['next_line_no']}")
        messages = (row["previous_message"], row["next_message"])
        st.code("\n".join(f"{place}  {said}" for place, said in zip(lines, messages, strict=True)), language=None)
parts.show_sql("gap_examples", examples, params)
