"""What moved at each change of the change log: rates of large files, and gaps, before it and after."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from pipelines.analysis.estimates.numbers import known
from pipelines.analysis.stats import before_after
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

RELATION = "gold.change_effect"
WINDOW_DAYS = 35  # changes of the last days up to this number are judged
SIDE = timedelta(days=7)  # the most that is compared before and after

# What is held alike, the closest first: writes go to new tapes.
_ALIKE = {
    "rate": {"tape and size": ["volume", "size", "basis"], "size": ["size", "basis"]},
    "gap": {"drive": ["drive"]},
}
_NAMES = ("system", "station", "drive", "mover_host", "generation")


@dataclass(frozen=True)
class _Change:
    change_id: str
    at: datetime
    entities: frozenset[str]  # none: all of the site

    def touches(self, other: "_Change") -> bool:
        return not self.entities or not other.entities or bool(self.entities & other.entities)


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each change, measure, mode and technology with values on at least one side."""
    begin, end = period.bounds
    found = ask_input(connection, "changes_made", begin=begin, end=end).iter_rows()
    changes = [_Change(name, at, frozenset(entities or ())) for name, at, entities in found]
    recent = [change for change in changes if change.at >= begin]
    if not recent:
        return
    values = ask_input(connection, "rates_and_gaps", begin=begin - SIDE, end=end)
    for change in recent:
        since, until = _sides(change, changes, end)
        near = values.filter(pl.col("moved_at") >= since, pl.col("moved_at") < until, _is_touched(change))
        kinds = near.sort("moved_at", "cluster", "value").group_by("measure", "mode", "generation", maintain_order=True)
        for (measure, mode, generation), kind in kinds:
            yield {
                "change_id": change.change_id,
                "measure": measure,
                "mode": mode,
                "generation": generation,
                "before_from_at": since,
                "after_to_at": until,
            } | _compared(kind, change.at, _ALIKE[str(measure)])


def _sides(change: _Change, changes: list[_Change], end: datetime) -> tuple[datetime, datetime]:
    """A week each way, less where another change touched the same: its effect must not count for this one."""
    others = [other.at for other in changes if other.touches(change) and other.at != change.at]
    since = max([change.at - SIDE, *(at for at in others if at < change.at)])
    until = min([change.at + SIDE, end, *(at for at in others if at > change.at)])
    return since, until


def _is_touched(change: _Change) -> pl.Expr:
    if not change.entities:
        return pl.lit(True)
    names = sorted(change.entities | {name.split(".")[0] for name in change.entities})
    return pl.any_horizontal([pl.col(column).is_in(names).fill_null(False) for column in _NAMES])


def _compared(kind: pl.DataFrame, at: datetime, alike: dict[str, list[str]]) -> dict[str, Any]:
    is_after = (kind["moved_at"] >= at).to_numpy()
    values = kind["value"].to_numpy()
    clusters = kind["cluster"].fill_null("").to_numpy().astype(str)
    tried = [(name, before_after.compare(values, is_after, _strata(kind, by), clusters)) for name, by in alike.items()]
    matched_by, found = next((pair for pair in tried if isinstance(pair[1].ratio, Estimate)), tried[-1])
    is_matched = isinstance(found.ratio, Estimate)
    row = {
        "n_before": int((~is_after).sum()),
        "n_after": int(is_after.sum()),
        "before": known(np.median(values[~is_after])) if not is_after.all() else None,
        "after": known(np.median(values[is_after])) if is_after.any() else None,
        "effect": known(found.effect),
        "mix_shift": known(found.mix_shift),
        "matched_by": matched_by if is_matched else None,
        "reason_missing": found.ratio.reason if isinstance(found.ratio, NoEstimate) else None,
    }
    plain = {} if is_matched else {"ratio": known(found.unmatched_ratio)}
    return row | found.ratio.columns("ratio") | plain


def _strata(kind: pl.DataFrame, columns: list[str]) -> np.ndarray[Any, Any]:
    named = pl.concat_str(pl.col(columns).cast(pl.String).fill_null(""), separator=" ")
    return kind.select(named).to_series().to_numpy().astype(str)
