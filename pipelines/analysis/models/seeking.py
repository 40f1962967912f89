"""Where files are on a serpentine tape, and how long the way from one to the next takes.

A serpentine tape is written there and back: data goes along one wrap, turns, and comes back along the next, so that
files far apart in order may be next to each other (P32). A place is a wrap and metres from the beginning of the tape.

Prior: the cost model with which the CERN Tape Archive orders reads of LTO tapes (its shortest-locate-time-first, in
seconds): 4.29 + 6.69 if the wrap changes + 3.2 if the band does - 6.04 if the half of the tape's length does + 5.22 if
the direction does + 11.32 for a step back against it + 0.0006192 x the way along the tape in longitudinal positions.
Our reading of a step back is: the target precedes the present place, on a wrap of the same direction. A position is
taken to be 7.2 mm, the pitch of LTO's servo words (ECMA-319). The next file needs no seek (P33).

Posterior: one factor on all of it, from position times of the site's own mounts. Its logarithm has a normal prior with
mean 0 and standard deviation 0.35, and each mount is one observation of it, whose scatter is learnt too, so that
intervals have the tails of Student's t for few mounts.

Inputs: a generation's tracks and length (technology table); GB from which and to which each motion went, its seconds
and its mount; of a recall the files' first and last GB, and the other costs of mounts and files. Outputs: seconds with
90 % intervals, and the share of files from which on reading all is quicker. Limits: LTO only; files of even
compressibility; it is unknown where the tape's first wraps are shorter. Source: the tape archive's cost model and
ECMA-319 as above; PIC's slides of STEP'09 for the comparison (P31-P35, P43). GB = 10^9 bytes, MB = 10^6.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from pipelines.analysis.models.service_time import Service
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.config.technology import Technology
from pipelines.primitives.estimate import Estimate

BASE_S, WRAP_S, BAND_S, HALF_S, TURN_S, BACK_S = 4.29, 6.69, 3.2, -6.04, 5.22, 11.32
POSITION_S, POSITION_M = 0.0006192, 0.0072
PRIOR_SD = 0.35
_USUAL_SCATTER, _USUAL_WEIGHT = 0.15, 3.0  # of mounts around their factor, and its weight in mounts of evidence
MOST_ORDERED = 500  # of longer lists the order is only the nearest next
SAME_GB = 1e-6

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Serpentine:
    """A tape's geometry: wraps, wraps a band, GB a wrap, metres of tape."""

    wraps: int
    wraps_a_band: int
    wrap_gb: float
    length_m: float

    def place(self, gb: Floats) -> tuple[Places, Floats]:
        """Wrap and metres from the beginning of the tape, for places in GB after its first byte.

        >>> tape = Serpentine(4, 1, 10.0, 100.0)
        >>> [part.tolist() for part in tape.place(np.array([2.0, 12.0, 25.0]))]
        [[0, 1, 2], [20.0, 80.0, 50.0]]
        """
        wrap = np.minimum(gb // self.wrap_gb, self.wraps - 1).astype(np.int64)
        along = (gb - wrap * self.wrap_gb) / self.wrap_gb * self.length_m
        return wrap, np.where(wrap % 2 == 0, along, self.length_m - along)

    def prior_s(self, from_gb: Floats, to_gb: Floats) -> Floats:
        """Seconds from one place to another by the published cost model; arrays of one shape, in GB."""
        (wrap, here), (target, there) = self.place(np.asarray(from_gb)), self.place(np.asarray(to_gb))
        turns = wrap % 2 != target % 2
        behind = np.where(wrap % 2 == 0, there < here, there > here)
        half = self.length_m / 2
        seconds = (
            BASE_S
            + WRAP_S * (wrap != target)
            + BAND_S * (wrap // self.wraps_a_band != target // self.wraps_a_band)
            + HALF_S * ((here < half) != (there < half))
            + TURN_S * turns
            + BACK_S * (behind & ~turns)
            + POSITION_S / POSITION_M * np.abs(there - here)
        )
        is_next = np.abs(np.asarray(to_gb) - np.asarray(from_gb)) < SAME_GB
        return np.where(is_next, 0.0, np.maximum(seconds, 0.0))


def geometry(sold: Technology, full_gb: float | None = None) -> Serpentine:
    """The serpentine of a generation; `full_gb` where the tape is known to hold another amount.

    Raises ValueError where the technology table lacks tracks and length.
    """
    if not (sold.wraps and sold.bands and sold.length_m):
        raise ValueError(
            f"the technology table has no tracks and length for {sold.name}, so positions on its tape are unknown"
        )
    return Serpentine(sold.wraps, sold.wraps // sold.bands, (full_gb or sold.capacity_gb) / sold.wraps, sold.length_m)


@dataclass(frozen=True)
class SeekModel:
    """A geometry with the results of the site's motions: factor on the prior, scatter of mounts, and their number."""

    tape: Serpentine
    log_factor: float = 0.0
    log_factor_sd: float = PRIOR_SD
    scatter: float = _USUAL_SCATTER
    n_mounts: int = 0

    @property
    def factor(self) -> Estimate:
        """Seconds here / seconds of the published model."""
        return self._around(1.0, self.log_factor_sd)

    def seconds(self, from_gb: Floats, to_gb: Floats) -> Floats:
        """Expected seconds of each way."""
        found: Floats = np.exp(self.log_factor) * self.tape.prior_s(from_gb, to_gb)
        return found

    def total(self, from_gb: Floats, to_gb: Floats) -> Estimate:
        """Seconds all ways of one mount take, with the interval for a single mount."""
        sd = float(np.hypot(self.log_factor_sd, self.scatter))
        return self._around(float(self.tape.prior_s(from_gb, to_gb).sum()), sd)

    @property
    def _tail(self) -> float:
        """How far the ends are from the value: by Student's t, because few mounts also give the scatter."""
        return float(
            scipy.special.stdtrit(_USUAL_WEIGHT + self.n_mounts - 1, 0.95)
            if self.n_mounts
            else scipy.special.ndtri(0.95)
        )

    def _around(self, prior: float, sd: float) -> Estimate:
        low, value, high = (prior * float(np.exp(self.log_factor + z * sd)) for z in (-self._tail, 0.0, self._tail))
        return Estimate(value, low, high)


def learn(
    tape: Serpentine, from_gb: Floats, to_gb: Floats, seconds: Floats, mount: npt.NDArray[np.generic]
) -> SeekModel:
    """The posterior from motions: places in GB, seconds, and the mount each belongs to.

    Each mount is one observation: seconds measured / seconds of the prior, over its motions that lead anywhere. Mounts
    without such motions do not count; if all lack them, the prior remains.
    """
    prior = tape.prior_s(from_gb, to_gb)
    names, which = np.unique(mount, return_inverse=True)
    expected = np.bincount(which, prior, len(names))
    measured = np.bincount(which, np.where(prior > 0, seconds, 0.0), len(names))
    log_ratios = np.log(measured[(expected > 0) & (measured > 0)] / expected[(expected > 0) & (measured > 0)])
    if not len(log_ratios):
        return SeekModel(tape)
    squares = float(((log_ratios - log_ratios.mean()) ** 2).sum())
    variance = (_USUAL_WEIGHT * _USUAL_SCATTER**2 + squares) / (_USUAL_WEIGHT + len(log_ratios) - 1)
    precision = 1 / PRIOR_SD**2 + len(log_ratios) / variance
    mean = float(log_ratios.sum() / variance / precision)
    return SeekModel(tape, mean, float(precision**-0.5), float(variance**0.5), len(log_ratios))


@dataclass(frozen=True)
class Files:
    """Files of a tape in the order of their places: number, first and last GB."""

    number: Places
    begin_gb: Floats
    end_gb: Floats

    def __len__(self) -> int:
        return len(self.number)

    def pick(self, order: Places) -> "Files":
        """Some of them, in that order."""
        return Files(self.number[order], self.begin_gb[order], self.end_gb[order])

    @property
    def moved_mb(self) -> float:
        return float((self.end_gb - self.begin_gb).sum()) * 1000


@dataclass(frozen=True)
class Recall:
    """Reading a list in one order: the order, the seconds, and how many of them the tape only moves."""

    numbers: tuple[int, ...]
    seconds: Estimate
    seek_s: float


def recall(model: SeekModel, service: Service, listed: Files) -> dict[str, Recall]:
    """Seconds to read listed files in one mount: as listed, by place, in the best order found, and if stored together.

    `together` is what another organisation of families would give: the same files side by side on a tape of their own,
    from its beginning on, with nothing between them to pass.

    `service` gives speed and the costs of the mount and of each file; its own search for places is not counted, the
    model's is. `optimised` is the recommended order.
    """
    if not len(listed):
        raise ValueError("the list of files is empty")
    logical = np.argsort(listed.begin_gb, kind="stable")
    orders = {"listed": np.arange(len(listed)), "logical": logical, "optimised": recommended(model, listed)}
    found = {name: _timed(model, service, listed.pick(order)) for name, order in orders.items()}
    return found | {"together": _timed(model, service, _together(listed.pick(logical)))}


def recommended(model: SeekModel, listed: Files) -> Places:
    """The order in which listed files are read soonest, from the tape's beginning on, as far as one was found.

    Always the nearest next, then single files moved to where they cost least, up to 500 files; never worse than as
    listed or by place.
    """
    plain = [np.arange(len(listed)), np.argsort(listed.begin_gb, kind="stable")]
    best = min([_nearest_next(model, listed), *plain], key=lambda order: _ways_s(model, listed.pick(order)))
    return _moved(model, listed, best) if len(listed) <= MOST_ORDERED else best


def _together(files: Files) -> Files:
    ends = np.cumsum(files.end_gb - files.begin_gb)
    return Files(files.number, ends - (files.end_gb - files.begin_gb), ends)


def _ways(files: Files) -> tuple[Floats, Floats]:
    return np.concatenate([[0.0], files.end_gb[:-1]]), files.begin_gb


def _ways_s(model: SeekModel, files: Files) -> float:
    return float(model.seconds(*_ways(files)).sum())


def _timed(model: SeekModel, service: Service, files: Files) -> Recall:
    seek = model.total(*_ways(files))
    rest = service.mount_s + len(files) * service.file_s + files.moved_mb / service.speed_mb_s
    seconds = Estimate(seek.value + rest, seek.low + rest, seek.high + rest)
    return Recall(tuple(int(number) for number in files.number), seconds, seek.value)


def _nearest_next(model: SeekModel, files: Files) -> Places:
    left, here, order = np.arange(len(files)), 0.0, []
    while len(left):
        ways = model.seconds(np.full(len(left), here), files.begin_gb[left])
        nearest = int(np.argmin(ways))
        order.append(left[nearest])
        here = float(files.end_gb[left[nearest]])
        left = np.delete(left, nearest)
    return np.array(order, dtype=np.int64)


def _moved(model: SeekModel, files: Files, order: Places) -> Places:
    """Each file in turn to the place where it costs least, until a round brings nothing."""
    ends = np.concatenate([[0.0], files.end_gb])  # place 0 is the beginning of the tape
    cost = model.seconds(np.repeat(ends, len(files)), np.tile(files.begin_gb, len(ends))).reshape(len(ends), -1)
    tour = [0, *(order + 1)]
    for _ in range(4):
        gained = 0.0
        for item in list(tour[1:]):
            at = tour.index(item)
            rest = np.array(tour[:at] + tour[at + 1 :])
            after = np.append(cost[rest[:-1], rest[1:] - 1], 0.0)  # after the last nothing follows
            follow = np.append(cost[item, rest[1:] - 1], 0.0)
            extra = cost[rest, item - 1] + follow - after
            best = int(np.argmin(extra))
            gained += float(extra[at - 1] - extra[best])
            tour = [*rest[: best + 1], item, *rest[best + 1 :]]
        if gained < 1e-9:
            break
    return np.array(tour[1:]) - 1


def break_even(whole_s: float, n_all: float, picked_s: float, n_picked: float) -> float:
    """Share of a tape's files from which on reading all of it is quicker, by mounts that did the one and the other.

    Formula: (whole / all files) / (picked / files picked); as `gold.seek_cost` has it (P43).

    >>> round(break_even(766_000 / 72.6, 278, 119_000 / 29.2, 44), 3)
    0.41
    """
    return (whole_s / n_all) / (picked_s / n_picked)


def modelled_break_even(
    model: SeekModel, service: Service, tape: Files, in_order: bool, seed: int = 0, n_draws: int = 20
) -> Estimate:
    """The same for files picked at random, read in the order of their places or as they come, by the model.

    Value: the least share at which the mean of `n_draws` picks takes as long as reading everything; the ends of the
    interval: the same with the model's factor at its own. 1 where picking is quicker up to the last file: in order of
    places that is so wherever passing over a file takes less than reading it.
    """
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(np.arange(len(tape)), (n_draws, 1)), axis=1)
    whole = service.mount_s + len(tape) * service.file_s + tape.moved_mb / service.speed_mb_s

    def share(factor: float) -> float:
        low, high = 1, len(tape)
        while high - low > 1:
            n_files = (low + high) // 2
            picks = orders[:, :n_files]
            taken = _picked_s(model, service, tape, np.sort(picks, axis=1) if in_order else picks, factor)
            low, high = (n_files, high) if taken < whole else (low, n_files)
        return high / len(tape)

    ends = model.factor
    return Estimate(share(ends.value), share(ends.high), share(ends.low))


def _picked_s(model: SeekModel, service: Service, tape: Files, picks: Places, factor: float) -> float:
    """Mean seconds of reading each row of picks."""
    ends = np.column_stack([np.zeros(len(picks)), tape.end_gb[picks[:, :-1]]])
    seek = factor * float(model.tape.prior_s(ends, tape.begin_gb[picks]).sum())
    moved = float((tape.end_gb[picks] - tape.begin_gb[picks]).sum()) * 1000
    costs = len(picks) * service.mount_s + picks.size * service.file_s
    return (costs + moved / service.speed_mb_s + seek) / len(picks)
