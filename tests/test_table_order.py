"""Rows that weigh the same are in the order of the numbers in their names: D2 before D10."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from dashboards.parts.drives import weeks
from dashboards.parts.time import gaps

DAY = date(2010, 6, 15)
DRIVES = ("D1", "D10", "D2")  # as SQL sorts them


def shown(monkeypatch: pytest.MonkeyPatch, part: Any, rows: list[dict[str, Any]]) -> list[str]:
    """The drives of a part's table, from top to bottom."""
    tables: list[list[str]] = []
    monkeypatch.setattr(part.components, "show_table", lambda *given: tables.append([row["drive"] for row in given[2]]))
    for name in ("heading", "show_sql"):
        monkeypatch.setattr(part.components, name, lambda *_: None)
    asked = SimpleNamespace(rows=rows, rows_of=lambda **_: rows)
    site = {"first_day": DAY, "expected_gap_s": 2.0}
    part.draw(SimpleNamespace(
        chosen={"drive": "", "station": ""}, last=DAY, site=site, ask=lambda *_, **__: asked,
        ask_before=lambda *_, **__: None,
    ))  # fmt: skip
    return tables[0]


def test_weeks_have_the_newest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weeks.fields, "choose", lambda *_: "day")
    rows = [{"drive": name, "step_from": DAY} for name in DRIVES]
    assert shown(monkeypatch, weeks, rows) == ["D1", "D2", "D10"]


def test_gaps_have_the_costliest_drive_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_say_cost", "_show_histograms", "_show_examples"):
        monkeypatch.setattr(gaps, name, lambda *_: [])
    monkeypatch.setattr(gaps.state, "link", lambda *_, **__: None)
    rows: list[dict[str, Any]] = [{"drive": name, "lost_hours": 0.0, "n_gaps": 7} for name in DRIVES]
    assert shown(monkeypatch, gaps, rows) == ["D1", "D2", "D10"]
    assert shown(monkeypatch, gaps, [*rows, {"drive": "D3", "lost_hours": 1.0, "n_gaps": 2}])[0] == "D3"
