"""Formulas of the published documents that studies alone work out: nothing else of tapescope needs them.

MB = 10^6 bytes, seconds. An id in brackets is the requirement whose figures a formula gives.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.analysis.models.service_time import Service
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.analysis.stats.contradictions import ROUNDING, Contradiction


def mbit_s_to_mb_s(mbit_s: float) -> float:
    """Network megabits per second as megabytes per second.

    >>> mbit_s_to_mb_s(450)
    56.25
    """
    return mbit_s / 8


def gap_bound_rate(file_mb: float, stream_mb_s: float, gap_s: float) -> float:
    """Rate in MB/s of a stream that pauses `gap_s` after every file of `file_mb`, mounts left aside.

    Formula: F / (F / S + gap), the same as `Service` without mounts. Source: M32, audit MA3.

    >>> round(gap_bound_rate(1000, 75, 10), 1), round(gap_bound_rate(1000, 75, 2), 1)
    (42.9, 65.2)
    """
    return Service(stream_mb_s, mount_s=0, file_s=gap_s).time(1, file_mb).rate_mb_s


def file_size_for(rate_mb_s: float, stream_mb_s: float, gap_s: float) -> float:
    """File size in MB at which a stream with a gap after every file reaches a rate: gap / (1 / rate - 1 / S).

    >>> round(file_size_for(57.4, 75, 2))
    489
    """
    if not 0 < rate_mb_s < stream_mb_s:
        raise ValueError("the rate must be above 0 and below the stream's own rate")
    return gap_s / (1 / rate_mb_s - 1 / stream_mb_s)


def buffer_hours(buffer_gb: float, rate_mb_s: float) -> float:
    """Hours of input that fit into so much free spool (M46).

    >>> round(buffer_hours(2 * 535, 57), 1)
    5.2
    """
    if rate_mb_s <= 0 or buffer_gb < 0:
        raise ValueError("the rate must be above 0, and the free space must not be negative")
    return buffer_gb * 1000 / rate_mb_s / 3600


def drives_fed(path_mb_s: float, other_mb_s: float, drive_mb_s: float) -> float:
    """Drives that the rest of a path keeps streaming, in addition to other traffic (N10).

    >>> round(drives_fed(2000, 1250, 160), 1)
    4.7
    """
    if drive_mb_s <= 0:
        raise ValueError("the rate of a drive must be above 0")
    return max(0.0, path_mb_s - other_mb_s) / drive_mb_s


def narrowest(chain: dict[str, float]) -> tuple[str, float]:
    """Name and MB/s of the narrowest link of a chain, each with what it bears in all (C08).

    >>> narrowest({"file systems": 220 * 40.0, "servers": 20 * 110.0, "switch": 1100.0})
    ('switch', 1100.0)
    """
    if not chain:
        raise ValueError("the chain has no links")
    name = min(chain, key=lambda link: chain[link])
    return name, chain[name]


def per_stream(total: float, streams: int) -> float:
    """What each of several streams gets of a total if they share it evenly, in its unit.

    Source: 100 MB/s over 50 streams in "CERN tape sizing" (C07).

    >>> per_stream(100.0, 50)
    2.0
    """
    if streams < 1:
        raise ValueError("there must be at least one stream")
    return total / streams


def streams_held(streams: NDArray[np.int64], rates: Floats, needed: float, share: float = 0.95) -> int:
    """The largest number of streams up to which the given share of observations hold the rate a stream needs.

    `streams` counts the streams that ran together in each observation, `rates` is what each of them got then (N19, D7).
    Numbers of streams without observations are passed over; the first observed one that falls short ends the count; 0
    if not even the smallest holds it.

    >>> streams_held(np.array([1, 1, 2, 2, 3, 3]), np.array([160.0, 161.0, 155.0, 158.0, 90.0, 160.0]), 150.0)
    2
    """
    held = 0
    for count in np.unique(streams):
        if np.mean(rates[streams == count] >= needed) < share:
            break
        held = int(count)
    return held


def jain(rates: Floats) -> float:
    """Jain's fairness index of the rates of streams that ran together: 1 where all are equal, 1/n where one has all.

    Formula: (Σ x)² / (n Σ x²). Source: Jain, Chiu and Hawe (1984), DEC research report TR-301. Rates of any one unit;
    NaN without streams or where none moved anything. It does not depend on the unit nor on the total.

    >>> jain(np.array([2.0, 2.0, 2.0, 2.0]))
    1.0
    >>> jain(np.array([8.0, 0.0, 0.0, 0.0]))
    0.25
    """
    squares = rates.size * float(np.sum(rates**2))
    return float(np.sum(rates)) ** 2 / squares if squares > 0 else float("nan")


def too_few_streams(what: str, tested: int, in_service: int) -> Contradiction | None:
    """A benchmark with fewer streams than the system serves says nothing of how they share (G6, N15).

    >>> too_few_streams("one dd against 4 drives", 1, 4).why
    'streams at the same time: 1 in the test, but 4 in service'
    """
    if tested >= in_service:
        return None
    return Contradiction(
        what, tested, in_service, f"streams at the same time: {tested} in the test, but {in_service} in service"
    )


def two_figures(what: str, figures: Sequence[float], tolerance: float = ROUNDING) -> Contradiction | None:
    """One thing with figures further apart than rounding explains, as a share of the largest (P25, M19).

    >>> two_figures("rate of the powerful servers", [110.0, 120.0]).why
    'the document gives 110 in one place and 120 in another'
    """
    low, high = min(figures), max(figures)
    if high - low <= tolerance * abs(high):
        return None
    return Contradiction(what, low, high, f"the document gives {low:.3g} in one place and {high:.3g} in another")


def variation(values: Floats) -> float:
    """Coefficient of variation: sample standard deviation (n − 1) ÷ mean; NaN for fewer than two values or a mean of 0.

    >>> round(variation(np.array([9.0, 10.0, 11.0])), 3)
    0.1
    """
    mean = float(np.mean(values)) if values.size > 1 else 0.0
    return float(np.std(values, ddof=1)) / mean if mean > 0 else float("nan")
