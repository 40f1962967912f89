"""What a mount that reads costs here, and the drive-hours that another mount policy saves.

    wall = mount + n file + (time moving) + (ways);  a way = constant + factor x the published model of ways

Inputs: mounts (`ReadTimes`) and the ways between their files; where the technology's places are known, its tape and
what the published model (`seeking.py`) says of each way. Fitted by `calibration.py`: the seconds of a mount and of a
file, by resampling mounts; of ways constant and factor, by least squares over them. A model that knows little of the
ways thus gets a small factor, and another order saves little. Without places a way is the mean way between two files
of a mount, in whatever order they are read, and the way to the first file is the mount's.

Outputs: costs for the simulator, and the hours saved between two of its runs over the same requests. Bytes and files
are the same in both, so the saving is fewer mounts and other ways. Its 90 % interval holds what is not known of their
costs, the scatter of single mounts and ways in the run that never was, and the error of the replay: the share by which
it missed the recorded number of mounts is taken for one standard deviation of the saving.

Limits: a mount costs the same whoever asks for it and however busy the robot is. Seconds, hours, MB = 10^6 bytes.

Source: mounts and files cost what `calibration.py` fits, ways what `seeking.py` says of them: both name their sources.
How the two are put together, and fitted to a site, is ours.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipelines.analysis.models.calibration import fit
from pipelines.analysis.models.seeking import PRIOR_SD, Serpentine
from pipelines.analysis.models.service_time import HOUR_S, Mounts
from pipelines.analysis.models.simulation import Outcome, Read, ReadCosts
from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate, NoEstimate

LEAST_WAYS = 10  # fewer do not test the model of places


@dataclass(frozen=True)
class ReadTimes:
    """Mounts that read, all of one kind of drive, and the ways between their files; MB and seconds, an element each."""

    n_files: Floats
    moved_mb: Floats
    wall_s: Floats  # mount request to dismounted, without the time in which nothing was requested
    moving_s: Floats
    between_s: Floats  # between its files, without ways
    before_s: Floats  # mount request to the first block
    first_prior_s: Floats  # the way to the first file by the published model; 0 without places
    way_of: npt.NDArray[np.int64]  # place of its mount
    way_s: Floats
    way_prior_s: Floats

    @property
    def ways_s(self) -> Floats:
        """Of each mount, together."""
        return np.bincount(self.way_of, self.way_s, len(self.n_files)).astype(np.float64)


@dataclass(frozen=True)
class MountCosts:
    """Costs for the simulator, the seconds of a mount and of the mean way with their intervals, and draws of both."""

    read: ReadCosts
    mount_s: Estimate
    way_s: Estimate
    n_mounts: int
    mount_draws: Floats
    way_draws: Floats  # draws x (constant, factor)
    mount_sd: float  # of a mount's time without ways around the fit
    way_sd: float  # of a way


@dataclass(frozen=True)
class _Ways:
    constant_s: float
    factor: float
    mean_s: Estimate
    draws: Floats
    sd: float


def learn(times: ReadTimes, tape: Serpentine | None = None) -> MountCosts | NoEstimate:
    """The costs of these mounts, or why they do not show them; `tape` where the places of its files are known."""
    if not (times.n_files > 1).any():
        why = "no mount read more than one file, so the cost of a file cannot be separated from that of a mount"
        return NoEstimate(why, "mounts of several files")
    ways = _ways(times, has_places=tape is not None)
    first_s = np.where(times.first_prior_s > 0, ways.constant_s + ways.factor * times.first_prior_s, 0.0)
    left_s = times.wall_s - times.moving_s - times.between_s - times.ways_s - first_s
    mounts = Mounts(
        times.n_files, times.moved_mb, times.wall_s, times.moving_s, times.ways_s + first_s, None, times.between_s
    )
    found = fit(mounts)
    if found.unknown:
        why_not = next(iter(found.unknown.values()))
        return NoEstimate(f"the cost of a mount is unknown: {why_not.reason}", why_not.data_needed)
    mount_s, file_s = found.parameters["mount_s"], found.parameters["file_s"]
    assert isinstance(mount_s, Estimate) and isinstance(file_s, Estimate) and found.draws is not None
    lead_s = mount_s.value * min(1.0, np.maximum(times.before_s - first_s, 0.0).sum() / max(left_s.sum(), 1e-9))
    read = ReadCosts(lead_s, mount_s.value - lead_s, file_s.value, ways.constant_s, ways.factor, tape)
    n_mounts, sd = len(times.n_files), float(left_s.std(ddof=1))
    return MountCosts(read, mount_s, ways.mean_s, n_mounts, found.draws[:, 1], ways.draws, sd, ways.sd)


def _ways(times: ReadTimes, has_places: bool) -> _Ways:
    """Constant and factor of ways, by all of them that lead elsewhere; draws resample mounts."""
    s, prior_s, of = times.way_s, times.way_prior_s, times.way_of
    if len(s) < LEAST_WAYS:
        return _few_ways(s, has_places)
    sums = np.column_stack(
        [np.bincount(of, w, len(times.n_files)) for w in (None, prior_s, prior_s**2, s, prior_s * s)]
    )
    every = np.vstack([sums.sum(axis=0), bootstrap.counts(len(sums)) @ sums])
    n, p, pp, w, pw = (every[every[:, 0] > 0]).T
    varies = n * pp - p * p
    slope = (
        np.divide(n * pw - p * w, varies, out=np.zeros(len(n)), where=varies > 1e-6 * pp * n) if has_places else 0 * n
    )
    slope = np.clip(slope, 0.0, w / np.maximum(p, 1e-9))  # neither a longer way sooner, nor a constant below 0
    constant = (w - slope * p) / n
    mean_s = bootstrap.interval(float(s.mean()), w[1:] / n[1:], max(2, int((sums[:, 0] > 0).sum())))
    left_s = s - constant[0] - slope[0] * prior_s
    draws = np.column_stack([constant, slope])[1:]
    return _Ways(float(constant[0]), float(slope[0]), mean_s, draws, float(left_s.std()))


def _few_ways(way_s: Floats, has_places: bool) -> _Ways:
    """The published model with its own prior; without places a way takes up to twice the mean of those few."""
    rng = np.random.default_rng(0)
    mean_s = float(way_s.mean()) if len(way_s) else 0.0
    wide = Estimate(mean_s, 0.0, 2 * mean_s)
    if has_places:
        factor = np.exp(PRIOR_SD * rng.standard_normal(bootstrap.N_RESAMPLES))
        return _Ways(0.0, 1.0, wide, np.column_stack([0 * factor, factor]), PRIOR_SD * mean_s)
    constant = mean_s * rng.uniform(0, 2, bootstrap.N_RESAMPLES)
    return _Ways(mean_s, 0.0, wide, np.column_stack([constant, 0 * constant]), mean_s)


def saved_hours(costs: dict[str, MountCosts], before: Outcome, after: Outcome, n_recorded: int) -> Estimate:
    """Drive-hours that the second of two runs needs less, of the same requests; `n_recorded`: mounts of the record."""
    rng = np.random.default_rng(0)
    n = bootstrap.N_RESAMPLES
    hours, n_replayed, noise = np.zeros(n), 0, 0.0
    for kind, cost in costs.items():
        one, other = before.reads.get(kind, Read()), after.reads.get(kind, Read())
        n_replayed += one.n_mounts
        noise += cost.mount_sd**2 * other.n_mounts + cost.way_sd**2 * other.n_ways
        mount_s, way = (draws[rng.integers(0, len(draws), n)] for draws in (cost.mount_draws, cost.way_draws))
        ways_s = way @ [one.n_ways - other.n_ways, one.prior_s - other.prior_s]
        hours += ((one.n_mounts - other.n_mounts) * mount_s + ways_s) / HOUR_S
    missed = n_replayed / n_recorded - 1 if n_recorded else 0.0
    hours = hours * (1 + missed * rng.standard_normal(n)) + noise**0.5 / HOUR_S * rng.standard_normal(n)
    value = (busy_s(before) - busy_s(after)) / HOUR_S
    return bootstrap.interval(value, hours, max(2, sum(cost.n_mounts for cost in costs.values())))


def busy_s(outcome: Outcome) -> float:
    """Seconds that drives took for requests."""
    return sum(read.busy_s for read in outcome.reads.values())
