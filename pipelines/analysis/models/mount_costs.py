"""What a mount that reads costs here, and the drive-hours that another mount policy saves.

    wall = mount + n file + (time moving) + (ways between its files)

Inputs: mounts (`ReadTimes`), an element of each array for each; where the technology's places are known, its tape and
what the published model of ways (`seeking.py`) says of theirs. Fitted by `calibration.py`: the seconds of a mount and
of a file, by resampling mounts. A way is the model's times one factor, which makes all ways of these mounts together
as long as they were; or, without places, the mean way between two files of a mount, in whatever order they are read,
and the way to the first file is then the mount's.

Outputs: costs for the simulator, and the hours saved between two of its runs over the same requests. Bytes and files
are the same in both, so the saving is fewer mounts and other ways. Its 90 % interval holds what is not known of their
costs, the scatter of single mounts in the run that never was, and the error of the replay: the share by which it missed
the recorded number of mounts is taken for one standard deviation of the saving.

Limits: a mount costs the same whoever asks for it and however busy the robot is. Seconds, hours, MB = 10^6 bytes.
"""

from dataclasses import dataclass

import numpy as np

from pipelines.analysis.models.calibration import fit
from pipelines.analysis.models.seeking import PRIOR_SD, SeekModel, Serpentine
from pipelines.analysis.models.service_time import HOUR_S, Mounts
from pipelines.analysis.models.simulation import Outcome, Read, ReadCosts
from pipelines.analysis.stats import bootstrap
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate, NoEstimate

LEAST_MOUNTS = 3  # with ways, for what they say of them


@dataclass(frozen=True)
class ReadTimes:
    """Mounts that read, all of one kind of drive: files, MB and seconds."""

    n_files: Floats
    moved_mb: Floats
    wall_s: Floats  # mount request to dismounted, without the time in which nobody asked for anything
    moving_s: Floats
    ways_s: Floats  # between its files
    between_s: Floats  # between its files, without ways
    before_s: Floats  # mount request to the first block
    prior_s: Floats  # these ways by the published model; 0 without places
    first_prior_s: Floats  # the same of the way to the first file


@dataclass(frozen=True)
class MountCosts:
    """Costs for the simulator, the seconds of a mount and of a way with their intervals, and what draws say of them.

    `way` is the factor on the model of places where there is one.
    """

    read: ReadCosts
    mount_s: Estimate
    way: Estimate
    n_mounts: int
    mount_draws: Floats
    way_draws: Floats
    scatter_s: float  # standard deviation of a mount's time, without ways, around the fit
    way_scatter: float  # variance of the ways of a mount, for each second of the published model, or for each way


def learn(times: ReadTimes, tape: Serpentine | None = None) -> MountCosts | NoEstimate:
    """The costs of these mounts, or why they do not show them; `tape` where the places of its files are known."""
    n_mounts = len(times.n_files)
    if not (times.n_files > 1).any():
        why = "no mount read two files: the cost of a file is not known apart from that of a mount"
        return NoEstimate(why, "mounts of several files")
    way, way_draws = _factor(times) if tape else _mean_way(times)
    first_s = (way.value if tape else 0.0) * times.first_prior_s
    ways_s = times.ways_s + first_s
    mounts = Mounts(times.n_files, times.moved_mb, times.wall_s, times.moving_s, ways_s, None, times.between_s)
    found = fit(mounts)
    if found.unknown:
        why_not = next(iter(found.unknown.values()))
        return NoEstimate(f"the cost of a mount is not known: {why_not.reason}", why_not.data_needed)
    mount_s, file_s = found.parameters["mount_s"], found.parameters["file_s"]
    assert isinstance(mount_s, Estimate) and isinstance(file_s, Estimate) and found.draws is not None
    left_s = times.wall_s - times.moving_s - ways_s - times.between_s
    lead_s = mount_s.value * min(1.0, np.maximum(times.before_s - first_s, 0.0).sum() / max(left_s.sum(), 1e-9))
    places = SeekModel(tape, float(np.log(way.value)), n_mounts=n_mounts) if tape else None
    read = ReadCosts(lead_s, mount_s.value - lead_s, file_s.value, 0.0 if tape else way.value, places)
    size = times.prior_s if tape else times.n_files - 1
    way_scatter = ((times.ways_s - way.value * size) ** 2).sum() / max(size.sum(), 1e-9)
    scatter_s = left_s.std(ddof=1)
    return MountCosts(
        read, mount_s, way, n_mounts, found.draws[:, 1], way_draws, float(scatter_s), float(way_scatter)
    )


