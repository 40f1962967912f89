"""What is drawn: answers in, Altair charts out. Text from logs appears as drawn text, never as markup.

Colours are those of Okabe and Ito, which people who confuse colours can tell apart, and which stand on white and on
black. Instants in rows are by the page's clock already.
"""

import math
from datetime import datetime
from typing import Any

import altair as alt
import polars as pl

from dashboards import words, zone
from pipelines.primitives import format

Span = tuple[datetime, datetime]  # instants at which an axis begins and ends
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#8A9199",
)
COLOURS = [BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY]
MANY = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]  # ticks where each is about twice the last
INK = "#777E86"  # of text between marks: as far from white as from the pages' black


def heat_map(
    rows: pl.DataFrame, y: str, value: str, title: str, tips: list[Any], span: Span, to: str = BLUE, daily: bool = False
) -> alt.Chart:
    """Cells of an hour or a day by name, over a period: the fuller the colour, the more; no row leaves a cell empty."""
    step = alt.TimeUnitParams(unit="yearmonthdate" if daily else "yearmonthdatehours")
    height = max(80, 22 * rows[y].n_unique()) + 140
    chart = (
        alt.Chart(rows)
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
                sort=sorted(rows[y].drop_nulls().unique(), key=words.natural),
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
        )
    )
    return framed(chart, height)


def rule(at: float, along: str = "y") -> Any:
    """The dashed line of a value that others are held against."""
    drawn = alt.Chart(pl.DataFrame({"at": [at]})).mark_rule(color=ORANGE, strokeDash=[4, 3])
    return drawn.encode(**{along: "at:Q"})


def lines(
    rows: pl.DataFrame, x: str, y: str, colour: str, titles: dict[str, str], log_x: bool = False, columns: int = 5
) -> alt.Chart:
    """One line for each name, a point at each value."""
    most = float(rows[x].max() or 0)  # type: ignore[arg-type]
    ticks = [value for value in MANY if value <= most]
    ticks += [math.floor(most)] if ticks and most >= 1.5 * ticks[-1] > 0 else []
    x_tip = (count if rows[x].dtype.is_integer() else number)(x, titles[x])
    axis = alt.Axis(values=ticks) if log_x else alt.Axis(tickMinStep=1, format="d")
    chart = (
        alt.Chart(rows)
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=alt.X(
                f"{x}:Q",
                title=titles[x],
                scale=alt.Scale(type="symlog" if log_x else "linear", padding=12, nice=False),
                axis=axis,
            ),
            y=alt.Y(f"{y}:Q", title=titles[y], axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                f"{colour}:N",
                sort=sorted(rows[colour].drop_nulls().unique(), key=words.natural),
                scale=alt.Scale(range=COLOURS),
                legend=alt.Legend(orient="top", title=None, columns=columns, labelLimit=150),
            ),
            tooltip=[f"{colour}:N", x_tip, number(y, titles[y])],
        )
    )
    return framed(chart, 320 + 20 * (-(-rows[colour].n_unique() // columns)))


def points(rows: pl.DataFrame, x: str, y: str, colour: str, titles: dict[str, str], tips: list[Any]) -> alt.Chart:
    """One point for each row."""
    chart = (
        alt.Chart(rows)
        .mark_circle(size=55, opacity=0.75)
        .encode(
            x=alt.X(f"{x}:Q", title=titles[x], axis=alt.Axis(tickCount=10)),
            y=alt.Y(f"{y}:Q", title=titles[y], axis=alt.Axis(tickCount=6)),
            color=alt.Color(
                f"{colour}:N", scale=alt.Scale(range=COLOURS), legend=alt.Legend(orient="top", title=None, columns=6)
            ),
            tooltip=tips,
        )
    )
    return framed(chart, 360)


def faint(colour: str, share: float = 0.12) -> str:
    """A colour that the page shines through: it is the weaker one on white and on black.

    >>> faint("#0072B2")
    'rgba(0, 114, 178, 0.12)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {share:g})"


def joined(*names: str) -> pl.Expr:
    """Several columns as one text."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in names], separator=" ", ignore_nulls=True)


def along_time(what: str = "time") -> str:
    """The title of an axis of time: it names the clock."""
    return f"{what} in {zone.name()}"


def over(span: Span) -> alt.Scale:
    """The scale of a time axis that begins and ends with a period, wherever its rows lie."""
    ends = [alt.DateTime(year=at.year, month=at.month, date=at.day, hours=at.hour, minutes=at.minute) for at in span]
    return alt.Scale(domain=ends, nice=False)


def instant(name: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{name}:T", title=f"{title} ({zone.name()})", format="%Y-%m-%d %H:%M:%S")


def number(name: str, title: str, unit: str | None = None) -> alt.Tooltip:
    """A value with the decimals of its unit, which its column's name ends in unless it is given."""
    column = name.removeprefix("sum(").removesuffix(")")
    form = format.d3_format(format.unit_of(column) if unit is None else unit)
    return alt.Tooltip(f"{name}:Q", title=title, format=form)


def count(name: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{name}:Q", title=title, format=",d")


def share(name: str, title: str) -> alt.Tooltip:
    return number(name, title, format.SHARE)


def framed(chart: Any, height: int, title: str = "") -> alt.Chart:
    """The same frame for all; a title is text, and is cut where it would not fit."""
    drawn: Any = chart.properties(height=height)
    if title:
        drawn = drawn.properties(title=alt.TitleParams([title], anchor="start", fontSize=14, limit=500))
    return drawn.configure_view(strokeWidth=0).configure_axisY(labelFlush=False)  # type: ignore[no-any-return]
