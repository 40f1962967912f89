"""The site days an estimate looks at, and how numbers of methods become values of a table."""

import math
from dataclasses import dataclass
from datetime import date, datetime

from pipelines.clock import day_bounds


@dataclass(frozen=True)
class Window:
    """Site days from `first` to `last`, in the site's zone."""

    first: date
    last: date
    zone: str

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """UTC instants at which it begins and ends."""
        return day_bounds(self.first, self.zone)[0], day_bounds(self.last, self.zone)[1]

    @property
    def values(self) -> dict[str, object]:
        """The bounds and the UTC days around them, for a query's parameters."""
        begin, end = self.bounds
        return {"begin": begin, "end": end, "utc_from": begin.date(), "utc_to": end.date()}


def known(value: float) -> float | None:
    """A number a method found, as a plain one; None where it is none.

    >>> known(float("nan")), known(2)
    (None, 2.0)
    """
    return float(value) if math.isfinite(value) else None
