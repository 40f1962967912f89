"""What a buffer before the tapes would have caught, by its size: the stack distances of reads.

    a read is caught by a buffer of B bytes  <=>  the file was read before, and the different files read since then, it
                                                 included, come to no more than B bytes together

Inputs: reads in order: which file, its size in bytes, the day. The buffer is empty at first, keeps every file that is
read and drops those not read for longest (LRU). One pass gives the bytes caught for all sizes at once, because a larger
buffer holds all that a smaller one holds.

Output: shares of reads and of bytes caught, for sizes that double (GB = 10^9 bytes, TB = 10^12); the size from which
doubling gains less than a hundredth of the bytes; the share caught there with a 90 % interval over days, from five days
on; and whether the size matters at all. It does not where less than a twentieth of the bytes was read again, or no
doubling gains a hundredth. Such are reads at random over a set much larger than what was read of it, and a production
that reads each file once. A buffer may catch no more than its share of what was read (within a twentieth). Then files
are read again in no order that it could use, and its size matters only when it nears that of the set.

Refused where no file was read twice. Limits: only recalls from tape have records, which are the misses of today's
buffers. A size is that of a further buffer, in which every recalled file is kept. Files last read before the first day
with logs count as new, so the share caught is at least the one given. A file larger than the buffer empties it. Files
are read completely; data that are written and soon read again are not included. Cost: n log n steps of whole arrays,
some 100 bytes a read. Source: Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies"
(1970), IBM Systems Journal 9, 78; CERN's tape sizing note (C22): "if the pattern is random over a large data set, the
size of the disk buffer becomes unimportant".
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pipelines.analysis.stats.ratios import ratio_of_sums
from pipelines.primitives.estimate import Estimate, NoEstimate

Ints = npt.NDArray[np.int64]
FIRST = -1  # the distance of a file that was not read before
FEW = 0.05  # share of bytes read again below which no buffer is worth its size
GAIN = 0.01  # share of bytes that doubling must bring
BY_CHANCE = 0.05  # share of bytes by which a buffer must beat its share of the set
GB, TB = 10**9, 10**12
Verdict = Literal["does not matter", "by chance", "matters"]
VERDICTS: dict[Verdict, str] = {  # as clauses; a table of the terminal shows 120 characters
    "does not matter": "a larger buffer would serve hardly more of the bytes",
    "by chance": "repeated reads look random: the share of bytes served hardly exceeds the share of data in the buffer",
    "matters": "a buffer of twice the size would serve less than a further 1 % of the bytes",
}


@dataclass(frozen=True)
class Step:
    """One size, and the shares of reads and of bytes it would have caught."""

    size_tb: float
    read_share: float
    byte_share: float


@dataclass(frozen=True)
class Behaviour:
    """What buffers of any size would have done for some reads."""

    n_reads: int
    n_files: int
    read_tb: float
    set_tb: float  # the different files among them
    again: float  # share of the bytes that were read before: what an endless buffer catches
    steps: tuple[Step, ...]
    flat_tb: float  # from here on doubling gains less than a hundredth of the bytes
    flat: Estimate | NoEstimate  # share of the bytes caught there
    verdict: Verdict


def behaviour(apart: Ints, sizes: Ints, days: Ints) -> Behaviour | NoEstimate:
    """What buffers would have done for reads with these distances, of these sizes, on these days.

    >>> ten = np.full(12, 10 * GB)
    >>> found = behaviour(distances(np.array([0, 1, 2] * 4), ten), ten, np.arange(12))
    >>> found.again, found.flat_tb, found.verdict
    (0.75, 0.032, 'by chance')
    """
    if not len(apart):
        return NoEstimate("no file was read on these days", "logs of days on which files were read from tape")
    is_again = apart != FIRST
    total, read_tb = int(sizes.sum()), float(sizes.sum()) / TB
    if not is_again.any():
        why = f"no file was read twice: {len(apart)} reads, {read_tb:.2f} TB in total"
        return NoEstimate(why, "logs of more days, so that some files are read twice")
    set_bytes = int(sizes[~is_again].sum())
    again = (total - set_bytes) / total if total else 0.0
    steps = _steps(apart, sizes)
    flat = _flat(steps)
    share = caught_by_day(apart, sizes, days, flat.size_tb)
    verdict = _verdict(steps, again, set_bytes / TB)
    numbers = (len(apart), int((~is_again).sum()), read_tb, set_bytes / TB)
    return Behaviour(*numbers, again, steps, flat.size_tb, share, verdict)


def distances(files: Ints, sizes: Ints) -> Ints:
    """Bytes of the different files read since each file was read before, it included; FIRST for those that were not.

    Raises ValueError for a file with two sizes. Of a read at place i whose file was read at p before it, the files in
    between that are read there for the first time count once each: those at j < i with a place before of at most p,
    less those up to p, which all have. The first sum is taken for all i at once, by halves of the places: within a
    block sorted by the place before, what is in its left half and comes first is added to each of its right half.

    By hand: a b c a b with sizes 5, 1, 2: the second a has b, c and itself, 8; the second b has c, a and itself.

    >>> distances(np.array([0, 1, 2, 0, 1]), np.array([5, 1, 2, 5, 1]))
    array([-1, -1, -1,  8,  8])
    """
    n = len(files)
    before = _places_before(files, sizes)
    sums = np.zeros(n, np.int64)
    order = np.argsort(before, kind="stable")  # by the place before; equal ones (first reads) by their own
    for level in range(max(n - 1, 0).bit_length() - 1, -1, -1):
        half = 1 << level
        start = (order >> (level + 1)) << (level + 1)  # the first place of a block is also its place in `order`
        is_left = (order & half) == 0
        n_left, left_bytes = (_before(np.where(is_left, values, 0)) for values in (np.int64(1), sizes[order]))
        right = order[~is_left]
        sums[right] += (left_bytes[:n] - left_bytes[start])[~is_left]
        rank = n_left[:n] - n_left[start]
        places = start + np.where(is_left, rank, half + np.arange(n) - start - rank)
        order = _put(order, places)
    known = before >= 0
    up_to = np.concatenate([[0], np.cumsum(sizes)])
    found = np.full(n, FIRST, np.int64)
    found[known] = sums[known] - up_to[before[known] + 1] + sizes[known]
    return found


def _places_before(files: Ints, sizes: Ints) -> Ints:
    """The place at which each file was read before; FIRST where it was not."""
    before = np.full(len(files), FIRST, np.int64)
    by_file = np.argsort(files, kind="stable")
    same = files[by_file][1:] == files[by_file][:-1]
    if (sizes[by_file][1:] != sizes[by_file][:-1])[same].any():
        raise ValueError("two reads of the same file give different sizes for it")
    before[by_file[1:][same]] = by_file[:-1][same]
    return before


def _before(values: Ints) -> Ints:
    """At each place the sum of all before it, and in the end of all."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])


