"""Drives one by one: states along the time, errors, hosts, and weeks."""

from datetime import datetime
from itertools import cycle
from typing import Any

import altair as alt
import polars as pl

from dashboards import zone
from dashboards.charts import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    LINK,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    Span,
    along_time,
    by_colour_and_dash,
    by_colour_and_shape,
    columns,
    count,
    framed,
    from_zero,
    linked,
    number,
    over,
    share,
)
from dashboards.charts import instant as instant_tip
from dashboards.charts.along import day_form
from dashboards.charts.looks import SLATE
from pipelines.primitives.text import natural

# What happened to a drive: colour, and a shape of its own, so that colour is never alone.
_EVENTS = {
    "out of service": (GREY, "square"),
    "transfer failed": (RED, "cross"),
    "mount failed": (ORANGE, "triangle-up"),
    "media error": (PURPLE, "diamond"),
    "tape alert": (BLUE, "circle"),
}
_OTHERS = [(GREEN, "triangle-right"), (SKY, "triangle-down"), (SLATE, "triangle-left"), (GREEN, "stroke")]


def one(rows: pl.DataFrame, happened: pl.DataFrame, marks: list[dict[str, Any]], span: Span) -> alt.Chart:
    """One drive's time, a row for each group of states; its findings and what happened to it on top."""
    states = rows.sort("group_number", descending=True).unique("group_words", maintain_order=True)
    names = states["group_words"].to_list()
    top = [*(["findings"] if marks else []), *sorted(happened["what"].unique())]
    y = alt.Y("row:N", sort=[*top, *names], title=None, axis=alt.Axis(labelLimit=160, labelOverlap=False, ticks=False))
    x = alt.X("from_at:T", title=along_time(), scale=over(span), axis=_axis(span))
    bars = (
        alt.Chart(rows.with_columns(row=pl.col("group_words")))
        .mark_bar(height={"band": 0.8})
        .encode(
            x=x,
            x2=alt.X2("to_at:T"),
            y=y,
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("group_words:N", title="mostly"),
                instant_tip("from_at", "from"),
                instant_tip("to_at", "to"),
                share("group_share", "share of this interval that the drive spent in this state"),
            ],
        )
    )
    layers = [bars]
    if happened.height:
        layers += _happened(happened.with_columns(row=pl.col("what")), x, y, span, None)
    if marks:
        found = pl.DataFrame(marks).with_columns(zone.show(pl.col("at"))).with_columns(row=pl.lit("findings"))
        tips = [alt.Tooltip("title:N", title="finding"), alt.Tooltip("severity:N"), instant_tip("at", "since")]
        layers.append(
            alt.Chart(found.with_columns(at=pl.col("at").clip(*span)))
            .mark_point(shape="triangle-down", size=110, filled=True, color=RED)
            .encode(x=alt.X("at:T"), y=y, tooltip=tips)
        )
    return framed(layers, 25 * (len(names) + len(top)) + 80, span=span)


def _axis(span: Span) -> alt.Axis:
    days = (span[1] - span[0]).days
    form = "%H:%M" if days <= 2 else "%d %b %H:%M" if days <= 14 else day_form(span)
    return alt.Axis(format=form, labelOverlap=True, grid=False, tickCount=8)


def events(rows: pl.DataFrame, span: Span) -> alt.Chart:
    """What happened to drives: outages as bars, the rest as marks, a row a drive."""
    names = sorted(rows["drive"].unique(), key=natural)
    y = alt.Y("drive:N", sort=names, title=None, axis=alt.Axis(labelLimit=140, labelOverlap=False, ticks=False))
    x = alt.X("from_at:T", title=along_time(), scale=over(span), axis=_axis(span))
    legend = alt.Legend(orient="top", title=None, columns=columns(6, rows["what"].unique()))
    return framed([*_happened(rows, x, y, span, legend)], 24 * max(3, len(names)) + 110, span=span, around=110)


def _happened(rows: pl.DataFrame, x: Any, y: Any, span: Span, legend: alt.Legend | None) -> list[alt.Chart]:
    there = sorted(rows["what"].unique(), key=lambda what: (what not in _EVENTS, what))
    others = cycle(_OTHERS)
    looks = {what: _EVENTS.get(what) or next(others) for what in there}
    tips = [
        alt.Tooltip("drive:N"),
        alt.Tooltip("what:N", title="what"),
        instant_tip("from_at", "at"),
        instant_tip("to_at", "until"),
        number("lasted_hours", "duration of the outage, or drive time that the event cost [h]"),
        alt.Tooltip("volume:N", title="tape"),
        alt.Tooltip("error:N"),
    ]
    look = pl.col("what").replace_strict({what: colour for what, (colour, _) in looks.items()})
    inside = linked(rows, "drive").with_columns(
        pl.col("from_at", "to_at").cast(pl.Datetime("us")).clip(*span), look=look
    )
    colours = alt.Scale(domain=there, range=[colour for colour, _ in looks.values()])
    shapes = alt.Scale(domain=there, range=[shape for _, shape in looks.values()])
    lasting = inside.filter(pl.col("to_at").is_not_null())
    colour: Any = alt.Color("what:N", scale=colours, legend=legend) if legend else alt.Color("look:N", scale=None)
    bars = alt.Chart(lasting).mark_bar(height={"band": 0.5})
    marks = alt.Chart(inside).mark_point(size=70, filled=True, opacity=0.85)
    return [
        bars.encode(x=x, x2=alt.X2("to_at:T"), y=y, color=colour, tooltip=tips, href=LINK),
        marks.encode(
            x=x, y=y, color=colour, shape=alt.Shape("what:N", scale=shapes, legend=legend), tooltip=tips, href=LINK
        ),
    ]


