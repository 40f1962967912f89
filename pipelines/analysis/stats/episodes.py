"""Intervals joined into episodes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Episode(NamedTuple):
    """Intervals that belong together; instants in seconds."""

    begin: float
    end: float
    total: float  # time that its intervals cover, none of it twice
    members: NDArray[np.intp]  # positions of its intervals


def join(begins: NDArray[np.float64], ends: NDArray[np.float64], join_within: float) -> list[Episode]:
    """Intervals no further apart than `join_within`, as one episode each; instants in seconds, in any order.

    >>> [(e.begin, e.end, e.total) for e in join(np.array([0.0, 15.0, 100.0]), np.array([10.0, 20.0, 110.0]), 5.0)]
    [(0.0, 20.0, 15.0), (100.0, 110.0, 10.0)]
    >>> [e.total for e in join(np.array([0.0, 4.0, 6.0]), np.array([10.0, 8.0, 12.0]), 0.0)]
    [12.0]
    """
    order = np.argsort(begins, kind="stable")
    episodes: list[Episode] = []
    for place in order:
        begin, end = float(begins[place]), float(ends[place])
        if episodes and begin - episodes[-1].end <= join_within:
            last = episodes[-1]
            members = np.append(last.members, place)
            added = max(0.0, end - max(begin, last.end))
            episodes[-1] = Episode(last.begin, max(last.end, end), last.total + added, members)
        else:
            episodes.append(Episode(begin, end, end - begin, np.array([place])))
    return episodes
