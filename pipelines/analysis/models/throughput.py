"""Throughput of streams and campaigns: how well a stream is kept busy, and how long so much data takes at such a rate.

Inputs: rates in MB/s, sizes in TB. Outputs: shares in [0, 1], seconds, days and two kinds of months. Limits: plain
arithmetic on steady rates; each function says what that leaves out. Source: the report on Fermilab's migration stations
(M33, M34, M40). MB = 10^6 bytes, GB = 10^9, TB = 10^12.
"""

from dataclasses import dataclass

from pipelines.primitives.units import GB, MB, TB

DAY_S = 86_400
SHORT_MONTH_DAYS = 30.0  # the month of rules of thumb
MEAN_MONTH_DAYS = 30.4375  # 365.25 / 12


def stream_efficiency(long_mb_s: float, active_mb_s: float, streams: int = 1) -> float:
    """Share of what its streams could move that a path moved over a long time, in [0, 1] for consistent rates.

    Formula: long rate / (number of streams x active rate of one). Source: the efficiencies of input and output streams
    in "FNAL migration stations" (M33, M34). Both rates in one unit, MB/s here. Limits: where the active rate was read
    off while several streams ran, it is their sum and `streams` stays 1; an average that includes time without requests
    for the path blames the path for it.

    >>> round(stream_efficiency(200, 260), 3)
    0.769
    >>> round(stream_efficiency(450, 260, streams=2), 3)
    0.865
    """
    if active_mb_s <= 0 or streams < 1:
        raise ValueError("the active rate and the number of streams must be above 0")
    return long_mb_s / (streams * active_mb_s)


@dataclass(frozen=True)
class Campaign:
    """How long moving so much takes. Months are no unit: both usual lengths are given."""

    seconds: float
    seconds_per_gb: float

    @property
    def days(self) -> float:
        return self.seconds / DAY_S

    @property
    def short_months(self) -> float:
        """Months of 30 days."""
        return self.days / SHORT_MONTH_DAYS

    @property
    def mean_months(self) -> float:
        """Months of 30.4375 days."""
        return self.days / MEAN_MONTH_DAYS


def campaign(rate_mb_s: float, size_tb: float) -> Campaign:
    """Time to move `size_tb` TB at a steady `rate_mb_s` MB/s.

    Formula: bytes / (bytes/s). Source: the projection of the migration of 1 PB in "FNAL migration stations" (M40).
    Limits: one steady rate; no growth, no failures, no end in which fewer drives have work. The rate must be an overall
    one, gaps and idle time included; with a drive rate the answer is the shortest time thinkable.

    >>> round(campaign(80.0, 1000.0).days, 1)
    144.7
    >>> campaign(80.0, 1000.0).seconds_per_gb
    12.5
    """
    if rate_mb_s <= 0 or size_tb < 0:
        raise ValueError("the rate of a campaign must be above 0, and its size must not be negative")
    return Campaign(size_tb * TB / (rate_mb_s * MB), GB / (rate_mb_s * MB))
