"""The sizing note's formula, fitted to mounts that a site served: what a mount, a file and a megabyte cost there.

    wall = tM + n tO + (time moving: n F / S) + (time seeking: n tS)

Inputs: mounts (`Mounts`), an element each: files, MB, seconds from mount request to dismounted without the time in
which nothing was requested; and, where logs have them, the seconds in which data moved, those in which the tape was
positioned, and those between files. What was measured is not fitted: S is MB / seconds moving, tS seconds / files, tO
seconds between files / the gaps, and tM the mean of what is left, less tO for the first file. Without the seconds
between files tM and tO are a weighted linear least-squares fit (scipy) of what is left over, and that trades the one
for the other where files cost more in mounts of more files: its intervals hold for mounts that differ by chance alone.
Without the seconds moving 1/S is fitted too. Errors grow with the size of a mount, so each counts with
1 / (1 + its size / the mean size) squared.

Outputs: each parameter with a 90 % interval, by resampling mounts, or why there is no estimate and what data would
allow one: where mounts are too few, columns go together (condition number above 30, Belsley, Kuh and Welsch 1980), or
the result has the wrong sign. Goodness of fit, and drift of the errors over time (Theil-Sen).

Limits: one kind of drive and one direction at a time; mounts are taken to be independent; a formula of averages says
nothing about one mount. Source: tape sizing note of CERN (C13); refusal X8. MB = 10^6 bytes.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import scipy

from pipelines.analysis.models.service_time import WELL_ENOUGH, Mounts, Service, predictions
from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate, NoEstimate

MAX_CONDITION = 30.0
WEEK_DAYS = 7
MOST_FOR_DRIFT = 2000
LEAST_USABLE = 0.9  # of the resamples
_SPARE = 3  # more mounts than parameters

Parameter = Literal["speed_mb_s", "mount_s", "file_s", "seek_s"]
UNITS: dict[Parameter, str] = {"speed_mb_s": "MB/s", "mount_s": "s", "file_s": "s", "seek_s": "s"}


@dataclass(frozen=True)
class Calibration:
    """The fit: an `Estimate` or an `NoEstimate` for each parameter."""

    n_mounts: int
    parameters: dict[Parameter, Estimate | NoEstimate]
    median_error: float | None = None  # of the time of a mount, as a share of it
    r_squared: float | None = None
    drift_week: Estimate | NoEstimate = field(default_factory=lambda: NoEstimate("not evaluated", ""))
    draws: Floats | None = None  # resamples x (speed, mount, file, seek)

    @property
    def unknown(self) -> dict[Parameter, NoEstimate]:
        return {name: found for name, found in self.parameters.items() if isinstance(found, NoEstimate)}

    @property
    def fits(self) -> bool:
        """Is the formula within 10 % for half of the mounts?"""
        return self.median_error is not None and self.median_error <= WELL_ENOUGH

    @property
    def service(self) -> Service:
        """The fitted costs. Raises ValueError where one of them is not known."""
        if self.unknown:
            raise ValueError("; ".join(f"{name} cannot be determined: {u.reason}" for name, u in self.unknown.items()))
        value = {name: found.value for name, found in self.parameters.items() if isinstance(found, Estimate)}
        return Service(value["speed_mb_s"], value["mount_s"], value["file_s"], value["seek_s"])

    def rate(self, n_files: float, file_mb: float, n_mounts: float = 1) -> Estimate:
        """Overall rate in MB/s of mounts of a number of files of such a size, with its interval."""
        value = self.service.time(n_files, file_mb, n_mounts).rate_mb_s
        assert self.draws is not None
        speed, mount_s, file_s, seek_s = self.draws.T
        moved = n_files * file_mb
        rates = moved / (n_mounts * mount_s + n_files * (file_s + seek_s) + moved / speed)
        return bootstrap.interval(value, rates, self.n_mounts, len(self.parameters))

    def efficiency(self, n_files: float, file_mb: float) -> Estimate:
        """The same as a share of the speed, at most all of it."""
        rate, best = self.rate(n_files, file_mb), self.service.speed_mb_s
        return Estimate(*(min(1.0, end / best) for end in (rate.value, rate.low, rate.high)))


def fit(mounts: Mounts, n_resamples: int = bootstrap.N_RESAMPLES, seed: int = 0) -> Calibration:
    """Calibrate on mounts of one kind of drive and one direction."""
    columns: list[Parameter] = ["mount_s", "file_s"]
    parts = [np.ones(len(mounts)), mounts.n_files]
    left = mounts.wall_s.copy()
    for measured in (mounts.moving_s, mounts.seek_s):
        left -= 0 if measured is None else measured
    if mounts.moving_s is None:
        columns.append("speed_mb_s")
        parts.append(mounts.moved_mb)
    if len(mounts) < len(columns) + _SPARE:
        seen = "one mount" if len(mounts) == 1 else f"{len(mounts)} mounts"
        few = NoEstimate(
            f"only {seen}, too few to estimate {len(columns)} costs", f"at least {len(columns) + _SPARE} mounts"
        )
        return _refused(mounts, dict.fromkeys(columns, few))
    if mounts.moving_s is not None and mounts.between_s is not None and (mounts.n_files > 1).any():
        return _measured(mounts, left - mounts.between_s, columns, n_resamples, seed)
    design, size = np.column_stack(parts), mounts.moved_mb / mounts.moved_mb.mean()
    weight = 1 / (1 + size)
    unknown = _collinear(design * weight[:, None], columns, mounts)
    if unknown:
        return _refused(mounts, unknown)
    fitted, *_ = scipy.linalg.lstsq(design * weight[:, None], left * weight)
    times = bootstrap.counts(len(mounts), n_resamples, seed)
    draws = _resampled(times, design, weight**2, left)
    return _judged(mounts, columns, fitted, draws, times)


def _measured(mounts: Mounts, left: Floats, columns: list[Parameter], n_resamples: int, seed: int) -> Calibration:
    """Costs of a mount and of a file where the time between files is logged: means, not a line through mounts."""
    assert mounts.between_s is not None
    times = bootstrap.counts(len(mounts), n_resamples, seed)
    every = np.vstack([np.ones(len(mounts)), times])
    n_gaps = every @ (mounts.n_files - 1)
    file_s = np.divide(every @ mounts.between_s, n_gaps, out=np.full(len(every), np.nan), where=n_gaps > 0)
    costs = np.column_stack([every @ left / len(mounts) - file_s, file_s])
    return _judged(mounts, columns, costs[0], costs[1:], times)


def _resampled(times: Floats, design: Floats, weight: Floats, left: Floats) -> Floats:
    """The fit of each resample: its normal equations, all at once; NaN where a resample has no solution."""
    n_columns = design.shape[1]
    products = (design[:, :, None] * design[:, None, :] * weight[:, None, None]).reshape(len(left), -1)
    normal = (times @ products).reshape(-1, n_columns, n_columns)
    target = times @ (design * (weight * left)[:, None])
    scale = np.sqrt(np.einsum("rii->ri", normal))
    scaled = normal / (scale[:, :, None] * scale[:, None, :])
    solvable = np.linalg.cond(scaled) < 1e10
    found = np.full(target.shape, np.nan)
    found[solvable] = np.linalg.solve(scaled[solvable], (target / scale)[solvable][..., None])[..., 0] / scale[solvable]
    return found


_SIZES = "files of different sizes, or logs that record how long data moved"
_APART = {
    frozenset({"mount_s", "file_s"}): "mounts of few files as well as of many",
    frozenset({"file_s", "speed_mb_s"}): _SIZES,
    frozenset({"mount_s", "speed_mb_s"}): "mounts that moved little data as well as mounts that moved much",
}


def _collinear(design: Floats, columns: list[Parameter], mounts: Mounts) -> dict[Parameter, NoEstimate]:
    """Parameters whose columns go together so closely that the data do not say which of them costs the time."""
    _, values, directions = scipy.linalg.svd(design / np.linalg.norm(design, axis=0), full_matrices=False)
    if values[-1] * MAX_CONDITION >= values[0]:
        return {}
    share = directions**2 / np.maximum(values, 1e-12)[:, None] ** 2
    share /= share.sum(axis=0)
    together = [name for name, part in zip(columns, share[-1], strict=True) if part > 0.5]
    sizes = mounts.moved_mb / mounts.n_files
    why = f"these mounts allow no separate estimates of {' and '.join(together)}"
    if "speed_mb_s" in together:
        why += f": the mean file size is {sizes.min():.0f} to {sizes.max():.0f} MB, nearly the same in all mounts"
    needed = _APART.get(frozenset(together), f"{_SIZES}, and mounts of few files as well as of many")
    return dict.fromkeys(together, NoEstimate(why, needed))


def _refused(mounts: Mounts, unknown: dict[Parameter, NoEstimate]) -> Calibration:
    """If some parameters have no estimate, the other fitted ones are worthless too; measured values remain."""
    if len(mounts) < _SPARE:
        return Calibration(len(mounts), dict.fromkeys(UNITS, next(iter(unknown.values()))))
    rest = NoEstimate(
        "this value was fitted together with other costs that cannot be estimated from these mounts",
        "mounts that allow an estimate of those costs",
    )
    found: dict[Parameter, Estimate | NoEstimate] = {name: unknown.get(name, rest) for name in UNITS}
    times = bootstrap.counts(len(mounts))
    if mounts.moving_s is not None:
        found["speed_mb_s"] = _speed(times, mounts.moved_mb, mounts.moving_s)
    if mounts.seek_s is not None:
        found["seek_s"] = _seek(times, mounts)
    return Calibration(len(mounts), found)


def _speed(times: Floats, moved_mb: Floats, moving_s: Floats) -> Estimate | NoEstimate:
    """MB a second of moving. Small files begin and end in the same second of a log, and show no speed then."""
    known = times @ moving_s > 0
    if moving_s.sum() <= 0 or known.mean() < LEAST_USABLE:
        why = "in most of these mounts, data moved for less time than the log's time stamps can resolve"
        return NoEstimate(why, "mounts that move more data, or logs with fractions of seconds")
    return bootstrap.ratio(times[known], moved_mb, moving_s)


def _seek(times: Floats, mounts: Mounts) -> Estimate:
    """Seconds a file; without measured ones they are in the cost of a file, and this is zero."""
    return Estimate(0, 0, 0) if mounts.seek_s is None else bootstrap.ratio(times, mounts.seek_s, mounts.n_files)


def _judged(mounts: Mounts, columns: list[Parameter], fitted: Floats, draws: Floats, times: Floats) -> Calibration:
    """Intervals, and refusal of what came out with the wrong sign."""
    found: dict[Parameter, Estimate | NoEstimate] = {}
    usable = np.isfinite(draws).all(axis=1)
    if usable.mean() < LEAST_USABLE:
        thin = NoEstimate(
            "the result depends on one or two mounts alone", "more mounts that differ in number and size of files"
        )
        return _refused(mounts, dict.fromkeys(columns, thin))
    for place, name in enumerate(columns):
        found[name] = _signed(name, float(fitted[place]), draws[usable, place], len(mounts), len(columns))
    if mounts.moving_s is not None:
        found["speed_mb_s"] = _speed(times, mounts.moved_mb, mounts.moving_s)
    found["seek_s"] = _seek(times, mounts)
    if wrong := {name: one for name, one in found.items() if isinstance(one, NoEstimate)}:
        return _refused(mounts, wrong)
    if mounts.moving_s is not None:
        usable &= times @ mounts.moving_s > 0
    return _calibration(mounts, columns, found, draws[usable], times[usable])


def _signed(name: Parameter, value: float, draws: Floats, n_mounts: int, n_columns: int) -> Estimate | NoEstimate:
    """A cost below 0 counts as 0; a cost that is surely below 0, or a speed without an upper end, is refused."""
    one = bootstrap.interval(value, draws, n_mounts, n_columns)
    if name != "speed_mb_s":
        if one.high > 0:
            return Estimate(max(0.0, value), max(0.0, one.low), one.high)
        return NoEstimate(
            f"the fitted cost is negative ({value:.1f} s): the formula does not fit",
            "a closer look at these mounts, to find what the formula leaves out",
        )
    if value <= 0 or one.low <= 0:
        speed = f"{1 / value:.0f} MB/s" if value < 0 else "unlimited"
        return NoEstimate(f"the fit gives an impossible speed: {speed}", _SIZES)
    return Estimate(1 / value, 1 / one.high, 1 / one.low)


def _calibration(
    mounts: Mounts,
    columns: list[Parameter],
    found: dict[Parameter, Estimate | NoEstimate],
    draws: Floats,
    times: Floats,
) -> Calibration:
    def drawn(name: Parameter) -> Floats:
        return np.maximum(draws[:, columns.index(name)], 0.0)

    if mounts.moving_s is None:
        speed = 1 / np.maximum(draws[:, columns.index("speed_mb_s")], 1e-9)
    else:
        speed = (times @ mounts.moved_mb) / (times @ mounts.moving_s)
    seek = np.zeros(len(times)) if mounts.seek_s is None else (times @ mounts.seek_s) / (times @ mounts.n_files)
    every = np.column_stack([speed, drawn("mount_s"), drawn("file_s"), seek])
    made = Calibration(len(mounts), {name: found[name] for name in UNITS}, draws=every)
    predicted = predictions(made.service, mounts)
    ratio = mounts.wall_s / predicted
    spread = float(((mounts.wall_s - mounts.wall_s.mean()) ** 2).sum())
    return replace(
        made,
        median_error=float(np.median(np.abs(ratio - 1))),
        r_squared=1 - float(((mounts.wall_s - predicted) ** 2).sum()) / spread if spread else None,
        drift_week=drift(ratio, mounts.day),
    )


def drift(ratio: Floats, day: Floats | None) -> Estimate | NoEstimate:
    """Change of measured / predicted time in a week, as a share: Theil-Sen slope, 90 % interval.

    An interval that holds 0 is no drift that could be shown.
    """
    if day is None or len(day) < 8 or np.ptp(day) < 2:
        return NoEstimate(
            "the period has fewer than eight mounts, or all of them began within two days", "a longer period"
        )
    thin = slice(None, None, 1 + len(day) // MOST_FOR_DRIFT)  # its pairs grow with the square
    slope, _, low, high = scipy.stats.theilslopes(ratio[thin], day[thin], alpha=bootstrap.LEVEL)
    if not low <= high:  # NaN
        return NoEstimate("too many of the mounts began at the same time", "mounts at more different times")
    return Estimate(float(slope), float(low), float(high)).times(WEEK_DAYS)
