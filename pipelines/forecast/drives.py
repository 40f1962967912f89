"""Drives that traffic needs, by what mounts of this site cost: efficiency comes from the fit, not from a table."""

from pipelines.forecast.fitting import Fitted
from pipelines.methods.bootstrap import Estimate
from pipelines.models.sizing import Needed, Traffic, certain, drives_needed


def size(
    like: Fitted, wanted_mb_s: float, factor: float, n_files: float, file_mb: float, availability: float
) -> tuple[Needed, Estimate]:
    """Drives for MB/s of files of a size, so many a mount, and the efficiency of a drive that serves them.

    Raises ValueError where the fit cannot tell what a mount, a file or a megabyte costs.
    """
    found = like.found
    speed, rate = found.service.speed_mb_s, found.rate(n_files, file_mb)
    efficiency = Estimate(*(min(1.0, end / speed) for end in (rate.value, rate.low, rate.high)))
    traffic = Traffic("traffic", certain(wanted_mb_s), certain(factor), efficiency)
    return drives_needed([traffic], certain(speed), certain(availability)), efficiency
