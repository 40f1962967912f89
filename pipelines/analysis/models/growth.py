"""How what is written grows, and what that comes to: bytes a day, holdings at a date, the day a plan is reached.

    GB a day at t = L exp(g t)                  factor a year = exp(365.25 g)              doubled after ln 2 / g days
    written in the next D days = L (exp(g D) - 1) / g                                      holdings = held + written

L is the line's GB a day at the end of the last day with logs. Inputs: days that logs cover and the GB written on each
(days without logs left out, days with nothing kept). Days are combined into weeks that end with the last day, since a
week has its week-end; a week counts from five days with logs, as the mean of these. The line is fitted to at least
eight weeks, by the gamma likelihood with a logarithm as link: a week scatters by a share of itself. With fewer weeks,
but five days, L is the mean day and g is 0: an assumption, and growth is refused.

Output: values with 90 % intervals. Possible lines are drawn 1000 times by resampling weeks (without growth: days), with
the tails of Student's t for few of them, wider where weeks resemble those before; the weeks to come scatter around the
line as the past ones did.

Refused: growth, where fewer than eight weeks have logs, or writing began or ended within them: nothing was written at
their start or end, for longer than in any pause between. All of it, where fewer than eight weeks have logs and the same
holds for their days. Any time more than four times as far ahead as days have logs, without growth more than once.

Limits: growth continues at one constant rate: no season (a year of data cannot show one, and with less a season may be
taken for growth), no end of a project, no new one; nothing is deleted. Of 400 sites whose weeks are independent 86 to
95 of a hundred intervals hold the true value; where weeks resemble the one before (a correlation of 0.4) 82 to 86.
Source: McCullagh and Nelder, "Generalized Linear Models" (1989), chapter 8; N04 (traffic "about x2, maybe more"), E01
(holdings against a plan). GB = 10^9 bytes.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipelines.analysis.models import eta
from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats, student_factors
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import counted

Ints = npt.NDArray[np.int64]
WEEK, YEAR = 7, 365.25
LEAST_WEEKS, LEAST_IN_WEEK = 8, 5
MOST_AHEAD = 4  # times the days with logs
_STEEPEST = 40.0  # logarithms by which a line may rise or fall over the weeks with logs
_MOST_ALIKE = 0.8  # correlation of a week with the next; more cannot be distinguished from growth
_N_STEPS = 25


@dataclass(frozen=True, eq=False)
class Lines:
    """The line that was fitted, and after it possible ones; each with luck of its own in the weeks to come."""

    gb_day: Floats  # at the end of the last day
    slope: Floats  # of its logarithm, a day
    luck: Floats  # in standard deviations; the fitted line has none
    scatter: float  # standard deviation of what a day's share of it is, if days were independent

    def rate(self, days: Floats | float) -> Floats:
        """GB a day, a number of days ahead."""
        found: Floats = self.gb_day * np.exp(np.minimum(self.slope * days, 2 * _STEEPEST))
        return found

    def written(self, days: Floats | float) -> Floats:
        """GB written until then, with the scatter of the days between."""
        return np.maximum(self.gb_day * _area(self.slope, days) + self._luck_gb(days), 0.0)

    def days_until(self, gb: float) -> Floats:
        """Days until an amount of data is written; endless where a line falls too fast."""
        with np.errstate(divide="ignore", invalid="ignore"):
            is_flat = np.abs(self.slope) < 1e-9
            whole = np.log1p(np.maximum(gb * self.slope / self.gb_day, -1)) / self.slope
            days = np.where(is_flat, gb / self.gb_day, whole)
            found: Floats = np.maximum(days - self._luck_gb(days) / self.rate(days), 0.0)
        return np.where(np.isfinite(found), found, np.inf)

    def _luck_gb(self, days: Floats | float) -> Floats:
        found: Floats = self.luck * self.scatter * self.gb_day * np.sqrt(_area(2 * self.slope, days))
        return found


@dataclass(frozen=True, eq=False)
class Growth:
    """What the days with logs show about future days."""

    lines: Lines
    n_days: int
    span_days: int  # from the first day with logs to the last
    factor_year: Estimate | NoEstimate

    @property
    def reach_days(self) -> int:
        """Days ahead for which an estimate is possible."""
        return self.span_days * (1 if isinstance(self.factor_year, NoEstimate) else MOST_AHEAD)

    @property
    def double_days(self) -> Estimate | NoEstimate:
        """Days until twice as much is written a day; endless where that may never be."""
        if isinstance(self.factor_year, NoEstimate):
            return self.factor_year
        factors = (self.factor_year.value, self.factor_year.high, self.factor_year.low)
        return Estimate(*(math.log(2) * YEAR / math.log(factor) if factor > 1 else math.inf for factor in factors))

    def rate(self, days: float) -> Estimate | NoEstimate:
        """GB a day that will be written a number of days ahead, by the line: days scatter around it."""
        return self._beyond(days) or _ends(self.lines.rate(days))

    def written(self, days: float) -> Estimate | NoEstimate:
        """GB that will be written in a number of days."""
        return self._beyond(days) or _ends(self.lines.written(days))

    def chance(self, days: float, gb: float) -> float | NoEstimate:
        """How likely it is that a number of days is enough for an amount of data."""
        return self._beyond(days) or float((self.lines.written(days)[1:] >= gb).mean())

    def days_until(self, gb: float) -> Estimate | NoEstimate:
        """Days until an amount of data is written; its interval may be endless, beyond what can be estimated."""
        found = _ends(self.lines.days_until(gb))
        if found.value <= self.reach_days:
            return found
        why = (
            f"the amount is not expected to be written within the next {self.reach_days} days, and {self.span_days}"
            " days of logs allow no estimate further ahead"
        )
        return NoEstimate(why, "logs of more days")

    def _beyond(self, days: float) -> NoEstimate | None:
        if days <= self.reach_days:
            return None
        why = (
            f"{days:g} days is too far ahead: {self.span_days} days of logs allow an estimate for"
            f" at most {self.reach_days} days"
        )
        needed = max(math.ceil(days / MOST_AHEAD), LEAST_WEEKS * WEEK)
        return NoEstimate(why, f"logs of at least {needed} days")


def learn(days: Ints, written_gb: Floats, last_day: int, seed: int = 0) -> Growth | NoEstimate:
    """What days (by their number) and the GB written on each say; `last_day` is the last of the period.

    >>> days = np.arange(140)
    >>> found = learn(days, 100 * 2 ** (days / YEAR), 139)
    >>> isinstance(found, Growth) and isinstance(found.factor_year, Estimate) and round(found.factor_year.value, 4)
    2.0
    """
    rng = np.random.default_rng(seed)
    past = eta.learn(written_gb, rng)
    if isinstance(past, NoEstimate):
        return NoEstimate(*(text.replace("moved", "was written") for text in (past.reason, past.data_needed)))
    ahead, gb_day = _weeks(days, written_gb, last_day)
    span = int(days.max() - days.min()) + 1
    if (why := _too_little(ahead, gb_day)) is not None:
        if len(ahead) < LEAST_WEEKS and _is_cut(written_gb[np.argsort(days)] > 0):
            return NoEstimate(
                "nothing was written at the start or at the end of the days with logs",
                "logs of a period with writes throughout",
            )
        means = np.concatenate([[past.mean], past.means])
        lines = Lines(means, np.zeros(len(means)), _luck(len(means), past.free, rng), past.scatter_gb / past.mean)
        return Growth(lines, len(days), span, why)
    lines = _fitted(ahead, gb_day, rng)
    factor = _ends(np.exp(np.clip(YEAR * lines.slope, -2 * _STEEPEST, 2 * _STEEPEST)))
    return Growth(lines, len(days), span, factor)


def _weeks(days: Ints, written_gb: Floats, last_day: int) -> tuple[Floats, Floats]:
    """The middle of each week with logs, in days ahead of the last day's end, and the mean of its days."""
    week = (last_day - days) // WEEK
    n_days = np.bincount(week)
    known = np.flatnonzero(n_days >= LEAST_IN_WEEK)
    means: Floats = np.bincount(week, written_gb)[known] / n_days[known]
    return -WEEK * (known.astype(float) + 0.5), means


