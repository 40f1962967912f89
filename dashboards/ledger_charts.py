"""Where drives' time went: the ledger as a waterfall, its hours by kind, and the states of one mount."""

import altair as alt
import polars as pl

from dashboards import words
from dashboards.charts import BLUE, GREEN, INK, ORANGE, PURPLE, RED, framed, instant, number, share

KINDS = {
    "moving": BLUE,
    "waits": ORANGE,
    "between files": RED,
    "tape motion": PURPLE,
    "mounts": GREEN,
    "not wanted": "#A3ADB5",
    "not usable": "#6B747C",
    "not seen": "#C5CCD2",
}
STATES = {
    "transfer": BLUE,
    "filemark": "#F0B98D",
    "database": "#E08A4B",
    "request": RED,
    "start": "#9C4500",
    "position": PURPLE,
    "mount": GREEN,
    "dismount": "#7FC8B0",
    "no_request": "#A3ADB5",
}
GROUPED = {"transfer": BLUE, "gap": RED, "position": PURPLE, "mount": GREEN, "no_request": "#A3ADB5"}


def waterfall(steps: pl.DataFrame) -> alt.Chart:
    """Buckets of the ledger, each beginning where the one before ends; hours at their ends."""
    steps = steps.with_columns(pl.col("bucket").replace(words.BUCKETS))
    names = steps["bucket"].to_list()
    kinds = list(KINDS)
    y = alt.Y("bucket:N", sort=names, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False, ticks=False))
    most = float(steps["from_hours"].max() or 1)  # type: ignore[arg-type]
    room = alt.Scale(domain=[0, most * 1.08], nice=False)  # for the text behind the longest bar
    bars = (
        alt.Chart(steps)
        .mark_bar(height={"band": 0.75})
        .encode(
            y=y,
            x=alt.X("to_hours:Q", title="drive-hours left [h]", scale=room, axis=alt.Axis(grid=False, tickCount=8)),
            x2="from_hours:Q",
            color=alt.Color(
                "kind:N",
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=list(KINDS.values())),
                legend=alt.Legend(orient="top", title=None, columns=8),
            ),
            tooltip=["bucket:N", "kind:N", number("bucket_hours", "hours [h]"), share("share", "share")],
        )
    )
    text = alt.Chart(steps).mark_text(align="left", dx=5, color=INK, fontSize=12).encode(y=y, x="from_hours:Q")
    said = text.transform_calculate(said="format(datum.bucket_hours, ',.1f') + ' h'").encode(text="said:N")
    return framed(alt.layer(bars, said), 24 * max(4, len(names)) + 110)


def stacked(rows: pl.DataFrame, x: str, y: str, title: str) -> alt.Chart:
    """Horizontal bars of drive-hours, the kinds of the ledger side by side: what moved data first."""
    kinds = [words.bucket(name) for name in GROUPED if name in set(rows["kind"])]
    colours = [colour for name, colour in GROUPED.items() if words.bucket(name) in kinds]
    rows = rows.with_columns(pl.col("kind").replace(words.CHOICES))
    tips = [alt.Tooltip(f"{y}:N"), "kind:N", alt.Tooltip(f"sum({x}):Q", title=title, format=",.2f")]
    chart = (
        alt.Chart(rows)
        .transform_calculate(place=f"indexof({kinds}, datum.kind)")
        .mark_bar(height={"band": 0.7})
        .encode(
            y=alt.Y(f"{y}:N", title=None, sort="-x", axis=alt.Axis(labelLimit=180, labelOverlap=False, ticks=False)),
            x=alt.X(f"sum({x}):Q", title=title, axis=alt.Axis(tickCount=8)),
            order="place:Q",
            color=alt.Color(
                "kind:N",
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=colours),
                legend=alt.Legend(orient="top", title=None, columns=8),
            ),
            tooltip=tips,
        )
    )
    return framed(chart, 36 * max(3, rows[y].n_unique()) + 130)


def timeline(rows: pl.DataFrame) -> alt.Chart:
    """What a drive did, one state in each row, time along."""
    states = [name for name in STATES if name in set(rows["state"])]
    colours, names = [STATES[name] for name in states], [words.STATES[name] for name in states]
    rows = rows.with_columns(pl.col("state").replace(words.STATES))
    chart = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X("from_at:T", title="UTC", axis=alt.Axis(format="%H:%M:%S", labelOverlap=True)),
            x2="to_at:T",
            y=alt.Y("state:N", sort=names, title=None, axis=alt.Axis(labelLimit=220)),
            color=alt.Color("state:N", scale=alt.Scale(domain=names, range=colours), legend=None),
            tooltip=["state:N", instant("from_at", "from"), instant("to_at", "to"), number("interval_s", "length [s]")],
        )
    )
    return framed(chart, 26 * max(3, len(states)) + 70)
