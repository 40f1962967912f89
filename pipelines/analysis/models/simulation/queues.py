"""Requests to read that wait for their tape, and the rule by which a tape is mounted for them.

Inputs: requests, each with the second in which it was asked for, its tape, its place on it, MB and the seconds it
moves; what a mount, a file and the ways between files cost on each kind of drive; a policy. A tape is mounted once its
oldest request is old enough, or its queue holds enough files or bytes, or nothing more of it was requested for long
enough, and not before some time after its last mount began. It takes the first drive of its kind that is free, in the
order in which tapes were warranted. All that waits then is read in one order; what is asked for meanwhile is read after
it (CTA), or waits for another mount (ENDIT). A mount ends when nothing is left.

Outputs: mounts, ways and the waits of requests by kind of drive, next to the hours that every run has. Limits: no
priorities or shares of drives among organisations; a request waits for the tape it was read from, never for a copy.
Source: CTA's scheduler (`getNextMount`: least age, files, bytes), ENDIT's retriever (`remountdelay`, `reqlistfillwait`
and its greatest, which is the least age here). MB = 10^6 bytes, GB = 10^9, seconds.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, get_args

import numpy as np

from pipelines.analysis.models.recall_order import Files, recommended
from pipelines.analysis.models.seeking import SeekModel, Serpentine

Order = Literal["requested", "position", "rao"]


@dataclass(frozen=True)
class Policy:
    """When a tape is mounted for those who wait for it, and the order in which it is read; None: never by that."""

    min_age_s: float = 0.0
    min_files: int | None = None
    min_gb: float | None = None
    fill_wait_s: float | None = None
    remount_delay_s: float = 0.0
    order: Order = "requested"
    joins: bool = True  # what is asked for while the tape is in the drive is read too

    def __post_init__(self) -> None:
        if min(self.min_age_s, self.remount_delay_s, self.fill_wait_s or 0.0) < 0:
            raise ValueError("ages and delays of a mount policy must not be negative")
        if any(one is not None and one <= 0 for one in (self.min_files, self.min_gb)):
            raise ValueError("the number of files and the amount of data that trigger a mount must be above 0")
        if self.order not in get_args(Order):
            raise ValueError(f"the order in which a mount reads its files must be one of {', '.join(get_args(Order))}")


@dataclass(frozen=True)
class Request:
    """A requested file: when, of which tape, between which GB of it, and how long it moves."""

    kind: str
    volume: str
    asked_s: float
    mb: float
    moving_s: float
    begin_gb: float = 0.0
    end_gb: float = 0.0


@dataclass(frozen=True)
class ReadCosts:
    """Seconds of a mount before its first way and after its last file, of a file, and of a way.

    With a tape a way takes `way_s` and `factor` times the published model; the next file is there already. Without one
    every way between two files takes `way_s`, in whatever order they are read, and the first is the mount's.
    """

    lead_s: float
    tail_s: float
    file_s: float = 0.0
    way_s: float = 0.0
    factor: float = 1.0
    tape: Serpentine | None = None

    def ways(self, lot: "Sequence[Request]", from_gb: float | None) -> tuple[list[float], int, float]:
        """Seconds to reach each file in this order, ways that lead elsewhere, and their sum by the published model.

        `from_gb`: where the tape is, None at the beginning of a mount.
        """
        if self.tape is None:
            first = 0.0 if from_gb is None else self.way_s
            return [first, *[self.way_s] * (len(lot) - 1)], len(lot) - (from_gb is None), 0.0
        froms = np.array([from_gb or 0.0, *(one.end_gb for one in lot[:-1])])
        prior = self.tape.prior_s(froms, np.array([one.begin_gb for one in lot]))
        seconds = np.where(prior > 0, self.way_s + self.factor * prior, 0.0)
        return seconds.tolist(), int((prior > 0).sum()), float(prior.sum())


@dataclass
class Read:
    """What one kind of drive did for requests: mounts, seconds, ways, their sum by the published model, waits."""

    n_mounts: int = 0
    busy_s: float = 0.0
    n_ways: int = 0
    prior_s: float = 0.0
    waits_s: list[float] = field(default_factory=list)


class TapeQueue:
    """The requests of one tape in the order in which they come, and how far they have been served."""

    def __init__(self, requests: Sequence[Request], policy: Policy, costs: ReadCosts) -> None:
        self.requests = sorted(requests, key=lambda one: one.asked_s)
        self.policy, self.costs = policy, costs
        self.asked = [one.asked_s for one in self.requests]
        self.mb = [0.0, *accumulate(one.mb for one in self.requests)]
        self.served = 0

    @property
    def has_more(self) -> bool:
        return self.served < len(self.requests)

    def warranted_at(self, least_s: float) -> float:
        """The first second, not before `least_s`, at which the policy mounts the tape for what then waits.

        >>> some = [Request("LTO-9", "V1", at, 1000.0, 3.0) for at in (0.0, 100.0, 5000.0)]
        >>> costs = ReadCosts(60.0, 60.0)
        >>> [TapeQueue(some, policy, costs).warranted_at(0.0) for policy in
        ...  (Policy(600), Policy(9000, min_files=3), Policy(9000, min_gb=2.0), Policy(9000, fill_wait_s=200))]
        [600.0, 5000.0, 100.0, 300.0]
        """
        first, policy = self.served, self.policy
        least_s = max(least_s, self.asked[first])
        ways = [self.asked[first] + policy.min_age_s]
        if policy.min_files is not None and first + policy.min_files <= len(self.asked):
            ways.append(self.asked[first + policy.min_files - 1])
        if policy.min_gb is not None:
            enough = bisect_right(self.mb, self.mb[first] + policy.min_gb * 1000 - 1e-6)
            if enough < len(self.mb):
                ways.append(self.asked[enough - 1])
        if policy.fill_wait_s is not None:
            ways.append(self._filled_at(least_s, policy.fill_wait_s))
        return max(least_s, min(ways))

    def _filled_at(self, at: float, wait_s: float) -> float:
        """When nothing more of the tape was requested for so long."""
        last = bisect_right(self.asked, at) - 1
        while last + 1 < len(self.asked) and self.asked[last + 1] < max(at, self.asked[last] + wait_s):
            last += 1
        return max(at, self.asked[last] + wait_s)

    def take(self, now: float) -> list[Request]:
        """All that was asked for by now, in the order in which it is read."""
        until = bisect_right(self.asked, now)
        waiting, self.served = self.requests[self.served : until], until
        return [waiting[n] for n in order_of(waiting, self.policy.order, self.costs.tape)]


def order_of(waiting: Sequence[Request], order: Order, tape: Serpentine | None) -> list[int]:
    """The order in which one mount reads them; recommended access order needs a tape's geometry, else by position."""
    if order == "requested" or len(waiting) < 2:
        return list(range(len(waiting)))
    ends = (np.array([getattr(one, name) for one in waiting]) for name in ("begin_gb", "end_gb"))
    files = Files(np.arange(len(waiting)), *ends)
    if order == "rao" and tape is not None:
        return [int(n) for n in recommended(SeekModel(tape), files)]
    return [int(n) for n in np.argsort(files.begin_gb, kind="stable")]
