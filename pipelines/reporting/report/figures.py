"""Figures drawn by Vega-Lite into SVG for use inside a page: no script, no font and no address from outside."""

import re
from datetime import date, datetime, timedelta
from functools import singledispatch
from itertools import accumulate
from typing import Any

import vl_convert

from pipelines.primitives.format import decimals_apart, fixed, percent
from pipelines.primitives.text import escape_control
from pipelines.reporting.report.model import Burndown, Figure, Group, Stack, Tornado, Waterfall

# Of figures that show no groups of drive time. Red is kept for findings, which have actions.
_LINE, _RANGE = "#0072B2", "#E69F00"
_UNKNOWN = "unknown"
_DASHED = "#6b7280"
_UNITS = {"h": "hours"}
_SHARP = 2
_PNG_WIDTH = slice(16, 20)  # of the IHDR chunk, after the signature
_LATE = 0.72  # a bar that ends beyond this share of the width has its text before it, or, where
_EARLY = 0.25  # it begins before this one, inside
_TEXTS: dict[str, tuple[str, float, str]] = {
    "behind": ("left", 5, "end"),
    "before": ("right", -5, "begin"),
    "inside": ("right", -5, "end"),
}
_FAR = 3.0  # a fan that reaches further than this many times the way is cut off
_MOST_DAYS = 100_000.0  # what a calendar can hold from now on
_VEGA_LITE = "6.4"  # the version in which the drawings are written
Spec = dict[str, Any]
_CONFIG: Spec = {
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
    "legend": {
        "labelColor": "#374151",
        "labelFontSize": 10.5,
        "symbolType": "square",
        "symbolStrokeWidth": 0.8,
        "columnPadding": 16,
    },
}


def draw(figure: Figure, prefix: str) -> str:
    """SVG of a figure; `prefix` keeps its ids apart from those of other figures on the page."""
    return _inside(_svg(figure), prefix)


def paint(figure: Figure) -> tuple[bytes, int]:
    """PNG of a figure at twice its size, for sharp screens, and the width in pixels at which to show it."""
    png = vl_convert.svg_to_png(_svg(figure), scale=_SHARP)
    return png, int.from_bytes(png[_PNG_WIDTH], "big") // _SHARP


def _svg(figure: Figure) -> str:
    spec = chart_of(figure) | {"config": _CONFIG}
    return vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])


@singledispatch
def chart_of(figure: Figure) -> Spec:
    """The drawing of a figure as Vega-Lite has it; a function for each kind."""
    raise NotImplementedError(type(figure).__name__)


def _inside(svg: str, prefix: str) -> str:
    """An SVG document as part of an HTML page, where namespaces are known and ids are shared."""
    svg = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", svg)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def _bars(groups: list[Group], legend: Spec | None) -> Spec:
    """Bars in the colours of their groups: the unknown is a pale, dashed box, and the rest is visible however thin."""
    edges = [_DASHED if group.name == _UNKNOWN else group.colour for group in groups]

    def coloured(colours: list[str]) -> Spec:
        scale = {"domain": [group.words for group in groups], "range": colours}
        return {"field": "group", "type": "nominal", "scale": scale, "legend": legend}

    dash = {"condition": {"test": "datum.is_unknown", "value": [2, 2]}, "value": [1, 0]}
    fill = coloured([group.colour for group in groups])
    encoding = {"fill": fill, "stroke": coloured(edges), "strokeDash": dash}
    return {"mark": {"type": "bar", "strokeWidth": 0.8}, "encoding": encoding}


def _names(names: list[str], padding: float | None = None, **more: Any) -> Spec:
    """An axis of names from top to bottom, in the order given."""
    scale = {} if padding is None else {"scale": {"paddingInner": padding}}
    return {"field": "name", "type": "nominal", "sort": names, "title": None, **scale, **more}


