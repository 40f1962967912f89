"""Losses and findings: what is wrong, what it costs at most, what to do, and the lines that prove it."""

import json
from datetime import UTC, datetime
from typing import Any

from pipelines.primitives.format import day_text, days_text, instant, listed, price, quantity
from pipelines.reporting.report.model import Evidence, Finding, Loss, Section
from pipelines.reporting.report.queries import Asker, Row
from pipelines.reporting.report.sections import section
from pipelines.reporting.report.sections.coverage import covering, is_withheld, unjudged

_N_LOSSES = 3
_MOST_FINDINGS = 40
_MOST_LINES = 12
_MOST_NAMES = 4
_STATES = ("new", "returned", "open", "acknowledged", "muted")


@section("losses", order=30)
def losses(asker: Asker) -> Section:
    """The three causes whose removal would give most."""
    rows = asker.ask("losses").as_dicts()
    anchors = {row["rule"]: anchor for anchor, row in reversed(_ordered(asker))}
    title = "Top three recoverable losses"
    if not rows:
        text = (
            "None: no finding of the period has a price."
            if covering(asker)
            else ("None can be named: nothing of the period was seen.")
        )
        return Section(title, sentences=[text])
    sentence = (
        "A gain is what would move more, capped by what comes next in the way, with the 90 % interval of days like"
        " these; a price at most is not capped; hours that cannot be priced rank as an hour of the others is worth."
        " Do not add them up: fixing one bottleneck exposes the next."
    )
    headline = asker.only("headline")
    if headline.get("available_hours") and is_withheld(headline):
        sentence = f"Most drive-hours have no log: take these as hints. {sentence}"
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
    """Findings as their section shows them, new and returned ones first, each with its anchor."""
    rows = sorted(asker.ask("findings").as_dicts(), key=lambda row: _STATES.index(row["state"]))
    return [(f"finding-{place}", row) for place, row in enumerate(rows[:_MOST_FINDINGS], start=1)]


@section("findings", order=80)
def findings(asker: Asker) -> Section:
    """Every finding of the period, with its evidence."""
    rows = asker.ask("findings").as_dicts()
    ordered = _ordered(asker)
    before = [None, *(row["rule"] for _, row in ordered)]
    shown = [
        _finding(asker, anchor, row, row["rule"] == rule) for (anchor, row), rule in zip(ordered, before, strict=False)
    ]
    counts = [(sum(row["state"] == state for row in rows), state) for state in _STATES]
    sentences = [f"{', '.join(f'{n} {state}' for n, state in counts if n or state in ('new', 'open'))}.", *_gone(asker)]
    if not rows:
        judged = ", ".join(rule.title[:1].lower() + rule.title[1:] for rule in asker.catalog.rules.values())
        asked = [f"None. Rules that were asked: {judged}."] if _were_asked(asker) else ["None."]
        sentences = [*asked, *_gone(asker)]
    sentences += [*unjudged(asker), *_unsaid(asker)]
    left = len(rows) - len(shown)
    notes = [f"{left} more findings: `tapescope ask findings`"] if left else []
    return Section("Findings", sentences=sentences, findings=shown, notes=notes)


def _were_asked(asker: Asker) -> bool:
    """Whether the rules ran for some day of the period."""
    return any(row["state"] not in ("not_run", "not_covered") for row in asker.ask("day_state").as_dicts())


def _gone(asker: Asker) -> list[str]:
    """What the day judged before had and the last one has not."""
    rows = [row for row in asker.ask("finding_life").as_dicts() if row["gone_day"] == asker.last]
    named = [f"{row['rule']} of {row['entity']}" for row in rows]
    return [f"Gone since the day before: {listed(named, _MOST_NAMES)}."] if rows else []


def _unsaid(asker: Asker) -> list[str]:
    """Findings that fired, or stood before, and rest on logs of which too little was seen."""
    rows = [row for row in asker.ask("withheld").as_dicts() if row["entity"] is not None]
    named = [
        f"{row['rule']} of {row['entity']} ({quantity(row['missing_hours'], 'h')} of {row['source']}, {row['host']})"
        for row in rows
    ]
    return [f"Withheld, for these hours are missing: {listed(named, _MOST_NAMES)}."] if rows else []


def _finding(asker: Asker, anchor: str, row: Row, is_repeat: bool) -> Finding:
    rule = asker.catalog.rules.get(row["rule"])
    zone = asker.site.zone
    instants = [instant(at, zone) for at in (row["started_at"], row["ended_at"]) if at is not None]
    return Finding(
        anchor=anchor,
        title=rule.title if rule else row["rule"],
        rule=row["rule"],
        severity=row["severity"],
        state=row["state"],
        entity=row["entity"],
        period=" to ".join(instants) or day_text(asker.last),
        price=price(row),
        confidence=row["confidence"] or "not stated",
        text=row["text"] or "",
        means=row["means"] or "",
        look_at=row["look_at"] or "",
        is_repeat=is_repeat,
        evidence=_evidence(row["evidence"], zone)[:_MOST_LINES],
    )


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
    """The instant of a line on the site's clock; as it stands where it is none."""
    if at is None:
        return ""
    try:
        when = datetime.fromisoformat(str(at))
    except ValueError:
        return str(at)
    return instant(when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when, zone)
