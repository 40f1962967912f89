"""What is drawn: answers in, Altair charts out. Text from logs appears as drawn text, never as markup.

Instants in rows are by the page's clock already.
"""

import math
from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl
from altair.utils import schemapi

from dashboards import tables
from dashboards.charts.along import Span, along_time, changes, instant, log_changes, over
from dashboards.charts.looks import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    by_colour_and_dash,
    by_colour_and_shape,
    columns,
    faint,
)
from pipelines.primitives import format
from pipelines.primitives.text import natural

__all__ = [
    "BLUE", "COLOURS", "GREEN", "GREY", "INK", "LINK", "ORANGE", "PURPLE", "RED", "SKY", "Span", "along_time",
    "by_colour_and_dash", "by_colour_and_shape", "columns", "count", "faint", "framed", "from_zero", "heat_map",
    "instant", "joined", "lines", "linked", "log_changes", "number", "over", "rule", "share",
]  # fmt: skip

# Altair would check each part of a chart when it is made, and the whole chart again when it is shown.
schemapi.disable_debug_mode()

MANY = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]  # ticks where each is about twice the last
TITLE_CHARS, CHAR_PX = 40, 6  # of a line below or above a chart
LABEL_PX = 240  # of a name in a legend
WORD_CHARS = 6  # by which lines of a title may differ
AROUND_PX = 80  # of a chart's height: axis and legend
WORDS_PX = 16  # of the change log, above a chart
LINK = alt.Href("href:N")  # of what a chart names, to its page: see `linked`


def heat_map(
    rows: pl.DataFrame, y: str, value: str, title: str, tips: list[Any], span: Span, to: str = BLUE, daily: bool = False
) -> alt.Chart:
    """Cells of an hour or a day by name, over a period: the fuller the colour, the more; no row leaves a cell empty."""
    step = alt.TimeUnitParams(unit="yearmonthdate" if daily else "yearmonthdatehours")
    height = max(80, 22 * rows[y].n_unique()) + 140
    chart = (
        alt.Chart(linked(rows, y))
        .mark_rect()
        .encode(
            x=alt.X(
                "hour_at:T",
                timeUnit=step,
                title=along_time("day" if daily else "hour"),
                scale=over(span),
                axis=alt.Axis(format="%d %b" if daily else "%d %b %H:%M", labelOverlap=True),
            ),
            y=alt.Y(
                f"{y}:N",
                sort=sorted(rows[y].drop_nulls().unique(), key=natural),
                title=None,
                axis=alt.Axis(labelLimit=180, labelOverlap=False),
            ),
            color=alt.Color(
                f"{value}:Q",
                title=title,
                scale=alt.Scale(range=[faint(to), to], domain=[0, 1], interpolate="rgb"),
                legend=alt.Legend(format=".0%", orient="top", gradientLength=160, titleLimit=400),
            ),
            tooltip=tips,
            href=LINK,
        )
    )
    return framed(chart, height, span=span)


def rule(at: float, along: str = "y") -> Any:
    """The dashed line of a value to compare others with."""
    drawn = alt.Chart(pl.DataFrame({"at": [at]})).mark_rule(color=ORANGE, strokeDash=[4, 3])
    return drawn.encode(**{along: (alt.Y if along == "y" else alt.X)("at:Q")})


