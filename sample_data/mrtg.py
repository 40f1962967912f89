"""Traffic of the stations' links, polled every five minutes at the switch, and the log MRTG keeps of it.

The log is the one rateup writes: the last poll, the poll before, then rows of 300, 1800, 7200 and 86400 s that grow
coarser with age, each from the time of the row below it, and zeros for the years before the first poll.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from random import Random

from sample_data.facts import Day, Transfer
from sample_data.story import (
    BIN_S,
    DAY_FROM,
    DAY_TO,
    FIRST_POLL_S,
    LAST_POLL_S,
    LOGGED,
    MB,
    SECOND,
    WEEK_FROM,
    Settings,
    Station,
)

POLL_S = 300
TIERS = ((300, 600), (1800, 601), (7200, 601), (86400, 731))
BINS_A_DAY = 48
WEEK_BINS = 7 * BINS_A_DAY
_WEEK_S, _DAY_S, _END_S = WEEK_FROM // SECOND, DAY_FROM // SECOND, DAY_TO // SECOND


@dataclass
class Traffic:
    """Bytes of one link between polls; `into` and `out` are the station's directions."""

    polls: list[int]  # seconds; the first has no traffic before it
    into: list[int]  # bytes up to the poll of the same place
    out: list[int]

    def __post_init__(self) -> None:
        self._sums = {"into": _running(self.into), "out": _running(self.out)}

    def mean(self, way: str, begin: int, end: int) -> float:
        """Bytes a second over an interval, each poll's traffic spread evenly; nothing before the first poll."""
        return (self._sum_to(way, end) - self._sum_to(way, begin)) / (end - begin)

    def _sum_to(self, way: str, at: int) -> float:
        sums = self._sums[way]
        place = bisect_left(self.polls, at)
        if place == 0:
            return 0.0
        if place == len(self.polls):
            return float(sums[-1])
        before, after = self.polls[place - 1], self.polls[place]
        return sums[place - 1] + (sums[place] - sums[place - 1]) * (at - before) / (after - before)

    def largest(self, way: str, begin: int, end: int) -> int:
        """The largest poll rate that overlaps an interval."""
        moved = self.into if way == "into" else self.out
        first, last = bisect_right(self.polls, begin), bisect_left(self.polls, end)
        return max((_rate(self.polls, moved, n) for n in range(max(1, first), min(last + 1, len(moved)))), default=0)


def _running(values: list[int]) -> list[int]:
    total, sums = 0, []
    for value in values:
        total += value
        sums.append(total)
    return sums


def _rate(polls: list[int], moved: list[int], place: int) -> int:
    return round(moved[place] / (polls[place] - polls[place - 1]))


def make_traffic(station: Station, day: Day, settings: Settings) -> Traffic:
    """Blocks of activity and idleness; on the logged day of a logged station, what its transfers moved."""
    rng = Random(f"{settings.seed} {station.name}")
    if not settings.faults and station.role == "migration":
        station = replace(station, out_mb_s=station.in_mb_s)  # what comes in goes out
    polls = list(range(FIRST_POLL_S, LAST_POLL_S + 1, POLL_S))
    into = [0] + [_background(rng) for _ in polls[1:]]
    out = [0] + [_background(rng) for _ in polls[1:]]
    is_logged = station.name in LOGGED
    if is_logged:
        _spread(day.transfers(station.name, "read"), polls, into)
        _spread(day.transfers(station.name, "write"), polls, out)
    logged_bins = _active_bins(polls, into, _DAY_S, BINS_A_DAY) if is_logged else 0
    n_bins = WEEK_BINS - (BINS_A_DAY if is_logged else 0)
    n_active = round(settings.duty[station.name] * WEEK_BINS) - logged_bins
    week = _plan_bins(rng, n_bins, n_active)
    before = (_WEEK_S - FIRST_POLL_S) // BIN_S
    earlier = _plan_bins(rng, before, round(settings.duty[station.name] * before * (0.8 + 0.2 * rng.random())))
    for begin, length in _runs(earlier):
        _activity(rng, station, polls, (into, out), _WEEK_S - (before - begin) * BIN_S, length)
    for begin, length in _runs(week):
        _activity(rng, station, polls, (into, out), _WEEK_S + begin * BIN_S, length)
    if not is_logged and not n_active:
        _blips(rng, polls, into)
    return Traffic(polls, into, out)


def _background(rng: Random) -> int:
    """Some kB a second of mail, monitoring and time services."""
    return int((2_000 + 14_000 * rng.random() ** 2) * POLL_S)


