"""What sites might have logged, with what is true there: data for `coverage.py`, from a seeded generator.

Nothing is imported from the library: a model that is wrong must not be wrong here too. Each function draws one site.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator

# LTO-4: 896 tracks, 16 at once, in four bands (PIC slides of STEP'09; Wikipedia "Linear Tape-Open").
TAPE_GB, WRAPS, WRAPS_A_BAND, TAPE_M = 800.0, 56, 14, 820.0


@dataclass(frozen=True)
class Served:
    """Mounts one kind of drive served, an element each; then what a megabyte, a mount, a file and a search cost."""

    n_files: Floats
    moved_mb: Floats
    wall_s: Floats
    moving_s: Floats
    position_s: Floats
    day: Floats
    mb_s: float
    a_mount_s: float
    a_file_s: float
    a_search_s: float
    between_s: Floats  # of wall_s, the costs of all files but the first

    def rate_mb_s(self, n_files: float, file_mb: float) -> float:
        """The true rate of a mount of `n_files` files."""
        moved = n_files * file_mb
        return moved / (self.a_mount_s + n_files * (self.a_file_s + self.a_search_s) + moved / self.mb_s)


def served(rng: Rng, n_mounts: int = 40) -> Served:
    """Two weeks of mounts; each part of each scatters, big mounts more, and nothing drifts."""
    mb_s, a_mount_s = rng.uniform(60, 120), rng.uniform(80, 160)
    a_file_s, a_search_s = rng.uniform(3, 8), rng.uniform(5, 20)
    n_files = np.ceil(rng.lognormal(3, 1, n_mounts))
    moved = n_files * rng.lognormal(6.5, 0.6, n_mounts)
    moving = moved / mb_s * rng.normal(1, 0.05, n_mounts)
    position = n_files * a_search_s * rng.normal(1, 0.15, n_mounts)
    mount_s, file_s = a_mount_s * rng.gamma(16, 1 / 16, n_mounts), a_file_s * rng.normal(1, 0.15, n_mounts)
    rest = mount_s + n_files * file_s
    day = np.sort(rng.uniform(0, 14, n_mounts))
    wall, between = rest + moving + position, (n_files - 1) * file_s
    return Served(n_files, moved, wall, moving, position, day, mb_s, a_mount_s, a_file_s, a_search_s, between)


@dataclass(frozen=True)
class Demand:
    """Traffic of two classes, MB/s; what was measured of it as (value, low, high), and the drives it really needs."""

    rate_mb_s: tuple[float, float]
    factor: float
    efficiency: tuple[tuple[float, float, float], ...]
    speed_mb_s: tuple[float, float, float]
    drives: float


def demand(rng: Rng) -> Demand:
    """Efficiencies and a speed are measured with errors that are known, and stated with 90 % intervals."""
    organised, chaotic, speed = rng.uniform(0.3, 0.5), rng.uniform(0.05, 0.15), rng.uniform(60, 160)
    rates, factor = (rng.uniform(100, 500), rng.uniform(20, 100)), 2.0

    def measured(true: float, error: float) -> tuple[float, float, float]:
        estimate = true * np.exp(rng.normal(0, error))
        return float(estimate), float(estimate * np.exp(-1.645 * error)), float(estimate * np.exp(1.645 * error))

    drives = factor * (rates[0] / organised + rates[1] / chaotic) / speed
    efficiencies = (measured(organised, 0.1), measured(chaotic, 0.25))
    return Demand(rates, factor, efficiencies, measured(speed, 0.05), drives)


def way_s(from_gb: Floats, to_gb: Floats) -> Floats:
    """Seconds between places of an LTO-4 by the published cost model of the CERN Tape Archive, written out again."""

    def place(gb: Floats) -> tuple[Floats, Floats]:
        wrap, part = np.divmod(gb / TAPE_GB * WRAPS, 1)
        return wrap, TAPE_M * np.where(wrap % 2, 1 - part, part)

    (wrap, here), (target, there) = place(from_gb), place(to_gb)
    changed, turned = wrap != target, (target - wrap) % 2 != 0
    ahead = (there - here) * np.where(wrap % 2, -1, 1) >= 0
    seconds = 4.29 + 6.69 * changed + 3.2 * (wrap // WRAPS_A_BAND != target // WRAPS_A_BAND)
    seconds -= 6.04 * ((here < TAPE_M / 2) != (there < TAPE_M / 2))
    seconds += 5.22 * turned + 11.32 * (~turned & ~ahead) + 0.0006192 / 0.0072 * abs(there - here)
    cost: Floats = np.maximum(seconds, 0)
    return cost


@dataclass(frozen=True)
class Searched:
    """Motions of mounts, an element each; then a list in the order of its places, and what reading it really took."""

    from_gb: Floats
    to_gb: Floats
    seconds: Floats
    mount: npt.NDArray[np.int64]
    begin_gb: Floats
    end_gb: Floats
    mb_s: float
    a_mount_s: float
    a_file_s: float
    factor: float  # of this site on the published seconds
    took_s: float
    tape_begin_gb: Floats  # all files of that tape
    tape_end_gb: Floats
    break_even: float  # share of them from which on reading all is quicker than picking them as they come


def searched(rng: Rng, n_listed: int = 10) -> Searched:
    """Some mounts of ten motions each, at a site slower or faster than published; every mount differs a little."""
    n_mounts, factor = int(rng.integers(4, 17)), float(np.exp(rng.normal(0, 0.35)))
    scatter = rng.uniform(0.1, 0.2)
    mount = np.repeat(np.arange(n_mounts), 10)
    a, b = rng.uniform(0, TAPE_GB, (2, len(mount)))
    own = factor * np.exp(rng.normal(0, scatter, n_mounts))
    seconds = way_s(a, b) * own[mount] * rng.gamma(25, 1 / 25, len(mount))
    begin = np.asarray(np.sort(rng.choice(300, n_listed, replace=False)) * 2.5, dtype=np.float64)
    end: Floats = begin + rng.uniform(0.5, 2.4, n_listed)
    ways = way_s(np.concatenate([[0.0], end[:-1]]), begin)
    seek = (ways * factor * np.exp(rng.normal(0, scatter)) * rng.gamma(25, 1 / 25, n_listed)).sum()
    mb_s, a_mount_s, a_file_s = rng.uniform(60, 120), rng.uniform(80, 160), rng.uniform(1, 5)
    took = a_mount_s + n_listed * a_file_s + (end - begin).sum() * 1000 / mb_s + seek
    first = np.asarray(np.arange(300) * 2.5, dtype=np.float64)
    last: Floats = first + rng.uniform(0.5, 2.4, 300)
    a_read_s = a_file_s + float((last - first).mean()) * 1000 / mb_s
    share = a_read_s / (a_read_s + factor * _mean_way_s(first, last))
    costs = (mb_s, a_mount_s, a_file_s)
    return Searched(a, b, seconds, mount, begin, end, *costs, factor, float(took), first, last, share)


def _mean_way_s(begin_gb: Floats, end_gb: Floats) -> float:
    """Seconds from the end of a file to the beginning of another, all pairs alike."""
    ways = way_s(np.repeat(end_gb, len(begin_gb)), np.tile(begin_gb, len(end_gb))).reshape(len(end_gb), -1)
    return float((ways.sum() - np.trace(ways)) / (ways.size - len(end_gb)))


@dataclass(frozen=True)
class Lived:
    """A campaign: GB of past days, GB left then, days until the end, GB of a usual day and of the next week."""

    moved_gb: Floats
    left_gb: float
    days: float
    gb_day: float
    week_gb: float


def lived(rng: Rng, n_known: int, has_weeks: bool) -> Lived:
    """Days that scatter by half, with idle week-ends where `has_weeks`; the end is lived through, day by day."""
    days = 500 * rng.lognormal(0, 0.5, n_known + 600)
    if has_weeks:
        days *= np.where((np.arange(len(days)) + rng.integers(7)) % 7 < 5, 1.0, 0.3)
    left = float(rng.uniform(10, 80) * 500)
    whole = int(np.searchsorted(np.cumsum(days[n_known:]), left))
    ended = whole + (left - days[n_known : n_known + whole].sum()) / days[n_known + whole]
    gb_day = 500 * np.exp(0.5**2 / 2) * ((5 + 2 * 0.3) / 7 if has_weeks else 1)
    return Lived(days[:n_known], left, float(ended), float(gb_day), float(days[n_known : n_known + 7].sum()))


@dataclass(frozen=True)
class Grown:
    """A site's writes: GB of past days, the factor of a year, GB of the days ahead, days until `goal_gb`."""

    written_gb: Floats
    factor: float
    ahead_gb: float
    goal_gb: float
    days: float


