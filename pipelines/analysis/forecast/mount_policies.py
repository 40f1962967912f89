"""The recorded days under other mount policies: what drives would have saved, and how long requests would have waited.

The policy of the days is taken from the record: a least age as a frontend logs it, else the age of the youngest
requests that were given a mount; files or bytes that warranted mounts before that age; the order in which mounts read;
whether they read what was asked for meanwhile. Of what the record leaves open that is taken whose replay is least off.
As for every what-if the replay comes first, and other policies only where it is within 10 % of the record.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from pipelines.analysis.forecast.history import History
from pipelines.analysis.forecast.read_requests import ReadMount, RequestedReads, requested_reads
from pipelines.analysis.forecast.whatif import MOST_ERROR, replay_error
from pipelines.analysis.models.mount_costs import busy_s, saved_hours
from pipelines.analysis.models.simulation import Changes, Order, Outcome, Policy, simulate
from pipelines.primitives.estimate import Estimate, NoEstimate

HOUR_S = 3600
EARLY = 0.9  # of the least age: a mount whose oldest request is younger was warranted by files or bytes
SURE = 0.9  # share of steps from which on they show an order
FEW = 0.02  # of mounts: as many may be what they are by chance
MOST_LISTED = 6
ENDIT = Policy(7200.0, fill_wait_s=600.0, remount_delay_s=7200.0, joins=False)  # as its retriever comes
AGES_H = (0.5, 1, 2, 4, 8)


@dataclass(frozen=True)
class PolicyRun:
    """What a policy comes to: mounts that read, hours of their drives, hours saved, and waits for first blocks."""

    policy: Policy
    n_mounts: int
    drive_hours: float
    saved_hours: Estimate
    wait_p50_hours: float
    wait_p95_hours: float


@dataclass(frozen=True)
class MountAdvice:
    """Record and replay under the policy found in it; other policies, none where the replay cannot be trusted."""

    reads: RequestedReads
    recorded: PolicyRun
    replayed: PolicyRun
    error: float
    what: str
    others: tuple[PolicyRun, ...] = ()

    @property
    def is_withheld(self) -> bool:
        return bool(self.error > MOST_ERROR)

    @property
    def unplaced(self) -> list[str]:
        """Kinds of drives on whose tapes no places are known: the order of a mount changes nothing there."""
        return sorted(kind for kind, cost in self.reads.costs.items() if cost.read.tape is None)


def advise(history: History, changed: Mapping[str, Any] | None = None) -> MountAdvice | NoEstimate:
    """The recorded days with some of their policy changed; without that under a grid of policies, the best kept.

    Raises TapescopeError where no mount was logged completely, ValueError for what no policy has.
    """
    found = requested_reads(history)
    if isinstance(found, NoEstimate):
        return found
    stated = history.rows("read_policies")
    return judge_policies(found, stated[0]["min_age_s"] if stated else None, changed)


def judge_policies(
    reads: RequestedReads, stated_age_s: float | None = None, changed: Mapping[str, Any] | None = None
) -> MountAdvice:
    """The same of reads at hand; `stated_age_s`: the least age that their requests were logged with."""
    work = reads.record.work
    tried = [(one, simulate(work, Changes(policy=one))) for one in candidates(reads, stated_age_s)]
    now, replayed = min(tried, key=lambda pair: replay_error(reads.record, pair[1])[0])
    error, what = replay_error(reads.record, replayed)
    if reads.record.share < 1 - MOST_ERROR:
        error, what = 1 - reads.record.share, "bytes of files without a logged request"
    nothing = Estimate(0.0, 0.0, 0.0)
    recorded_s = sum(mount.ended_s - mount.begun_s for mount in reads.mounts)
    waits_s = [wait for mount in reads.mounts for wait in mount.waits_s]
    recorded = _run(now, len(reads.mounts), recorded_s, nothing, waits_s)
    advice = MountAdvice(reads, recorded, _ran(now, replayed, nothing), error, what)
    if advice.is_withheld:
        return advice
    runs = []
    has_places = any(cost.read.tape for cost in reads.costs.values())
    for policy in [replace(now, **changed)] if changed else grid(now, has_places):
        outcome = simulate(work, Changes(policy=policy))
        saved = saved_hours(reads.costs, replayed, outcome, len(reads.mounts))
        runs.append(_ran(policy, outcome, saved))
    return replace(advice, others=tuple(runs if changed else best(runs)))


def _ran(policy: Policy, outcome: Outcome, saved: Estimate) -> PolicyRun:
    reads = outcome.reads
    waits_s = [wait for read in reads.values() for wait in read.waits_s]
    return _run(policy, sum(read.n_mounts for read in reads.values()), busy_s(outcome), saved, waits_s)


def _run(policy: Policy, n_mounts: int, busy: float, saved: Estimate, waits_s: list[float]) -> PolicyRun:
    p50, p95 = (float(one) / HOUR_S for one in np.quantile(waits_s, (0.5, 0.95)))
    return PolicyRun(policy, n_mounts, busy / HOUR_S, saved, p50, p95)


# --- the policy of the record ---------------------------------------------------------------------------------


def candidates(reads: RequestedReads, stated_age_s: float | None = None) -> list[Policy]:
    """What the policy may have been by which these mounts came about."""
    mounts = reads.mounts
    oldest_s = np.array([mount.oldest_s for mount in mounts])
    ages = [stated_age_s] if stated_age_s is not None else [0.0, max(0.0, float(np.quantile(oldest_s, 0.05)))]
    joins = any(len(mount.waiting) < len(mount.files) for mount in mounts)
    plain = [Policy(age, order=_order(reads), joins=joins) for age in dict.fromkeys(ages)]
    return [policy for one in plain for policy in (one, *_warranted_early(one, mounts))]


def _warranted_early(policy: Policy, mounts: Sequence[ReadMount]) -> Iterator[Policy]:
    """The same with the least files, or bytes, that were given a mount before their age warranted it."""
    early = [mount.waiting for mount in mounts if mount.oldest_s < EARLY * policy.min_age_s]
    if len(early) <= FEW * len(mounts) or not all(early):
        return
    least = min(map(len, early))
    if least > 1:
        yield replace(policy, min_files=least)
    yield replace(policy, min_gb=max(0.001, min(sum(one.mb for one in waiting) for waiting in early) / 1000))


def _order(reads: RequestedReads) -> Order:
    """By which mounts read what waited when they began: as nearly all steps go, else as recommended."""
    lots = [[one for one in mount.files if one.request.asked_s <= mount.begun_s] for mount in reads.mounts]
    steps = [pair for lot in lots for pair in pairwise(lot)]
    if not steps:
        return "requested"
    by_place = sum(a.number < b.number for a, b in steps) / len(steps)
    by_request = sum(a.request.asked_s <= b.request.asked_s for a, b in steps) / len(steps)
    if max(by_place, by_request) < SURE and any(cost.read.tape for cost in reads.costs.values()):
        return "rao"
    return "position" if by_place > by_request else "requested"


# --- other policies -------------------------------------------------------------------------------------------


def grid(now: Policy, has_places: bool) -> Iterator[Policy]:
    """Longer ages, delays between mounts of a tape, and ENDIT's own, in the order of now and in the recommended one."""
    orders: list[Order] = [now.order, "rao"] if has_places and now.order != "rao" else [now.order]
    for order in orders:
        if order != now.order:
            yield replace(now, order=order)
        for age_h in AGES_H:
            if age_h * HOUR_S > now.min_age_s:
                yield replace(now, min_age_s=age_h * HOUR_S, order=order)
        for delay_h in AGES_H[1:]:
            if delay_h * HOUR_S > now.remount_delay_s:
                yield replace(now, remount_delay_s=delay_h * HOUR_S, order=order)
        yield replace(ENDIT, order=order)


