"""A tape, and the way of a mount along it."""

import math

import altair as alt
import polars as pl

from dashboards.charts import BLUE, GREY, RED, count, faint, framed, number

READ, LEFT = "moved by this mount", "not moved"


def way(rows: pl.DataFrame, titles: dict[str, str]) -> alt.Chart:
    """A mount's files in the order they were moved, by their number on the tape; the longer the way, the redder."""
    base = alt.Chart(rows).encode(
        x=alt.X(
            "number:Q",
            title=titles["number"],
            scale=alt.Scale(domain=[0, max(4, len(rows) + 1)], nice=False),
            axis=alt.Axis(tickMinStep=1, format="d", tickCount=6),
        ),
        y=alt.Y(
            "file_number:Q",
            title=titles["file_number"],
            scale=alt.Scale(domainMin=0, padding=8),
            axis=alt.Axis(tickMinStep=1, format="d", tickCount=6),
        ),
        tooltip=[
            *(count(name, titles[name]) for name in ("number", "file_number")),
            number("volume_gb", "size [GB]"),
            number("position_s", "way to it [s]"),
        ],
    )
    longest = math.ceil(float(rows["position_s"].max() or 0)) or 1  # type: ignore[arg-type]
    size = 34 if len(rows) > 50 else 70
    known = base.mark_circle(size=size, opacity=1).transform_filter("isValid(datum.position_s)")
    dots = known.encode(
        color=alt.Color(
            "position_s:Q",
            title=titles["position_s"],
            scale=alt.Scale(range=[BLUE, RED], domain=[0, longest], interpolate="lab"),
            legend=alt.Legend(orient="top", gradientLength=160, format=",.0f", values=[0, longest]),
        ),
    )
    line = base.mark_line(color=GREY, strokeWidth=0.7)
    unknown = base.mark_circle(size=size, color=GREY, opacity=1)  # the way to the first file is the mount's
    return framed(alt.layer(line, unknown, dots), 360)


def serpentine(pieces: pl.DataFrame, read: set[int]) -> alt.Chart:
    """A tape unrolled: wraps one above the other, written there and back; what the mount moved in colour."""
    rows = pieces.with_columns(what=pl.col("file_number").is_in(list(read)).replace_strict({True: READ, False: LEFT}))
    n_wraps = rows["wrap"].n_unique()
    height = min(360, 24 * n_wraps + 150)
    chart = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("from_m:Q", title="along the tape [m]", axis=alt.Axis(tickCount=6)),
            x2="to_m:Q",
            y=alt.Y("wrap:O", title="wrap"),
            color=alt.Color(
                "what:N",
                scale=alt.Scale(domain=[READ, LEFT], range=[BLUE, faint(GREY, 0.35)]),
                legend=alt.Legend(orient="top", title=None),
            ),
            tooltip=[
                count("file_number", "file"),
                "wrap:O",
                number("from_m", "from [m]", "m"),
                number("to_m", "to [m]", "m"),
            ],
        )
    )
    return framed(chart, height)
