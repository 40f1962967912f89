"""Bytes that pass a station's link: its drives' files, its clients, and what a fault lets flood it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from sample_data import planted
from sample_data.library import Library
from sample_data.story import HOUR, MB, SECOND

STEP = 60 * SECOND  # clients' traffic holds for so long
BEFORE = 50 * HOUR  # of the story: clients were there already
BEHIND = HOUR
WAYS = {"into": "read", "out": "write"}  # what comes from tape comes into the station


class Flows:
    """Traffic of each station and way in minutes of clients' traffic; drives' files are added where they ran."""

    def __init__(self, library: Library) -> None:
        self.library = library
        places = library.places
        self.begin = places.from_at - BEFORE
        self.n_steps = (places.to_at + BEHIND - self.begin) // STEP
        self._clients: dict[tuple[str, str], list[float]] = {}
        self._flooded: dict[tuple[str, str], set[int]] = {}
        self._sums = {(station, way): self._total(station, way) for station in places.stations for way in WAYS}

    def between(self, station: str, way: str, seconds: Sequence[int]) -> list[int]:
        """Bytes between neighbouring instants, given in seconds."""
        sums = [self._sum_to(self._sums[station, way], at * SECOND) for at in seconds]
        return [int(after - before) for before, after in pairwise(sums)]

    def each_second(self, station: str, way: str, begin: int, end: int) -> list[float]:
        """Bytes of each second, never more than the link bears; clients are unsteady within their minute."""
        rng = Random(f"{self.library.scenario.seed} seconds {station} {way} {begin}")
        level, flooded = self._clients[station, way], self._flooded[station, way]
        moved = []
        for at in range(begin, end):
            place = (at * SECOND - self.begin) // STEP
            unsteady = 1.0 if place in flooded else 0.6 + 0.8 * rng.random()
            moved.append(level[place] / 60 * unsteady)
        for transfer in self.library.transfers(station, WAYS[way]):
            if transfer.end <= begin * SECOND or transfer.start >= end * SECOND:
                continue
            rate = transfer.moved_bytes / (transfer.end - transfer.start)
            first, last = max(begin, transfer.start // SECOND), min(end - 1, transfer.end // SECOND)
            for at in range(first, last + 1):
                moved[at - begin] += rate * max(
                    0, min(transfer.end, (at + 1) * SECOND) - max(transfer.start, at * SECOND)
                )
        capacity = self.library.scenario.link_mb_s * MB
        return [min(value, capacity) for value in moved]

    def _total(self, station: str, way: str) -> list[float]:
        """Running sum of bytes by the end of each minute."""
        clients = self._client_bytes(station, way)
        moved = [0.0] * self.n_steps
        for transfer in self.library.transfers(station, WAYS[way]):
            rate = transfer.moved_bytes / (transfer.end - transfer.start)
            first, last = (transfer.start - self.begin) // STEP, (transfer.end - self.begin) // STEP
            for place in range(first, last + 1):
                at = self.begin + place * STEP
                moved[place] += rate * max(0, min(transfer.end, at + STEP) - max(transfer.start, at))
        self._flooded[station, way] = set(self._flood(station, way, clients, moved))
        self._clients[station, way] = clients
        total, sums = 0.0, []
        for own, others in zip(moved, clients, strict=True):
            total += own + others
            sums.append(total)
        return sums

    def _client_bytes(self, station: str, way: str) -> list[float]:
        """A level that wanders between half and one and a half of its mean; what comes in for tapes goes out too."""
        seed = self.library.scenario.seed
        common, own = Random(f"{seed} clients {station}"), Random(f"{seed} clients {station} {way}")
        mean = self.library.scenario.client_mb_s * MB * STEP / SECOND
        level, levels = common.random(), []
        for _ in range(self.n_steps):
            level = min(1.0, max(0.0, level + 0.12 * (common.random() - 0.5)))
            levels.append(mean * (0.5 + level) * (0.9 + 0.2 * own.random()))
        return levels

    def _flood(self, station: str, way: str, clients: list[float], moved: list[float]) -> Iterator[int]:
        """Clients take what the files leave of the link; yields the minutes in which they do."""
        places = self.library.places
        capacity = self.library.scenario.link_mb_s * MB * STEP / SECOND
        rng = Random(f"{self.library.scenario.seed} flood {station} {way}")
        for number, fault in places.of(planted.NetworkCap):
            if places.entity[number] != station or way != "into":
                continue
            for begin, end in places.hours(fault, fault.hours, number):
                for place in range((begin - self.begin) // STEP, (end - self.begin) // STEP):
                    clients[place] = max(0.0, capacity * fault.load * (0.995 + 0.005 * rng.random()) - moved[place])
                    yield place

    def _sum_to(self, sums: list[float], at: int) -> float:
        place, rest = divmod(at - self.begin, STEP)
        if place < 0:
            return 0.0
        before = sums[place - 1] if place else 0.0
        return before + (sums[place] - before) * rest / STEP if place < len(sums) else sums[-1]