def failures(rows: pl.DataFrame, titles: dict[str, str]) -> alt.Chart:
    """What failed or had to be put right on each drive, by kind."""
    long = rows.unpivot(list(titles), index="drive", variable_name="kind", value_name="n").filter(pl.col("n") > 0)
    long = linked(long.with_columns(kind=pl.col("kind").replace(titles)), "drive")
    names = [title for title in titles.values() if title in set(long["kind"])]
    chart = (
        alt.Chart(long)
        .mark_bar(height={"band": 0.7})
        .encode(
            y=alt.Y("drive:N", sort="-x", title=None, axis=alt.Axis(labelLimit=140, labelOverlap=False)),
            x=alt.X("sum(n):Q", title="number of events", axis=alt.Axis(tickMinStep=1, format="d")),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=names, range=COLOURS[: len(names)]),
                legend=alt.Legend(orient="top", title=None, columns=columns(4, names), labelLimit=260),
            ),
            tooltip=[alt.Tooltip("drive:N"), alt.Tooltip("kind:N"), count("n", "number")],
            href=LINK,
        )
    )
    return framed(chart, 24 * max(3, long["drive"].n_unique()) + 110, around=110)


def named_kind() -> pl.Expr:
    return pl.col("generation").fill_null("kind unknown")


def hosts(rows: pl.DataFrame) -> alt.Chart:
    """Rates of equal drives by the host that serves them: a dot a host, the best of a kind at 1."""
    named = rows.with_columns(kind=pl.concat_str(named_kind(), pl.col("mode"), separator=" "))
    order, kinds = sorted(named["mover_host"].drop_nulls().unique(), key=natural), sorted(named["kind"].unique())
    chart = (
        alt.Chart(named)
        .mark_point(filled=True, size=80)
        .encode(
            y=alt.Y("mover_host:N", sort=order, title=None, axis=alt.Axis(labelLimit=240, labelOverlap=False)),
            x=alt.X("drive_rate_mb_s:Q", title="drive rate [MB/s]", scale=alt.Scale(zero=True)),
            **by_colour_and_shape("kind", kinds, columns=columns(4, kinds)),
            tooltip=[
                alt.Tooltip("mover_host:N", title="host"),
                alt.Tooltip("kind:N"),
                number("drive_rate_mb_s", "drive rate [MB/s]"),
                share("ratio_to_best", "drive rate ÷ drive rate of the fastest comparable host"),
                count("n_drives", "drives"),
            ],
        )
    )
    return framed(chart, 24 * max(3, len(order)) + 100, around=100)


def trend(rows: pl.DataFrame, value: str, title: str, step: str) -> alt.Chart:
    """A value of each drive over days, weeks or months."""
    names = sorted(rows["drive"].unique(), key=natural)
    days = sorted(rows["step_from"].unique())
    steps = [alt.DateTime(year=at.year, month=at.month, date=at.day) for at in days]
    first, last = (datetime(at.year, at.month, at.day) for at in (days[0], days[-1]))
    span = first, last + (last - first) / 30  # room for the last point
    form = "%b %Y" if step == "month" else "%d %b"
    axis = alt.Axis(format=form, values=steps, labelOverlap=True, grid=False)
    chart = (
        alt.Chart(linked(rows, "drive"))
        .mark_line(point=alt.OverlayMarkDef(size=45), strokeWidth=1.6)
        .encode(
            x=alt.X("step_from:T", title=f"start of the {step} (site time)", scale=over(span), axis=axis),
            y=alt.Y(f"{value}:Q", title=title, scale=from_zero(rows, value), axis=alt.Axis(tickCount=5)),
            **by_colour_and_dash("drive", names, columns=columns(8, names)),
            href=LINK,
            tooltip=[
                alt.Tooltip("drive:N"),
                alt.Tooltip("step_from:T", title=f"{step} from", format="%Y-%m-%d"),
                number(value, title),
            ],
        )
    )
    return framed(chart, 260, span=span, around=90)
