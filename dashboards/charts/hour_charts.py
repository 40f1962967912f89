"""What drives and families did hour by hour: rates stacked, drives in use against those there are."""

import altair as alt
import polars as pl

from dashboards import zone
from dashboards.charts import BLUE, COLOURS, GREY, ORANGE, Span, along_time, columns, framed, instant, number, over
from dashboards.charts.along import day_form

OTHERS = "the others"
MOST_HOURS_DAYS, MOST_DAYS, MOST_WEEKS_DAYS = 14, 120, 1000  # days up to which a chart has hours, days, weeks
_EVERY = {"hour": "1h", "day": "1d", "week": "1w", "month": "1mo"}


def step_of(n_days: int) -> str:
    """The resolution at which a period fits into a chart.

    >>> [step_of(n) for n in (1, 30, 365, 3650)]
    ['hour', 'day', 'week', 'month']
    """
    most = {"hour": MOST_HOURS_DAYS, "day": MOST_DAYS, "week": MOST_WEEKS_DAYS}
    return next((step for step, days in most.items() if n_days <= days), "month")


def stepped(step: str) -> list[pl.Expr]:
    """Begin and end of the step that an hour belongs to."""
    begin = pl.col("hour_at").dt.truncate(_EVERY[step])
    return [begin.alias("hour_at"), begin.dt.offset_by(_EVERY[step]).alias("to_at")]


def largest(rows: pl.DataFrame, name: str, value: str) -> pl.DataFrame:
    """Rows under the names of which there is most, one for each colour; what is left is summed as the others.

    >>> rows = pl.DataFrame({"name": ["a", "b"], "hour_at": [1, 1], "gb": [2.0, 1.0]})
    >>> largest(rows, "name", "gb")["name"].to_list()
    ['a', 'b']
    """
    order = rows.group_by(name).agg(pl.col(value).sum()).sort(value, name, descending=[True, False])[name].to_list()
    kept = order[: len(COLOURS) - 1] if len(order) > len(COLOURS) else order
    named = rows.with_columns(
        pl.when(pl.col(name).is_in(kept)).then(pl.col(name)).otherwise(pl.lit(OTHERS)).alias(name)
    )
    return named.group_by(name, "hour_at", maintain_order=True).agg(pl.col(value).sum())


def mean_rates(rows: pl.DataFrame, name: str, step: str) -> pl.DataFrame:
    """MB/s of each name over steps, from the GB of its hours."""
    summed = rows.with_columns(stepped(step)).group_by(name, "hour_at", "to_at").agg(pl.sum("moved_gb"))
    seconds = zone.seconds(pl.col("hour_at"), pl.col("to_at"))
    return summed.select(name, "hour_at", rate_mb_s=1000 * pl.col("moved_gb") / seconds).sort(name, "hour_at")


def families(rows: pl.DataFrame, name: str, title: str, span: Span, step: str = "hour") -> alt.Chart:
    """MB/s of each family on top of the others': their height is what all of them moved together."""
    names = sorted(rows[name].unique(), key=lambda one: (one == OTHERS, one))
    chart = (
        alt.Chart(rows.with_columns(stepped(step)))
        .mark_bar(strokeWidth=0)
        .encode(
            x=_along(span, step),
            x2=alt.X2("to_at:T"),
            y=alt.Y("sum(rate_mb_s):Q", title=title, axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                f"{name}:N",
                scale=alt.Scale(domain=names, range=COLOURS[: len(names)]),
                legend=alt.Legend(orient="top", title=None, columns=columns(4, names), labelLimit=240),
            ),
            tooltip=[
                alt.Tooltip(f"{name}:N"),
                instant("hour_at", step),
                number("sum(rate_mb_s)", title),
            ],
        )
    )
    legend_px = 20 * -(-len(names) // 4)
    return framed(chart, 320 + legend_px, span=span, around=90 + legend_px)


def in_use(rows: pl.DataFrame, span: Span, step: str) -> alt.Chart:
    """Drives in use on average, the maximum, and how many there are: one line each, named in the legend."""
    summed = (
        rows.with_columns(stepped(step))
        .group_by("hour_at", "to_at")
        .agg(pl.mean("avg_in_use"), pl.max("max_in_use", "n_drives"))
        .sort("hour_at")
    )
    ends = summed.tail(1).with_columns(hour_at=pl.col("to_at"))  # a step lasts to its end
    wide = pl.concat([summed, ends]).rename({"avg_in_use": "on average", "max_in_use": "maximum"})
    lines = wide.rename({"n_drives": "all drives"}).unpivot(
        ["on average", "maximum", "all drives"], index="hour_at", variable_name="what", value_name="drives"
    )
    names = {"on average": BLUE, "maximum": GREY, "all drives": ORANGE}
    x, y = _along(span, step), alt.Y("drives:Q", title="drives in use", axis=alt.Axis(tickCount=5))
    base = alt.Chart(lines)
    average = base.transform_filter("datum.what == 'on average'")
    legend = alt.Legend(orient="top", title=None, symbolType="stroke", symbolStrokeWidth=3)
    layers = [
        average.mark_area(color=BLUE, opacity=0.25, interpolate="step-after").encode(x=x, y=y),
        base.mark_line(strokeWidth=1.8, interpolate="step-after").encode(
            x=x,
            y=y,
            color=alt.Color("what:N", scale=alt.Scale(domain=list(names), range=list(names.values())), legend=legend),
            strokeDash=alt.condition("datum.what == 'all drives'", alt.value([5, 3]), alt.value([1, 0])),
            tooltip=[alt.Tooltip("what:N"), instant("hour_at", step), number("drives", "drives", "")],
        ),
    ]
    return framed(layers, 300, span=span)


def _along(span: Span, step: str) -> alt.X:
    axis = alt.Axis(format="%d %b %H:%M" if step == "hour" else day_form(span), labelOverlap=True, grid=False)
    return alt.X("hour_at:T", title=along_time(step), scale=over(span), axis=axis)
