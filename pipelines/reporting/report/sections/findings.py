"""Losses and findings: what is wrong, what it costs at most, what to do, and the lines that prove it."""

import json
from datetime import UTC, datetime
from typing import Any

from pipelines.primitives.format import counted, listed, price, quantity
from pipelines.primitives.times import day_text, days_text, instant
from pipelines.reporting import finding_words, links
from pipelines.reporting.report.model import Evidence, Finding, Loss, Night, Section
from pipelines.reporting.report.queries import Asker, Row
from pipelines.reporting.report.sections import section
from pipelines.reporting.report.sections.coverage import covering, is_withheld, unjudged, were_asked

_N_LOSSES = 3
_MOST_FINDINGS = 40
_MOST_LINES = 12
_MOST_NAMES = 4
_MOST_OTHERS = 5
_STATES = ("new", "returned", "open", "acknowledged", "muted")


@section("losses", order=30, page=links.TONIGHT)
def losses(asker: Asker) -> Section:
    """The three causes whose removal would give most."""
    rows = asker.ask("losses").as_dicts()
    anchors = {row["rule"]: anchor for anchor, row in reversed(_ordered(asker))}
    title = "Top three recoverable losses"
    if not rows:
        text = "No finding of the period has a recoverable loss in GB or hours."
        if not were_asked(asker):
            why = "The rules have not run for the period" if covering(asker) else "No log covers the period"
            text = f"{why}, so no loss can be named."
        return Section(title, sentences=[text])
    sentence = (
        "A gain is the additional data that could move if the cause were removed, up to the limit that the next "
        "bottleneck sets. The 90 % interval is derived from the differences between the mounts, tapes or hours of "
        "the period: it shows how much the gain may vary on days like these. Figures with “at most” "
        "ignore the next bottleneck. A loss known only in hours is ranked by hours × the median GB per lost hour "
        "of the losses that are known in GB. Gains do not add up: removing one bottleneck exposes the next."
    )
    headline = asker.only("headline")
    if headline.get("available_hours") and is_withheld(headline):
        sentence = f"Most drive-hours have no log, so these losses are only hints. {sentence}"
    found = [_loss(asker, row, anchors.get(row["rule"], "")) for row in rows[:_N_LOSSES]]
    return Section(title, sentences=[sentence], losses=found)


def _loss(asker: Asker, row: Row, anchor: str) -> Loss:
    rule = asker.catalog.rules.get(row["rule"])
    return Loss(
        title=rule.title if rule else row["rule"],
        where=listed(row["entities"].split(", "), _MOST_NAMES),
        price=price(row),
        period=days_text(row["first_day"], row["last_day"]),
        action=rule.look_at if rule else "",
        anchor=anchor,
    )


def _ordered(asker: Asker) -> list[tuple[str, Row]]:
    """The worst spell of each finding that its section shows, in the order of the page Tonight, with its anchor."""
    return [(f"finding-{place}", spells[0]) for place, spells in enumerate(_ranked(asker)[:_MOST_FINDINGS], start=1)]


def _ranked(asker: Asker) -> list[list[Row]]:
    return finding_words.ranked(asker.ask("findings").as_dicts())


@section("findings", order=80, page=links.TONIGHT)
def findings(asker: Asker) -> Section:
    """Every finding of the period, with its evidence."""
    found = _ranked(asker)
    lives = {row["finding_id"]: row for row in asker.ask("finding_life").as_dicts()}
    before = [None, *(spells[0]["rule"] for spells in found)]
    shown = [
        _finding(asker, f"finding-{place}", spells, lives.get(spells[0]["finding_id"], {}), spells[0]["rule"] == rule)
        for place, (spells, rule) in enumerate(zip(found[:_MOST_FINDINGS], before, strict=False), start=1)
    ]
    rows = [spells[0] for spells in found]
    counts = [(sum(row["state"] == state for row in rows), state) for state in _STATES]
    states = ", ".join(f"{n} {state}" for n, state in counts if n)
    sentences = [f"{finding_words.tally(rows)}: {states}.", *_gone(asker)]
    if not rows:
        judged = ", ".join(rule.title[:1].lower() + rule.title[1:] for rule in asker.catalog.rules.values())
        asked = [f"No findings. Rules applied: {judged}."] if were_asked(asker) else ["None."]
        sentences = [*asked, *_gone(asker)]
    sentences += [*unjudged(asker), *_unsaid(asker)]
    left = len(rows) - len(shown)
    notes = [f"`tapescope ask findings` lists {counted(left, 'more finding')}"] if left else []
    return Section("Findings", sentences=sentences, findings=shown, notes=notes)


