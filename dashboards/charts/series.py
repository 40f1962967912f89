"""What is drawn along time: stations' traffic, a host's load, requests and their waits, links by the hour."""

import math
from datetime import datetime, timedelta
from typing import Any

import altair as alt
import polars as pl

from dashboards.charts import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    INK,
    LINK,
    ORANGE,
    RED,
    SKY,
    Span,
    along_time,
    columns,
    faint,
    framed,
    instant,
    linked,
    number,
    over,
)
from dashboards.charts.along import TICKS, day_form, day_ticks
from dashboards.charts.looks import DASHES
from pipelines.primitives.format import SHARE

TRAFFIC_PX = 72  # of a station
MOST_HOURLY_DAYS = 22  # of coverage_hours and link_loads: for more they have days
HOW = "area: out of the station · line: into the station", "thin dashes: highest peaks"


def traffic(
    rows: pl.DataFrame, stations: list[str], threshold_mb_s: float, high: float, span: Span,
    before: pl.DataFrame | None = None,
) -> alt.Chart:  # fmt: skip
    """Stations below one another in MRTG's manner, all on one scale: out as an area, in as a line, peaks as dashes.

    Earlier days are grey. `high` is the highest value in MB/s. One view holds them all, so that one brush zooms all.
    """
    step = math.ceil(
        1.25 * max(high, threshold_mb_s, 1)
    )  # from one station's zero to the next one's: an integer, so that labels divide it
    zeros = {name: step * at for at, name in enumerate(reversed(stations))}
    x = _along(span)
    size = 10 ** int(math.log10(max(high, 1)))
    ticks = [zero + at for zero in zeros.values() for at in (0, size * max(1, int(high / size)))]
    label = f"format(datum.value - {step} * floor(datum.value / {step}), 'd')"
    axis = alt.Axis(values=ticks, tickCount=len(ticks), labelExpr=label, labelOverlap=False)
    scale = alt.Scale(domain=[0, step * len(stations)], nice=False)
    y = alt.Y(
        "avg:Q",
        title="MB/s",  # short: Vega moves what is above the chart out of the picture for a title higher than it
        scale=scale,
        axis=axis,
    )
    drawn = _lifted(rows, zeros)
    out, into = (alt.Chart(drawn.filter(pl.col("direction") == way)) for way in ("out", "in"))
    name, rest = alt.Detail("station:N"), dict[str, Any](interpolate="step-after")
    area, line = out.mark_area(color=GREEN, opacity=0.55, **rest), into.mark_line(color=BLUE, strokeWidth=1.6, **rest)
    peaks = rest | {"strokeWidth": 0.8, "strokeDash": [2, 2]}
    layers: list[Any] = [
        area.encode(x=x, y=y, y2=alt.Y2("zero:Q"), detail=name),
        *(
            one.mark_line(color=colour, **peaks).encode(x=x, y=alt.Y("peak:Q"), detail=name)
            for one, colour in ((out, GREEN), (into, SKY))
        ),
        line.encode(x=x, y=y, detail=name),
        *labelled_rules([zero + threshold_mb_s for zero in zeros.values()], f"threshold {threshold_mb_s:g} MB/s"),
        *_hover(drawn, zeros, step, x),
    ]
    how = [HOW[0], HOW[1] + (" · grey: the comparison days" if before is not None else "")]  # as wide as a phone
    how += ["each station has its own zero line"] if len(stations) > 1 else []
    if before is not None and before.height:
        ghost = alt.Chart(_lifted(before, zeros)).mark_line(color=GREY, strokeWidth=1, **rest)
        dash = alt.StrokeDash("direction:N", scale=alt.Scale(domain=["in", "out"], range=[[6, 3], [1, 2]]), legend=None)
        layers.insert(4, ghost.encode(x=x, y=y, strokeDash=dash, detail=name))
    title = alt.TitleParams(how, anchor="start", fontSize=12, fontWeight="normal", color=INK, offset=16)
    return framed(layers, max(280, TRAFFIC_PX * len(stations)), title, span)


def _lifted(rows: pl.DataFrame, zeros: dict[str, int]) -> pl.DataFrame:
    """Rates as heights: each station from its own zero."""
    zero = pl.col("station").replace_strict(zeros, default=None, return_dtype=pl.Int64)
    lifted = rows.with_columns(zero=zero).drop_nulls("zero").sort("station", "bin_at")
    return lifted.with_columns(avg=pl.col("zero") + pl.col("avg_mb_s"), peak=pl.col("zero") + pl.col("max_mb_s"))


