"""Figures drawn by Vega-Lite into SVG that stands inside a page: no script, no font and no address from outside."""

import re
from datetime import date, datetime, timedelta
from functools import singledispatch
from itertools import accumulate
from typing import Any

import altair as alt
import vl_convert

from pipelines.primitives.format import fixed, percent
from pipelines.primitives.text import escape_control
from pipelines.reporting.report.model import Burndown, Figure, Group, Stack, Tornado, Waterfall

# Of figures that show no groups of drive time. Red is kept for findings, which have actions.
_LINE, _RANGE = "#0072B2", "#E69F00"
_UNKNOWN = "unknown"
_DASHED = "#6b7280"
_UNITS = {"h": "hours"}
_SHARP = 2
_PNG_WIDTH = slice(16, 20)  # of the IHDR chunk, behind the signature
_LATE = 0.72  # a bar that ends beyond this share of the width has its text before it, or, where
_EARLY = 0.25  # it begins before this one, inside
_TEXTS: dict[str, tuple[Any, float, str]] = {
    "behind": ("left", 5, "end"),
    "before": ("right", -5, "begin"),
    "inside": ("right", -5, "end"),
}
_FAR = 3.0  # a fan that reaches further than so many times the way is cut off
_MOST_DAYS = 100_000.0  # what a calendar can hold from now on
_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
_CONFIG: dict[str, Any] = {
    "font": "sans-serif",
    "background": None,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "#374151",
        "titleColor": "#374151",
        "titleFontWeight": "normal",
        "domain": False,
        "gridColor": "#eef0f3",
        "tickColor": "#d1d5db",
        "labelLimit": 400,
    },
    "axisY": {"ticks": False, "labelPadding": 6, "grid": False},
    "legend": {"labelColor": "#374151", "labelFontSize": 10.5, "symbolType": "square", "symbolStrokeWidth": 0.8},
}


def draw(figure: Figure, prefix: str) -> str:
    """SVG of a figure; `prefix` keeps its ids apart from those of other figures on the page."""
    return _inside(_svg(figure), prefix)


def paint(figure: Figure) -> tuple[bytes, int]:
    """PNG of a figure at twice its size, for sharp screens, and the width in pixels at which to show it."""
    png = vl_convert.svg_to_png(_svg(figure), scale=_SHARP)
    return png, int.from_bytes(png[_PNG_WIDTH], "big") // _SHARP


def _svg(figure: Figure) -> str:
    spec = chart_of(figure).to_dict() | {"config": _CONFIG}
    return vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])


@singledispatch
def chart_of(figure: Figure) -> alt.Chart | alt.LayerChart:
    """The drawing of a figure; a function for each kind."""
    raise NotImplementedError(type(figure).__name__)


def _inside(svg: str, prefix: str) -> str:
    """An SVG document as part of an HTML page, where namespaces are known and ids are shared."""
    svg = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", svg)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def _bars(chart: alt.Chart, groups: list[Group], legend: alt.Legend | None) -> alt.Chart:
    """Bars in the colours of their groups: the unknown is a pale, dashed box, and the rest is seen however thin."""
    words = [group.words for group in groups]
    edges = [_DASHED if group.name == _UNKNOWN else group.colour for group in groups]
    fills = alt.Scale(domain=words, range=[group.colour for group in groups])
    bars: alt.Chart = chart.mark_bar(strokeWidth=0.8).encode(
        fill=alt.Fill("group:N", scale=fills, legend=legend),
        stroke=alt.Stroke("group:N", scale=alt.Scale(domain=words, range=edges), legend=legend),
        strokeDash=alt.condition(alt.datum.is_unknown, alt.value([2, 2]), alt.value([1, 0])),
    )
    return bars


@chart_of.register
def _(figure: Waterfall) -> alt.LayerChart:
    ends = list(accumulate(bar.value for bar in figure.bars))
    whole = ends[-1] if ends else 1.0
    names = [escape_control(f"{bar.name}: {bar.meaning}" if bar.meaning else bar.name) for bar in figure.bars]
    rows = [
        {
            "name": name,
            "group": bar.group.words,
            "is_unknown": bar.group.name == _UNKNOWN,
            "begin": end - bar.value,
            "end": end,
            "text": f"{fixed(bar.value, figure.unit)} {figure.unit}  {percent(bar.share)}",
            "place": "behind" if end <= _LATE * whole else "before" if end - bar.value > _EARLY * whole else "inside",
        }
        for name, bar, end in zip(names, figure.bars, ends, strict=True)
    ]
    y = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(paddingInner=0.25))
    x = alt.X("begin:Q", title=f"drive-{_UNITS[figure.unit]}", scale=alt.Scale(domain=[0, whole], nice=False))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    bars = _bars(base.encode(x=x, x2="end:Q"), list(dict.fromkeys(bar.group for bar in figure.bars)), None)
    layers = [bars]
    for place, (align, dx, edge) in _TEXTS.items():
        texts = base.transform_filter(alt.datum.place == place).mark_text(align=align, dx=dx, fontSize=10.5)
        layers.append(texts.encode(x=f"{edge}:Q", text="text:N"))
    return alt.LayerChart(layer=layers).properties(width=330, height=alt.Step(15.5))


