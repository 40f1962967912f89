"""Where drives' time went: the ledger as a waterfall, its hours by group, and the states of one mount.

Groups, their order, words and colours come with the rows: gold.drive_time_bucket defines them.
"""

from typing import Any

import altair as alt
import polars as pl

from dashboards import zone
from dashboards.charts import GREY, INK, LINK, RED, Span, along_time, framed, instant, linked, number, over, share
from dashboards.charts.along import TICKS, day_form, day_ticks
from dashboards.charts.looks import columns, on_page
from pipelines.primitives.format import d3_format, percent
from pipelines.primitives.text import natural

_UNKNOWN_EDGE = "#6b7280"  # of what no log covers: a pale, dashed box, as in the report


def waterfall(steps: pl.DataFrame, earlier: pl.DataFrame | None = None) -> alt.Chart:
    """Buckets of the ledger, each beginning where the one before ends; those of other days as dashed outlines."""
    names = steps["bucket_words"].to_list()
    y = alt.Y("bucket_words:N", sort=names, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False, ticks=False))
    most = float(steps["from_hours"].max() or 1)  # type: ignore[arg-type]
    room = alt.Scale(domain=[0, most * 1.08], nice=False)  # for the text after the longest bar
    bars = (
        alt.Chart(steps)
        .mark_bar(height={"band": 0.75}, strokeWidth=0.8)
        .encode(
            y=y,
            x=alt.X(
                "to_hours:Q",
                title="drive-hours left after the uses above [h]",
                scale=room,
                axis=alt.Axis(grid=False, tickCount=8),
            ),
            x2=alt.X2("from_hours:Q"),
            color=_colours(steps, 4),
            stroke=alt.condition("datum.time_group == 'unknown'", alt.value(_UNKNOWN_EDGE), alt.value(None)),
            strokeDash=alt.condition("datum.time_group == 'unknown'", alt.value([2, 2]), alt.value([1, 0])),
            tooltip=[
                alt.Tooltip("bucket_words:N", title="bucket"),
                alt.Tooltip("group_words:N", title="group"),
                number("bucket_hours", "hours [h]"),
                share("share", "share"),
            ],
        )
    )
    text = alt.Chart(steps).mark_text(align="left", dx=5, color=INK, fontSize=12).encode(y=y, x=alt.X("from_hours:Q"))
    shown = f"format(datum.bucket_hours, '{d3_format('h')}') + ' h'"
    hours = text.transform_calculate(hours=shown).encode(text=alt.Text("hours:N"))
    layers = [bars, hours]
    if earlier is not None and earlier.height:
        outline = alt.Chart(earlier).mark_bar(
            height={"band": 0.95}, filled=False, stroke=INK, strokeDash=[3, 3], strokeWidth=1
        )
        then = [alt.Tooltip("bucket_words:N", title="on the comparison days"), number("bucket_hours", "hours [h]")]
        layers.insert(1, outline.encode(y=y, x=alt.X("to_hours:Q"), x2=alt.X2("from_hours:Q"), tooltip=then))
    return framed(layers, 22 * max(4, len(names)) + 90, around=90)


def periods(rows: pl.DataFrame, step: str, span: Span) -> alt.Chart:
    """Drive-hours of each day, week or month, by group: what moved data at the bottom."""
    ends = {"day": "1d", "week": "7d", "month": "1mo"}[step]
    summed = (
        rows.with_columns(
            pl.col("colour").fill_null(GREY),
            pl.col("group_number").fill_null(0),
        )
        .with_columns(from_at=pl.col("day").dt.truncate({"day": "1d", "week": "1w", "month": "1mo"}[step]))
        .group_by("from_at", "group_words", "group_number", "colour")
        .agg(pl.sum("drive_hours"))
        .with_columns(from_at=pl.col("from_at").cast(pl.Datetime))
        .with_columns(to_at=pl.col("from_at").dt.offset_by(ends))
        .sort("group_number", descending=True)
    )
    axis = alt.Axis(format="%b %Y" if step == "month" else day_form(span), labelOverlap=True, grid=False)
    bars = (
        alt.Chart(summed)
        .mark_bar(strokeWidth=0)
        .encode(
            x=alt.X("from_at:T", title=f"{step} (site time)", scale=over(span), axis=axis),
            x2=alt.X2("to_at:T"),
            y=alt.Y("sum(drive_hours):Q", title="drive-hours [h]", axis=alt.Axis(tickCount=5)),
            color=_colours(summed),
            order=alt.Order("group_number:Q", sort="descending"),
            tooltip=[
                alt.Tooltip("from_at:T", title=step, format="%Y-%m-%d"),
                alt.Tooltip("group_words:N", title="group"),
                number("sum(drive_hours)", "drive-hours [h]", "h"),
            ],
        )
    )
    return framed(bars, 330, span=span, around=110)


def _colours(rows: pl.DataFrame, most: int = 5) -> alt.Color:
    """The groups of the rows in their order, each in its colour."""
    groups = rows.unique("group_words", maintain_order=True)
    words, colours = groups["group_words"].to_list(), [on_page(colour) for colour in groups["colour"]]
    legend = alt.Legend(
        orient="top",
        title=None,
        columns=columns(most, words),
        labelLimit=300,
        symbolType="square",
        symbolStrokeColor=_UNKNOWN_EDGE,
        symbolStrokeWidth=0.5,
    )
    return alt.Color("group_words:N", sort=words, scale=alt.Scale(domain=words, range=colours), legend=legend)


