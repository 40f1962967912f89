"""Colours and their companions: names have a dash or a shape of their own as well, so that colour is never alone.

The colours are those of Okabe and Ito, which people with impaired colour vision can distinguish, and which are legible
on white and on black; their grey is darker. tests/test_colours.py computes the distances between them.
"""

from collections.abc import Iterable
from typing import Any

import altair as alt

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, SLATE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#6B7178",  # a grey as light as purple would look like it to those who confuse red and green
)
COLOURS = [BLUE, ORANGE, GREEN, RED, PURPLE, SKY, SLATE]
GREY = "#8A9199"  # of the background: other days, the rest
INK = "#777E86"  # of text between marks: as far from white as from the pages' black
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4]]
MOST_CHARS = 30  # of a name in a legend: the rest is cut off
SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right"]


def columns(most: int, names: Iterable[str]) -> alt.ExprRef:
    """Columns of a legend with these names: as many as the width of the chart has room for, `most` at most.

    >>> columns(2, ["read", "write", "between files"]).to_dict()
    {'expr': 'width >= 172 ? 2 : 1'}
    >>> columns(2, ["LTO9D1", "LTO9D2"]).to_dict()
    {'expr': 'width >= 160 ? 2 : 1'}
    """
    widths = [32 + sum(6 if char.islower() or char == " " else 8 for char in name[:MOST_CHARS]) for name in names]
    needed = {n: sum(max(widths[at::n], default=0) for at in range(n)) for n in range(most, 1, -1)}
    return alt.ExprRef("".join(f"width >= {px} ? {n} : " for n, px in needed.items()) + "1")


def by_colour_and_dash(name: str, names: list[str], **legend: Any) -> dict[str, Any]:
    """Lines of names: each has a pair of colour and dash that no other of 49 has."""
    colours, dashes = _pairs(names, DASHES)
    key = alt.Legend(
        **{"orient": "top", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 2, "symbolSize": 300} | legend
    )
    return {
        "color": alt.Color(f"{name}:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=key),
        "strokeDash": alt.StrokeDash(f"{name}:N", sort=names, scale=alt.Scale(domain=names, range=dashes)),
    }


def by_colour_and_shape(name: str, names: list[str], **legend: Any) -> dict[str, Any]:
    """Points of names: each has a pair of colour and shape that no other of 49 has."""
    colours, shapes = _pairs(names, SHAPES)
    key = alt.Legend(**{"orient": "top", "title": None} | legend)
    return {
        "color": alt.Color(f"{name}:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=key),
        "shape": alt.Shape(f"{name}:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=key),
    }


def _pairs(names: list[str], others: list[Any]) -> tuple[list[str], list[Any]]:
    """A colour and another mark of each name; where colours begin again, the other marks are shifted by one.

    >>> colours, dashes = _pairs([str(n) for n in range(49)], DASHES)
    >>> len({(colour, str(dash)) for colour, dash in zip(colours, dashes)})
    49
    """
    n = len(COLOURS)
    places = range(len(names))
    return [COLOURS[at % n] for at in places], [others[(at + at // n) % n] for at in places]


def faint(colour: str, share: float = 0.12) -> str:
    """A colour that the page shines through: it is the weaker one on white and on black.

    >>> faint("#0072B2")
    'rgba(0, 114, 178, 0.12)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {share:g})"


def on_page(colour: str) -> str:
    """A pale colour as one that the page shines through, so that it is pale on black too; others as they are.

    >>> on_page("#EEF0F3"), on_page("#0072B2")
    ('rgba(138, 145, 153, 0.14)', '#0072B2')
    """
    is_pale = all(int(colour[place : place + 2], 16) > 230 for place in (1, 3, 5))
    return faint(GREY, 0.14) if is_pale else colour
