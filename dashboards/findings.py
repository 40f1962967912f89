"""Findings on pages: their rank, their words, their cards, and where they stand on a timeline."""

from datetime import date, datetime
from typing import Any

import polars as pl
import streamlit as st

from dashboards import state
from pipelines.catalog.contracts import load_catalog
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown

Row = dict[str, Any]
SEVERITIES = ("critical", "warning", "info")
# A sign, a word and a colour: none of them alone carries the meaning.
SIGNS = {"critical": ("■ critical", "red"), "warning": ("▲ warning", "orange"), "info": ("● note", "blue")}
SET_ASIDE = ("acknowledged", "muted")
GONE = ["rule", "entity", "severity", "first_day", "last_day", "n_days", "gone_day", "text"]
CARD_CHARS, NEXT_CHARS = 110, 90  # of a finding's sentence, of its next step


def ranked(rows: list[Row]) -> list[Row]:
    """The most severe first, then those that would bring most; of several spells of one cause the first alone."""
    first = {row["finding_id"]: row for row in reversed(rows)}
    return sorted(
        first.values(),
        key=lambda row: (
            SEVERITIES.index(row["severity"]),
            -(row["gain_gb_day"] if row["gain_gb_day"] is not None else row["lost_gb_day"] or 0),
            -(row["lost_hours"] or 0),
        ),
    )


def counted(rows: list[Row]) -> str:
    """How many of each severity.

    >>> counted([{"severity": "critical"}, {"severity": "warning"}, {"severity": "warning"}, {"severity": "info"}])
    '1 critical problem, 2 warnings and 1 note'
    """
    words = {"critical": "critical problem", "warning": "warning", "info": "note"}
    numbers = {name: sum(row["severity"] == name for row in rows) for name in SEVERITIES}
    parts = [format.counted(n, words[name]) for name, n in numbers.items() if n]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def moved(row: Row) -> str:
    """The period in one sentence; nothing where no log of drives covers it."""
    if row["moved_tb"] is None or not row["n_drives"]:
        return ""
    text = f"{format.quantity(row['moved_tb'], 'TB')} moved on {format.counted(row['n_drives'], 'drive')}"
    if row["f"] is not None:
        rate, overall = (format.quantity(row[name], "MB/s") for name in ("drive_rate_mb_s", "overall_rate_mb_s"))
        text += f" at {overall} from mount to dismount, {format.percent(row['f'])} of the {rate} they worked at"
        if row.get("drive_rate_basis") == "estimate":
            text += f" ({format.BASES['estimate']})"
    elif row["overall_rate_mb_s"] is not None:
        text += f" at {format.quantity(row['overall_rate_mb_s'], 'MB/s')} from mount to dismount"
    unknown = row["unknown_hours"] / row["available_hours"] if row["available_hours"] else 0
    return f"{text}. No log covers {format.percent(unknown)} of the drive-hours." if unknown >= 0.01 else f"{text}."


def days_of(first: date, last: date) -> pl.Expr:
    """The days of a bar, as its name."""
    return pl.lit(format.days_text(first, last))


def since(life: Row) -> str:
    """How long a finding has stood.

    >>> since({"state": "open", "n_days": 4, "first_day": date(2010, 3, 7)})
    'open for 4 nights, first on 7 March 2010'
    """
    state = life.get("state")
    if state in ("muted", "acknowledged"):
        until = f" until {format.day_text(life['until_day'])}" if life.get("until_day") else ""
        return f"{state}{until}" + (f": {life['note']}" if life.get("note") else "")
    if not state or state == "new":
        return "new"
    nights = format.counted(life["n_days"], "night")
    return f"{state} for {nights}, first on {format.day_text(life['first_day'])}"


def steps(rule: str) -> list[str]:
    """What a rule recommends, a step each.

    >>> len(steps("drive_down")) > 1, steps("a rule of an older release")
    (True, [])
    """
    known = load_catalog().rules.get(rule)
    parts = known.look_at.replace("; then ", ". ").replace("; ", ". ").split(". ") if known else []
    return [part[0].upper() + part[1:].rstrip(".") + "." for part in (text.strip() for text in parts) if part]


def link(row: Row) -> None:
    """A link to the page of a finding: its rule's title and what it is about."""
    known = load_catalog().rules.get(row["rule"])
    title = known.title if known else row["rule"]
    label = f"**{escape_markdown(title)}** · {escape_markdown(row['entity'])}"
    state.link("finding", label, id=row["finding_id"])


def card(row: Row, trend: list[Row]) -> None:
    """One finding: how bad, what and where, since when, what it costs, its last nights, and the next step."""
    sign, colour = SIGNS[row["severity"]]
    fired = [_size(night) if night["outcome"] == "fired" else 0.0 for night in trend]
    value, what = _cost(row)
    todo = steps(row["rule"])
    with st.container(border=True, gap=None):
        words, cost = st.columns([15, 4], gap="small")
        with words, st.container(gap=None):
            link(row)
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                st.badge(sign, color=colour)  # type: ignore[arg-type]
                st.caption(escape_markdown(since(row["life"])))
            following = f"  \nNext: {escape_markdown(todo[0], NEXT_CHARS)}" if todo else ""
            st.caption(escape_markdown(row["text"], CARD_CHARS) + following)
        cost.metric(what, value, chart_data=fired if sum(map(bool, fired)) > 1 else None, chart_type="bar")


def _size(night: Row) -> float:
    return float(night["gain_gb_day"] or night["lost_hours"] or 1.0)


def _cost(row: Row) -> tuple[str, str]:
    """The largest number of a finding and its unit: what fixing it would bring, or what it cost."""
    if row["gain_gb_day"]:
        return format.fixed(row["gain_gb_day"], "GB/day"), "GB/day gain"
    if row["lost_hours"]:
        return format.fixed(row["lost_hours"], "h"), "hours lost"
    return format.NOTHING, "no price"


def marks(rows: list[Row], drives: set[str]) -> list[dict[str, Any]]:
    """Where findings of drives stand on the timeline: drive, instant, words."""
    found: list[dict[str, Any]] = []
    for row in rows:
        rule = load_catalog().rules.get(row["rule"])
        about = dict(zip(rule.by, row["entity"].split("/"), strict=False)) if rule else {}
        if about.get("drive") in drives and isinstance(row["started_at"], datetime):
            title = rule.title if rule else row["rule"]
            found.append(
                {"drive": about["drive"], "at": row["started_at"], "severity": row["severity"], "title": title}
            )
    return found
