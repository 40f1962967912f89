"""What happened, before anybody wrote it down: sessions, transfers, failures, gaps."""

from dataclasses import dataclass, field
from typing import Any

from sample_data.story import DOMAIN, SECOND, Drive

BLOCK = 131072  # bytes of a tape block
READ_HEADER = 106  # bytes of the wrapper before the data
WRITE_HEADER, WRITE_TRAILER = 103, 409


@dataclass
class Volume:
    """One cartridge; `address` is the logical block after its last file touched."""

    label: str
    storage_group: str
    file_family: str
    library: str
    sizes: list[int] = field(default_factory=list)
    next_number: int = 1
    address: int = 4

    @property
    def family(self) -> str:
        return f"{self.storage_group}.{self.file_family}.cpio_odc"


@dataclass
class Ticket:
    """A client's request for one file."""

    client: str
    ip: str
    user: str
    pid: int
    unique_id: str
    mode: str
    number: int
    file_bytes: int
    tape_path: str
    disk_path: str
    t0: int
    queued: int
    dequeued: int


@dataclass
class Transfer:
    """One file on its way to or from tape; times in order of happening, seconds of the timing line as floats."""

    ticket: Ticket
    volume: Volume
    request: int
    position_from: int
    current: int
    current_block: int
    skips: list[tuple[int, int]]
    start: int
    end: int
    tape_bytes: int
    call_s: float
    buffer_s: float
    checksum_s: float
    space_s: float
    idle_s: float
    filemark: int = 0
    complete: int = 0
    failed: bool = False
    is_first: bool = False
    address: int = 0  # logical block before the file
    errors: int = 0
    moved_bytes: int = 0  # less than the whole where the transfer failed

    @property
    def n_blocks(self) -> int:
        return -(-self.tape_bytes // BLOCK)

    @property
    def block_s(self) -> float:
        return self.call_s + self.buffer_s + self.checksum_s + self.space_s

    @property
    def position_us(self) -> int:
        return self.skips[-1][0] - self.position_from if self.skips else 0


@dataclass
class Session:
    """One volume in one drive, from mount request to dismounted."""

    drive: Drive
    volume: Volume
    load_requested: int
    loaded: int
    transfers: list[Transfer] = field(default_factory=list)
    eject: int = 0
    ejected: int = 0
    dismounted: int = 0


@dataclass
class MountFailure:
    """A try to mount that the robot gave up."""

    drive: Drive
    volume: Volume
    ticket: Ticket
    request: int
    load_requested: int
    failed: int


@dataclass
class Gap:
    """What passed between two files of a session, and the part of it that is judged."""

    drive: Drive
    from_at: int
    to_at: int
    judged_us: int
    bytes_s: float  # drive rate of the file before


@dataclass
class Down:
    """A mover taken out of service and started again."""

    drive: Drive
    from_at: int
    to_at: int


@dataclass
class Day:
    """All that happened on the logged day."""

    sessions: list[Session] = field(default_factory=list)
    mount_failures: list[MountFailure] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    downs: list[Down] = field(default_factory=list)

    def transfers(self, station: str = "", mode: str = "") -> list[Transfer]:
        """Transfers in order of session, failed ones included."""
        return [
            transfer
            for session in self.sessions
            if not station or session.drive.station == station
            for transfer in session.transfers
            if not mode or transfer.ticket.mode == mode
        ]


@dataclass
class Fault:
    """One expected finding."""

    rule: str
    entity: str
    started_at: int
    ended_at: int
    note: str
    lost_hours: float | None = None
    lost_gb_day: float | None = None
    more: dict[str, Any] = field(default_factory=dict)


def fqdn(host: str) -> str:
    return f"{host}.{DOMAIN}"


def us(seconds: float) -> int:
    """Seconds as whole microseconds."""
    return round(seconds * SECOND)
