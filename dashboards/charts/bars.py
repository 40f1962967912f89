"""Bars by name: shares and hours of groups, data sets and pools, one above the other."""

from typing import Any

import altair as alt
import polars as pl

from dashboards.charts import BLUE, COLOURS, INK, LINK, RED, columns, framed, linked, number, share
from pipelines.primitives.format import SHARE

LEAST = 0.1
MOST_BARS = 14  # of one chart; the table below has all
ROW_PX = 26


def stacked(rows: pl.DataFrame, name: str, names: dict[str, str], title: str, unit: str) -> alt.Chart:
    """Columns of each row side by side in one bar, in the order of the rows."""
    rows = _named(rows, name)
    top = rows.group_by(name, maintain_order=True).agg(pl.col(list(names)).sum()).head(MOST_BARS)
    order = list(names.values())
    long = top.rename(names).unpivot(index=name, on=order, variable_name="what", value_name="value").drop_nulls("value")
    long = long.with_columns(
        number=pl.col("what").replace_strict({one: at for at, one in enumerate(order)}, return_dtype=pl.Int64)
    )
    scale = alt.Scale(domain=order, range=COLOURS[: len(order)])
    legend = alt.Legend(orient="top", title=None, columns=columns(6, order), labelLimit=240)
    chart = (
        alt.Chart(linked(long, name))
        .mark_bar(height={"band": 0.7}, strokeWidth=0)
        .encode(
            y=_names(top, name),
            x=alt.X(
                "value:Q", title=title, stack="zero", axis=alt.Axis(tickCount=6, format="%" if unit == SHARE else ",~f")
            ),
            color=alt.Color("what:N", sort=order, scale=scale, legend=legend),
            order="number:Q",
            tooltip=[alt.Tooltip(f"{name}:N"), alt.Tooltip("what:N"), number("value", title, unit)],
            href=LINK,
        )
    )
    return framed(chart, ROW_PX * max(3, top.height) + 125, around=125)


def single(rows: pl.DataFrame, name: str, value: str, title: str, expected: str = "", link: str = "") -> alt.Chart:
    """One bar for each row, and a labelled tick where a column has what was expected of it."""
    top = linked(_named(rows, name).head(MOST_BARS), link or name)
    y = _names(top, name)
    x = alt.X(f"{value}:Q", title=title, axis=alt.Axis(tickCount=6))
    tips = [alt.Tooltip(f"{name}:N"), number(value, title)]
    if not expected:
        return framed(
            alt.Chart(top).mark_bar(color=BLUE, height={"band": 0.7}).encode(y=y, x=x, tooltip=tips, href=LINK),
            ROW_PX * max(3, top.height) + 85,
        )
    x = alt.X(f"{value}:Q", title=title, axis=alt.Axis(tickCount=6, format="%"))
    tips.append(share(expected, "fair share"))
    bars = alt.Chart(top).mark_bar(color=BLUE, height={"band": 0.7}).encode(y=y, x=x, tooltip=tips, href=LINK)
    ticks = alt.Chart(top).mark_tick(color=RED, thickness=3).encode(y=y, x=alt.X(f"{expected}:Q"), tooltip=tips)
    return framed([bars, ticks], ROW_PX * max(3, top.height) + 85)


def ranges(rows: pl.DataFrame, name: str, low: str, high: str, title: str, words: tuple[str, str]) -> alt.Chart:
    """A line from one value of a row to another: a full dot at the first, an open one at the second."""
    top = _named(rows, name).head(MOST_BARS)
    y = _names(top, name)
    tips: list[Any] = [alt.Tooltip(f"{name}:N"), number(low, words[0]), number(high, words[1])]
    top = top.with_columns(pl.col(low, high).clip(LEAST))  # a logarithm has no zero
    x = alt.Scale(type="log", nice=True)
    base = alt.Chart(top).encode(y=y, tooltip=tips)
    line = base.mark_rule(color=INK, strokeWidth=2).encode(
        x=alt.X(f"{low}:Q", title=title, scale=x), x2=alt.X2(f"{high}:Q")
    )
    first = base.mark_point(filled=True, size=80, color=BLUE, opacity=1).encode(x=alt.X(f"{low}:Q", scale=x))
    last = base.mark_point(filled=False, size=80, color=RED, shape="diamond", strokeWidth=2)
    return framed([line, first, last.encode(x=alt.X(f"{high}:Q", scale=x))], ROW_PX * max(3, top.height) + 85)


def _named(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows without a name get one that a person reads; an axis cannot sort by null."""
    return rows.with_columns(pl.col(name).fill_null("(no name)"))


def _names(rows: pl.DataFrame, name: str) -> alt.Y:
    return alt.Y(f"{name}:N", title=None, sort=rows[name].to_list(), axis=alt.Axis(labelLimit=220, labelOverlap=False))