def best(runs: Sequence[PolicyRun]) -> list[PolicyRun]:
    """Those that save for sure and of which none saves more with shorter waits; what saves most first.

    Of many some, from the one that saves most to the one that makes requests wait least.
    """
    kept: list[PolicyRun] = []
    for run in sorted(runs, key=lambda one: -one.saved_hours.value):
        waits_more = all(
            run.wait_p50_hours >= one.wait_p50_hours and run.wait_p95_hours >= one.wait_p95_hours for one in kept[-1:]
        )
        if run.saved_hours.low > 0 and not (kept and waits_more):
            kept.append(run)
    if len(kept) <= MOST_LISTED:
        return kept
    return [kept[round(n * (len(kept) - 1) / (MOST_LISTED - 1))] for n in range(MOST_LISTED)]


def policy_rows(advice: MountAdvice) -> list[dict[str, Any]]:
    """Record, replay and other policies as rows; what is saved is against the replay."""
    runs = [("recorded", advice.recorded), ("replayed", advice.replayed), *(("other", run) for run in advice.others)]
    rows = []
    for name, run in runs:
        saved = run.saved_hours.columns("saved_hours") if name == "other" else {}
        waits = {"wait_p50_hours": run.wait_p50_hours, "wait_p95_hours": run.wait_p95_hours}
        first = {"run": name, "policy": described(run.policy), "n_mounts": run.n_mounts, "drive_hours": run.drive_hours}
        rows.append(first | saved | waits)
    return rows


def described(policy: Policy) -> str:
    """A policy in words.

    >>> described(Policy(7200, min_files=100, min_gb=500, order="rao"))
    'oldest request at least 2 h old, or 100 files, or 500 GB; files read in recommended access order'
    """
    ways = [f"oldest request at least {_time(policy.min_age_s)} old" if policy.min_age_s else "at once"]
    ways += [f"{policy.min_files} files"] if policy.min_files else []
    ways += [f"{policy.min_gb:g} GB"] if policy.min_gb else []
    ways += [f"no new request for {_time(policy.fill_wait_s)}"] if policy.fill_wait_s is not None else []
    rest = [f"no remount of a tape for {_time(policy.remount_delay_s)}"] if policy.remount_delay_s else []
    rest += [] if policy.joins else ["no file added to a running mount"]
    words = {
        "requested": "files read in order of request",
        "position": "files read in order of position",
        "rao": "files read in recommended access order",
    }
    return "; ".join([", or ".join(ways), *rest, words[policy.order]])


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h" if seconds >= 3600 else f"{seconds / 60:.3g} min"
