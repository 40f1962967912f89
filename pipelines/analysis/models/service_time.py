"""Where the time of a drive goes that serves whole mounts, and the rate that is left: the sizing note's formula.

    throughput = n F / (tM + n (tO + tS) + n F / S)

n files of F bytes a mount, at a speed S while moving; a mount costs tM, each file costs tO and, where the position is
looked for, tS.

Inputs: S in MB/s, tM, tO and tS in seconds, n files of a size in MB. Outputs: seconds by part, MB/s, efficiency; and
what gaps between files leave of a rate. Compared with mounts that were served (`Mounts`): its error, and the seconds
a file it leaves unexplained. Limits: plain arithmetic on parameters that are given, nothing is fitted here; one drive,
no waiting for it. Source: the tape sizing note of CERN (C13), without tS; the seek term is ours (X2).
MB = 10^6 bytes.
"""

import math
from dataclasses import dataclass

import numpy as np

from pipelines.analysis.models.throughput import DAY_S
from pipelines.analysis.stats.bootstrap import Floats

HOUR_S = 3600
WELL_ENOUGH = 0.10  # median relative error of the time of a mount
SEEK_LIKE_S = 15.0  # the published cost models put no search among files of a tape below this, but the nearest


@dataclass(frozen=True)
class Service:
    """What serving costs: speed in MB/s while moving, seconds a mount, a file and a search for a file's place."""

    speed_mb_s: float
    mount_s: float = 120.0
    file_s: float = 4.4
    seek_s: float = 0.0

    def __post_init__(self) -> None:
        if self.speed_mb_s <= 0 or not all(0 <= one < math.inf for one in (self.mount_s, self.file_s, self.seek_s)):
            raise ValueError("the speed must be above 0, and times must not be negative")

    def time(self, n_files: float, file_mb: float, n_mounts: float = 1) -> "TimeSpent":
        """Seconds that `n_files` of `file_mb` MB in `n_mounts` mounts take, part by part.

        >>> Service(30.0).time(10, 1000.0).rate_mb_s.__round__(2)
        20.11
        """
        if n_files <= 0 or file_mb <= 0 or n_mounts < 0:
            raise ValueError("the number of files and their size must be above 0")
        moved_mb = n_files * file_mb
        return TimeSpent(
            moved_mb,
            transfer_s=moved_mb / self.speed_mb_s,
            seek_s=n_files * self.seek_s,
            mount_s=n_mounts * self.mount_s,
            file_s=n_files * self.file_s,
        )

    def seek_left_over(self, n_files: float, file_mb: float, measured_mb_s: float) -> float:
        """Seconds a file that a measured overall rate leaves unexplained; below 0 where it beat the formula.

        An upper bound on the search for places: whatever else the formula does not name is in it.

        >>> round(Service(81.9).seek_left_over(139, 382_000 / 139, 40.8), 1)
        28.5
        """
        explained = self.time(n_files, file_mb)
        return (explained.moved_mb / measured_mb_s - explained.total_s) / n_files


@dataclass(frozen=True)
class TimeSpent:
    """The parts of the time some mounts took; MB and seconds."""

    moved_mb: float
    transfer_s: float
    seek_s: float
    mount_s: float
    file_s: float

    @property
    def total_s(self) -> float:
        return self.transfer_s + self.seek_s + self.mount_s + self.file_s

    @property
    def rate_mb_s(self) -> float:
        """The overall rate of one drive that does it all."""
        return self.moved_mb / self.total_s

    @property
    def efficiency(self) -> float:
        """Share of the time in which data moved."""
        return self.transfer_s / self.total_s

    @property
    def drive_hours(self) -> float:
        return self.total_s / HOUR_S


@dataclass(frozen=True)
class Mounts:
    """Mounts that were served, an element of each array for each; seconds and MB.

    `moving_s`, `seek_s` and `between_s` (between files, without `seek_s`) None where no log has them; `day` is when, in
    days since any beginning.
    """

    n_files: Floats
    moved_mb: Floats
    wall_s: Floats
    moving_s: Floats | None = None
    seek_s: Floats | None = None
    day: Floats | None = None
    between_s: Floats | None = None

    def __post_init__(self) -> None:
        arrays = [self.n_files, self.moved_mb, self.wall_s, self.moving_s, self.seek_s, self.day, self.between_s]
        if any(a is not None and (a.shape != self.n_files.shape or not np.isfinite(a).all()) for a in arrays):
            raise ValueError("every mount needs one finite value of each quantity")
        if len(self) and min(self.n_files.min(), self.moved_mb.min(), self.wall_s.min()) <= 0:
            raise ValueError("files, megabytes and seconds of a mount must be above 0")

    def __len__(self) -> int:
        return len(self.n_files)


def predictions(service: Service, mounts: Mounts) -> Floats:
    """Seconds the formula gives each mount."""
    return service.mount_s + mounts.n_files * (service.file_s + service.seek_s) + mounts.moved_mb / service.speed_mb_s


@dataclass(frozen=True)
class Check:
    """Stated costs compared with mounts: errors as shares of the time measured, and seconds a file left over."""

    error: Floats
    left_over_s: Floats

    @property
    def fits(self) -> bool:
        return bool(np.median(np.abs(self.error)) <= WELL_ENOUGH)

    @property
    def summary(self) -> str:
        """Whether the formula fits; where it does not fit, the search for places is offered (X2)."""
        if self.fits:
            off = np.median(np.abs(self.error))
            return f"the formula fits (for half of the mounts, the computed time is off by at most {off:.1%})"
        left = f"{self.left_over_s.min():.1f} to {self.left_over_s.max():.1f} s per file remain unexplained"
        what = (
            "which is as long as seeks take"
            if self.left_over_s.max() >= SEEK_LIKE_S
            else "which is too short for seeks"
        )
        return f"the formula of the service time does not fit these mounts ({left}, {what})"


def check(service: Service, mounts: Mounts) -> Check:
    """How stated costs fit mounts; nothing is fitted."""
    predicted = predictions(service, mounts)
    left = mounts.wall_s - predicted
    return Check(predicted / mounts.wall_s - 1, left / mounts.n_files)


@dataclass(frozen=True)
class Gain:
    """What a fix brings to one stream, in TB a day: as if nothing else limited it, and up to the next limit."""

    naive_tb_day: float
    capped_tb_day: float


def gain(before_mb_s: float, after_mb_s: float, next_limit_mb_s: float, duty: float = 1.0) -> Gain:
    """Worth of raising a stream's rate, for the share `duty` of the day in which it has work.

    Formula: (min(after, next limit) - before) x duty, never below 0. Source: audit MA5: a fix is worth no more
    than what the next bottleneck, there the input streams, lets through.

    >>> round(gain(42.86, 65.22, 57.4).capped_tb_day, 2), round(gain(42.86, 65.22, 57.4).naive_tb_day, 2)
    (1.26, 1.93)
    """
    scale = duty * DAY_S / 1e6
    capped = max(0.0, min(after_mb_s, next_limit_mb_s) - before_mb_s)
    return Gain((after_mb_s - before_mb_s) * scale, capped * scale)
