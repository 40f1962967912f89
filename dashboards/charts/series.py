"""What is drawn along time: a station's traffic, a host's load, requests and their waits, with changes as marks."""

from collections.abc import Iterable
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
    ORANGE,
    RED,
    SKY,
    Span,
    along_time,
    faint,
    framed,
    instant,
    number,
    over,
)
from pipelines.primitives.format import SHARE

MOST_MARKS = 20  # changes drawn on one chart
WORD_CHARS = 28  # of a change, next to its mark
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4]]
HOW = "area: out of the station · line: into it · thin dashes: highest peaks"


def traffic(
    rows: pl.DataFrame, station: str, threshold_mb_s: float, high: float, span: Span,
    before: pl.DataFrame | None = None, marks: Iterable[Any] = (),
) -> alt.Chart:  # fmt: skip
    """One station in MRTG's manner: out as an area, in as a line, peaks as thin dashes; earlier days are grey."""
    x, scale = _along(span, ticks=6), alt.Scale(domain=[0, high], nice=True)
    y = alt.Y("avg_mb_s:Q", title="MB/s", scale=scale, axis=alt.Axis(tickCount=3))
    out, into = rows.filter(pl.col("direction") == "out"), rows.filter(pl.col("direction") == "in")
    tips = ["station:N", "direction:N", instant("bin_at", "from")]
    tips += [number("avg_mb_s", "average [MB/s]"), number("max_mb_s", "peak [MB/s]")]
    layers: list[Any] = [
        alt.Chart(out).mark_area(color=GREEN, opacity=0.55, interpolate="step-after").encode(x=x, y=y, tooltip=tips),
        _peaks(out, GREEN, x, scale),
        _peaks(into, SKY, x, scale),
        alt.Chart(into).mark_line(color=BLUE, strokeWidth=1.6, interpolate="step-after").encode(x=x, y=y, tooltip=tips),
        *labelled_rule(threshold_mb_s, f"threshold {threshold_mb_s:g} MB/s"),
    ]
    if before is not None and before.height:
        ghost = alt.Chart(before).mark_line(color=GREY, strokeWidth=1, interpolate="step-after")
        dash = alt.StrokeDash("direction:N", scale=alt.Scale(domain=["in", "out"], range=[[6, 3], [1, 2]]), legend=None)
        layers.append(ghost.encode(x=x, y=y, strokeDash=dash, tooltip=tips))
    layers += marks
    how = HOW + (" · grey: the days compared with" if before is not None else "")
    drawn = alt.layer(*layers).properties(
        title=alt.TitleParams([station], subtitle=[how], anchor="start", fontSize=14, limit=500, subtitleColor=INK)
    )
    return framed(drawn, 200)


def _peaks(rows: pl.DataFrame, colour: str, x: Any, scale: Any) -> Any:
    drawn = alt.Chart(rows).mark_line(color=colour, strokeWidth=0.8, strokeDash=[2, 2], interpolate="step-after")
    return drawn.encode(x=x, y=alt.Y("max_mb_s:Q", scale=scale))


def labelled_rule(at: float, text: str) -> list[Any]:
    """The dashed line of a value that others are compared with, and its words above its right end."""
    value = pl.DataFrame({"at": [at], "text": [text]})
    line = alt.Chart(value).mark_rule(color=ORANGE, strokeDash=[4, 3]).encode(y="at:Q", tooltip=alt.Tooltip("text:N"))
    words = alt.Chart(value).mark_text(align="right", dy=-6, color=INK, fontSize=11)
    return [line, words.encode(x=alt.value("width"), y="at:Q", text="text:N")]


def changes(rows: list[dict[str, Any]], span: Span) -> list[Any]:
    """What the change log has within the span: a thin line each, with its words."""
    known = {(row["changed_at"], row["what"]) for row in rows if row["changed_at"] and row["what"]}
    shown = sorted(one for one in known if span[0] <= one[0] < span[1])[:MOST_MARKS]
    if not shown:
        return []
    marks = pl.DataFrame(shown, schema=["changed_at", "what"], orient="row")
    marks = marks.with_columns(short="▼ " + pl.col("what").str.slice(0, WORD_CHARS))
    tips = [alt.Tooltip("what:N", title="change"), instant("changed_at", "at")]
    base = alt.Chart(marks).encode(x=alt.X("changed_at:T", scale=over(span)), tooltip=tips)
    text = base.mark_text(align="left", baseline="top", dx=3, color=INK, fontSize=11)
    return [base.mark_rule(color=INK, strokeWidth=1), text.encode(y=alt.value(0), text="short:N")]


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
    colour = alt.Color("what:N", sort=order, scale=scale, legend=alt.Legend(orient="top", title=None, columns=7))
    y = alt.Y(
        "value:Q",
        title=title,
        stack="zero" if stacked else None,
        axis=alt.Axis(tickCount=4, format="%" if share else "~s"),
        scale=alt.Scale(domain=[0, 1]) if share else alt.Undefined,
    )
    tips: list[Any] = ["what:N", instant("bin_at", "from"), number("value", title, SHARE if share else "MB/s")]
    base = alt.Chart(long).encode(x=_along(span), y=y, color=colour, tooltip=tips)
    if stacked:
        return framed(base.mark_area(interpolate="step-after", opacity=0.8).encode(order="number:Q"), 210)
    dash = alt.StrokeDash("what:N", sort=order, scale=alt.Scale(domain=order, range=DASHES[: len(order)]))
    return framed(base.mark_line(interpolate="step-after", strokeWidth=1.5).encode(strokeDash=dash), 190)