def _put(values: Ints, places: Ints) -> Ints:
    moved = np.empty_like(values)
    moved[places] = values
    return moved


def caught(apart: Ints, size_tb: float) -> npt.NDArray[np.bool_]:
    """Which reads a buffer of a size would have caught."""
    found: npt.NDArray[np.bool_] = (apart != FIRST) & (apart <= size_tb * TB)
    return found


def caught_by_day(apart: Ints, sizes: Ints, days: Ints, size_tb: float) -> Estimate | NoEstimate:
    """Share of the bytes that a buffer of a size would have caught, its interval over days."""
    share = ratio_of_sums((sizes * caught(apart, size_tb)).astype(float), sizes.astype(float), days, what="days")
    if isinstance(share, NoEstimate):
        return NoEstimate(share.reason, "more days on which files are read")
    return Estimate(share.value, share.low, max(share.value, min(1.0, share.high)))


def _steps(apart: Ints, sizes: Ints) -> tuple[Step, ...]:
    """Sizes that double, in GB, from the last that catches nothing to the first that catches all."""
    again = np.sort(apart[apart != FIRST])
    least, most = (math.ceil(math.log2(max(int(value), 1) / GB)) for value in (again[0], again[-1]))
    total = max(int(sizes.sum()), 1)
    steps = []
    for power in range(least - 1, most + 1):
        size_tb = 2.0**power * GB / TB
        is_caught = caught(apart, size_tb)
        steps.append(Step(size_tb, float(is_caught.mean()), int(sizes[is_caught].sum()) / total))
    return tuple(steps)


def _flat(steps: tuple[Step, ...]) -> Step:
    """The step from which no doubling gains what it should."""
    worth = [n for n in range(1, len(steps)) if steps[n].byte_share - steps[n - 1].byte_share >= GAIN]
    return steps[worth[-1] if worth else 0]


def _verdict(steps: tuple[Step, ...], again: float, set_tb: float) -> Verdict:
    if again < FEW or _flat(steps) == steps[0]:
        return "does not matter"
    beats = max(step.byte_share - min(1.0, step.size_tb / set_tb) for step in steps)
    return "matters" if beats > BY_CHANCE else "by chance"