def _hover(rows: pl.DataFrame, zeros: dict[str, int], step: int, x: alt.X) -> list[Any]:
    """What the pointer finds anywhere above a station's zero: both directions of that time; and the stations' names."""
    both = rows.pivot("direction", index=["station", "bin_at", "bin_s", "zero"], values=["avg_mb_s", "max_mb_s"])
    both = both.with_columns(top=pl.col("zero") + step, to_at=pl.col("bin_at") + pl.duration(seconds="bin_s"))
    tips = [alt.Tooltip("station:N"), instant("bin_at", "from"), instant("to_at", "to")]
    for name, words in (("avg", "average"), ("max", "peak")):
        ways = [(way, f"{name}_mb_s_{way}") for way in ("in", "out") if f"{name}_mb_s_{way}" in both.columns]
        tips += [number(column, f"{way}, {words} [MB/s]", "MB/s") for way, column in ways]
    places = alt.Chart(both).mark_bar(opacity=0, orient="vertical")
    names = linked(pl.DataFrame({"station": list(zeros), "zero": list(zeros.values())}), "station")
    texts = alt.Chart(names.with_columns(top=pl.col("zero") + step)).mark_text(
        align="left", baseline="top", dx=6, dy=3, color=INK, fontSize=12, fontWeight="bold"
    )
    return [
        places.encode(x=x, x2=alt.X2("to_at:T"), y=alt.Y("zero:Q"), y2=alt.Y2("top:Q"), tooltip=tips),
        texts.encode(x=alt.value(0), y=alt.Y("top:Q"), text=alt.Text("station:N"), href=LINK),
    ]


def labelled_rules(at: list[float], text: str) -> list[Any]:
    """Dashed lines of a value that others are compared with, and its words above the right end of the highest."""
    value = pl.DataFrame({"at": at, "text": [text if one == max(at) else "" for one in at], "tip": [text] * len(at)})
    base = alt.Chart(value)
    words = base.mark_text(align="right", dy=-6, color=INK, fontSize=11)
    return [
        base.mark_rule(color=ORANGE, strokeDash=[4, 3]).encode(
            y=alt.Y("at:Q"), tooltip=alt.Tooltip("tip:N", title=" ")
        ),
        words.encode(x=alt.value("width"), y=alt.Y("at:Q"), text=alt.Text("text:N")),
    ]


def measures(
    rows: pl.DataFrame, names: dict[str, str], title: str, span: Span, share: bool = False, stacked: bool = False
) -> alt.Chart:
    """Columns of rows along time, one on top of the other or as lines; each has a dash or a place of its own."""
    wide = rows.select("bin_at", *names).rename(names)
    long = wide.unpivot(index="bin_at", variable_name="what", value_name="value").drop_nulls("value")
    order = list(names.values())
    long = long.with_columns(
        number=pl.col("what").replace_strict({name: at for at, name in enumerate(order)}, return_dtype=pl.Int64)
    )
    scale = alt.Scale(domain=order, range=COLOURS[: len(order)])
    colour = alt.Color(
        "what:N", sort=order, scale=scale, legend=alt.Legend(orient="top", title=None, columns=columns(7, order))
    )
    y = alt.Y(
        "value:Q",
        title=title,
        stack="zero" if stacked else None,
        axis=alt.Axis(tickCount=4, format="%" if share else "~s"),
        scale=alt.Scale(domain=[0, 1]) if share else alt.Undefined,
    )
    tips: list[Any] = [
        alt.Tooltip("what:N"),
        instant("bin_at", "from"),
        number("value", title, SHARE if share else "MB/s"),
    ]
    base = alt.Chart(long).encode(x=_along(span), y=y, color=colour, tooltip=tips)
    if stacked:
        return framed(
            base.mark_area(interpolate="step-after", opacity=0.8).encode(order=alt.Order("number:Q")), 240, span=span
        )
    dash = alt.StrokeDash("what:N", sort=order, scale=alt.Scale(domain=order, range=DASHES[: len(order)]))
    return framed(base.mark_line(interpolate="step-after", strokeWidth=1.5).encode(strokeDash=dash), 220, span=span)


