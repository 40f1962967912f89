"""What is drawn: answers in, Altair charts out. Text from logs appears as drawn text, never as markup."""

from typing import Any

import altair as alt
import polars as pl

DRIVES = ["#2f5d7c", "#8fb3c9", "#c9893f", "#6b9080", "#8d6a9f", "#b8b0a2"]
EXPECTED = "#4a7c59"
PEAK = "#b3541e"
LAST_BIN_S = 30


def gap_histogram(bins: pl.DataFrame, peaks: pl.DataFrame, station: str, expected_gap_s: float, unit: str) -> alt.Chart:
    """One station's judged gaps: bars by drive, the expected gap as a line, every peak with its position."""
    x = alt.X(
        "bin_from_s:Q",
        title=f"judged gap [{unit}]",
        scale=alt.Scale(domain=[0, LAST_BIN_S + 1], nice=False),
        axis=alt.Axis(
            values=[*range(0, LAST_BIN_S + 1, 5)],
            labelExpr=f"datum.value == {LAST_BIN_S} ? '{LAST_BIN_S} +' : datum.label",
            grid=False,
        ),
    )
    bars = (
        alt.Chart(bins)
        .transform_calculate(bin_to_s="datum.bin_from_s + 0.92")
        .mark_bar(orient="vertical")
        .encode(
            x=x,
            x2="bin_to_s:Q",
            y=alt.Y("n_gaps:Q", title="gaps", stack="zero", axis=alt.Axis(tickCount=4)),
            color=alt.Color("drive:N", scale=alt.Scale(range=DRIVES), legend=alt.Legend(orient="top", title=None)),
            tooltip=[
                alt.Tooltip("drive:N"),
                alt.Tooltip("bin_from_s:Q", title=f"from [{unit}]"),
                alt.Tooltip("n_gaps:Q", title="gaps"),
            ],
        )
    )
    expected = (
        alt.Chart(pl.DataFrame({"at": [expected_gap_s], "text": [f"expected {expected_gap_s:g} {unit}"]}))
        .mark_rule(color=EXPECTED, strokeDash=[4, 3], strokeWidth=1.5)
        .encode(x="at:Q", tooltip=alt.Tooltip("text:N", title=" "))
    )
    marks = (
        alt.Chart(peaks)
        .transform_calculate(middle="datum.peak_s + 0.46", text=f"datum.peak_s + ' {unit}'")
        .mark_text(align="left", dx=2, dy=-7, fontWeight="bold", color=PEAK)
        .encode(x="middle:Q", y="n_gaps:Q", text="text:N")
    )
    chart: Any = alt.layer(bars, expected, marks).properties(
        height=300, title=alt.TitleParams(station, anchor="start", fontSize=14)
    )
    return chart.configure_view(strokeWidth=0)  # type: ignore[no-any-return]