def _spread(transfers: list[Transfer], polls: list[int], moved: list[int]) -> None:
    """Give each transfer's bytes to the poll intervals in which it ran, evenly over its time."""
    for transfer in transfers:
        length = transfer.end - transfer.start
        place = bisect_left(polls, -(-transfer.start // SECOND))
        while place < len(polls):
            begin = max(transfer.start, polls[place - 1] * SECOND)
            end = min(transfer.end, polls[place] * SECOND)
            moved[place] += transfer.moved_bytes * max(0, end - begin) // length
            if transfer.end <= polls[place] * SECOND:
                break
            place += 1


def _active_bins(polls: list[int], moved: list[int], begin: int, n_bins: int) -> int:
    traffic = Traffic(polls, moved, moved)
    return sum(traffic.mean("into", begin + n * BIN_S, begin + (n + 1) * BIN_S) > 5 * MB for n in range(n_bins))


def _plan_bins(rng: Random, n_bins: int, n_active: int) -> list[bool]:
    """Half-hour bins with exactly `n_active` busy ones, in runs of some hours."""
    if n_active <= 0:
        return [False] * n_bins
    n_runs = max(1, min(n_active // 8, n_bins - n_active, 9))
    busy = _parts(rng, n_active, n_runs, 4)
    idle = _parts(rng, n_bins - n_active, n_runs + 1, 1)
    bins: list[bool] = []
    for place in range(n_runs):
        bins += [False] * idle[place] + [True] * busy[place]
    return bins + [False] * idle[-1]


def _parts(rng: Random, total: int, n_parts: int, least: int) -> list[int]:
    """A whole number cut at random into parts of at least `least`, as far as it reaches."""
    least = min(least, total // n_parts)
    cuts = sorted(rng.randrange(total - n_parts * least + 1) for _ in range(n_parts - 1))
    edges = [0, *cuts, total - n_parts * least]
    return [edges[n + 1] - edges[n] + least for n in range(n_parts)]


def _runs(bins: list[bool]) -> list[tuple[int, int]]:
    """Begin and length of each run of busy bins."""
    runs: list[tuple[int, int]] = []
    for place, is_busy in enumerate(bins):
        if is_busy and runs and sum(runs[-1]) == place:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif is_busy:
            runs.append((place, 1))
    return runs


def _activity(
    rng: Random, station: Station, polls: list[int], ways: tuple[list[int], list[int]], begin: int, length: int
) -> None:
    """A run of busy half-hours: data come in first, go out a little later, each half-hour at a level of its own."""
    into, out = ways
    end = begin + length * BIN_S - rng.randrange(200, 500)
    begin += rng.randrange(200, 500)
    level = rng.random()
    level_bin = -1
    is_out = True
    place = bisect_left(polls, begin + 1)
    while place < len(polls) and polls[place - 1] < end:
        seconds = min(end, polls[place]) - max(begin, polls[place - 1])
        if polls[place] // BIN_S != level_bin:
            level_bin = polls[place] // BIN_S
            level = min(1.0, max(0.0, level + 0.6 * (rng.random() - 0.5)))
            is_out = rng.random() > 0.06
        into[place] += int(_between(station.in_mb_s, level, rng) * MB * seconds)
        if is_out and polls[place - 1] > begin + 600:
            out[place] += int(_between(station.out_mb_s, level, rng) * MB * seconds)
        place += 1


def _between(limits: tuple[float, float], level: float, rng: Random) -> float:
    low, high = limits
    return (low + (high - low) * level) * (0.97 + 0.06 * rng.random())


def _blips(rng: Random, polls: list[int], into: list[int]) -> None:
    """An idle station is not silent: now and then a user copies a file of a gigabyte or two."""
    for _ in range(6):
        into[1 + rng.randrange(len(into) - 1)] += int((0.8 + 1.4 * rng.random()) * 1e9)


def rows(traffic: Traffic) -> list[tuple[int, int, int, int, int]]:
    """Rate rows newest first, in the switch's directions: its `in` is the station's out."""
    times = _row_times(traffic.polls[-1], traffic.polls[-2])
    return [_row(traffic, end, begin) for end, begin in zip(times, [*times[1:], times[-1] - 86400], strict=True)]


def _row_times(last: int, before: int) -> list[int]:
    times = [last, before]
    at = before
    for step, count in TIERS:
        for _ in range(count):
            at = (at - 1) // step * step
            times.append(at)
    return times


def _row(traffic: Traffic, end: int, begin: int) -> tuple[int, int, int, int, int]:
    if end <= traffic.polls[0]:
        return end, 0, 0, 0, 0
    means = [int(traffic.mean(way, begin, end) + 1e-6) for way in ("out", "into")]
    largest = [traffic.largest(way, begin, end) for way in ("out", "into")]
    return end, means[0], means[1], max(means[0], largest[0]), max(means[1], largest[1])


def log_text(traffic: Traffic, settings: Settings, station: Station) -> str:
    """The whole log file; its first line holds the switch's 64-bit counters at the last poll."""
    rng = Random(f"{settings.seed} counters {station.name}")
    counters = [rng.randrange(10**14) + sum(moved) for moved in (traffic.out, traffic.into)]
    lines = [f"{traffic.polls[-1]} {counters[0]} {counters[1]}"]
    lines += [" ".join(map(str, row)) for row in rows(traffic)]
    return "\n".join(lines) + "\n"


def week_bins(traffic: Traffic, way: str = "into") -> list[float]:
    """Bytes a second of every half-hour of the observed week."""
    return [traffic.mean(way, at, at + BIN_S) for at in range(_WEEK_S, _END_S, BIN_S)]
