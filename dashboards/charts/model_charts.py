"""Results of models and comparisons: values with intervals, their sensitivity, and runs next to one another."""

from datetime import datetime

import altair as alt
import polars as pl

from dashboards.charts import (
    BLUE,
    GREY,
    INK,
    LINK,
    ORANGE,
    SKY,
    by_colour_and_dash,
    columns,
    count,
    framed,
    from_zero,
    linked,
    number,
    over,
    rule,
)
from pipelines.primitives.format import d3_format, decimals_apart, unit_of

RUNS = {"recorded": GREY, "replayed": SKY, "changed": ORANGE}


def runs(rows: pl.DataFrame, value: str, title: str) -> alt.Chart:
    """One value of each kind of drive, a bar for each run: recorded, replayed, changed."""
    names = list(RUNS)
    scale = from_zero(rows, value, padding=30)  # room for the labels
    base = alt.Chart(rows).encode(
        y=alt.Y("drives:N", title=None, axis=alt.Axis(labelLimit=180, labelOverlap=False)),
        yOffset=alt.YOffset("run:N", sort=names),
        x=alt.X(f"{value}:Q", title=title, axis=alt.Axis(tickCount=5), scale=scale),
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "run:N",
            sort=names,
            scale=alt.Scale(domain=names, range=list(RUNS.values())),
            legend=alt.Legend(orient="top", title=None, columns=columns(3, names)),
        ),
        tooltip=[alt.Tooltip("drives:N"), alt.Tooltip("run:N"), number(value, title)],
    )
    text = alt.Text(f"{value}:Q", format=d3_format(unit_of(value)))
    labels = base.mark_text(align="left", dx=4, color=INK).encode(text=text)
    return framed([bars, labels], 20 * max(3, len(rows)) + 130, around=110)


def intervals(rows: pl.DataFrame, name: str, title: str) -> alt.Chart:
    """A ratio with the ends of its interval for each name, and a line where nothing would differ."""
    rows = linked(rows, name)
    y = alt.Y(f"{name}:N", title=None, sort="-x", axis=alt.Axis(labelLimit=260, labelOverlap=False))
    scale = alt.Scale(zero=False, padding=10)
    bars = (
        alt.Chart(rows)
        .mark_rule(color=GREY, strokeWidth=2)
        .encode(y=y, x=alt.X("ratio_low:Q", scale=scale), x2=alt.X2("ratio_high:Q"))
    )
    dots = (
        alt.Chart(rows)
        .mark_circle(color=BLUE, size=70, opacity=1)
        .encode(
            y=y,
            x=alt.X("ratio:Q", title=title, scale=scale, axis=alt.Axis(tickCount=8, format="~g")),
            tooltip=[
                alt.Tooltip(f"{name}:N"),
                number("ratio", title),
                number("ratio_low", "low end"),
                number("ratio_high", "high end"),
            ],
            href=LINK,
        )
    )
    return framed([rule(1, "x"), bars, dots], 24 * max(3, rows[name].n_unique()) + 50)


def tornado(rows: pl.DataFrame, title: str, at: float) -> alt.Chart:
    """What each input alone does at either end of its interval: the widest on top."""
    ends = (*rows["low"], *rows["high"])
    form = f",.{decimals_apart(min(ends), max(ends), title)}f"
    chart = (
        alt.Chart(rows)
        .mark_bar(color=BLUE)
        .encode(
            y=alt.Y("input:N", sort=None, title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False)),
            x=alt.X("low:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            x2=alt.X2("high:Q"),
            tooltip=[
                alt.Tooltip("input:N"),
                alt.Tooltip("low:Q", title="result if this cost is at the low end of its interval", format=form),
                alt.Tooltip("high:Q", title="result if this cost is at the high end of its interval", format=form),
            ],
        )
    )
    value = alt.Chart(pl.DataFrame({"at": [at]})).mark_rule(color=ORANGE, strokeWidth=2).encode(x=alt.X("at:Q"))
    return framed([chart, value], 30 * max(2, len(rows)) + 50)


def efficiency(rows: pl.DataFrame, at_mb: float) -> alt.Chart:
    """Share of the time in which data moves by size of file, a line for each number of files a mount; a size marked."""
    x = alt.X("file_mb:Q", title="file size [MB]", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="~s"))
    names = [str(n) for n in sorted(rows["n_files"].unique())]
    chart = (
        alt.Chart(rows.with_columns(pl.col("n_files").cast(pl.String)))
        .mark_line(strokeWidth=1.8)
        .encode(
            x=x,
            y=alt.Y("efficiency:Q", title="efficiency", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
            **by_colour_and_dash("n_files", names, title="files per mount", columns=6),
            tooltip=[
                alt.Tooltip("n_files:N", title="files per mount"),
                number("file_mb", "size [MB]"),
                number("efficiency", "efficiency", "1"),
            ],
        )
    )
    mark = alt.Chart(pl.DataFrame({"at": [at_mb]})).mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.X("at:Q"))
    return framed([chart, mark], 340)


