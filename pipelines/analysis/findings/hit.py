"""The result of a rule that fired: its hit, and how values of frames become plain numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import polars as pl

from pipelines.catalog.contracts import Rule

EVIDENCE_ROWS = 3


@dataclass
class Hit:
    """A rule that fired for one entity: facts for its text, its price, and its rows."""

    entity: str
    started_at: datetime
    ended_at: datetime
    value: float
    facts: dict[str, Any]
    lost_s: float | None = None
    lost_bytes: float | None = None
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)  # the rows that show it best, best first
    n_days: int = 0  # site days its price is of, those without logs included; 0: all of the period
    lost_interval: tuple[float | None, float | None] = (None, None)  # 90 %, of lost_s on days like these
    names: frozenset[str] = frozenset()  # drives, stations, hosts, systems it is about: whose changes may explain it
    is_part: bool = False  # lost_s may be a part of what the drive lost to the cause in the period; so is the gain
    not_after: datetime | None = None  # of a step that is known to some hours only: when it had happened at the latest


def groups(rule: Rule, rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each entity, under its name; what no log and no site.toml names is unknown."""
    for key, group in rows.group_by(list(rule.by), maintain_order=True):
        yield "/".join(dict.fromkeys("unknown" if part is None else str(part) for part in key)), group


def instant(value: object) -> datetime:
    """An aggregate of a column of instants."""
    return cast(datetime, value)


def number(value: object) -> float:
    """An aggregate of a column of numbers."""
    return float(cast(float, value))


def priced_bytes(rule: Rule, rows: pl.DataFrame, lost_s: pl.Series) -> float | None:
    """Bytes that the lost seconds of the rows could have moved; None where no rate is known."""
    if not rule.rate or rows[rule.rate].null_count() == rows.height:
        return None
    return float((rows[rule.rate] * lost_s).sum())
