"""The site as a drawing: drives that are read, stations with their spool, drives that are written, and what passes."""

from typing import Any

import altair as alt
import polars as pl

from dashboards.charts import BLUE, GREEN, GREY, INK, faint, framed, number
from dashboards.tables import Rows
from pipelines.primitives.text import truncate

LEFT = "kinds of drives that read, and kinds without traffic to or from a station"
MIDDLE, RIGHT = "stations and their spools", "kinds of drives that wrote"
_COLUMNS = [LEFT, MIDDLE, RIGHT]
_STEP = 60  # pixels from box to box
_WIDE = 0.66  # of a box, where 1 is from one column's begin to the next's
_CHARS = 42  # that fit into a box; the whole text is in its tip


def schematic(rows: Rows) -> alt.Chart:
    """Rows of `topology`: a box a station and kind of drive, a line for what passed, the thicker the more."""
    boxes = _boxes(rows)
    place = {(box["column"], box["name"]): box["y"] for box in boxes}
    most = max((row["moved_gb"] or 0 for row in rows), default=0) or 1
    lines = [
        {
            "x": _COLUMNS.index(begin[0]) + _WIDE,
            "x2": _COLUMNS.index(end[0]),
            "y": place[begin],
            "y2": place[end],
            "way": "read" if row["mode"] == "read" else "written",
            "what": f"{row['kind']} {'to' if row['mode'] == 'read' else 'from'} {row['station']}",
            "moved_gb": row["moved_gb"],
            "width": 1.5 + 8 * row["moved_gb"] / most,
        }
        for row in rows
        if row["mode"] and row["station"] and row["kind"]
        for begin, end in [_ends(row)]
    ]
    x = alt.Scale(domain=[0, 2 + _WIDE], nice=False)
    y = alt.Scale(domain=[0, 1], nice=False)
    drawn = [_drawn_lines(lines, x, y)] if lines else []
    tall = max(sum(box["column"] == column for box in boxes) for column in _COLUMNS)
    return framed([*drawn, *_drawn_boxes(boxes, x, y)], max(160, _STEP * tall + 60))


def _ends(row: dict[str, Any]) -> tuple[tuple[str, str], tuple[str, str]]:
    """The boxes a line leads from and to: what is read comes to the station, what is written goes from it."""
    station = (MIDDLE, row["station"])
    return ((LEFT, row["kind"]), station) if row["mode"] == "read" else (station, (RIGHT, row["kind"]))


def _boxes(rows: Rows) -> list[dict[str, object]]:
    """The place of each box: its column, and its height between 0 (below) and 1."""
    texts: dict[tuple[str, str], str] = {}
    for row in rows:
        n, hosts = row["n_drives"], row["n_hosts"]
        drives = f"{n} drive{'s' if n != 1 else ''}" + (f" on {hosts} host{'s' if hosts != 1 else ''}" if hosts else "")
        if row["kind"]:
            texts[RIGHT if row["mode"] == "write" else LEFT, row["kind"]] = drives
        if row["station"]:
            texts[MIDDLE, row["station"]] = "; ".join(
                text for text in (row["role"], row["spool"], row["links"], row["facts"]) if text
            )
    boxes: list[dict[str, object]] = []
    for column in _COLUMNS:
        names = sorted(name for there, name in texts if there == column)
        for number_, name in enumerate(names):
            text = texts[column, name]
            boxes.append(
                {
                    "column": column,
                    "x": _COLUMNS.index(column),
                    "right": _COLUMNS.index(column) + _WIDE,
                    "y": 1 - (number_ + 0.5) / len(names),
                    "name": name,
                    "text": text,
                    "short": truncate(text, _CHARS),
                }
            )
    return boxes


def _drawn_lines(lines: list[dict[str, object]], x: alt.Scale, y: alt.Scale) -> alt.Chart:
    drawn: alt.Chart = (
        alt.Chart(pl.DataFrame(lines))
        .mark_rule(opacity=0.7)
        .encode(
            x=alt.X("x:Q", scale=x, axis=None),
            x2="x2:Q",
            y=alt.Y("y:Q", scale=y, axis=None),
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            color=alt.Color(
                "way:N",
                scale=alt.Scale(domain=["read", "written"], range=[BLUE, GREEN]),
                legend=alt.Legend(orient="top", title="thicker: more moved"),
            ),
            tooltip=[alt.Tooltip("what:N"), number("moved_gb", "moved [GB]")],
        )
    )
    return drawn


def _drawn_boxes(boxes: list[dict[str, object]], x: alt.Scale, y: alt.Scale) -> list[alt.Chart]:
    tips: list[Any] = [alt.Tooltip("column:N", title="column"), "name:N", alt.Tooltip("text:N", title="is")]
    drawn = alt.Chart(pl.DataFrame(boxes)).encode(
        x=alt.X("x:Q", scale=x, axis=None), y=alt.Y("y:Q", scale=y, axis=None), tooltip=tips
    )
    words: dict[str, Any] = {
        "align": "left",
        "dx": 10,
        "color": INK,
        "limit": alt.ExprRef(f"width * {_WIDE / (2 + _WIDE):.3f} - 14"),
    }
    return [
        drawn.mark_bar(size=44, cornerRadius=4, fill=faint(GREY, 0.06), stroke=GREY).encode(x2="right:Q"),
        drawn.mark_text(dy=-8, fontSize=13, fontWeight="bold", **words).encode(text="name:N"),
        drawn.mark_text(dy=9, fontSize=11, **words).encode(text="short:N"),
    ]