def both_sides(rows: pl.DataFrame) -> alt.Chart:
    """Overall rates of mounts before and after an instant: quartiles as a bar, the median as a point."""
    named = rows.with_columns(side=pl.when("is_after").then(pl.lit("after")).otherwise(pl.lit("before")))
    y = alt.Y("side:N", title=None, sort=["before", "after"])
    tips = [
        alt.Tooltip("side:N", title="mounts"),
        count("n_sessions", "mounts"),
        number("p25_mb_s", "lower quartile", "MB/s"),
        number("p50_mb_s", "median", "MB/s"),
        number("p75_mb_s", "upper quartile", "MB/s"),
    ]
    base = alt.Chart(named).encode(y=y, tooltip=tips)
    x = alt.X("p25_mb_s:Q", title="overall rate of mounts [MB/s]: median and quartiles")
    bars = base.mark_rule(color=GREY, strokeWidth=8, opacity=0.5).encode(x=x, x2=alt.X2("p75_mb_s:Q"))
    dots = base.mark_circle(color=BLUE, size=110, opacity=1).encode(x=alt.X("p50_mb_s:Q"))
    return framed([bars, dots], 130)


def failures(rows: pl.DataFrame) -> alt.Chart:
    """Share of mounts that failed before and after each change, a bar each."""
    long = rows.unpivot(["share_before", "share_after"], index=["what", "entities"], variable_name="side")
    named = long.with_columns(pl.col("side").str.replace("share_", ""))
    chart = (
        alt.Chart(named)
        .mark_bar()
        .encode(
            y=alt.Y("what:N", title=None, axis=alt.Axis(labelLimit=260)),
            yOffset=alt.YOffset("side:N", sort=["before", "after"]),
            x=alt.X("value:Q", title="share of requested mounts that failed", axis=alt.Axis(format="%")),
            color=alt.Color(
                "side:N",
                sort=["before", "after"],
                scale=alt.Scale(domain=["before", "after"], range=[GREY, ORANGE]),
                legend=alt.Legend(orient="top", title=None),
            ),
            tooltip=[
                alt.Tooltip("what:N"),
                alt.Tooltip("entities:N"),
                alt.Tooltip("side:N"),
                alt.Tooltip("value:Q", title="failed", format=".1%"),
            ],
        )
    )
    return framed(chart, 44 * max(2, rows.height) + 130)


def ahead(rows: pl.DataFrame, planned: pl.DataFrame) -> alt.Chart:
    """What the archive will hold, with the interval as a band, and plans as points."""
    days = [datetime(at.year, at.month, at.day) for at in pl.concat([rows["day"], planned["day"]])]
    span = min(days), max(days)
    x = alt.X("day:T", title="site day", scale=over(span))
    scale = alt.Scale(zero=False)
    band = (
        alt.Chart(rows)
        .mark_area(color=SKY, opacity=0.35)
        .encode(x=x, y=alt.Y("low:Q", title="data on tape [TB]", scale=scale), y2=alt.Y2("high:Q"))
    )
    tips = [
        alt.Tooltip("day:T", title="day"),
        number("value", "held", "TB"),
        number("low", "low end", "TB"),
        number("high", "high end", "TB"),
    ]
    line = alt.Chart(rows).mark_line(color=BLUE, point=True).encode(x=x, y=alt.Y("value:Q"), tooltip=tips)
    base = alt.Chart(planned).encode(
        x=alt.X("day:T"), y=alt.Y("value:Q"), tooltip=[alt.Tooltip("plan:N"), number("value", "planned", "TB")]
    )
    plans = base.mark_point(color=ORANGE, shape="diamond", size=120, filled=True)
    names = base.mark_text(color=INK, dy=-14).encode(text=alt.Text("plan:N"))
    return framed([band, line, plans, names], 320, span=span)


def caught(rows: pl.DataFrame) -> alt.Chart:
    """Share of the bytes read that a buffer would have caught, by its size."""
    chart = (
        alt.Chart(rows)
        .mark_line(color=BLUE, point=True)
        .encode(
            x=alt.X("size_tb:Q", title="buffer size [TB]"),
            y=alt.Y(
                "bytes:Q",
                title="share of the bytes read that the buffer would have served",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(zero=True),
            ),
            tooltip=[number("size_tb", "size", "TB"), alt.Tooltip("bytes:Q", title="served", format=".1%")],
        )
    )
    return framed(chart, 320)
