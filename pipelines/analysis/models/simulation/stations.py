"""Streams that share a station's disks and link."""

from collections.abc import Sequence
from typing import Any

import simpy

from pipelines.analysis.models.simulation.work import Changes

_DONE_MB = 1e-6


class Stream:
    """A file under way: what is left of it, and what it could use."""

    __slots__ = ("done", "left_mb", "most_mb_s", "now_mb_s", "reads")

    def __init__(self, done: simpy.Event, mb: float, most_mb_s: float, reads: bool) -> None:
        self.done, self.left_mb, self.most_mb_s, self.reads = done, mb, most_mb_s, reads
        self.now_mb_s = 0.0


class Station:
    """Streams that share a station's disks and link, and the data it holds for writing."""

    def __init__(self, env: simpy.Environment, changes: Changes) -> None:
        self.env, self.disk, self.link = env, changes.disk_mb_s, changes.link_mb_s
        self.streams: list[Stream] = []
        self.at, self.turn = 0.0, 0
        self.held_mb = 0.0
        self.waiting: list[tuple[float, simpy.Event]] = []
        slots = {"read": changes.inputs, "write": changes.outputs}
        self.slots = {m: simpy.Resource(env, changes.instances * n) for m, n in slots.items() if n is not None}

    def move(self, mb: float, most_mb_s: float, reads: bool) -> simpy.Event:
        if self.disk is None and self.link is None:
            return self.env.timeout(mb / most_mb_s)
        stream = Stream(self.env.event(), mb, most_mb_s, reads)
        self._advance()
        self.streams.append(stream)
        self._share()
        return stream.done

    def _advance(self) -> None:
        passed, self.at = self.env.now - self.at, self.env.now
        for stream in self.streams:
            stream.left_mb -= stream.now_mb_s * passed

    def _share(self) -> None:
        """New rates, and a look again when the first stream ends; older looks are void."""
        for stream in [stream for stream in self.streams if self._is_done(stream)]:
            self.streams.remove(stream)
            stream.done.succeed()
        self.turn += 1
        if not self.streams:
            return
        for stream, rate in zip(self.streams, fair_rates(self.streams, self.disk, self.link), strict=True):
            stream.now_mb_s = rate
        turn = self.turn
        look = self.env.timeout(min(stream.left_mb / stream.now_mb_s for stream in self.streams))
        assert look.callbacks is not None
        look.callbacks.append(lambda _: self._look(turn))

    def _is_done(self, stream: Stream) -> bool:
        """Nothing is left, or so little that the clock would not move on: months have no room for nanoseconds."""
        now = self.env.now
        return stream.left_mb <= _DONE_MB or (stream.now_mb_s > 0 and now + stream.left_mb / stream.now_mb_s <= now)

    def _look(self, turn: int) -> None:
        if turn == self.turn:
            self._advance()
            self._share()

    def read(self, mb: float) -> None:
        """Add data to the station; those who wait longest take first."""
        self.held_mb += mb
        while self.waiting and self.waiting[0][0] <= self.held_mb + _DONE_MB:
            asked_mb, event = self.waiting.pop(0)
            self.held_mb -= asked_mb
            event.succeed()

    def take(self, mb: float) -> simpy.Event:
        event = self.env.event()
        self.waiting.append((mb, event))
        self.read(0.0)
        return event


def fair_rates(streams: Sequence[Any], disk: float | None, link: float | None) -> list[float]:
    """Max-min fair rates of streams with `most_mb_s` and `reads`: all rise alike until they, or their way, are full.

    >>> from types import SimpleNamespace as S
    >>> fair_rates([S(most_mb_s=10.0, reads=True), S(most_mb_s=90.0, reads=True)], 60.0, None)
    [10.0, 50.0]
    """
    limits: list[tuple[float | None, bool | None]] = [(disk, None), (link, True), (link, False)]
    rooms = [(room, [n for n, s in enumerate(streams) if way in (None, s.reads)]) for room, way in limits if room]
    rates = [0.0] * len(streams)
    rising = set(range(len(streams)))
    while rising:
        step = min(streams[n].most_mb_s - rates[n] for n in rising)
        for room, members in rooms:
            if n_rising := sum(n in rising for n in members):
                step = min(step, (room - sum(rates[n] for n in members)) / n_rising)
        for n in rising:
            rates[n] += max(step, 0.0)
        full = {n for room, members in rooms if sum(rates[n] for n in members) >= room - 1e-9 for n in members}
        rising -= full | {n for n in rising if rates[n] >= streams[n].most_mb_s - 1e-9}
    return rates