def _gone(asker: Asker) -> list[str]:
    """What the day judged before had and the last one has not."""
    rows = [row for row in asker.ask("finding_life").as_dicts() if row["gone_day"] == asker.last]
    named = [f"{row['rule']} of {row['entity']}" for row in rows]
    return [f"Findings that were open before and are gone now: {listed(named, _MOST_NAMES)}."] if rows else []


def _unsaid(asker: Asker) -> list[str]:
    """Findings that fired, or were open before, and depend on logs with too few hours."""
    rows = [row for row in asker.ask("withheld").as_dicts() if row["entity"] is not None]
    named = [
        f"{row['rule']} of {row['entity']} (missing: {quantity(row['missing_hours'], 'h')} of the log {row['source']}"
        f" of {row['host']})"
        for row in rows
    ]
    return (
        [f"Findings that were not judged because hours of logs are missing: {listed(named, _MOST_NAMES)}."]
        if rows
        else []
    )


def _finding(asker: Asker, anchor: str, spells: list[Row], life: Row, is_repeat: bool) -> Finding:
    row = spells[0]
    rule = asker.catalog.rules.get(row["rule"])
    zone = asker.site.zone
    sign, severity_word = finding_words.SIGNS[row["severity"]]
    return Finding(
        anchor=anchor,
        id=row["finding_id"],
        link=links.to_finding(asker.site.deliver.dashboard_url, row["finding_id"]),
        sign=sign,
        severity_word=severity_word,
        title=rule.title if rule else row["rule"],
        rule=row["rule"],
        severity=row["severity"],
        state=row["state"],
        since=finding_words.since(life),
        trend=_trend(asker, row["finding_id"]),
        entity=row["entity"],
        period=_when(row, asker),
        price=price(row),
        confidence=row["confidence"] or "not stated",
        text=row["text"] or "",
        means=row["means"] or "",
        look_at=row["look_at"] or "",
        steps=finding_words.steps(row["look_at"] or ""),
        others=_others(spells[1:], asker),
        handbook=[part for part in rule.entry if part[1] not in (rule.means, rule.look_at)] if rule else [],
        is_repeat=is_repeat,
        evidence=_evidence(row["evidence"], zone)[:_MOST_LINES],
    )


def _when(row: Row, asker: Asker) -> str:
    instants = [instant(at, asker.site.zone) for at in (row["started_at"], row["ended_at"]) if at is not None]
    return " to ".join(instants) or day_text(asker.last)


def _others(spells: list[Row], asker: Asker) -> list[str]:
    """The spells of a finding next to its worst one, each with its price."""
    shown = [f"{_when(row, asker)}: {row['text'] or ''} ({price(row)})" for row in spells[:_MOST_OTHERS]]
    left = len(spells) - len(shown)
    return [*shown, f"`tapescope ask findings finding={spells[0]['finding_id']}` lists {left} more"] if left else shown


def _trend(asker: Asker, finding_id: str) -> list[Night]:
    """The last nights of a finding; no bars where it fired on one of them only: one bar says nothing."""
    rows = [row for row in asker.ask("finding_days").as_dicts() if row["finding_id"] == finding_id]
    nights = [Night(row["outcome"], _size(row) if row["outcome"] == "fired" else 0.0) for row in rows]
    return nights if sum(night.outcome == "fired" for night in nights) > 1 else []


def _size(row: Row) -> float:
    return float(row["gain_gb_day"] or row["lost_hours"] or 1.0)


def _evidence(text: str | None, zone: str) -> list[Evidence]:
    """Lines from a finding's JSON; what is not such JSON is shown as it is."""
    try:
        lines: Any = json.loads(text or "[]")
        return [
            Evidence(f"{line['path']}:{line['line_no']}", _clock(line["at"], zone), str(line["text"] or ""))
            for line in lines
        ]
    except (ValueError, TypeError, KeyError):
        return [Evidence("", "", str(text))]


def _clock(at: Any, zone: str) -> str:
    """The instant of a line on the site's clock; unchanged where it has no time."""
    if at is None:
        return ""
    try:
        when = datetime.fromisoformat(str(at))
    except ValueError:
        return str(at)
    return instant(when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when, zone)
