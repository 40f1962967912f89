"""What is run again and what came of it: mounts with their files, outages, changes; hours and rates of drives."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

Mode = Literal["read", "write"]


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
