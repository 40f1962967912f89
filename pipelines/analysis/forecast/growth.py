"""Growth of what the site writes, and its holdings against the plans of site.toml."""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

import numpy as np

from pipelines.analysis.forecast.history import History
from pipelines.analysis.models.growth import Growth, learn
from pipelines.config.plans import Plan
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate

TWO_YEARS = 728  # whole weeks
LEAST_COVERED = 0.5  # of a day: the rest of it may have been like no other


@dataclass(frozen=True)
class Written:
    """What was written by a part of the archive or all of it, and the projection from it."""

    last_day: date
    n_days: int
    growth: Growth | NoEstimate


@dataclass(frozen=True)
class Held:
    """What it held at the end of the last day; without an export of the volume table only what was logged."""

    held_tb: float
    listed_at: datetime | None

    @property
    def is_whole(self) -> bool:
        """Whether an export says what was there."""
        return self.listed_at is not None


@dataclass(frozen=True)
class Outlook:
    """One plan: what is held, what will be on its day, how likely that is enough, and when its size is reached."""

    plan: Plan
    written: Written
    held: Held
    holdings_tb: Estimate | NoEstimate
    chance: float | NoEstimate
    days_left: Estimate | NoEstimate  # since the last day with logs

    def day_of(self, days: float) -> date | None:
        """The site day on which this many days are over; None where the calendar has none."""
        try:
            return self.written.last_day + timedelta(days=1 + math.floor(days))
        except (OverflowError, ValueError):
            return None


def written(history: History, group: str = "", family: str = "", n_days: int = TWO_YEARS) -> Written:
    """What was written, day by day. Raises TapescopeError where no log covers any day."""
    rows = history.rows("written_days", group=group, family=family, n_days=str(n_days))
    if not rows:
        raise TapescopeError(
            "no log of drives and no accounting shows how much was written on any day",
            "choose other days with --day, or add logs or accounting of files written to tape and run `tapescope run`;"
            " `tapescope ask logs_read` lists the logs that were read",
        )
    seen = [row for row in rows if row["covered_share"] >= LEAST_COVERED]
    last = history.last_day or rows[-1]["day"]
    days = np.array([row["day"].toordinal() for row in seen], np.int64)
    gb = np.array([row["written_gb"] / row["covered_share"] for row in seen], float)
    return Written(last, len(seen), learn(days, gb, last.toordinal()))


def held(history: History, last_day: date, group: str = "", family: str = "") -> Held:
    """What is on tape at the end of a day."""
    (row,) = history.rows("holdings", last_day=str(last_day), group=group, family=family)
    return Held(row["held_gb"] / 1000, row["listed_at"])


def outlooks(history: History, n_days: int = TWO_YEARS) -> list[Outlook]:
    """Every plan of site.toml. Raises TapescopeError where no log covers any day."""

    @cache  # plans of the same for several days rest on one past
    def past(group: str, family: str) -> tuple[Written, Held]:
        seen = written(history, group, family, n_days)
        return seen, held(history, seen.last_day, group, family)

    return [outlook(plan, *past(plan.storage_group, plan.file_family)) for plan in history.site.plan]


def outlook(plan: Plan, seen: Written, now: Held) -> Outlook:
    """A plan compared with what is there and what will be written until the start of its day."""
    days = (plan.by - seen.last_day).days - 1
    growth = seen.growth
    if not isinstance(growth, NoEstimate) and days < 0:
        growth = NoEstimate(
            "the day of the plan is not after the last day of the history", "a later day for this [[plan]]"
        )
    if isinstance(growth, NoEstimate):
        return Outlook(plan, seen, now, growth, growth, growth)
    left_gb = max(plan.holdings_tb - now.held_tb, 0.0) * 1000
    ahead = growth.written(days)
    if isinstance(ahead, Estimate):
        ahead = Estimate(*(now.held_tb + gb / 1000 for gb in (ahead.value, ahead.low, ahead.high)))
    return Outlook(plan, seen, now, ahead, growth.chance(days, left_gb), growth.days_until(left_gb))
