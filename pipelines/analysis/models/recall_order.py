"""The order in which listed files of a tape are read soonest, and when it is quicker to read the whole tape.

The order of files is not the order of their places (P32). Motions take what `seeking.py` expects of them.

Inputs: the seek model of a tape, its files' first and last GB, and the other costs of mounts and files. Outputs:
seconds of a recall in each order, and the share of files from which on reading all is quicker, both with 90 %
intervals. Limits: one mount of one tape; the order is good, but need not be the best; and the limits of `seeking.py`.
Source: the search for an order is ours; PIC's slides of STEP'09 for the comparison (P43). GB = 10^9 bytes, MB = 10^6.
"""

from dataclasses import dataclass

import numpy as np

from pipelines.analysis.models.seeking import Places, SeekModel
from pipelines.analysis.models.service_time import Service
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate

MOST_ORDERED = 500  # of longer lists the order is only the nearest next


@dataclass(frozen=True)
class Files:
    """Files of a tape in the order of their places: number, first and last GB."""

    number: Places
    begin_gb: Floats
    end_gb: Floats

    def __len__(self) -> int:
        return len(self.number)

    def pick(self, order: Places) -> "Files":
        """Some of them, in that order."""
        return Files(self.number[order], self.begin_gb[order], self.end_gb[order])

    @property
    def moved_mb(self) -> float:
        return float((self.end_gb - self.begin_gb).sum()) * 1000


@dataclass(frozen=True)
class Recall:
    """Reading a list in one order: the order, the seconds, and how many of them the tape only moves."""

    numbers: tuple[int, ...]
    seconds: Estimate
    seek_s: float


def recall(model: SeekModel, service: Service, listed: Files) -> dict[str, Recall]:
    """Seconds to read listed files in one mount: as listed, by place, in the best order found, and if stored together.

    `together` is what another organisation of families would give: the same files side by side on a tape of their own,
    from its beginning on, with nothing between them to pass.

    `service` gives speed and the costs of the mount and of each file; its own search for places is not counted, the
    model's is. `optimised` is the recommended order.
    """
    if not len(listed):
        raise ValueError("the list of files is empty")
    logical = np.argsort(listed.begin_gb, kind="stable")
    orders = {"listed": np.arange(len(listed)), "logical": logical, "optimised": recommended(model, listed)}
    found = {name: _timed(model, service, listed.pick(order)) for name, order in orders.items()}
    return found | {"together": _timed(model, service, _together(listed.pick(logical)))}


def recommended(model: SeekModel, listed: Files) -> Places:
    """The order in which listed files are read soonest, from the tape's beginning on, as far as one was found.

    Always the nearest next, then single files moved to where they cost least, up to 500 files; never worse than as
    listed or by place.
    """
    plain = [np.arange(len(listed)), np.argsort(listed.begin_gb, kind="stable")]
    best = min([_nearest_next(model, listed), *plain], key=lambda order: _ways_s(model, listed.pick(order)))
    return _moved(model, listed, best) if len(listed) <= MOST_ORDERED else best


def _together(files: Files) -> Files:
    ends = np.cumsum(files.end_gb - files.begin_gb)
    return Files(files.number, ends - (files.end_gb - files.begin_gb), ends)


def _ways(files: Files) -> tuple[Floats, Floats]:
    return np.concatenate([[0.0], files.end_gb[:-1]]), files.begin_gb


def _ways_s(model: SeekModel, files: Files) -> float:
    return float(model.seconds(*_ways(files)).sum())


def _timed(model: SeekModel, service: Service, files: Files) -> Recall:
    seek = model.total(*_ways(files))
    rest = service.mount_s + len(files) * service.file_s + files.moved_mb / service.speed_mb_s
    seconds = Estimate(seek.value + rest, seek.low + rest, seek.high + rest)
    return Recall(tuple(int(number) for number in files.number), seconds, seek.value)


def _nearest_next(model: SeekModel, files: Files) -> Places:
    left, here, order = np.arange(len(files)), 0.0, []
    while len(left):
        ways = model.seconds(np.full(len(left), here), files.begin_gb[left])
        nearest = int(np.argmin(ways))
        order.append(left[nearest])
        here = float(files.end_gb[left[nearest]])
        left = np.delete(left, nearest)
    return np.array(order, dtype=np.int64)


def _moved(model: SeekModel, files: Files, order: Places) -> Places:
    """Each file in turn to the place where it costs least, until a round brings nothing."""
    ends = np.concatenate([[0.0], files.end_gb])  # place 0 is the beginning of the tape
    cost = model.seconds(np.repeat(ends, len(files)), np.tile(files.begin_gb, len(ends))).reshape(len(ends), -1)
    tour = [0, *(order + 1)]
    for _ in range(4):
        gained = 0.0
        for item in list(tour[1:]):
            at = tour.index(item)
            rest = np.array(tour[:at] + tour[at + 1 :])
            after = np.append(cost[rest[:-1], rest[1:] - 1], 0.0)  # after the last nothing follows
            follow = np.append(cost[item, rest[1:] - 1], 0.0)
            extra = cost[rest, item - 1] + follow - after
            best = int(np.argmin(extra))
            gained += float(extra[at - 1] - extra[best])
            tour = [*rest[: best + 1], item, *rest[best + 1 :]]
        if gained < 1e-9:
            break
    return np.array(tour[1:]) - 1


def break_even(
    model: SeekModel, service: Service, tape: Files, in_order: bool, seed: int = 0, n_draws: int = 20
) -> Estimate:
    """Share of a tape's files from which on reading all is quicker than reading as many that are picked at random.

    These are read in the order of their places, or as they come. `gold.seek_cost` has the same share by mounts (P43).

    Value: the least share at which the mean of `n_draws` picks takes as long as reading everything; the ends of the
    interval: the same with the model's factor at its own. 1 where picking is quicker up to the last file: in order of
    places that is so wherever passing over a file takes less than reading it.
    """
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(np.arange(len(tape)), (n_draws, 1)), axis=1)
    whole = service.mount_s + len(tape) * service.file_s + tape.moved_mb / service.speed_mb_s

    def share(factor: float) -> float:
        low, high = 1, len(tape)
        while high - low > 1:
            n_files = (low + high) // 2
            picks = orders[:, :n_files]
            taken = _picked_s(model, service, tape, np.sort(picks, axis=1) if in_order else picks, factor)
            low, high = (n_files, high) if taken < whole else (low, n_files)
        return high / len(tape)

    ends = model.factor
    return Estimate(share(ends.value), share(ends.high), share(ends.low))


def _picked_s(model: SeekModel, service: Service, tape: Files, picks: Places, factor: float) -> float:
    """Mean seconds of reading each row of picks."""
    ends = np.column_stack([np.zeros(len(picks)), tape.end_gb[picks[:, :-1]]])
    seek = factor * float(model.tape.prior_s(ends, tape.begin_gb[picks]).sum())
    moved = float((tape.end_gb[picks] - tape.begin_gb[picks]).sum()) * 1000
    costs = len(picks) * service.mount_s + picks.size * service.file_s
    return (costs + moved / service.speed_mb_s + seek) / len(picks)