@chart_of.register
def _(figure: Stack) -> alt.Chart:
    names = [escape_control(name) for name in figure.rows]
    rows = [
        {
            "name": escape_control(name),
            "group": group.words,
            "is_unknown": group.name == _UNKNOWN,
            "place": place,
            "value": value,
        }
        for name, values in figure.rows.items()
        for place, (group, value) in enumerate(zip(figure.groups, values, strict=True))
        if value
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=110), scale=alt.Scale(paddingInner=0.2)),
        x=alt.X("value:Q", stack="zero", title=_UNITS[figure.unit], scale=alt.Scale(nice=False)),
        order="place:Q",
    )
    legend = alt.Legend(title=None, orient="bottom", columns=5)
    # many drives must not push the losses off the first screen
    step = max(10.0, min(18.0, 230 / max(len(names), 1)))
    return _bars(base, figure.groups, legend).properties(width=530, height=alt.Step(step))


@chart_of.register
def _(figure: Burndown) -> alt.LayerChart:
    """The past as a line, the future as a fan: its edges are the ends of the interval. A far end is cut off."""
    last, left = figure.left[-1]
    begin = figure.left[0][0]
    reach = max(_FAR * ((last - begin).days + figure.days), 1.0)
    scale = alt.Scale(domain=[_day(begin, 0), _day(last, min(figure.high, reach))], type="utc")
    x = alt.X("at:T", title=None, scale=scale, axis=alt.Axis(format="%-d %b %Y", tickCount=6, labelFlush=False))
    y = alt.Y("left:Q", title=f"{figure.unit} left", scale=alt.Scale(domain=[0, figure.size], nice=False))

    def ahead(days: float) -> dict[str, Any]:
        least, middle, most = (left * max(0.0, 1 - days / end) for end in (figure.low or 1, figure.days, figure.high))
        return {"at": _day(last, days), "left": least, "middle": middle, "most": most}

    turns = (0.0, figure.low, figure.days, figure.high)
    fan = alt.Chart(alt.InlineData(values=[ahead(days) for days in sorted({min(days, reach) for days in turns})]))
    middle = alt.Chart(alt.InlineData(values=[ahead(days) for days in (0.0, figure.days)]))
    past = alt.Chart(alt.InlineData(values=[{"at": _day(day, 0), "left": amount} for day, amount in figure.left]))
    colour = _LINE
    layers = [
        fan.mark_area(opacity=0.18, color=colour).encode(x, y, y2="most:Q"),
        middle.mark_line(strokeDash=[4, 3], color=colour).encode(x, alt.Y("middle:Q")),
        past.mark_line(color=colour, point={"size": 14}).encode(x, y),
    ]
    return alt.LayerChart(layer=layers).properties(width=480, height=150)


def _day(day: date, days: float) -> str:
    """An instant of the drawing, so many days behind a day."""
    return f"{datetime(day.year, day.month, day.day) + timedelta(days=min(days, _MOST_DAYS)):%Y-%m-%dT%H:%M:%SZ}"


@chart_of.register
def _(figure: Tornado) -> alt.LayerChart:
    names = [escape_control(name) for name, _, _ in figure.bars]
    rows = [
        {"name": name, "low": low, "high": high, "below": fixed(low, figure.unit), "above": fixed(high, figure.unit)}
        for name, (_, low, high) in zip(names, figure.bars, strict=True)
    ]
    ends = [end for _, low, high in figure.bars for end in (low, high)]
    pad = 0.15 * (max(ends) - min(ends) or 1.0)
    scale = alt.Scale(domain=[min(ends) - pad, max(ends) + pad], nice=False, zero=False)
    x = alt.X("low:Q", title=figure.unit, scale=scale, axis=alt.Axis(tickCount=5))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("name:N", sort=names, title=None))
    layers = [
        base.mark_bar(color=_RANGE).encode(x=x, x2="high:Q"),
        base.mark_text(align="right", dx=-4, fontSize=10.5).encode(x=x, text="below:N"),
        base.mark_text(align="left", dx=4, fontSize=10.5).encode(x="high:Q", text="above:N"),
        alt.Chart(alt.InlineData(values=[{"low": figure.value}])).mark_rule(color=_DASHED).encode(x=x),
    ]
    return alt.LayerChart(layer=layers).properties(width=330, height=alt.Step(20))
