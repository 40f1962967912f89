"""What drives can do against what they do: a point for each drive, with its name where there is room."""

from typing import Any

import altair as alt
import polars as pl

from dashboards.charts import CHAR_PX, GREY, INK, LINK, by_colour_and_shape, columns, framed, linked, number, share
from dashboards.charts.drive_charts import named_kind
from pipelines.primitives.text import natural

# Widths in pixels that the plot has at least: on a phone, in a window of 800, and in one of 1440.
PLOTS_PX = (230, 380, 800)
RATES_PX, LINE_PX, DOT_PX, NAME_PX = 230, 13, 8, 120  # of the plot's height, and of the names in it


def rates(rows: pl.DataFrame, earlier: pl.DataFrame | None, chosen: str) -> alt.Chart:
    """Drive rate against overall rate, each drive with its name; lines show the native rates of their kinds."""
    then = earlier if earlier is not None and earlier.height else rows.head(0)
    native = (pl.col("drive_rate_mb_s") / pl.col("nameplate_share").cast(pl.Float64)).round(1)
    named = linked(rows, "drive").with_columns(
        native_mb_s=native, is_chosen=pl.col("drive") == chosen, generation=named_kind()
    )
    right = _end(named["drive_rate_mb_s"], named["native_mb_s"], then["drive_rate_mb_s"])
    top = _end(named["overall_rate_mb_s"], then["overall_rate_mb_s"])
    x = alt.X(
        "drive_rate_mb_s:Q",
        title="drive rate [MB/s]",
        scale=alt.Scale(domain=[0, right], nice=False),
        axis=alt.Axis(tickCount=10),
    )
    y = alt.Y(
        "overall_rate_mb_s:Q",
        title="overall rate, from mount request to dismount [MB/s]",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    tips = [
        alt.Tooltip("drive:N"),
        alt.Tooltip("generation:N"),
        number("drive_rate_mb_s", "drive rate [MB/s]"),
        number("overall_rate_mb_s", "overall rate [MB/s]"),
        number("native_mb_s", "native rate [MB/s]"),
        share("f", "efficiency (overall rate ÷ drive rate)"),
    ]
    kinds = (
        named.drop_nulls("native_mb_s")
        .group_by("native_mb_s")
        .agg(text=pl.col("generation").unique().sort().str.join(" and ") + " native")
    )
    order = sorted(named["generation"].unique(), key=natural)
    look = by_colour_and_shape("generation", order, columns=columns(6, order))
    layers = [
        alt.Chart(kinds).mark_rule(strokeDash=[5, 3], strokeWidth=1.3, color=INK).encode(x=alt.X("native_mb_s:Q")),
        alt.Chart(kinds)
        .transform_calculate(text="datum.text + ' ' + datum.native_mb_s")
        .mark_text(align="right", dx=-5, baseline="bottom", color=INK)
        .encode(x=alt.X("native_mb_s:Q"), y=alt.value(-2), text=alt.Text("text:N")),
    ]
    if then.height:
        layers += _moved(named, then, x, y)
    dots = alt.Chart(named)
    layers.append(
        dots.mark_point(filled=True, opacity=0.85).encode(
            x=x,
            y=y,
            **look,
            href=LINK,
            size=alt.condition("datum.is_chosen", alt.value(220), alt.value(70)),
            tooltip=tips,
        )
    )
    names = _names(named, kinds, right, top)
    layers += [name.encode(x=x, y=y, text=alt.Text("drive:N"), href=LINK) for name in names]
    return framed(layers, RATES_PX + 110, around=110)


def _end(*values: pl.Series) -> float:
    """Where an axis ends that has room for all of them."""
    return 1.05 * max(float(some.max() or 0) for some in values)  # type: ignore[arg-type]


def _names(rows: pl.DataFrame, kinds: pl.DataFrame, right: float, top: float) -> list[alt.Chart]:
    """Names to the right or the left of their dots, where they cross nothing: those of the worst drives come first."""
    alone = rows.sort(~pl.col("is_chosen"), "f", nulls_last=True)
    for px in PLOTS_PX:
        taken: list[Any] = [(x / right * px, x / right * px, None) for x in kinds["native_mb_s"]]
        places = [
            (
                row["drive_rate_mb_s"] / right * px,
                row["overall_rate_mb_s"] / top * RATES_PX,
                min(NAME_PX, len(row["drive"]) * CHAR_PX),
            )
            for row in alone.iter_rows(named=True)
        ]
        taken += [(x - DOT_PX / 2, x + DOT_PX / 2, up) for x, up, _ in places]
        alone = alone.with_columns(pl.Series(f"side_{px}", [_side(*place, px, taken) for place in places]))
    narrow, middle, wide = (f"datum.side_{px}" for px in PLOTS_PX)
    side = f"(width < {PLOTS_PX[1]} ? {narrow} : width < {PLOTS_PX[2]} ? {middle} : {wide})"
    look: dict[str, Any] = {"color": INK, "fontSize": 11, "limit": NAME_PX}
    return [
        alt.Chart(alone)
        .mark_text(**look | {"align": align, "dx": at * DOT_PX})
        .encode(opacity=alt.condition(f"{side} == {at}", alt.value(1), alt.value(0)))
        for at, align in ((1, "left"), (-1, "right"))
    ]


def _side(x: float, up: float, width: float, px: int, taken: list[Any]) -> int:
    """Where a name has room, which it then takes: 1 to the right of its dot, -1 to the left, 0 nowhere.

    >>> taken = [(50.0, 50.0, None)]  # a line from top to bottom
    >>> [_side(x, 10.0, 30.0, 200, taken) for x in (20.0, 55.0, 75.0, 60.0, 190.0)]
    [0, 1, 0, 0, -1]
    """
    for side, begin in ((1, x + DOT_PX), (-1, x - DOT_PX - width)):
        end = begin + width
        crossed = any(
            begin <= to_px and from_px <= end and (at is None or abs(up - at) <= LINE_PX)
            for from_px, to_px, at in taken
        )
        if begin >= 0 and end <= px and not crossed:
            taken.append((begin, end, up))
            return side
    return 0


def _moved(rows: pl.DataFrame, earlier: pl.DataFrame, x: Any, y: Any) -> list[alt.Chart]:
    """From where a drive was on the comparison days: a hollow dot, and a dashed line to where it is."""
    then = earlier.select("drive", was_x="drive_rate_mb_s", was_y="overall_rate_mb_s").drop_nulls()
    both = rows.select("drive", "drive_rate_mb_s", "overall_rate_mb_s").join(then, on="drive")
    tips = [
        alt.Tooltip("drive:N"),
        number("was_x", "drive rate on the comparison days [MB/s]", "MB/s"),
        number("was_y", "overall rate on the comparison days [MB/s]", "MB/s"),
    ]
    return [
        alt.Chart(both)
        .mark_rule(color=GREY, strokeDash=[2, 2])
        .encode(x=x, y=y, x2=alt.X2("was_x:Q"), y2=alt.Y2("was_y:Q")),
        alt.Chart(both).mark_point(color=GREY, size=60).encode(x=alt.X("was_x:Q"), y=alt.Y("was_y:Q"), tooltip=tips),
    ]
