"""What drives and stations would have done: recorded work run again, by discrete events, as it was or with changes.

Work is a list of mounts. Each was asked for at some second, needs a drive of its kind and its volume, takes seconds
until its first block and after its last, and moves files one after the other. A file has MB, the seconds it moved, and
before it the seconds in which the client asked for nothing (`think_s`), those of dialogues and databases (`gap_s`), and
those of the tape itself, motion and marks (`tape_s`). Mounts are
served in the order in which they were asked for; a client asks for a file so long after the last but `depth` as it did
after the last. Without changes this is the recorded week again, but for who waits for whom.

Changes: number of drives of a kind; an upper end of those dialogues; a factor on the speed; requests a client keeps
queued; mounts that read or write at a station at once (instances x inputs, instances x outputs); what may pass a
station's disks (in and out together) and its link (each direction); chunks to be collected before a mount that writes;
all mounts asked for at once; and writes that wait until their station has read as much. Streams share what is limited
fairly: each gets the same, or what it can use (max-min).

Outputs: hours of drives, rates, waits and the end of the work. Limits: speeds and waits within files are those
recorded, with the contention they had; volumes go back to no slot and robots are never short; nothing fails but what
failed. Built on SimPy. MB = 10^6 bytes, seconds.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import simpy

Mode = Literal["read", "write"]
Steps = Generator[simpy.Event, Any, None]
_DONE_MB = 1e-6


@dataclass(frozen=True)
class File:
    """One file: MB (nothing where it failed), the seconds it moved, and what passed before it."""

    mb: float
    moving_s: float
    gap_s: float = 0.0
    think_s: float = 0.0
    tape_s: float = 0.0


@dataclass(frozen=True)
class Mount:
    """One mount: when it was asked for, of what kind the drive is, and what had to be done."""

    kind: str
    mode: Mode
    files: tuple[File, ...]
    asked_s: float = 0.0
    station: str = ""
    volume: str = ""
    lead_s: float = 0.0
    tail_s: float = 0.0

    @property
    def moved_mb(self) -> float:
        return sum(file.mb for file in self.files)


@dataclass(frozen=True)
class Outage:
    """A drive of a kind that could not be used."""

    kind: str
    from_s: float
    to_s: float


@dataclass(frozen=True)
class Work:
    """What is run: mounts, outages, and how many drives of each kind there are."""

    mounts: tuple[Mount, ...]
    drives: dict[str, int]
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        kinds = {mount.kind for mount in self.mounts}
        if lacking := sorted(kind for kind in kinds if self.drives.get(kind, 0) < 1):
            raise ValueError(f"there is no drive of kind {lacking[0]!r}")


@dataclass(frozen=True)
class Changes:
    """What is different; a field left alone changes nothing."""

    drives: dict[str, int] = field(default_factory=dict)
    gap_s: float | None = None
    speed: float = 1.0
    depth: int = 1
    instances: int = 1
    inputs: int | None = None
    outputs: int | None = None
    disk_mb_s: float | None = None
    link_mb_s: float | None = None
    chunk_gb: float | None = None
    at_once: bool = False
    writes_wait_for_reads: bool = False

    def __post_init__(self) -> None:
        above = (self.speed, self.depth, self.instances, self.inputs, self.outputs, self.disk_mb_s, self.link_mb_s)
        if any(one is not None and one <= 0 for one in (*above, self.chunk_gb, *self.drives.values())):
            raise ValueError("numbers of a change must be above nothing")
        if self.gap_s is not None and self.gap_s < 0:
            raise ValueError("a gap cannot be below nothing")
        if self.instances > 1 and self.inputs is None and self.outputs is None:
            raise ValueError("instances need inputs or outputs: what one of them reads from and writes to at once")


@dataclass
class Use:
    """What one kind of drive did in one direction."""

    n_mounts: int = 0
    moved_mb: float = 0.0
    busy_s: float = 0.0
    waited_s: float = 0.0
    ended_s: float = 0.0

    @property
    def rate_mb_s(self) -> float:
        """MB a second of a drive in use, mounts and gaps and pauses included."""
        return self.moved_mb / self.busy_s if self.busy_s else 0.0

    def add(self, mount: Mount, begun: float, ended: float) -> None:
        self.n_mounts += 1
        self.moved_mb += mount.moved_mb
        self.busy_s += ended - begun
        self.waited_s += begun - mount.asked_s
        self.ended_s = max(self.ended_s, ended)


Uses = dict[tuple[str, str], Use]


@dataclass(frozen=True)
class Outcome:
    """Uses by kind and direction; what never ended, for it waited for what never came."""

    uses: Uses
    n_stuck: int = 0

    def rate(self, mode: Mode) -> float:
        """MB a second of one direction from the beginning to its end, all drives together."""
        both = [use for (_, direction), use in self.uses.items() if direction == mode]
        end = max((use.ended_s for use in both), default=0.0)
        return sum(use.moved_mb for use in both) / end if end else 0.0

    @property
    def ended_s(self) -> float:
        return max((use.ended_s for use in self.uses.values()), default=0.0)


def simulate(work: Work, changes: Changes | None = None) -> Outcome:
    """Run the work, changed or as it was. Raises ValueError for drives of a kind that has no work."""
    made = changes or Changes()
    if strange := sorted(set(made.drives) - set(work.drives)):
        raise ValueError(f"no work is for drives of kind {strange[0]!r}; there are {', '.join(sorted(work.drives))}")
    return _Run(work, made).outcome()


class _Stream:
    """A file under way: what is left of it, and what it could use."""

    __slots__ = ("done", "left_mb", "most_mb_s", "now_mb_s", "reads")

    def __init__(self, done: simpy.Event, mb: float, most_mb_s: float, reads: bool) -> None:
        self.done, self.left_mb, self.most_mb_s, self.reads = done, mb, most_mb_s, reads
        self.now_mb_s = 0.0


class _Station:
    """Streams that share a station's disks and link, and the data it holds for writing."""

    def __init__(self, env: simpy.Environment, changes: Changes) -> None:
        self.env, self.disk, self.link = env, changes.disk_mb_s, changes.link_mb_s
        self.streams: list[_Stream] = []
        self.at, self.turn = 0.0, 0
        self.held_mb = 0.0
        self.waiting: list[tuple[float, simpy.Event]] = []
        slots = {"read": changes.inputs, "write": changes.outputs}
        self.slots = {m: simpy.Resource(env, changes.instances * n) for m, n in slots.items() if n is not None}

    def move(self, mb: float, most_mb_s: float, reads: bool) -> simpy.Event:
        if self.disk is None and self.link is None:
            return self.env.timeout(mb / most_mb_s)
        stream = _Stream(self.env.event(), mb, most_mb_s, reads)
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
        for stream in [stream for stream in self.streams if stream.left_mb <= _DONE_MB]:
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

    def _look(self, turn: int) -> None:
        if turn == self.turn:
            self._advance()
            self._share()

    def read(self, mb: float) -> None:
        """So much more lies here; those who wait longest take first."""
        self.held_mb += mb
        while self.waiting and self.waiting[0][0] <= self.held_mb + _DONE_MB:
            wanted, event = self.waiting.pop(0)
            self.held_mb -= wanted
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