def bars(
    rows: pl.DataFrame, names: dict[str, str], title: str, span: Span, before: pl.DataFrame | None = None
) -> alt.Chart:
    """Columns of rows stacked in bars along time; the sum of the comparison days as a dashed line."""
    order = [name for column, name in names.items() if rows[column].drop_nulls().len()]
    wide = rows.group_by("bin_at").agg(pl.col(list(names)).sum(), pl.col("bin_s").first()).rename(names)
    long = wide.select("bin_at", "bin_s", *order).unpivot(
        index=["bin_at", "bin_s"], variable_name="what", value_name="value"
    )
    long = long.filter(pl.col("value") > 0).with_columns(
        to_at=pl.col("bin_at") + pl.duration(seconds="bin_s"),
        number=pl.col("what").replace_strict({name: at for at, name in enumerate(order)}, return_dtype=pl.Int64),
    )
    scale = alt.Scale(domain=order, range=COLOURS[: len(order)])
    legend = alt.Legend(orient="top", title=None, columns=columns(7, order), labelLimit=240)
    tips = [alt.Tooltip("what:N"), instant("bin_at", "from"), instant("to_at", "to"), number("value", title, "h")]
    drawn: list[Any] = [
        alt.Chart(long)
        .mark_bar(orient="vertical", strokeWidth=0)
        .encode(
            x=_along(span), x2=alt.X2("to_at:T"),
            y=alt.Y("value:Q", title=title, stack="zero", axis=alt.Axis(tickCount=4)),
            color=alt.Color("what:N", sort=order, scale=scale, legend=legend),
            order=alt.Order("number:Q"), tooltip=tips,
        )
    ]  # fmt: skip
    if before is not None and before.height:
        total = before.group_by("bin_at").agg(value=pl.sum_horizontal(pl.col(list(names)).sum())).sort("bin_at")
        line = alt.Chart(total).mark_line(color=INK, strokeDash=[5, 3], strokeWidth=1.2, interpolate="step-after")
        tip = [instant("bin_at", "corresponding time in this period"), number("value", title, "h")]
        drawn.append(line.encode(x=_along(span), y=alt.Y("value:Q", title=title), tooltip=tip))
    return framed(drawn, 280, span=span, around=110)


def heat(rows: pl.DataFrame, value: str, title: str, span: Span) -> alt.Chart:
    """Links from `from_at` to `to_at`, the fullest first; the scale ends at the highest value, so differences show."""
    order = rows.group_by("log").agg(pl.max(value)).sort(value, "log", descending=[True, False])["log"].to_list()
    cells = linked(rows, "station").rename({"from_at": "bin_at"})
    is_share = value == "max_share"
    tips = [
        alt.Tooltip("log:N"),
        alt.Tooltip("station:N"),
        instant("bin_at", "from"),
        instant("to_at", "to"),
        number(value, title, SHARE if is_share else "MB/s"),
    ]
    tips += [number("avg_mb_s", "average [MB/s]"), number("max_mb_s", "highest peak [MB/s]")]
    y = alt.Y("log:N", sort=order, title=None, axis=alt.Axis(labelLimit=180, labelOverlap=False))
    high = float(rows[value].max() or 1)  # type: ignore[arg-type]
    colour = alt.Color(
        f"{value}:Q",
        title=title,
        scale=alt.Scale(range=[faint(RED, 0.06), RED], domain=[0, high], interpolate="rgb"),
        legend=alt.Legend(format=".0%" if is_share else ",.3~r", orient="top", gradientLength=160, titleLimit=400),
    )
    bars = alt.Chart(cells).mark_rect().encode(x=_along(span), x2=alt.X2("to_at:T"), y=y, color=colour, tooltip=tips)
    return framed(bars.encode(href=LINK), 18 * max(4, len(order)) + 130, span=span)


def extent(rows: pl.DataFrame, span: Span) -> Span:
    """The span, or where the rows from `from_at` to `to_at` fill less than a quarter of it, that of the rows."""
    if rows.is_empty():
        return span
    first: datetime = rows["from_at"].min()  # type: ignore[assignment]
    last: datetime = rows["to_at"].max()  # type: ignore[assignment]
    return (first, last) if (last - first) * 4 < span[1] - span[0] else span


def _along(span: Span) -> alt.X:
    is_long = span[1] - span[0] > timedelta(days=2)
    form, n_ticks = (day_form(span), day_ticks(span)) if is_long else ("%H:%M", TICKS)
    axis = alt.Axis(format=form, labelOverlap=True, tickCount=n_ticks, grid=False)
    return alt.X("bin_at:T", title=along_time(), scale=over(span), axis=axis)