def _too_little(ahead: Floats, gb_day: Floats) -> NoEstimate | None:
    needed = f"logs of at least {LEAST_WEEKS} weeks with writes throughout; to separate seasons, logs of two years"
    if len(ahead) < LEAST_WEEKS:
        return NoEstimate(f"only {counted(len(ahead), 'week')} with logs of at least five days", needed)
    if _is_cut(gb_day[np.argsort(ahead)] > 0):
        return NoEstimate("nothing was written at the start or at the end of the weeks with logs", needed)
    return None


def _is_cut(has_some: npt.NDArray[np.bool_]) -> bool:
    """Nothing at the start or the end, for longer than in any pause between two weeks with something."""
    some = np.flatnonzero(has_some)
    if not len(some):
        return True
    longest = max(int(np.diff(some).max(initial=1)) - 1, 1)
    return bool(some[0] > longest or len(has_some) - 1 - some[-1] > longest)


def _fitted(ahead: Floats, gb_day: Floats, rng: np.random.Generator) -> Lines:
    """The line through the weeks, and those that resampled weeks have; their deviations with Student's tails."""
    n = len(ahead)
    free = n - 2
    times = np.concatenate([np.ones((1, n)), bootstrap.counts(n, seed=int(rng.integers(2**32)))])
    times = times[times @ gb_day > 0]  # weeks in which nothing was written have no line
    slope, gb_at_end = _solve(ahead, gb_day, times)
    centre = ahead.mean()
    level = np.log(gb_at_end) + slope * centre
    off = gb_day / np.exp(level[0] + slope[0] * (ahead - centre)) - 1
    wider = _together(off)
    tails = student_factors(free, len(times), rng) * math.sqrt(n / free) * wider
    slope, level = (values[0] + (values - values[0]) * tails for values in (slope, level))
    scatter = math.sqrt(float((off**2).sum()) / free * WEEK) * wider
    return Lines(np.exp(level - slope * centre), slope, _luck(len(times), free, rng), scatter)


