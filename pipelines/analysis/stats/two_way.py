"""Slow drive or slow tape? A robust two-way fit, and what the data cannot separate."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.analysis.stats.bootstrap import LEVEL, Floats, resamples
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import counted

N_RESAMPLES = 199
MIN_SHARED = 3
_HUBER = 1.345  # 95 % efficiency on normal data
_N_STEPS = 30
_LEAST_RCOND = 1e-9
_SPARSE_FROM = 5000  # values

Codes = NDArray[np.intp]


class Effect(NamedTuple):
    """How much faster or slower a drive (or tape) is than the typical one it can be compared with."""

    name: str
    ratio: Estimate | NoEstimate  # of rates; 1 is typical; the interval of a tape has no ends
    n_cells: int  # tapes of the drive, or drives of the tape
    n_shared: int  # of them those that say something of both: a drive's tapes that ran in other drives
    group: int  # only effects of one group can be compared


class TwoWay(NamedTuple):
    """Effects of drives, tapes and times; a group is drives and tapes that share each other, directly or not."""

    drives: tuple[Effect, ...]
    tapes: tuple[Effect, ...]
    times: Floats  # ratios to the median time, in the order of the times


class _Cells(NamedTuple):
    """One typical log rate per drive, tape and time."""

    drive: Codes
    tape: Codes
    time: Codes
    value: Floats


def fit(
    rates: Floats,
    drives: NDArray[np.generic],
    tapes: NDArray[np.generic],
    times: NDArray[np.generic] | None = None,
    *,
    min_shared: int = MIN_SHARED,
    level: float = LEVEL,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> TwoWay:
    """Drive and tape effects of the rates of large files (all above 0, any one unit); a row a file.

    Model: log rate = drive + tape + time + noise, fitted to the median of each drive, tape and time by Huber's
    M-estimator (Huber 1964, Ann. Math. Stat. 35, 73) with iterated weights; tapes are eliminated first, which leaves a
    system as small as the number of drives and times. `times` (days, as a rule) take out what all drives had in common
    then, so that a change of all is not laid on the tapes read since; left out, there is one time. Intervals: bootstrap
    over tapes. Overlap: drives and tapes are a graph; effects can be compared within one of its connected parts only
    (Abowd, Creecy and Kramarz 2002), relative to its median drive. A drive of which fewer than `min_shared` tapes ran
    elsewhere, or a tape that ran in one drive only, is not judged: the data do not show whose fault it is.

    >>> drives = np.repeat(["a", "b", "c"], 8)
    >>> tapes = np.tile([f"T{n}" for n in range(8)], 3)
    >>> rates = np.where(drives == "b", 60.0, 80.0) * np.where(tapes == "T5", 0.5, 1.0)
    >>> found = fit(rates, drives, tapes)
    >>> [(effect.name, round(effect.ratio.value, 2)) for effect in found.drives]
    [('a', 1.0), ('b', 0.75), ('c', 1.0)]
    >>> [effect.name for effect in found.tapes if effect.ratio.value < 0.8]
    ['T5']
    """
    names, drive = np.unique(drives, return_inverse=True)
    labels, tape = np.unique(tapes, return_inverse=True)
    days = np.zeros(rates.size) if times is None else times
    cells = _cells(np.log(rates), drive, tape, np.unique(days, return_inverse=True)[1])
    shape = (names.size, labels.size)
    groups = _groups(cells, shape)
    drive_group, tape_group = groups[: names.size], groups[names.size :]
    by_drive, by_tape, by_time = _solve(cells, np.ones(cells.value.size), shape, drive_group)
    drawn = _resampled(cells, shape, drive_group, n_resamples, np.random.default_rng(seed))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)

    pair = np.unique(np.column_stack([cells.drive, cells.tape]), axis=0)
    per_tape = np.bincount(pair[:, 1], minlength=labels.size)
    shared = np.bincount(pair[:, 0], weights=per_tape[pair[:, 1]] > 1, minlength=names.size).astype(int)
    per_drive = np.bincount(pair[:, 0], minlength=names.size)
    return TwoWay(
        tuple(
            _drive_effect(
                str(names[i]), by_drive[i], low[i], high[i], per_drive[i], shared[i], drive_group[i], min_shared
            )
            for i in range(names.size)
        ),
        tuple(_tape_effect(str(labels[i]), by_tape[i], per_tape[i], tape_group[i]) for i in range(labels.size)),
        np.exp(by_time - np.median(by_time)),
    )


def _drive_effect(
    name: str, value: float, low: float, high: float, n: int, n_shared: int, group: int, min_shared: int
) -> Effect:
    if n_shared < min_shared:
        tapes = counted(int(n), "tape")
        why = f"the drive shares only {n_shared} of its {tapes} with other drives; {min_shared} are needed"
        none = NoEstimate(why, f"{min_shared} tapes of this drive that other drives have used too")
        return Effect(name, none, int(n), int(n_shared), int(group))
    ratio = Estimate(*(float(np.exp(x)) for x in (value, low, high)))
    return Effect(name, ratio, int(n), int(n_shared), int(group))


def _tape_effect(name: str, value: float, n: int, group: int) -> Effect:
    """One rate a drive leaves too little for an interval of a tape."""
    if n < 2:
        return Effect(
            name,
            NoEstimate("the tape was used in one drive only", "a mount of the tape in another drive"),
            int(n),
            0,
            int(group),
        )
    return Effect(name, Estimate(float(np.exp(value)), -np.inf, np.inf), int(n), int(n), int(group))


def _cells(values: Floats, drive: Codes, tape: Codes, time: Codes) -> _Cells:
    """Files of one tape in one drive at one time are alike: their median counts once."""
    key = np.ravel_multi_index((drive, tape, time), (drive.max() + 1, tape.max() + 1, time.max() + 1))
    order = np.lexsort((values, key))
    _, firsts, counts = np.unique(key[order], return_index=True, return_counts=True)
    ordered, where = values[order], order[firsts]
    medians = (ordered[firsts + (counts - 1) // 2] + ordered[firsts + counts // 2]) / 2
    return _Cells(drive[where], tape[where], time[where], medians)


def _groups(cells: _Cells, shape: tuple[int, int]) -> NDArray[np.int32]:
    """The connected part of each drive, then of each tape, numbered in the order of their first members."""
    drive, tape = cells.drive, cells.tape + shape[0]
    lowest = np.arange(sum(shape))  # a member of the same part
    while True:
        met, before = np.minimum(lowest[drive], lowest[tape]), lowest
        lowest = lowest.copy()
        np.minimum.at(lowest, drive, met)
        np.minimum.at(lowest, tape, met)
        lowest = lowest[lowest]
        if np.array_equal(lowest, before):
            return np.unique(lowest, return_inverse=True)[1].astype(np.int32)


def _solve(
    cells: _Cells, drawn: Floats, shape: tuple[int, int], group: NDArray[np.int32]
) -> tuple[Floats, Floats, Floats]:
    """Effects of drives, relative to the median drive of their group, of tapes and times; cells count `drawn` times."""
    n_drives, n_tapes = shape
    n_times = int(cells.time.max()) + 1
    free = _free(cells, drawn, (n_drives, n_times, n_tapes))
    weights = drawn.copy()
    for _ in range(_N_STEPS):
        by_column = _sums(cells, weights, (n_drives, n_times, n_tapes))
        shared = np.vstack([by_column["drive tape"], by_column["time tape"]])
        per_tape = np.maximum(by_column["drive tape"].sum(axis=0), 1e-12)
        sums = np.bincount(cells.tape, weights * cells.value, n_tapes)
        crossed = by_column["drive time"]
        design = np.block([[np.diag(crossed.sum(axis=1)), crossed], [crossed.T, np.diag(crossed.sum(axis=0))]])
        right = np.concatenate(
            [
                np.bincount(cells.drive, weights * cells.value, n_drives),
                np.bincount(cells.time, weights * cells.value, n_times),
            ]
        )
        laplacian = design - _product(shared / per_tape, shared)
        effects = _least(laplacian, right - shared @ (sums / per_tape), free)
        by_drive, by_time = effects[:n_drives], effects[n_drives:]
        by_tape = (sums - shared.T @ effects) / per_tape
        left = cells.value - by_drive[cells.drive] - by_time[cells.time] - by_tape[cells.tape]
        scale = 1.4826 * float(np.median(np.abs(left[drawn > 0])))
        renewed = drawn * np.minimum(1.0, _HUBER * max(scale, 1e-9) / np.maximum(np.abs(left), 1e-12))
        if np.max(np.abs(renewed - weights)) < 1e-4:
            break
        weights = renewed
    tape_group = np.zeros(n_tapes, dtype=np.int32)
    tape_group[cells.tape] = group[cells.drive]
    return _centred(by_drive, group), _centred(by_tape, tape_group), by_time


def _free(cells: _Cells, drawn: Floats, shape: tuple[int, int, int]) -> Floats:
    """What no data decide, as projection: the level of all times, and of drives that share tapes with each other."""
    n_drives, n_times, n_tapes = shape
    is_drawn = drawn > 0
    used = _Cells(cells.drive[is_drawn], cells.tape[is_drawn], cells.time[is_drawn], cells.value[is_drawn])
    part = np.append(_groups(used, (n_drives, n_tapes))[:n_drives], np.full(n_times, -1))
    is_same = part[:, None] == part
    return np.asarray(is_same / is_same.sum(axis=0))


def _product(left: Floats, right: Floats) -> Floats:
    """Of the one with the other transposed. Few drives see a tape: of many, a product with all zeros takes long."""
    if left.size < _SPARSE_FROM:
        return left @ right.T
    from scipy.sparse import csr_array  # slow to load, and needed at large sites alone

    product = csr_array(left) @ csr_array(right).T
    return np.asarray(product.toarray())


def _least(laplacian: Floats, right: Floats, free: Floats) -> Floats:
    """The shortest solution: with what is free fixed at 0 there is only one, unless more is free than that."""
    from scipy.linalg import lapack

    scale = float(np.abs(laplacian).max()) or 1.0
    factor, failed = lapack.dpotrf(laplacian / scale + free, lower=True)
    norm = float(np.abs(laplacian / scale + free).sum(axis=0).max())
    if not failed and lapack.dpocon(factor, norm, uplo="L")[0] > _LEAST_RCOND:
        return np.asarray(lapack.dpotrs(factor, right / scale, lower=True)[0])
    return np.asarray(np.linalg.lstsq(laplacian, right, rcond=_LEAST_RCOND)[0])


def _sums(cells: _Cells, weights: Floats, shape: tuple[int, int, int]) -> dict[str, Floats]:
    """Weights of the cells that two factors share, by the names of the two."""
    n_drives, n_times, n_tapes = shape
    pairs = {
        "drive tape": (cells.drive * n_tapes + cells.tape, n_drives, n_tapes),
        "time tape": (cells.time * n_tapes + cells.tape, n_times, n_tapes),
        "drive time": (cells.drive * n_times + cells.time, n_drives, n_times),
    }
    return {
        name: np.bincount(place, weights, n * m).astype(np.float64).reshape(n, m)
        for name, (place, n, m) in pairs.items()
    }


def _centred(effects: Floats, group: NDArray[np.int32]) -> Floats:
    centred = effects.copy()
    for number in np.unique(group):
        centred[group == number] -= np.median(effects[group == number])
    return centred


def _resampled(
    cells: _Cells, shape: tuple[int, int], group: NDArray[np.int32], n_resamples: int, random: np.random.Generator
) -> Floats:
    """Drive effects of resamples of the tapes."""
    n_tapes = shape[1]
    counts = resamples(n_tapes, n_resamples, random)
    return np.array([_solve(cells, count[cells.tape].astype(float), shape, group)[0] for count in counts])