def bars(
    rows: pl.DataFrame, names: dict[str, str], title: str, span: Span, before: pl.DataFrame | None = None,
    marks: Iterable[Any] = (),
) -> alt.Chart:  # fmt: skip
    """Columns of rows stacked in bars along time; the sum of the days compared with as a dashed line."""
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
    tips = ["what:N", instant("bin_at", "from"), instant("to_at", "to"), number("value", title, "h")]
    drawn: list[Any] = [
        alt.Chart(long)
        .mark_bar(orient="vertical", stroke="white", strokeWidth=0.3)
        .encode(
            x=_along(span), x2="to_at:T",
            y=alt.Y("value:Q", title=title, stack="zero", axis=alt.Axis(tickCount=4)),
            color=alt.Color("what:N", sort=order, scale=scale, legend=alt.Legend(orient="top", title=None, columns=7)),
            order="number:Q", tooltip=tips,
        )
    ]  # fmt: skip
    if before is not None and before.height:
        total = before.group_by("bin_at").agg(value=pl.sum_horizontal(pl.col(list(names)).sum())).sort("bin_at")
        line = alt.Chart(total).mark_line(color=INK, strokeDash=[5, 3], strokeWidth=1.2, interpolate="step-after")
        tip = [instant("bin_at", "moved here from the days compared with"), number("value", title, "h")]
        drawn.append(line.encode(x=_along(span), y=alt.Y("value:Q", title=title), tooltip=tip))
    return framed(alt.layer(*drawn, *marks), 280)


def heat(rows: pl.DataFrame, value: str, title: str, span: Span) -> alt.Chart:
    """Links by hour, the fullest first; the scale ends at the highest value there is, so that differences show."""
    order = rows.group_by("log").agg(pl.max(value)).sort(value, "log", descending=[True, False])["log"].to_list()
    step = timedelta(hours=24 if span[1] - span[0] > timedelta(days=22) else 1)
    cells = rows.rename({"hour_at": "bin_at"}).with_columns(to_at=pl.col("bin_at") + step)
    is_share = value == "max_share"
    tips = ["log:N", instant("bin_at", "from"), number(value, title, SHARE if is_share else "MB/s")]
    tips += [number("avg_mb_s", "average [MB/s]"), number("max_mb_s", "highest peak [MB/s]")]
    y = alt.Y("log:N", sort=order, title=None, axis=alt.Axis(labelLimit=180, labelOverlap=False))
    high = float(rows[value].max() or 1)  # type: ignore[arg-type]
    colour = alt.Color(
        f"{value}:Q",
        title=title,
        scale=alt.Scale(range=[faint(RED, 0.06), RED], domain=[0, high], interpolate="rgb"),
        legend=alt.Legend(format=".0%" if is_share else "~g", orient="top", gradientLength=160, titleLimit=400),
    )
    bars = alt.Chart(cells).mark_rect().encode(x=_along(span), x2="to_at:T", y=y, color=colour, tooltip=tips)
    return framed(bars, 18 * max(4, len(order)) + 130)


def extent(rows: pl.DataFrame, span: Span) -> Span:
    """The span, or where rows fill less than a quarter of it, that of the rows."""
    if rows.is_empty():
        return span
    first: datetime = rows["bin_at"].min()  # type: ignore[assignment]
    last: datetime = rows["bin_at"].max()  # type: ignore[assignment]
    last += timedelta(seconds=float(rows["bin_s"][0]))
    return (first, last) if (last - first) * 4 < span[1] - span[0] else span


def _along(span: Span, ticks: int = 8) -> alt.X:
    form = "%d %b" if span[1] - span[0] > timedelta(days=2) else "%H:%M"
    axis = alt.Axis(format=form, labelOverlap=True, tickCount=ticks, grid=False)
    return alt.X("bin_at:T", title=along_time(), scale=over(span), axis=axis)