def _solve(ahead: Floats, gb_day: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Slope, and GB a day at zero days ahead, of each row of `times`: how often it has each week.

    The gamma likelihood wants sum(y exp(-g t) t) / sum(y exp(-g t)) = mean(t): Newton's steps, none too long.
    """
    longest = 4 / np.ptp(ahead)
    slope = np.zeros(len(times))
    middle = (times @ ahead) / times.sum(axis=1)
    for _ in range(_N_STEPS):
        weighed = times * (gb_day * np.exp(-slope[:, None] * ahead))
        total = weighed.sum(axis=1)
        mean = (weighed @ ahead) / total
        spread = np.maximum((weighed @ ahead**2) / total - mean**2, 1e-6)
        step = np.clip((mean - middle) / spread, -longest, longest)
        slope = np.clip(slope + step, -_STEEPEST / np.ptp(ahead), _STEEPEST / np.ptp(ahead))
        if np.abs(step).max() < 1e-9 * longest:
            break
    return slope, (times * (gb_day * np.exp(-slope[:, None] * ahead))).sum(axis=1) / times.sum(axis=1)


def _together(off: Floats) -> float:
    """By how much sums scatter more than if weeks were independent: each takes after the one before it."""
    alike = float((off[1:] * off[:-1]).sum() / max(float((off**2).sum()), 1e-12))
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    return math.sqrt((1 + alike) / (1 - alike))


def _luck(n: int, free: int, rng: np.random.Generator) -> Floats:
    """By how much days scatter is known from as few of them: the tails are Student's t. The first has no luck."""
    luck = rng.standard_normal(n) * student_factors(free, n, rng)
    luck[0] = 0.0
    return luck


def _area(slope: Floats, days: Floats | float) -> Floats:
    """What exp(slope t) comes to from now until then; the days themselves where it is flat."""
    steep = np.where(np.abs(slope) < 1e-9, 1.0, slope)
    grown = np.expm1(np.minimum(slope * days, 2 * _STEEPEST)) / steep
    found: Floats = np.where(np.abs(slope) < 1e-9, days, grown)
    return found


def _ends(drawn: Floats) -> Estimate:
    """The first value, and where a twentieth of the others is below and above; they may be endless."""
    value = float(drawn[0])
    low, high = np.quantile(drawn[1:], [0.05, 0.95], method="inverted_cdf")
    return Estimate(value, min(value, float(low)), max(value, float(high)))
