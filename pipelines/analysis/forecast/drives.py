"""Drives that traffic needs, by what mounts of this site cost: efficiency comes from the fit, not from a table."""

from dataclasses import replace

from pipelines.analysis.forecast.costs import Fitted
from pipelines.analysis.models.sizing import LEAST_SHARE, Needed, Traffic, certain, drives_needed, share
from pipelines.primitives.estimate import Estimate

FILES_A_MOUNT = (1, 3, 10, 30, 100, 300)
SIZES_MB = tuple(10 ** (1 + step / 10) for step in range(34))  # 10 MB to 20 GB


def size(
    like: Fitted, target_mb_s: float, factor: float, n_files: float, file_mb: float, availability: float
) -> tuple[Needed, Estimate]:
    """Drives for MB/s of files of a size, `n_files` a mount, and the efficiency of a drive that serves them.

    The effect of each cost of a mount alone (the tornado) is computed at the ends of its interval. Raises
    ValueError where the fit cannot show what a mount, a file or a megabyte costs.
    """
    found = like.found
    efficiency = share(found.efficiency(n_files, file_mb))
    traffic = Traffic("traffic", certain(target_mb_s), certain(factor), efficiency)
    needed = drives_needed([traffic], certain(found.service.speed_mb_s), certain(availability))

    def at(cost: str, end: float) -> float:
        # a stretched interval may reach below 0, which no cost does, and a speed is above it
        least = LEAST_SHARE * found.service.speed_mb_s if cost == "speed_mb_s" else 0.0
        service = replace(found.service, **{cost: max(least, end)})
        return target_mb_s * factor / availability / service.time(n_files, file_mb).rate_mb_s

    known = [(cost, one) for cost, one in found.parameters.items() if isinstance(one, Estimate) and one.low < one.high]
    costs = sorted(
        ((cost, at(cost, one.low), at(cost, one.high)) for cost, one in known), key=lambda row: -abs(row[2] - row[1])
    )
    return replace(needed, tornado=tuple(costs)), efficiency


def efficiency_by_size(like: Fitted) -> list[dict[str, float]]:
    """Share of its time in which such a drive moves data, by files a mount and size of a file in MB (C14).

    Raises ValueError where the fit cannot show what a mount, a file or a megabyte costs.
    """
    service = like.found.service
    return [
        {"n_files": n_files, "file_mb": file_mb, "efficiency": service.time(n_files, file_mb).efficiency}
        for n_files in FILES_A_MOUNT
        for file_mb in SIZES_MB
    ]