def _amount(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", **more}


def _text(align: str, dx: float, x: Spec, y: Spec, field: str) -> Spec:
    mark = {"type": "text", "align": align, "dx": dx, "fontSize": 10.5}
    return {"mark": mark, "encoding": {"x": x, "y": y, "text": {"field": field, "type": "nominal"}}}


@chart_of.register
def _(figure: Waterfall) -> Spec:
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
    # the label of the last tick stays below its tick: moved to the left, it would cover the one before
    x = _amount(
        "begin",
        title=f"drive-{_UNITS[figure.unit]}",
        scale={"domain": [0, whole], "nice": False},
        axis={"labelFlush": False},
    )
    y = _names(names, 0.25)
    bars = _bars(list(dict.fromkeys(bar.group for bar in figure.bars)), None)
    bars["encoding"] |= {"x": x, "x2": {"field": "end"}, "y": y}
    texts = [
        _text(align, dx, _amount(edge), y, "text") | {"transform": [{"filter": f"datum.place === '{place}'"}]}
        for place, (align, dx, edge) in _TEXTS.items()
    ]
    return {"data": {"values": rows}, "width": 330, "height": {"step": 15.5}, "layer": [bars, *texts]}


@chart_of.register
def _(figure: Stack) -> Spec:
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
    bars = _bars(figure.groups, {"title": None, "orient": "bottom", "columns": 5})
    bars["encoding"] |= {
        "y": _names(names, 0.2, axis={"labelLimit": 110}),
        "x": _amount("value", stack="zero", title=_UNITS[figure.unit], scale={"nice": False}),
        "order": _amount("place"),
    }
    # many drives must not push the losses off the first screen
    step = max(10.0, min(18.0, 230 / max(len(names), 1)))
    return {"data": {"values": rows}, "width": 530, "height": {"step": step}, **bars}


@chart_of.register
def _(figure: Burndown) -> Spec:
    """The past as a line, the future as a fan: its edges are the ends of the interval. A far end is cut off."""
    last, left = figure.left[-1]
    begin = figure.left[0][0]
    reach = max(_FAR * ((last - begin).days + figure.days), 1.0)
    scale = {"domain": [_day(begin, 0), _day(last, min(figure.high, reach))], "type": "utc"}
    axis = {"format": "%-d %b %Y", "tickCount": 6, "labelFlush": False}
    x = {"field": "at", "type": "temporal", "title": None, "scale": scale, "axis": axis}
    y = _amount("left", title=f"{figure.unit} left", scale={"domain": [0, figure.size], "nice": False})

    def ahead(days: float) -> Spec:
        least, middle, most = (left * max(0.0, 1 - days / end) for end in (figure.low or 1, figure.days, figure.high))
        return {"at": _day(last, days), "left": least, "middle": middle, "most": most}

    turns = (0.0, figure.low, figure.days, figure.high)
    fan = [ahead(days) for days in sorted({min(days, reach) for days in turns})]
    past = [{"at": _day(day, 0), "left": amount} for day, amount in figure.left]
    layers = [
        {
            "data": {"values": fan},
            "mark": {"type": "area", "opacity": 0.18, "color": _LINE},
            "encoding": {"x": x, "y": y, "y2": {"field": "most"}},
        },
        {
            "data": {"values": [ahead(0.0), ahead(figure.days)]},
            "mark": {"type": "line", "strokeDash": [4, 3], "color": _LINE},
            "encoding": {"x": x, "y": _amount("middle")},
        },
        {
            "data": {"values": past},
            "mark": {"type": "line", "color": _LINE, "point": {"size": 14}},
            "encoding": {"x": x, "y": y},
        },
    ]
    return {"width": 480, "height": 150, "layer": layers}


def _day(day: date, days: float) -> str:
    """An instant of the drawing, a number of days after a day."""
    return f"{datetime(day.year, day.month, day.day) + timedelta(days=min(days, _MOST_DAYS)):%Y-%m-%dT%H:%M:%SZ}"


@chart_of.register
def _(figure: Tornado) -> Spec:
    names = [escape_control(name) for name, _, _ in figure.bars]
    ends = [end for _, low, high in figure.bars for end in (low, high)]
    n = decimals_apart(min(ends), max(ends), figure.unit)
    rows = [
        {"name": name, "low": low, "high": high, "below": f"{low:,.{n}f}", "above": f"{high:,.{n}f}"}
        for name, (_, low, high) in zip(names, figure.bars, strict=True)
    ]
    pad = 0.15 * (max(ends) - min(ends) or 1.0)
    scale = {"domain": [min(ends) - pad, max(ends) + pad], "nice": False, "zero": False}
    x = _amount("low", title=figure.unit, scale=scale, axis={"tickCount": 5})
    y = _names(names)
    layers = [
        {"mark": {"type": "bar", "color": _RANGE}, "encoding": {"x": x, "x2": {"field": "high"}, "y": y}},
        _text("right", -4, x, y, "below"),
        _text("left", 4, _amount("high"), y, "above"),
        {
            "data": {"values": [{"low": figure.value}]},
            "mark": {"type": "rule", "color": _DASHED},
            "encoding": {"x": x},
        },
    ]
    return {"data": {"values": rows}, "width": 330, "height": {"step": 20}, "layer": layers}