def grown(rng: Rng, n_known: int, n_ahead: int) -> Grown:
    """Days around a line that grows by 0.7 to 3 a year, scattering by half, with idle week-ends; lived through."""
    days, factor = np.arange(n_known + 8 * n_ahead), float(rng.uniform(0.7, 3.0))
    gb = 500 * factor ** ((days - n_known) / 365.25) * rng.lognormal(0, 0.5, len(days))
    gb *= np.where((days + rng.integers(7)) % 7 < 5, 1.0, 0.3)
    to_come = gb[n_known:]
    goal = float(rng.uniform(0.3, 1.0) * to_come[:n_ahead].sum())
    whole = int(np.searchsorted(np.cumsum(to_come), goal))
    ended = whole + (goal - to_come[:whole].sum()) / to_come[whole]
    return Grown(gb[:n_known], factor, float(to_come[:n_ahead].sum()), goal, float(ended))


@dataclass(frozen=True)
class Changed:
    """Drives that were changed after half of the days, and peers: GB and drive-hours a day; GB a day it brought."""

    moved_gb: Floats
    busy_hours: Floats
    peers_gb: Floats
    peers_hours: Floats
    gain_gb_day: float


def changed(rng: Rng, gain: float, n_days: int = 20) -> Changed:
    """`n_days` on either side; weather common to all, better by 8 % after the change, and noise of each one's own."""
    is_after = np.arange(2 * n_days) >= n_days
    weather = rng.lognormal(0, 0.1, 2 * n_days) * np.where(is_after, 1.08, 1.0)
    hours, peers_hours = rng.uniform(3, 6, 2 * n_days), rng.uniform(10, 20, 2 * n_days)
    own = 60 * hours * weather * rng.lognormal(0, 0.1, 2 * n_days) * np.where(is_after, 1 + gain, 1.0)
    peers = 60 * peers_hours * weather * rng.lognormal(0, 0.05, 2 * n_days)
    before = (60 * hours * weather)[~is_after].sum() / hours[~is_after].sum()
    return Changed(own, hours, peers, peers_hours, float(gain * before * hours[is_after].mean()))
