"""What drives and families did hour by hour: rates stacked, drives in use against those there are."""

import altair as alt
import polars as pl

from dashboards.charts import BLUE, COLOURS, GREY, ORANGE, Span, along_time, count, framed, instant, number, over

OTHERS = "the others"


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


def families(rows: pl.DataFrame, name: str, title: str, span: Span) -> alt.Chart:
    """MB/s of each family on top of the others': their height is what all of them moved together."""
    names = sorted(rows[name].unique(), key=lambda one: (one == OTHERS, one))
    chart = (
        alt.Chart(rows)
        .transform_calculate(to_at="datum.hour_at + 3600000")
        .mark_bar(strokeWidth=0)
        .encode(
            x=_hours(span),
            x2="to_at:T",
            y=alt.Y("sum(rate_mb_s):Q", title=title, axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                f"{name}:N",
                scale=alt.Scale(domain=names, range=COLOURS[: len(names)]),
                legend=alt.Legend(orient="top", title=None, columns=4, labelLimit=240),
            ),
            tooltip=[
                f"{name}:N",
                instant("hour_at", "hour"),
                number("sum(rate_mb_s)", title),
            ],
        )
    )
    return framed(chart, 320 + 20 * (-(-len(names) // 4)))


def in_use(rows: pl.DataFrame, span: Span) -> alt.Chart:
    """Drives in use on average, the most at once, and how many there are."""
    tips = [instant("hour_at", "hour"), number("avg_in_use", "on average"), count("max_in_use", "most at once")]
    base = alt.Chart(rows).encode(x=_hours(span), tooltip=[*tips, count("n_drives", "there are")])
    y = alt.Y("avg_in_use:Q", title="drives in use")
    layers = [
        base.mark_area(color=BLUE, opacity=0.5, interpolate="step-after").encode(y=y),
        base.mark_line(color=GREY, strokeWidth=1.2, interpolate="step-after").encode(y="max_in_use:Q"),
        base.mark_line(color=ORANGE, strokeDash=[4, 3], interpolate="step-after").encode(y="n_drives:Q"),
    ]
    return framed(alt.layer(*layers), 260)


def _hours(span: Span) -> alt.X:
    axis = alt.Axis(format="%d %b %H:%M", labelOverlap=True, grid=False)
    return alt.X("hour_at:T", title=along_time("hour"), scale=over(span), axis=axis)
