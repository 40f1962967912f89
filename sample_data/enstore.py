"""The Enstore log of the day, line by line: movers, library manager, media changer, encp."""

from collections.abc import Iterator

from sample_data.facts import (
    READ_HEADER,
    WRITE_HEADER,
    WRITE_TRAILER,
    Day,
    MountFailure,
    Session,
    Ticket,
    Transfer,
    fqdn,
    us,
)
from sample_data.story import DAY, OFFSET, SECOND, STAGER, Drive

MIB = 2**20
MANAGER_HOST, MANAGER_PID = fqdn("stkensrv2"), 12001
CHANGER_HOST, CHANGER_PID = fqdn("stkensrv3"), 12002

# An instant, the order within it, and the line (or lines) without their clock.
Entry = tuple[int, int, str]


def clock(at: int) -> str:
    seconds = (at + OFFSET) % DAY // SECOND
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def head(host: str, pid: int, user: str, severity: str, name: str) -> str:
    return f"{host:<8} {pid:06d} {user:<.8} {severity} {name}  "


def epoch(at: int) -> str:
    """An instant as Python 2 prints an epoch of microsecond resolution."""
    return f"{at // SECOND}.{at % SECOND:06d}".rstrip("0").ljust(len(str(at // SECOND)) + 2, "0")


class LogBook:
    """Entries as they arrive; `text` gives the file."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._queued: set[str] = set()
        self._mover_pid: dict[str, int] = {}

    def add(self, at: int, text: str) -> None:
        self.entries.append((at, len(self.entries), text))

    def text(self) -> Iterator[str]:
        for at, _, text in sorted(self.entries):
            yield f"{clock(at)} {text}\n"

    def write_day(self, day: Day) -> None:
        for down in day.downs:
            self._down(down.drive, down.from_at, down.to_at)
        for failure in day.mount_failures:
            self._mount_failure(failure)
        for session in day.sessions:
            self._session(session)

    # --- who speaks

    def mover(self, at: int, drive: Drive, message: str, thread: str, severity: str = "I", pid: int = 0) -> None:
        sender = head(fqdn(drive.mover_host), pid or drive.mover_pid, "root", severity, drive.logname)
        self.add(at, f"{sender}{message} Thread {thread}")

    def manager(self, at: int, drive: Drive, message: str) -> None:
        name = "LTO2LM" if drive.generation == "LTO-2" else "LTO4LM"
        name = "PICLTO4LM" if drive.station == STAGER else name
        self.add(at, head(MANAGER_HOST, MANAGER_PID, "enstore", "I", name) + message)

    def changer(self, at: int, message: str, severity: str = "I") -> None:
        self.add(at, head(CHANGER_HOST, CHANGER_PID, "enstore", severity, "STKMC") + message + " Thread MainThread")

    # --- lines of the log

    def _down(self, drive: Drive, begin: int, end: int) -> None:
        self.mover(begin, drive, "mover is set OFFLINE", "MainThread")
        self.mover(end, drive, f"starting mover {drive.mover}. MAX_BUFFER=2500 MB", "MainThread")
        self.mover(end + us(0.4), drive, "Starting in state IDLE", "MainThread")

    def _request(self, drive: Drive, volume_family: str, label: str, ticket: Ticket, at: int, is_first: bool) -> None:
        """The request enters the queue (once), is given to the mover, and the mover calls the client."""
        work = "read_from_hsm" if ticket.mode == "read" else "write_to_hsm"
        if ticket.unique_id not in self._queued:
            self._queued.add(ticket.unique_id)
            self._enqueue(drive, volume_family, ticket)
        word = "work" if is_first else "next work"
        message = f"{work} {word} on vol={label} mover={drive.mover} requester:{ticket.user}"
        self.manager(ticket.dequeued, drive, message)
        hello = "READ FROM HSM" if ticket.mode == "read" else "WRITE_TO_HSM"
        self.mover(at, drive, hello, "MainThread")
        self.mover(at, drive, f"SENDING {_ticket(ticket, label, volume_family)}", "client_connect_thread")

    def _enqueue(self, drive: Drive, family: str, ticket: Ticket) -> None:
        group, name, _ = family.split(".")
        library = "CD-LTO2" if drive.generation == "LTO-2" else "CD-LTO4"
        if ticket.mode == "read":
            message = (
                f"read Q'd {ticket.tape_path} ({ticket.unique_id}) -> {ticket.disk_path} : "
                f"library={library} family={family} requester:{ticket.user}"
            )
        else:
            message = (
                f"write Q'd {ticket.disk_path} ({ticket.unique_id}) -> {ticket.tape_path} : "
                f"library={library} family={name} requester:{ticket.user} volume_family:{family}"
            )
        if ticket.unique_id.endswith("-0"):
            added = f"MSG_TYPE=ADD_TO_LMQ  request added to pending queue for storage group : {group}"
            self.manager(ticket.queued, drive, added)
        self.manager(ticket.queued, drive, message)

    def _load(self, drive: Drive, label: str, at: int) -> None:
        message = f"MSG_TYPE=MC_LOAD_REQ  mounting {label} {drive.product} {clock(at)}"
        self.mover(at, drive, message, "media_thread")
        self.changer(at + us(0.3), f"PROCESSING mount {label} {drive.address}")

    def _mount_failure(self, failure: MountFailure) -> None:
        drive, label = failure.drive, failure.volume.label
        self._request(drive, failure.volume.family, label, failure.ticket, failure.request, is_first=True)
        self._load(drive, label, failure.load_requested)
        status = "('MOUNTFAILED', 1, 'drive did not load the cartridge')"
        self.changer(failure.failed - us(0.3), f"FINISHED mount {label} {drive.address} returned {status}", "E")
        self.mover(failure.failed, drive, f"mount {label}: {status}", "media_thread", "E")

    def _session(self, session: Session) -> None:
        drive, label = session.drive, session.volume.label
        for moved in session.transfers:
            self._request(drive, session.volume.family, label, moved.ticket, moved.request, moved.is_first)
            if moved.is_first:
                self._mount(session)
            if moved.ticket.mode == "read":
                self._read(session, moved)
            else:
                self._write(session, moved)
        self._dismount(session)

    def _mount(self, session: Session) -> None:
        drive, label = session.drive, session.volume.label
        self._load(drive, label, session.load_requested)
        status = f"('ok', 0, '{label} mounted')"
        self.changer(session.loaded - us(0.3), f"FINISHED mount {label} {drive.address} returned {status}")
        message = f"MSG_TYPE=MC_LOAD_DONE  mounted {label} {drive.product} {clock(session.loaded)}"
        self.mover(session.loaded, drive, message, "media_thread")

    def _dismount(self, session: Session) -> None:
        drive, label = session.drive, session.volume.label
        self.mover(session.eject, drive, "Updating stats", "media_thread")
        self.mover(session.eject, drive, "Ejecting tape", "media_thread")
        self.mover(session.ejected, drive, "Tape is ejected", "media_thread")
        self.mover(session.ejected, drive, f"dismounting {label}", "media_thread")
        self.changer(session.ejected + us(0.3), f"PROCESSING dismount {label} {drive.address}")
        status = f"('ok', 0, '{label} dismounted')"
        done = session.dismounted
        self.changer(done - us(0.3), f"FINISHED dismount {label} {drive.address} returned {status}")
        self.mover(done, drive, f"dismounted {label} {drive.product} {clock(done)}", "media_thread")

    def _position(self, drive: Drive, moved: Transfer) -> None:
        target = f"tape position: target {moved.ticket.number} current {moved.current} {moved.current_block}"
        self.mover(moved.position_from, drive, target, "seek_thread")
        for at, count in moved.skips:
            self.mover(at, drive, f"skip_fm {count}", "seek_thread")

    def _write(self, session: Session, moved: Transfer) -> None:
        drive, label, thread = session.drive, session.volume.label, "tape_thread"
        size, behind = moved.tape_bytes, moved.address + moved.n_blocks + 1
        self._position(drive, moved)
        self.mover(moved.start, drive, f"write_tape starting, bytes_to_write={size}", thread)
        where = f"Tape {label} absolute location in blocks"
        self.mover(moved.start, drive, f"Write starting. {where} {moved.address}", thread)
        wrapper = f"header {WRITE_HEADER} trailer {WRITE_TRAILER}"
        self.mover(moved.end, drive, f"written bytes {size}/{size}, blocks {moved.n_blocks} {wrapper}", thread)
        self.mover(moved.filemark, drive, f"filemarks written. {where} {behind}", thread)
        timing = (
            f"write_tape timing:pull {moved.buffer_s:.12g} write {moved.call_s:.12g} crc_check {moved.checksum_s:.12g} "
            f"freespace {moved.space_s:.12g} block_write {moved.block_s:.12g} idle {moved.idle_s:.12g}"
        )
        self.mover(moved.filemark, drive, timing, thread)
        self.mover(moved.filemark, drive, _drive_stats("write", label, moved, behind), thread)
        self.mover(
            moved.complete, drive, f"transfer complete volume={label} location={moved.ticket.number + 1}", thread
        )
        self._done(session, moved, thread)

    def _read(self, session: Session, moved: Transfer) -> None:
        drive, label = session.drive, session.volume.label
        size = moved.tape_bytes
        self._position(drive, moved)
        begun = f"read_tape starting, bytes_to_read={moved.ticket.file_bytes}"
        self.mover(moved.start, drive, begun, "tape_thread")
        if moved.failed:
            self._read_failure(session, moved)
            return
        got = f"read bytes {size}/{size}, blocks {moved.n_blocks} header {READ_HEADER}"
        self.mover(moved.end, drive, got, "tape_thread")
        behind = moved.address + moved.n_blocks
        self.mover(moved.end, drive, _drive_stats("read", label, moved, behind), "tape_thread")
        timing = (
            f"read_tape timing:get_space {moved.space_s:.12g} read {moved.call_s:.12g} "
            f"crc_check {moved.checksum_s:.12g} push {moved.buffer_s:.12g} block_read {moved.block_s:.12g} "
            f"idle {moved.idle_s:.12g}"
        )
        self.mover(moved.end, drive, timing, "tape_thread")
        done = f"transfer complete volume={label} location={moved.ticket.number}"
        self.mover(moved.complete, drive, done, "net_thread")
        self._done(session, moved, "net_thread")

    def _read_failure(self, session: Session, moved: Transfer) -> None:
        drive, number = session.drive, moved.ticket.number
        message = f"Read failed. Current Location {number} Previous location {moved.current}"
        self.mover(moved.end, drive, message, "tape_thread", "E")
        error = "READ_ERROR (5, 'FTT_EIO', 'ftt_read: I/O error') DRIVE"
        message = f"transfer failed {error} volume={session.volume.label} location={number} thread tape_thread"
        self.mover(moved.complete, drive, message, "tape_thread", "E")

    def _done(self, session: Session, moved: Transfer, thread: str) -> None:
        drive, at = session.drive, moved.complete
        ticket = _ticket(moved.ticket, session.volume.label, session.volume.family, moved)
        self.mover(at + us(0.02), drive, f"Sending done to client: {ticket}", thread)
        self.mover(at + us(0.04), drive, "Done is sent", thread)
        self._encp(session, moved)

    def _encp(self, session: Session, moved: Transfer) -> None:
        ticket, drive = moved.ticket, session.drive
        at = moved.complete + us(0.15)
        size = ticket.file_bytes / MIB
        seconds = (moved.end - moved.start) / SECOND
        transfer, on_tape = size / (seconds + 0.05), size / _media_s(moved)
        overall = size / ((at - moved.request) / SECOND)
        paths = (ticket.tape_path, ticket.disk_path) if ticket.mode == "read" else (ticket.disk_path, ticket.tape_path)
        work, way = ("read_from_hsm", "from") if ticket.mode == "read" else ("write_to_hsm", "to")
        rates = (
            f"{transfer:.3g} MB/S ({transfer:.3g} MB/S network) ({on_tape:.3g} MB/S drive) ({transfer:.3g} MB/S disk)"
        )
        vendor = "HP" if drive.station == STAGER else "IBM"
        more = (
            f"{{'storage_group': '{session.volume.storage_group}', 'encp_ip': '{ticket.ip}', "
            f"'unique_id': '{ticket.unique_id}', 'overall_rate': {overall:.6f}, 'network_rate': {transfer:.6f}, "
            f"'drive_rate': {on_tape:.6f}, 'disk_rate': {transfer:.6f}, 'transfer_rate': {transfer:.6f}}}"
        )
        message = (
            f"MSG_TYPE=ENCP_XFER    {work} {paths[0]} -> {paths[1]}: {ticket.file_bytes} bytes copied {way} "
            f"{session.volume.label} at {rates} mover={drive.mover} drive_id={drive.product} drive_sn={drive.serial} "
            f"drive_vendor={vendor} elapsed={(at - ticket.t0) / SECOND:.5g} {more}"
        )
        self.add(at, head(ticket.client, ticket.pid, ticket.user, "I", "ENCP") + message)


def _media_s(moved: Transfer) -> float:
    """Enstore's drive_transfer_time: block calls, and on writes the file mark."""
    return moved.block_s + ((moved.filemark - moved.end) / SECOND if moved.filemark else 0.0)


def _drive_stats(mode: str, label: str, moved: Transfer, behind: int) -> str:
    """Before July 2010: error counters since mount, tape_rate over the whole block loop."""
    errors = moved.errors if mode == "write" else 0
    return (
        f"drive stats after {mode}. Tape {label} position {moved.ticket.number} block 0 block_size 0 bloc_loc {behind} "
        f"tot_blocks 762939000 BOT 0 read_err 0 write_err {errors} bytes {moved.tape_bytes} "
        f"block_{mode}_tot {moved.block_s:.12g} tape_rate {moved.tape_bytes / moved.block_s:.12g}"
    )


def _ticket(ticket: Ticket, label: str, family: str, moved: Transfer | None = None) -> str:
    """The ticket as a Python 2 dictionary; with its times once the file is done."""
    work = "read_from_hsm" if ticket.mode == "read" else "write_to_hsm"
    times = f"'t0': {epoch(ticket.t0)}, 'job_queued': {epoch(ticket.queued)}, 'lm_dequeued': {epoch(ticket.dequeued)}"
    if moved is not None:
        media = f"{_media_s(moved):.6f}"
        times += (
            f", 'seek_time': {(moved.start - moved.request) / SECOND:.6f}, "
            f"'transfer_time': {(moved.complete - moved.start) / SECOND:.6f}, "
            f"'drive_transfer_time': {media}, 'drive_call_time': {moved.call_s:.6f}"
        )
    is_known = moved is not None or ticket.mode == "read"
    cookie = f"0000_000000000_{ticket.number:07d}" if is_known else ""
    group = family.split(".", maxsplit=1)[0]
    family = "" if moved is not None else f", 'vc': {{'volume_family': '{family}', 'storage_group': '{group}'}}"
    status = ", 'status': ('ok', None)" if moved is not None else ""
    return (
        f"{{'work': '{work}', 'unique_id': '{ticket.unique_id}', 'times': {{{times}}}, "
        f"'fc': {{'external_label': '{label}', 'location_cookie': '{cookie}', 'size': {ticket.file_bytes}L}}"
        f"{family}{status}}}"
    )
