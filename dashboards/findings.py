"""Findings on pages: their rank, their words, their cards, and their places on a timeline."""

from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

import polars as pl
import streamlit as st

from dashboards import state
from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import load_catalog
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown, truncate
from pipelines.primitives.times import days_text
from pipelines.reporting import finding_words

Row = dict[str, Any]
COLOURS = {"critical": "red", "warning": "orange", "info": "blue"}  # next to the report's signs and words
GONE = ["rule", "entity", "severity", "first_day", "last_day", "n_days", "gone_day", "text"]
NO_LIVES: Mapping[str, Row] = MappingProxyType({})
CARD_CHARS, NEXT_CHARS = 110, 90  # of a finding's sentence, of its next step


def ranked(rows: list[Row], lives: Mapping[str, Row] = NO_LIVES) -> list[Row]:
    """Findings with their lives, in the report's order; of several spells of one cause the worst alone."""
    known = [row | {"state": lives.get(row["finding_id"], {}).get("state", row["state"])} for row in rows]
    return [spells[0] | {"life": lives.get(spells[0]["finding_id"], {})} for spells in finding_words.ranked(known)]


def moved(row: Row) -> str:
    """The period in one sentence; nothing where no log of drives covers it."""
    if row["moved_tb"] is None or not row["n_drives"]:
        return ""
    text = f"{format.quantity(row['moved_tb'], 'TB')} moved on {format.counted(row['n_drives'], 'drive')}"
    if row["f"] is not None:
        rate, overall = (format.quantity(row[name], "MB/s") for name in ("drive_rate_mb_s", "overall_rate_mb_s"))
        text += f" at an overall rate of {overall}, which is {format.percent(row['f'])} of the drive rate of {rate}"
        if row.get("drive_rate_basis") == "estimate":
            text += f" ({format.BASES['estimate']})"
    elif row["overall_rate_mb_s"] is not None:
        text += f" at an overall rate of {format.quantity(row['overall_rate_mb_s'], 'MB/s')}"
    unknown = row["unknown_hours"] / row["available_hours"] if row["available_hours"] else 0
    return f"{text}. No log covers {format.percent(unknown)} of the drive-hours." if unknown >= 0.01 else f"{text}."


def names(row: Row) -> set[str]:
    """What a finding is about: a finding of an older release by the parts of its entity's name."""
    rule = load_catalog().rules.get(row["rule"])
    return set(rule.about(row["entity"]).values() if rule else row["entity"].split("/"))


def days_of(first: date, last: date) -> pl.Expr:
    """The days of a bar, as its name."""
    return pl.lit(days_text(first, last))


def steps(rule: str) -> list[str]:
    """What a rule recommends, a sentence each; nothing for a rule of an older release."""
    known = load_catalog().rules.get(rule)
    return finding_words.steps(known.look_at) if known else []


def as_markdown(step: str) -> str:
    """A step as Markdown: a command between backticks is code, and nothing else is markup.

    >>> as_markdown("See `tapescope ask lost_time` for *it*."), as_markdown("cut `tapesc…")
    ('See `tapescope ask lost_time` for \\\\*it\\\\*.', 'cut \\\\`tapesc…')
    """
    parts = step.split("`")
    if len(parts) % 2 == 0:
        return escape_markdown(step)
    escaped = [" " * part.startswith(" ") + escape_markdown(part) + " " * part.endswith(" ") for part in parts]
    return "".join(f"`{part}`" if place % 2 else escaped[place] for place, part in enumerate(parts))


def handbook(rule: Rule | None) -> None:
    """The operator's handbook on a rule, under a question mark; nothing for a rule of an older release."""
    if rule is None:
        return
    with st.popover("Handbook", icon=":material/help:"):
        st.caption(f"The rule `{rule.name}`")
        for heading, text in rule.entry:
            st.markdown(f"**{heading}**  \n{text}")


def badge(severity: str) -> None:
    """How bad it is: a sign, a word and a colour, none of which alone carries the meaning."""
    st.badge(" ".join(finding_words.SIGNS[severity]), color=COLOURS[severity])  # type: ignore[arg-type]


def link(row: Row) -> None:
    """A link to the page of a finding: its rule's title and what it is about."""
    known = load_catalog().rules.get(row["rule"])
    title = known.title if known else row["rule"]
    label = f"**{escape_markdown(title)}** · {escape_markdown(row['entity'])}"
    state.link("finding", label, id=row["finding_id"])


def card(row: Row, trend: list[Row]) -> None:
    """One finding: how bad, what and where, since when, what it costs, its last nights, and the next step."""
    fired = [_size(night) if night["outcome"] == "fired" else 0.0 for night in trend]
    value, what = _cost(row)
    todo = steps(row["rule"])
    with st.container(border=True, gap=None):
        words, cost = st.columns([15, 4], gap="small")
        with words, st.container(gap=None):
            link(row)
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                badge(row["severity"])
                st.caption(escape_markdown(finding_words.since(row["life"])))
            following = f"  \nNext: {as_markdown(truncate(todo[0], NEXT_CHARS))}" if todo else ""
            sentence = row["text"].removeprefix(f"{row['entity']}: ")  # the title names it
            st.caption(escape_markdown(sentence[:1].upper() + sentence[1:], CARD_CHARS) + following)
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
    """The places of drives' findings on the timeline: drive, instant, words."""
    found: list[dict[str, Any]] = []
    for row in rows:
        rule = load_catalog().rules.get(row["rule"])
        about = rule.about(row["entity"]) if rule else {}
        if about.get("drive") in drives and isinstance(row["started_at"], datetime):
            title = rule.title if rule else row["rule"]
            found.append(
                {"drive": about["drive"], "at": row["started_at"], "severity": row["severity"], "title": title}
            )
    return found
