"""The chart of a finding: the rows its rule judged with the expected value drawn in, and its nights."""

from datetime import datetime, timedelta

import altair as alt
import polars as pl

from dashboards import zone
from dashboards.charts import BLUE, GREEN, GREY, INK, ORANGE, RED, Span, along_time, columns, framed, number, over
from dashboards.charts.along import TICKS, day_ticks
from dashboards.charts.gap_charts import AVOIDABLE
from pipelines.analysis.findings import exhibit as kinds
from pipelines.analysis.findings.exhibit import Exhibit

OUTCOMES = {"fired": (RED, "▲"), "quiet": (GREEN, "✓"), "withheld": (ORANGE, "?"), "not_run": (GREY, "–")}
_BINS = 40
_TIME = "%Y-%m-%d %H:%M:%S"


def exhibit(shown: Exhibit) -> alt.Chart:
    """Values along the time, or counted by size; a dashed line is what was expected."""
    rows = shown.rows if shown.is_daily else shown.rows.with_columns(zone.show(pl.col("from_at", "to_at")))
    tips = [
        alt.Tooltip("from_at:T", title=f"from ({zone.name()})", format=_TIME),
        alt.Tooltip("to_at:T", title="to", format=_TIME),
        number("value", shown.title, shown.unit),
    ]
    if shown.kind == kinds.HISTOGRAM:
        return _histogram(shown, rows)
    span = _around([*rows["from_at"], *rows["to_at"].drop_nulls()])
    form, ticks = ("%d %b", day_ticks(span)) if shown.is_daily else ("%d %b %H:%M", TICKS)
    axis = alt.Axis(labelOverlap=True, grid=False, tickCount=ticks, format=form)
    x = alt.X("from_at:T", title="site day" if shown.is_daily else along_time(), scale=over(span), axis=axis)
    y = alt.Y(
        "value:Q", title=shown.title, scale=alt.Scale(zero=shown.kind != kinds.POINTS), axis=alt.Axis(tickCount=5)
    )
    chart = alt.Chart(rows)
    if shown.kind == kinds.SPANS:
        drawn = chart.mark_bar(color=RED, height=26).encode(x=x, x2=alt.X2("to_at:T"), tooltip=tips)
        return framed(drawn, 130, span=span)
    if shown.kind == kinds.BARS:
        drawn = chart.mark_bar(color=BLUE, width=6 if rows.height > 40 else 14).encode(x=x, y=y, tooltip=tips)
    else:
        drawn = chart.mark_circle(color=BLUE, size=36, opacity=0.65).encode(x=x, y=y, tooltip=tips)
    return framed([drawn, *_expected(shown, "y")], 260, span=span)


def _around(times: list[datetime]) -> Span:
    """From the first to the last, with room for a bar at either end."""
    first, last = min(times), max(times)
    room = max((last - first) / 40, timedelta(minutes=30))
    return first - room, last + room


def _histogram(shown: Exhibit, rows: pl.DataFrame) -> alt.Chart:
    """Gaps by length: they are the population that rules judge."""
    most = max(float(rows["value"].quantile(0.99) or 0), 2 * (shown.expected or 0), 1e-9)
    width = most / _BINS
    bins = (
        rows.select(bin=(pl.col("value").clip(0, most) / width).floor().clip(0, _BINS - 1).cast(pl.Int64))
        .group_by("bin")
        .len("n")
        .sort("bin")
        .with_columns(low=pl.col("bin") * width, high=(pl.col("bin") + 1) * width)
    )
    bars = (
        alt.Chart(bins)
        .mark_bar(color=BLUE, orient="vertical")
        .encode(
            x=alt.X("low:Q", title=AVOIDABLE, scale=alt.Scale(domain=[0, most], nice=False)),
            x2=alt.X2("high:Q"),
            y=alt.Y("n:Q", title="gaps", axis=alt.Axis(tickCount=5)),
            tooltip=[
                number("low", "from", shown.unit),
                number("high", "to", shown.unit),
                alt.Tooltip("n:Q", title="gaps"),
            ],
        )
    )
    return framed([bars, *_expected(shown, "x")], 260)


def _expected(shown: Exhibit, along: str) -> list[alt.Chart]:
    if shown.expected is None:
        return []
    row = pl.DataFrame({"at": [shown.expected], "text": [f"{shown.expected_words} {shown.expected:.4g}"]})
    line = alt.Chart(row).mark_rule(color=GREEN, strokeDash=[5, 3], strokeWidth=1.6).encode(**{along: _at(along)})
    text = alt.Chart(row).mark_text(
        align="left", dx=4, dy=0, color=INK, baseline="middle" if along == "y" else "bottom"
    )
    place = {"x": alt.value("width")} if along == "y" else {"y": alt.value(10)}  # right of the bars, not on one
    return [line, text.encode(text=alt.Text("text:N"), **{along: _at(along)}, **place)]


def _at(along: str) -> alt.X | alt.Y:
    return (alt.Y if along == "y" else alt.X)("at:Q")


def nights(rows: pl.DataFrame) -> alt.Chart:
    """The last nights of a finding, a cell each: it fired, was quiet, could not be judged, or nothing ran."""
    signs = {name.replace("_", " "): look for name, look in OUTCOMES.items()}
    outcome = pl.col("outcome").str.replace("_", " ")
    rows = rows.with_columns(outcome=outcome).with_columns(
        sign=pl.col("outcome").replace_strict({name: sign for name, (_, sign) in signs.items()}, default="")
    )
    key = {f"{sign} {name}": colour for name, (colour, sign) in signs.items()}
    cells = (
        alt.Chart(rows.with_columns(outcome=pl.concat_str("sign", "outcome", separator=" ")))
        .mark_rect(stroke="white", strokeWidth=1)
        .encode(
            x=alt.X("yearmonthdate(day):O", title=None, axis=alt.Axis(format="%d %b", labelOverlap=True, ticks=False)),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(domain=list(key), range=list(key.values())),
                legend=alt.Legend(orient="top", title=None, columns=columns(4, key)),
            ),
            tooltip=[
                alt.Tooltip("day:T", format="%Y-%m-%d"),
                alt.Tooltip("outcome:N"),
                alt.Tooltip("state:N"),
                number("lost_hours", "lost [h]"),
                number("gain_gb_day", "gain [GB/day]"),
            ],
        )
    )
    signed = (
        alt.Chart(rows)
        .mark_text(color="white", fontWeight="bold")
        .encode(x=alt.X("yearmonthdate(day):O"), text=alt.Text("sign:N"))
    )
    return framed([cells, signed], 140)