def lines(
    rows: pl.DataFrame, x: str, y: str, colour: str, titles: dict[str, str], log_x: bool = False, most: int = 5,
    link: str = "",
) -> alt.Chart:  # fmt: skip
    """One line for each name, a point at each value; colour and dash distinguish the names."""
    high = float(rows[x].max() or 0)  # type: ignore[arg-type]
    ticks = [value for value in MANY if value <= high]
    ticks += [math.floor(high)] if ticks and high >= 1.5 * ticks[-1] > 0 else []
    x_tip = (count if rows[x].dtype.is_integer() else number)(x, titles[x])
    axis = alt.Axis(values=ticks, format="d") if log_x else alt.Axis(tickMinStep=1, format="d")
    names = sorted(rows[colour].drop_nulls().unique(), key=natural)
    chart = (
        alt.Chart(linked(rows, link or colour))
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=alt.X(
                f"{x}:Q",
                title=titles[x],
                scale=alt.Scale(type="symlog" if log_x else "linear", padding=12, nice=False),
                axis=axis,
            ),
            y=alt.Y(f"{y}:Q", title=titles[y], axis=alt.Axis(tickCount=5)),
            **by_colour_and_dash(colour, names, columns=columns(most, names), labelLimit=150),
            tooltip=[alt.Tooltip(f"{colour}:N", title=titles.get(colour, colour)), x_tip, number(y, titles[y])],
            href=LINK,
        )
    )
    legend_px = 20 * -(-rows[colour].n_unique() // most)
    return framed(chart, 320 + legend_px, around=90 + legend_px)


def from_zero(rows: pl.DataFrame, value: str, **more: Any) -> alt.Scale:
    """A scale from 0. Where all values are 0 it ends at 1: an axis without length has one label, with six decimals."""
    return alt.Scale(domainMin=0, **more) if rows[value].max() else alt.Scale(domain=[0, 1])


def linked(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows with `href`: the address of the drive, tape, station or mount in a column of that name, or nothing."""
    if name not in tables.LINKS:
        return rows.with_columns(href=pl.lit(None, dtype=pl.String))
    known = {one: tables.address(*tables.LINKS[name], one) for one in rows[name].drop_nulls().unique()}
    return rows.with_columns(href=pl.col(name).replace_strict(known, default=None, return_dtype=pl.String))


def joined(*names: str) -> pl.Expr:
    """Several columns as one text."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in names], separator=" ", ignore_nulls=True)


def number(name: str, title: str, unit: str | None = None) -> alt.Tooltip:
    """A value with the decimals of its unit, which its column's name ends in unless it is given."""
    column = name.removeprefix("sum(").removesuffix(")")
    form = format.d3_format(format.unit_of(column) if unit is None else unit)
    return alt.Tooltip(f"{name}:Q", title=title, format=form)


def count(name: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{name}:Q", title=title, format=",d")


def share(name: str, title: str) -> alt.Tooltip:
    return number(name, title, format.SHARE)


def framed(
    drawn: Any, height: int, title: str | alt.TitleParams = "", span: Span | None = None, around: int = 0
) -> alt.Chart:
    """The same frame for all, of a chart or of layers; along time it has the changes.

    Of the height, axes and legend take about `around`. Where that is given, more lines of a legend, as on a phone, come
    on top: without it they take the room of the marks.

    A title is text, and is cut where it would not fit. What a chart has is set here once: each of Altair's own methods
    copies all of it.
    """
    marks = changes(span) if span else []
    layers = [*(drawn if isinstance(drawn, list) else [drawn]), *marks]
    up_chars = min(TITLE_CHARS, max(TITLE_CHARS // 3, (height - (around or AROUND_PX)) // CHAR_PX))
    for layer in layers:
        _break_titles(layer, {"x": TITLE_CHARS, "y": up_chars, "color": TITLE_CHARS})
    chart: Any = alt.layer(*layers) if len(layers) > 1 else layers[0]
    height += (WORDS_PX if marks else 0) - around
    if around:
        chart.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    chart.height = height
    chart.config = {
        "view": {"strokeWidth": 0}, "axisY": {"labelFlush": False}, "legend": {"labelLimit": LABEL_PX},
    }  # fmt: skip
    if title:
        text = [title] if isinstance(title, str) else None
        chart.title = alt.TitleParams(text, anchor="start", fontSize=14, limit=500) if text else title
    return chart  # type: ignore[no-any-return]


def _break_titles(chart: Any, chars: dict[str, int]) -> None:
    """Set long titles of axes and legends in lines: a low chart, or one on a phone, would cut them."""
    for name, most in chars.items():
        channel = getattr(getattr(chart, "encoding", None), name, None)
        if isinstance(channel, alt.X | alt.Y | alt.Color) and isinstance(channel["title"], str):
            n_lines = -(-len(channel["title"]) // most)
            lines = wrap(channel["title"], min(most, len(channel["title"]) // n_lines + WORD_CHARS))
            channel["title"] = lines if n_lines > 1 else channel["title"]
