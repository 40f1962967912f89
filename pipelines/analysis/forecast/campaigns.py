"""Campaigns: what they moved, and when they will be done."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

import numpy as np

from pipelines.analysis.forecast.history import History, Row, well_covered
from pipelines.analysis.models.eta import Eta, days_left, moved_ahead, one_drive_more
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate


@dataclass(frozen=True)
class Progress:
    """One campaign: how far it is, what its last days were like, and its end or why there is no estimate."""

    name: str
    size_gb: float
    done_gb: float
    left_gb: float
    last_day: date
    n_days_lacking: int
    rate_mb_s: float | None  # of a drive at work for it, in the days looked at
    n_days: int  # days looked at
    end: Eta | NoEstimate
    week_gb: Estimate | NoEstimate  # what it will move in the seven days after the last

    @property
    def left_days(self) -> Estimate | NoEstimate:
        """Days until all data has moved; that nothing is left is known, even where too few days have logs."""
        if isinstance(self.end, Eta):
            return self.end.days
        return self.end if self.left_gb else Estimate(0.0, 0.0, 0.0)

    def day_after(self, days: float) -> date | None:
        """The site day a number of days after the last; None where the calendar has none."""
        try:
            return self.last_day + timedelta(days=days)
        except OverflowError:
            return None


def progress(history: History) -> list[Progress]:
    """Every campaign of site.toml. Raises TapescopeError where none is declared, or no log covers any."""
    site = history.site
    if not site.campaign:
        raise TapescopeError(
            "site.toml declares no campaign", "add [[campaign]] with name, size_tb and from, e.g. from = 2010-01-04"
        )
    rows = history.rows("campaign_days")
    if not rows:
        raise TapescopeError(
            "no log of drives covers any day of a campaign",
            "add logs of drives and run `tapescope run`; `tapescope ask logs_read` lists the logs that were read",
        )
    levers: dict[str, list[Row]] = defaultdict(list)
    for row in history.rows("campaign_levers"):
        levers[row["campaign"]].append(row)
    sizes = {one.name: one.size_tb * 1000 for one in site.campaign}
    if strange := sorted({row["campaign"] for row in rows} - sizes.keys()):
        raise TapescopeError(
            f"the warehouse has a campaign {strange[0]!r} that site.toml does not name", "run `tapescope build`"
        )
    return [
        _progress(name, sizes[name], list(days), levers[name], history.n_days)
        for name, days in groupby(rows, key=lambda row: row["campaign"])
    ]


def _progress(name: str, size_gb: float, days: list[Row], levers: list[Row], n_days: int) -> Progress:
    last = days[-1]
    seen = well_covered([row for row in days if (last["day"] - row["day"]).days < n_days])
    moved, drives, busy = (
        np.array([row[key] for row in seen], float) for key in ("moved_gb", "n_drives", "busy_hours")
    )
    more = {"a drive more": one_drive_more(moved, drives)} if drives.any() else {}
    gains = _gains(levers, {row["day"] for row in seen})
    rate = float(moved.sum() * 1000 / busy.sum() / 3600) if busy.sum() else None
    end = days_left(moved, last["left_gb"], gains | more)
    amounts = (last["done_gb"], last["left_gb"], last["day"], last["n_days_lacking"])
    return Progress(name, size_gb, *amounts, rate, len(seen), end, moved_ahead(moved))


def _gains(levers: list[Row], days: set[date]) -> dict[str, float]:
    """What the mean of some days would gain in GB without each cause of lost time, by words for the lever."""
    gains: dict[str, float] = defaultdict(float)
    for row in levers:
        if row["day"] in days:
            gains[f"without {row['cause']}"] += row["gain_gb_day"] / len(days)
    return gains
