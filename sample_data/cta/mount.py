"""A mount of CTA with its files and times, from which all lines about it follow."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True)
class File:
    """One file of a mount. `moving_s` are calls to the drive, `waiting_s` waits for data or for memory; with an
    `error` it failed when these were over."""

    number: int
    n_bytes: int
    moving_s: float
    position_s: float = 0.0
    waiting_s: float = 0.0
    error: str = ""


@dataclass
class Mount:
    """A tape in a drive; an `empty` one is given up before the robot moves, a `failed` one after `mount_s`.

    The oldest request for it waited `oldest_s`, where known. `hangs_s` after its last file it is killed; `drain_s` pass
    until what was read is on disk.
    """

    drive: str
    volume: str
    at: datetime
    files: list[File]
    mode: str = "read"
    vo: str = "muon"
    pool: str = ""
    disk: str = ""
    media: str = ""
    mount_s: float = 70.0
    label_s: float = 20.0
    unload_s: float = 25.0
    unmount_s: float = 15.0
    flush_s: float = 2.5
    drain_s: float = 0.0
    hangs_s: float = 0.0
    oldest_s: float = 0.0
    alerts: tuple[str, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)
    is_empty: bool = False
    is_failed: bool = False


class Read(NamedTuple):
    """A file that was read, and when its last byte was."""

    mount: Mount
    file: File
    file_id: int
    ended: datetime
