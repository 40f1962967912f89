"""A tape, and the way of a mount along it."""

import math
from typing import Any

import altair as alt
import polars as pl

from dashboards.charts import (
    BLUE,
    GREY,
    INK,
    LINK,
    ORANGE,
    RED,
    by_colour_and_shape,
    columns,
    count,
    faint,
    framed,
    linked,
    number,
    share,
)

READ, LEFT = "read or written in this mount", "neither read nor written in this mount"
QUICKER = "reading the whole tape would have been faster"
RIGHT = "reading the whole tape would not have been faster"


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
            number("position_s", "time to wind to the file [s]"),
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
    return framed([line, unknown, dots], 360)


def serpentine(pieces: pl.DataFrame, read: set[int]) -> alt.Chart:
    """A tape unrolled: wraps one above the other, written there and back; what the mount moved in colour."""
    rows = pieces.with_columns(what=pl.col("file_number").is_in(list(read)).replace_strict({True: READ, False: LEFT}))
    n_wraps = rows["wrap"].n_unique()
    height = min(360, 24 * n_wraps + 150)
    chart = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("from_m:Q", title="position along the tape [m]", axis=alt.Axis(tickCount=6)),
            x2=alt.X2("to_m:Q"),
            y=alt.Y("wrap:O", title="wrap"),
            color=alt.Color(
                "what:N",
                scale=alt.Scale(domain=[READ, LEFT], range=[BLUE, faint(GREY, 0.35)]),
                legend=alt.Legend(orient="top", title=None, columns=1),
            ),
            tooltip=[
                count("file_number", "file"),
                alt.Tooltip("wrap:O"),
                number("from_m", "from [m]", "m"),
                number("to_m", "to [m]", "m"),
            ],
        )
    )
    return framed(chart, height)


def cost(rows: pl.DataFrame) -> alt.Chart:
    """Mounts by the share of the tape's files they read and what they made of the drive; a shape for each pattern."""
    tips: list[Any] = [alt.Tooltip(f"{name}:N") for name in ("session_id", "volume", "storage_group", "pattern")]
    tips += [share("file_share", "share of the tape's files that were read"), share("f", "drive efficiency")]
    patterns = sorted(rows["pattern"].drop_nulls().unique())
    chart = (
        alt.Chart(linked(rows, "session_id"))
        .mark_point(filled=True, size=65, opacity=0.75)
        .encode(
            x=alt.X(
                "file_share:Q",
                title="share of the tape's files that a mount read (square-root scale)",
                scale=alt.Scale(type="sqrt", domainMin=0),
                axis=alt.Axis(format="%", values=[0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]),
            ),
            y=alt.Y("f:Q", title="drive efficiency", axis=alt.Axis(format="%", tickCount=6)),
            **by_colour_and_shape("pattern", patterns, columns=columns(6, patterns)),
            tooltip=tips,
            href=LINK,
        )
    )
    return framed(chart, 360)


def whole_or_picked(rows: pl.DataFrame) -> alt.Chart:
    """What mounts took against what reading all of the tape would have; below the line all would have been quicker."""
    times = pl.concat([rows["wall_hours"], rows["whole_hours"]])
    most = float(times.max() or 1)  # type: ignore[arg-type]
    least = max(0.01, float(times.min() or 0.01))  # type: ignore[arg-type]
    scale = alt.Scale(type="log", domain=[least, most], nice=True)
    tips = [
        alt.Tooltip("session_id:N"),
        alt.Tooltip("volume:N"),
        number("wall_hours", "duration of the mount [h]"),
        number("whole_hours", "time to read the whole tape [h]"),
    ]
    tips.append(share("byte_share", "share of the tape's bytes that were read"))
    dots = (
        alt.Chart(linked(rows, "session_id"))
        .mark_point(filled=True, size=65, opacity=0.75)
        .encode(
            x=alt.X("wall_hours:Q", title="duration of the mount [h]", scale=scale),
            y=alt.Y("whole_hours:Q", title="time to read the whole tape [h]", scale=scale),
            color=alt.Color(
                "verdict:N",
                scale=alt.Scale(domain=[QUICKER, RIGHT], range=[RED, BLUE]),
                legend=alt.Legend(orient="top", title=None, labelLimit=300, columns=columns(2, [QUICKER, RIGHT])),
            ),
            shape=alt.Shape("verdict:N", scale=alt.Scale(domain=[QUICKER, RIGHT], range=["diamond", "circle"])),
            tooltip=tips,
            href=LINK,
        )
    )
    line = pl.DataFrame({"at": [least, most]})
    equal = alt.Chart(line).mark_line(color=ORANGE, strokeDash=[4, 3]).encode(x=alt.X("at:Q"), y=alt.Y("at:Q"))
    text = alt.Chart(line.head(1).with_columns(text=pl.lit("on the line: both take equally long"))).mark_text(
        align="left", dx=14, dy=4, color=INK
    )
    return framed([equal, dots, text.encode(x=alt.X("at:Q"), y=alt.Y("at:Q"), text=alt.Text("text:N"))], 320)