def stacked(rows: pl.DataFrame, x: str, y: str, title: str) -> alt.Chart:
    """Horizontal bars of drive-hours, the groups of the ledger side by side: what moved data first."""
    rows = rows.sort("group_number", descending=True)
    group = alt.Tooltip("group_words:N", title="group")
    tips = [alt.Tooltip(f"{y}:N"), group, number(f"sum({x})", title)]
    chart = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.7})
        .encode(
            y=alt.Y(f"{y}:N", title=None, sort="-x", axis=alt.Axis(labelLimit=180, labelOverlap=False, ticks=False)),
            x=alt.X(f"sum({x}):Q", title=title, axis=alt.Axis(tickCount=8)),
            order=alt.Order("group_number:Q", sort="descending"),
            color=_colours(rows),
            tooltip=tips,
        )
    )
    return framed(chart, 36 * max(3, rows[y].n_unique()) + 130, around=130)


def one_bar(rows: pl.DataFrame) -> alt.Chart:
    """Drive-hours of each `period` as one bar, from what no log covers to data moving; the legend has the shares."""
    periods = rows["period"].unique(maintain_order=True).to_list()
    hours = (
        rows.group_by("period", "time_group", "group_words", "colour", maintain_order=True)
        .agg(pl.sum("bucket_hours", "share"), pl.min("number"))
        .sort("number")
        .with_columns(place=pl.col("period").replace_strict({name: n for n, name in enumerate(periods)}))
    )
    shares = {row["group_words"]: row["share"] for row in hours.reverse().iter_rows(named=True) if row["place"] == 0}
    named = hours.with_columns(
        group_words=pl.col("group_words").map_elements(
            lambda name: f"{name} {percent(shares[name])}" if name in shares else name, return_dtype=pl.String
        )
    )
    bars = (
        alt.Chart(named)
        .mark_bar(height=16)
        .encode(
            x=alt.X("bucket_hours:Q", stack="normalize", title=None, axis=None),
            y=alt.Y("period:N", title=None, sort=periods, axis=alt.Axis(ticks=False) if len(periods) > 1 else None),
            order=alt.Order("number:Q"),
            color=_colours(named, 4),
            stroke=alt.condition("datum.time_group == 'unknown'", alt.value(_UNKNOWN_EDGE), alt.value(None)),
            tooltip=[
                alt.Tooltip("period:N"),
                alt.Tooltip("group_words:N", title="group"),
                number("bucket_hours", "hours [h]"),
                share("share", "share"),
            ],
        )
    )
    return framed(bars, 20 * len(periods) + 30, around=30)


def drives(rows: pl.DataFrame, marks: list[dict[str, Any]], span: Span, legend: bool = False) -> alt.Chart:
    """Every drive's time along a period, coloured by the group most of each step went to; findings as marks on it."""
    shown = pl.col("colour").map_elements(on_page, return_dtype=pl.String)
    rows = rows.sort("group_number", descending=True, maintain_order=True).with_columns(shown_colour=shown)
    names = sorted(rows["drive"].unique(), key=natural)
    step_px = max(12, min(24, 420 // len(names)))
    is_short = (span[1] - span[0]).days <= 2
    form, ticks = ("%H:%M", TICKS) if is_short else (day_form(span), day_ticks(span))
    axis = alt.Axis(format=form, labelOverlap=True, grid=False, tickCount=ticks)
    x = alt.X("from_at:T", title=along_time(), scale=over(span), axis=axis)
    y = alt.Y("drive:N", sort=names, title=None, axis=alt.Axis(labelLimit=120, labelOverlap=False, ticks=False))
    bars = (
        alt.Chart(linked(rows, "drive"))
        .mark_bar(height={"band": 0.86})
        .encode(
            x=x,
            x2=alt.X2("to_at:T"),
            y=y,
            color=_colours(rows, 6) if legend else alt.Color("shown_colour:N", scale=None),
            tooltip=[
                alt.Tooltip("drive:N"),
                alt.Tooltip("group_words:N", title="mostly"),
                instant("from_at", "from"),
                instant("to_at", "to"),
                share("group_share", "share of this interval that the drive spent in this state"),
            ],
            href=LINK,
        )
    )
    layers = [bars]
    if marks:
        found = pl.DataFrame(marks).with_columns(zone.show(pl.col("at")))
        found = found.with_columns(at=pl.col("at").clip(*span))  # a finding may have begun before the period
        layers.append(
            alt.Chart(found)
            .mark_point(
                shape="triangle-down",
                size=90,
                filled=True,
                color=RED,
                stroke="white",
                strokeWidth=0.8,
                yOffset=-step_px // 3,
            )
            .encode(
                x=alt.X("at:T"),
                y=alt.Y("drive:N", sort=names),
                tooltip=[alt.Tooltip("drive:N"), alt.Tooltip("title:N", title="finding"), alt.Tooltip("severity:N")],
            )
        )
    around = 125 if legend else 0
    return framed(layers, step_px * len(names) + (around or 75), span=span, around=around)