def _factor(times: ReadTimes) -> tuple[Estimate, Floats]:
    """Seconds of ways here / seconds of the published model, all together; the model's own prior where there are none."""
    went = times.prior_s > 0
    n_mounts = int(went.sum())
    if n_mounts < LEAST_MOUNTS or not times.ways_s[went].sum():
        normal = np.random.default_rng(0).standard_normal(bootstrap.N_RESAMPLES)
        return bootstrap.interval(1.0, (draws := np.exp(PRIOR_SD * normal)), bootstrap.N_RESAMPLES), draws
    drawn = bootstrap.counts(n_mounts)
    draws = (drawn @ times.ways_s[went]) / (drawn @ times.prior_s[went])
    return bootstrap.interval(float(times.ways_s[went].sum() / times.prior_s[went].sum()), draws, n_mounts), draws


def _mean_way(times: ReadTimes) -> tuple[Estimate, Floats]:
    """Seconds of a way between two files of a mount."""
    several = times.n_files > 1
    ways_s, n_gaps, n_mounts = times.ways_s[several], times.n_files[several] - 1, int(several.sum())
    if n_mounts < LEAST_MOUNTS:
        mean = float(ways_s.sum() / n_gaps.sum())
        return Estimate(mean, 0.0, 2 * mean), mean * np.random.default_rng(0).uniform(0, 2, bootstrap.N_RESAMPLES)
    drawn = bootstrap.counts(n_mounts)
    draws = (drawn @ ways_s) / (drawn @ n_gaps)
    return bootstrap.interval(float(ways_s.sum() / n_gaps.sum()), draws, n_mounts), draws


def saved_hours(costs: dict[str, MountCosts], before: Outcome, after: Outcome, n_recorded: int) -> Estimate:
    """Drive-hours that the second of two runs needs less, of the same requests; `n_recorded`: mounts of the record."""
    rng = np.random.default_rng(0)
    n = bootstrap.N_RESAMPLES
    hours, n_replayed, noise = np.zeros(n), 0, 0.0
    for kind, cost in costs.items():
        one, other = before.reads.get(kind, Read()), after.reads.get(kind, Read())
        n_replayed += one.n_mounts
        size = (lambda read: read.prior_s) if cost.read.places else (lambda read: read.n_ways)
        noise += cost.scatter_s**2 * other.n_mounts + cost.way_scatter * size(other)
        ways = size(one) - size(other)
        drawn = [draws[rng.integers(0, len(draws), n)] for draws in (cost.mount_draws, cost.way_draws)]
        hours += ((one.n_mounts - other.n_mounts) * drawn[0] + ways * drawn[1]) / HOUR_S
    missed = n_replayed / n_recorded - 1 if n_recorded else 0.0
    hours = hours * (1 + missed * rng.standard_normal(n)) + noise**0.5 / HOUR_S * rng.standard_normal(n)
    value = (busy_s(before) - busy_s(after)) / HOUR_S
    return bootstrap.interval(value, hours, max(2, sum(cost.n_mounts for cost in costs.values())))


def busy_s(outcome: Outcome) -> float:
    """Seconds that drives took for requests."""
    return sum(read.busy_s for read in outcome.reads.values())
