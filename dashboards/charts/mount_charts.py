"""Mounts: all of a period as dots, and the states of one as lines of time."""

import altair as alt
import polars as pl

from dashboards.charts import (
    BLUE,
    GREEN,
    LINK,
    PURPLE,
    Span,
    along_time,
    count,
    framed,
    instant,
    linked,
    number,
    over,
    share,
)

MODES = {"read": (BLUE, "circle"), "write": (GREEN, "square"), "mixed": (PURPLE, "triangle-up")}


def rates(rows: pl.DataFrame, span: Span) -> alt.Chart:
    """Each mount at its request, at the rate from request to dismount; what it could have done is in its tip."""
    names = list(MODES)
    axis = alt.Axis(format="%d %b %H:%M", labelOverlap=True, grid=False, tickCount=8)
    legend = alt.Legend(orient="top", title=None)
    chart = (
        alt.Chart(linked(rows, "session_id"))
        .mark_point(filled=True, opacity=0.7)
        .encode(
            x=alt.X("requested_at:T", title=along_time("mount request"), scale=over(span), axis=axis),
            y=alt.Y(
                "overall_rate_mb_s:Q",
                title="overall rate, from mount request to dismount [MB/s]",
                axis=alt.Axis(tickCount=6),
            ),
            color=alt.Color(
                "mode:N", scale=alt.Scale(domain=names, range=[MODES[name][0] for name in names]), legend=legend
            ),
            shape=alt.Shape(
                "mode:N", scale=alt.Scale(domain=names, range=[MODES[name][1] for name in names]), legend=legend
            ),
            size=alt.Size(
                "volume_gb:Q",
                title="moved [GB]",
                scale=alt.Scale(range=[25, 220]),
                legend=alt.Legend(orient="top", values=_sizes(rows)),
            ),
            tooltip=[
                alt.Tooltip("drive:N"),
                alt.Tooltip("volume:N", title="tape"),
                alt.Tooltip("station:N"),
                instant("requested_at", "request"),
                count("n_files", "files"),
                number("volume_gb", "moved [GB]"),
                number("drive_rate_mb_s", "drive rate [MB/s]"),
                number("overall_rate_mb_s", "overall rate [MB/s]"),
                share("f", "efficiency (overall rate ÷ drive rate)"),
            ],
            href=LINK,
        )
    )
    return framed(chart, 330, span=span)


def _sizes(rows: pl.DataFrame) -> list[float]:
    most = float(rows["volume_gb"].max() or 1)  # type: ignore[arg-type]
    return [round(most / 10, 1), round(most, 0)] if most > 10 else [round(most, 2)]


def timeline(rows: pl.DataFrame) -> alt.Chart:
    """What a drive did, one state in each row, time along."""
    states = rows.sort("number", descending=True).unique("state", maintain_order=True)
    names, colours = states["state_words"].to_list(), states["colour"].to_list()
    chart = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("from_at:T", title=along_time(), axis=alt.Axis(format="%H:%M:%S", labelOverlap=True)),
            x2=alt.X2("to_at:T"),
            y=alt.Y("state_words:N", sort=names, title=None, axis=alt.Axis(labelLimit=220)),
            color=alt.Color("state_words:N", scale=alt.Scale(domain=names, range=colours), legend=None),
            tooltip=[
                alt.Tooltip("state_words:N", title="state"),
                instant("from_at", "from"),
                instant("to_at", "to"),
                number("interval_s", "length [s]"),
            ],
        )
    )
    return framed(chart, 26 * max(3, len(names)) + 70)
