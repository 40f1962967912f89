"""What a model or a statistic answers: a value with its interval, or why the data allow none."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its interval (90 % unless stated otherwise), all in one unit."""

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval from {self.low} to {self.high} has its ends in the wrong order")

    def times(self, factor: float) -> "Estimate":
        """The same in another unit; `factor` above 0."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)

    def columns(self, name: str) -> dict[str, float | None]:
        """As columns of a table; what is not finite is NULL there.

        >>> Estimate(1.0, 0.5, math.inf).columns("ratio")
        {'ratio': 1.0, 'ratio_low': 0.5, 'ratio_high': None}
        """
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {key: end if math.isfinite(end) else None for key, end in ends.items()}


@dataclass(frozen=True)
class NoEstimate:
    """These data allow no estimate: why, and which data would."""

    reason: str
    data_needed: str

    def columns(self, name: str) -> dict[str, float | None]:
        """The same columns as those of an estimate, all of them NULL."""
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
