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
and its mount. Outputs: seconds with 90 % intervals. Limits: LTO only; files of even compressibility; it is unknown
where the tape's first wraps are shorter. Source: the tape archive's cost model and ECMA-319 as above; PIC's slides of
STEP'09 for the comparison (P31-P35). GB = 10^9 bytes.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from pipelines.analysis.stats.bootstrap import Floats
from pipelines.config.technology import Technology
from pipelines.primitives.estimate import Estimate

BASE_S, WRAP_S, BAND_S, HALF_S, TURN_S, BACK_S = 4.29, 6.69, 3.2, -6.04, 5.22, 11.32
POSITION_S, POSITION_M = 0.0006192, 0.0072
PRIOR_SD = 0.35
_USUAL_SCATTER, _USUAL_WEIGHT = 0.15, 3.0  # of mounts around their factor, and its weight in mounts of evidence
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

        Compressed data may be more than the tape nominally holds: what is beyond that is at its end.

        >>> tape = Serpentine(4, 1, 10.0, 100.0)
        >>> [part.tolist() for part in tape.place(np.array([2.0, 12.0, 25.0]))]
        [[0, 1, 2], [20.0, 80.0, 50.0]]
        >>> [part.tolist() for part in tape.place(np.array([40.0, 60.0]))]
        [[3, 3], [0.0, 0.0]]
        """
        gb = np.minimum(gb, self.wraps * self.wrap_gb)
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
            f"the technology table lacks tracks or tape length of {sold.name}, so positions on its tapes are unknown"
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
