"""The work to run again and its outcome: mounts with their files, outages, changes; hours and rates of drives."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from pipelines.analysis.models.simulation.queues import Policy, Read, ReadCosts, Request

Mode = Literal["read", "write"]
MOST_DEPTH = 1_000_000  # requests a client keeps queued: more of them than any site has are a slip
BOUND = 0.1  # share of a file's time that its drive waits from which on the other end sets the pace


@dataclass(frozen=True)
class File:
    """One file: MB (nothing where it failed), the seconds it moved and the waits in them, and what passed before it."""

    mb: float
    moving_s: float
    gap_s: float = 0.0
    think_s: float = 0.0
    tape_s: float = 0.0
    wait_s: float = 0.0  # of moving_s, for data to write or for room to read into

    def moving_at(self, speed: float) -> float:
        """Seconds it moves with a drive that is faster by a factor.

        Where the drive waited for a tenth of the time and more, the other end sets the pace: it gives no more to a
        faster drive. A shorter wait is a start, which stays as it is.

        >>> File(100, 10, wait_s=6).moving_at(2), File(100, 10, wait_s=6).moving_at(0.25), File(100, 10).moving_at(2)
        (10, 16.0, 5.0)
        """
        drive_s = (self.moving_s - self.wait_s) / speed
        return max(self.moving_s, drive_s) if self.wait_s >= BOUND * self.moving_s > 0 else self.wait_s + drive_s


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
    n_asked: int = 1  # mounts that were asked for, where several were made one
    collected_s: float = 0.0  # their waits until the last of them was asked for, in all

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
    """What is run: mounts, outages, how many drives of each kind there are; requests, and what serving them costs."""

    mounts: tuple[Mount, ...]
    drives: dict[str, int]
    outages: tuple[Outage, ...] = ()
    requests: tuple[Request, ...] = ()
    costs: dict[str, ReadCosts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        asked = {request.kind for request in self.requests}
        kinds = {mount.kind for mount in self.mounts} | asked
        if lacking := sorted(kind for kind in kinds if self.drives.get(kind, 0) < 1):
            raise ValueError(f"there is no drive of kind {lacking[0]!r}")
        if lacking := sorted(asked - set(self.costs)):
            raise ValueError(f"the costs of a mount in drives of kind {lacking[0]!r} are unknown")


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
    policy: Policy | None = None

    def __post_init__(self) -> None:
        above = (self.speed, self.depth, self.instances, self.inputs, self.outputs, self.disk_mb_s, self.link_mb_s)
        if any(one is not None and not 0 < one < math.inf for one in (*above, self.chunk_gb, *self.drives.values())):
            raise ValueError("every value of a change except the gap must be a number above 0")
        if self.gap_s is not None and not 0 <= self.gap_s < math.inf:
            raise ValueError("a gap must be a number of seconds, and cannot be negative")
        if self.depth > MOST_DEPTH:
            raise ValueError(f"a client can keep at most {MOST_DEPTH:,} requests queued")
        if self.instances > 1 and self.inputs is None and self.outputs is None:
            raise ValueError(
                "`instances` needs `inputs` or `outputs`: the number of tapes that one migration process reads or"
                " writes at the same time"
            )

    def alone(self) -> "list[Changes]":
        """Each of these changes without the others; inputs and outputs are a ratio, and stay with their instances.

        >>> [one.gap_s for one in Changes(gap_s=2.0, speed=1.5, instances=2, inputs=3, outputs=1).alone()]
        [2.0, None, None]
        """
        together = ("instances", "inputs", "outputs")
        singles = [one.name for one in fields(self) if one.name not in (*together, "drives")]
        made: list[dict[str, Any]] = [{"drives": {kind: number}} for kind, number in self.drives.items()]
        made += [{name: getattr(self, name)} for name in singles]
        made += [{name: getattr(self, name) for name in together}]
        return [one for one in (Changes(**values) for values in made) if one != Changes()]


@dataclass
class Use:
    """What one kind of drive did in one direction."""

    n_mounts: int = 0
    moved_mb: float = 0.0
    busy_s: float = 0.0
    waited_s: float = 0.0
    ended_s: float = 0.0
    done_s: float = 0.0  # when each of the mounts that were asked for was done, in all
    n_asked: int = 0

    @property
    def rate_mb_s(self) -> float:
        """MB a second of a drive in use, mounts and gaps and pauses included."""
        return self.moved_mb / self.busy_s if self.busy_s else 0.0

    def add(self, mount: Mount, begun: float, ended: float) -> None:
        waited_s = mount.n_asked * (begun - mount.asked_s) + mount.collected_s
        self.count(mount.moved_mb, begun, ended, waited_s, mount.n_asked)

    def count(self, mb: float, begun: float, ended: float, waited_s: float, n_asked: int) -> None:
        self.n_mounts += 1
        self.moved_mb += mb
        self.busy_s += ended - begun
        self.waited_s += waited_s
        self.done_s += n_asked * ended
        self.n_asked += n_asked
        self.ended_s = max(self.ended_s, ended)


Uses = dict[tuple[str, str], Use]


@dataclass(frozen=True)
class Outcome:
    """Uses by kind and direction; mounts that never ended, because they waited in vain; the reads of requests."""

    uses: Uses
    n_stuck: int = 0
    reads: dict[str, Read] = field(default_factory=dict)

    def rate(self, mode: Mode) -> float:
        """MB a second of one direction from the beginning to its end, all drives together."""
        both = [use for (_, direction), use in self.uses.items() if direction == mode]
        end = max((use.ended_s for use in both), default=0.0)
        return sum(use.moved_mb for use in both) / end if end else 0.0

    @property
    def ended_s(self) -> float:
        return max((use.ended_s for use in self.uses.values()), default=0.0)


def chunked(mounts: Iterable[Mount], chunk_gb: float) -> list[Mount]:
    """Mounts that write, combined to at least an amount each, of one station and kind; they begin when all is there.

    What is left at the end is a mount of its own. Pauses of clients within a mount are gone: the data are ready.
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
        ended: list[Mount] = []  # whose last file is in the batch
        batch_mb = 0.0
        for place, (mount, file) in enumerate(files):
            batch.append(file)
            batch_mb += file.mb
            if place == len(files) - 1 or files[place + 1][0] is not mount:
                ended.append(mount)
            if batch_mb >= chunk_gb * 1000 or place == len(files) - 1:
                waited = sum(mount.asked_s - one.asked_s for one in ended)
                kept.append(replace(mount, files=tuple(batch), volume="", n_asked=len(ended), collected_s=waited))
                batch, ended, batch_mb = [], [], 0.0
    return kept