class _Run:
    """One run of the work."""

    def __init__(self, work: Work, changes: Changes) -> None:
        self.env = simpy.Environment()
        self.changes = changes
        self.uses: Uses = defaultdict(Use)
        numbers = work.drives | changes.drives
        self.drives = {kind: simpy.PriorityResource(self.env, n) for kind, n in numbers.items()}
        self.volumes: dict[str, simpy.Resource] = defaultdict(lambda: simpy.Resource(self.env, 1))
        self.stations: dict[str, _Station] = defaultdict(lambda: _Station(self.env, changes))
        mounts = chunked(work.mounts, changes.chunk_gb) if changes.chunk_gb else work.mounts
        self.n_mounts = len(mounts)
        for mount in sorted(mounts, key=lambda one: one.asked_s):
            self.env.process(self._serve(replace(mount, asked_s=0.0) if changes.at_once else mount))
        for outage in work.outages:
            self.env.process(self._withhold(outage))

    def outcome(self) -> Outcome:
        self.env.run()
        return Outcome(dict(self.uses), self.n_mounts - sum(use.n_mounts for use in self.uses.values()))

    def _withhold(self, outage: Outage) -> Steps:
        yield self.env.timeout(max(0.0, outage.from_s))
        with self.drives[outage.kind].request(priority=-1) as drive:
            yield drive
            yield self.env.timeout(max(0.0, outage.to_s - self.env.now))

    def _serve(self, mount: Mount) -> Steps:
        env, station = self.env, self.stations[mount.station]
        yield env.timeout(mount.asked_s)
        held: list[tuple[simpy.Resource, Any]] = []
        wanted: list[simpy.Resource] = [self.drives[mount.kind]]
        if mount.mode in station.slots:
            wanted.insert(0, station.slots[mount.mode])
        if mount.volume:
            wanted.insert(0, self.volumes[mount.volume])
        for resource in wanted:
            request = resource.request()
            held.append((resource, request))
            yield request
        begun = env.now
        yield env.timeout(mount.lead_s)
        yield from self._files(mount, station)
        yield env.timeout(mount.tail_s)
        for resource, request in held:
            resource.release(request)
        self.uses[mount.kind, mount.mode].add(mount, begun, env.now)

    def _files(self, mount: Mount, station: _Station) -> Steps:
        env, reads = self.env, mount.mode == "read"
        ends = [env.now] * self.changes.depth  # of the files before, the oldest first
        for file in mount.files:
            yield env.timeout(max(0.0, ends.pop(0) + file.think_s - env.now))
            gap = file.gap_s if self.changes.gap_s is None else min(file.gap_s, self.changes.gap_s)
            yield env.timeout(gap + file.tape_s)
            if self.changes.writes_wait_for_reads and not reads:
                yield station.take(file.mb)
            if file.mb and file.moving_s:
                yield station.move(file.mb, file.mb / file.moving_s * self.changes.speed, reads)
            else:
                yield env.timeout(file.moving_s)
            if reads:
                station.read(file.mb)
            ends.append(env.now)


def chunked(mounts: Iterable[Mount], chunk_gb: float) -> list[Mount]:
    """Mounts that write, made anew of at least so many GB each, of one station and kind; they begin when all is there.

    What is left at the end is a mount of its own. Pauses of clients within a mount are gone: the data lie there.
    """
    kept: list[Mount] = []
    collected: dict[tuple[str, str], list[Mount]] = defaultdict(list)
    for mount in sorted(mounts, key=lambda one: one.asked_s):
        if mount.mode == "read":
            kept.append(mount)
        else:
            collected[mount.kind, mount.station].append(mount)
    for group in collected.values():
        files = [(mount, replace(file, think_s=0.0)) for mount in group for file in mount.files]
        batch: list[File] = []
        batch_mb = 0.0
        for place, (mount, file) in enumerate(files):
            batch.append(file)
            batch_mb += file.mb
            if batch_mb >= chunk_gb * 1000 or place == len(files) - 1:
                kept.append(replace(mount, files=tuple(batch), volume=""))
                batch, batch_mb = [], 0.0
    return kept
