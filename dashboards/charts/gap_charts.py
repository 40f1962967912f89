"""How long drives wait between files: gaps counted by length."""

import altair as alt
import polars as pl

from dashboards.charts import COLOURS, GREEN, GREY, INK, RED, columns, count, framed, number

AVOIDABLE = "avoidable part of the gap [s]"
LAST_BIN_S = 30
_HEIGHT = 300


def histogram(
    bins: pl.DataFrame,
    peaks: pl.DataFrame,
    slow: list[str],
    station: str,
    expected_gap_s: float,
    earlier: pl.DataFrame | None = None,
) -> alt.Chart:
    """A station's avoidable gaps, drives with many long ones in colours of their own; gaps of other days as a line."""
    others = "other drives"
    shown = bins.with_columns(
        who=pl.when(pl.col("drive").is_in(slow)).then(pl.col("drive")).otherwise(pl.lit(others)),
        bin_to_s=pl.col("bin_from_s") + 0.92,
    )
    shown = shown.group_by("who", "bin_from_s", "bin_to_s").agg(pl.sum("n_gaps"))
    names = [*slow, others]
    most = int(shown.group_by("bin_from_s").agg(pl.sum("n_gaps"))["n_gaps"].max() or 1)  # type: ignore[arg-type]
    x = alt.X(
        "bin_from_s:Q",
        title=AVOIDABLE,
        scale=alt.Scale(domain=[0, LAST_BIN_S + 1], nice=False),
        axis=alt.Axis(
            values=[*range(0, LAST_BIN_S + 1, 5)],
            labelExpr=f"datum.value == {LAST_BIN_S} ? '{LAST_BIN_S} +' : datum.label",
            grid=False,
        ),
    )
    bars = (
        alt.Chart(shown)
        .mark_bar(orient="vertical")
        .encode(
            x=x,
            x2=alt.X2("bin_to_s:Q"),
            y=alt.Y(
                "n_gaps:Q",
                title="gaps",
                stack="zero",
                scale=alt.Scale(domainMax=1.3 * most),
                axis=alt.Axis(tickCount=4),
            ),
            color=alt.Color(
                "who:N",
                scale=alt.Scale(domain=names, range=[*slow_colours()[: len(slow)], GREY]),
                legend=alt.Legend(orient="top", title=None, columns=columns(4, names)),
            ),
            order=alt.Order("who:N", sort="descending"),
            tooltip=[
                alt.Tooltip("who:N", title="drive"),
                number("bin_from_s", "from [s]", "s"),
                count("n_gaps", "gaps"),
            ],
        )
    )
    layers = [bars, *_expected(expected_gap_s), _peaks(peaks)]
    if earlier is not None and earlier.height:
        layers.append(_earlier(earlier))
    return framed(layers, _HEIGHT, station)


def slow_colours() -> list[str]:
    """Of drives with many long gaps; green is the expected gap's, grey that of the other drives."""
    return [colour for colour in (RED, *COLOURS) if colour not in (GREY, GREEN)]


def _expected(at: float) -> list[alt.Chart]:
    row = pl.DataFrame({"at": [at], "text": [f"expected {at:g} s"]})
    rule = alt.Chart(row).mark_rule(color=GREEN, strokeDash=[4, 3], strokeWidth=1.5)
    words = alt.Chart(row).mark_text(align="left", dx=4, baseline="top", color=INK)
    return [
        rule.encode(x=alt.X("at:Q"), tooltip=alt.Tooltip("text:N", title=" ")),
        words.encode(x=alt.X("at:Q"), y=alt.value(0), text=alt.Text("text:N")),
    ]


def _peaks(peaks: pl.DataFrame) -> alt.Chart:
    return (  # type: ignore[no-any-return]
        alt.Chart(peaks)
        .transform_calculate(middle="datum.peak_s + 0.46", text="datum.peak_s + ' s: ' + format(datum.weight, '.0%')")
        .mark_text(align="left", dx=-4, dy=-8, fontWeight="bold", color=INK)
        .encode(
            x=alt.X("middle:Q"),
            y=alt.Y("n_gaps:Q"),
            text=alt.Text("text:N"),
            tooltip=[
                number("peak_s", "most common gap length in this cluster, in full seconds [s]", "s"),
                number("weight", "share of the gaps that are in this cluster", "1"),
            ],
        )
    )


def _earlier(bins: pl.DataFrame) -> alt.Chart:
    summed = bins.group_by("bin_from_s").agg(pl.sum("n_gaps")).sort("bin_from_s")
    every = pl.DataFrame({"bin_from_s": [float(at) for at in range(LAST_BIN_S + 2)]})
    line = every.join(summed, on="bin_from_s", how="left").fill_null(0)
    return (  # type: ignore[no-any-return]
        alt.Chart(line)
        .mark_line(color=INK, strokeDash=[3, 3], strokeWidth=1.2, interpolate="step-after")
        .encode(x=alt.X("bin_from_s:Q"), y=alt.Y("n_gaps:Q"), tooltip=[count("n_gaps", "gaps on the comparison days")])
    )
