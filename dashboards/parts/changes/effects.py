"""Did it work? One method for a recorded change and for any instant: like for like, before and after.

A recorded change has an effect with an interval, of rates and gaps alike by tape and size of files. An instant without
an entry in the change log has no such estimate: the page describes the mounts on both sides of it and reports that.
"""

from datetime import datetime
from typing import Any

import streamlit as st

from dashboards import charts, components, fields
from dashboards.charts import model_charts
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives.format import counted, quantity
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "Before and after",
    "order": 10,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive"],
}
TABLE = [
    "measure", "mode", "generation", "n_before", "n_after", "before", "after", "ratio", "ratio_low", "ratio_high",
    "mix_shift", "matched_by", "summary",
]  # fmt: skip
MUCH_SHIFT = 0.3
OTHER = "another instant"
UNITS = {"rate": "MB/s", "gap": "s"}
HOW_TO = """[[change]]
at = 2010-03-10 15:00:00
what = "Firmware of the drives"
entities = ["LTO4_101"]   # leave this out for a change of the whole site"""


def draw(page: Page) -> None:
    """Draw the part."""
    events = page.ask("changes", n_days=max(35, page.n_days))
    known = {f"{row['changed_at']:%Y-%m-%d %H:%M:%S} {row['what']}": row for row in events.rows if row["changed_at"]}
    names = {name: f"{components.instant(row['changed_at'])} · {row['what']}" for name, row in known.items()}
    if not known:
        st.markdown(
            "No change is recorded in the period or in the five weeks up to the period's end. Record a change in"
            " site.toml and run `tapescope run`. Or enter an instant to compare the mounts before and after it."
        )
        with st.expander("How to record a change"):
            st.code(HOW_TO, language="toml")
    chosen = fields.choose("change", "Change", [*known, OTHER], names | {OTHER: OTHER}, page=st) if known else OTHER
    if chosen == OTHER:
        when = fields.instant("at", "Instant")
        st.caption(
            "For an instant without a recorded change, the page only compares the mounts before and after. Other"
            " changes and chance affect this comparison. Record the change to get its effect with an interval."
        )
        if when is None:
            st.text("Enter an instant: the page compares the period's mounts before and after it.")
            return
    else:
        when = known[chosen]["changed_at"]
        _effect(events, [row for row in events.rows if (row["changed_at"], row["what"]) == _key(known[chosen])])
        page.say_not_narrowed("drive", "The effect above covers everything that the change affected")
    _both_sides(page, when)


def _key(row: dict[str, Any]) -> tuple[datetime, str]:
    return row["changed_at"], row["what"]


def _effect(events: Asked, rows: list[dict[str, Any]]) -> None:
    """What a recorded change did: as a ratio with its interval, each with its values."""
    row = rows[0]
    whom = escape_markdown(row["entities"] or "the whole site")
    st.header(f"Effect of the change on {whom}", help=events.why, anchor=False)
    if row["note"]:
        st.text(row["note"])
    estimated = [one | {"values": _values(one)} for one in rows if one["ratio_low"] is not None]
    if estimated:
        frame = events.frame(estimated).with_columns(about=charts.joined("measure", "mode", "generation"))
        chart = model_charts.intervals(
            frame, "about", "value after ÷ value before (bar: 90 % interval; line at 1: no change)"
        )
        components.show_chart(events, chart)
    for one in rows:
        about = " ".join(one[name] for name in ("measure", "mode", "generation") if one[name])
        st.text(f"{about}: {one['summary']}" if about else one["summary"])
    if any((one["mix_shift"] or 0) > MUCH_SHIFT for one in rows):
        st.warning(
            "The mix of tapes, file sizes or drives after the change differs from the mix before it: compare with care."
        )
    components.show_table(events, TABLE, rows, wide={"summary": 260})
    components.show_sql(events)


def _values(row: dict[str, Any]) -> str:
    unit = UNITS.get(row["measure"], "1")
    return f"{quantity(row['before'], unit)} → {quantity(row['after'], unit)}"


def _both_sides(page: Page, when: datetime) -> None:
    """Rates of mounts on both sides of an instant, whatever was moved."""
    simple = page.ask("before_after", changed_at=when, drive=page.chosen["drive"])
    st.header("Mounts of the period, before and after the chosen instant", help=simple.why, anchor=False)
    if {row["is_after"] for row in simple.rows} == {False, True}:
        before, after = sorted(simple.rows, key=lambda row: row["is_after"])
        st.text(
            f"Median overall rate before {components.instant(when)}: {quantity(before['p50_mb_s'], 'MB/s')}"
            f" ({counted(before['n_sessions'], 'mount')}). After it: {quantity(after['p50_mb_s'], 'MB/s')}"
            f" ({counted(after['n_sessions'], 'mount')})."
        )
        components.show_chart(simple, model_charts.both_sides(simple.frame()))
    else:
        st.text(
            "The period has no mounts with a known overall rate before that instant, or has none after it."
            " Choose a period that has both."
        )
    components.show_sql(simple)
