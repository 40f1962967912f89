"""One drive at work: requests, mounts, files, dismounts. Shared by the stations' drives and the tape-read tests."""

from dataclasses import dataclass, field
from random import Random

from sample_data.facts import (
    BLOCK,
    READ_HEADER,
    WRITE_HEADER,
    WRITE_TRAILER,
    Day,
    Gap,
    MountFailure,
    Session,
    Ticket,
    Transfer,
    Volume,
    fqdn,
    us,
)
from sample_data.story import DAY, MB, SECOND, Drive, Settings

# When positioning began, from which file and block, and the spacing that followed: instants and file marks.
Position = tuple[int, int, int, list[tuple[int, int]]]


@dataclass
class Command:
    """A client process that asks for files one after the other."""

    host: str
    ip: str
    user: str
    pid: int
    n_files: int = 0


@dataclass
class DriveRun:
    """A drive's day, its own random numbers, and the faults that wait for it."""

    drive: Drive
    day: Day
    settings: Settings
    rng: Random
    failures: list[int] = field(default_factory=list)  # instants after which the next read fails
    mount_failures: list[int] = field(default_factory=list)  # failing tries of each mount to come
    n_errors: int = 0

    def between(self, low: float, high: float) -> int:
        """A random time in microseconds, from bounds in seconds."""
        return us(low + (high - low) * self.rng.random())

    def around(self, mean_s: float, sd_s: float) -> int:
        """A bell-shaped time: the sum of twelve even draws, never further than three deviations away."""
        even = sum(self.rng.random() for _ in range(12)) - 6.0
        return us(mean_s + sd_s * max(-3.0, min(3.0, even)))

    def file_bytes(self) -> int:
        """100 MB to 1 GB, larger files more likely."""
        low, high = self.settings.drive.smallest_mb, self.settings.drive.largest_mb
        share = max(self.rng.random(), self.rng.random())
        return int((low + (high - low) * share) * MB)

    def command(self, host: str, ip: str, user: str = "mig") -> Command:
        return Command(host, ip, user, 2000 + self.rng.randrange(28000))

    def ticket(self, command: Command, volume: Volume, size: int, queued: int, dequeued: int) -> Ticket:
        """The command's next file; on reads the next of the volume."""
        mode = "read" if self.drive.generation == "LTO-2" or command.user == "cms" else "write"
        asked = queued - us(0.28)
        host = fqdn(command.host)
        unique_id = f"{host}-{asked // SECOND}-{command.pid}-{command.n_files}"
        command.n_files += 1
        name = f"{volume.label}_{volume.next_number:04d}"
        return Ticket(
            client=host,
            ip=command.ip,
            user=command.user,
            pid=command.pid,
            unique_id=unique_id,
            mode=mode,
            number=volume.next_number,
            file_bytes=size,
            tape_path=f"/pnfs/{volume.storage_group}/{volume.file_family}/{name}",
            disk_path=f"/spool{1 + self.drive.mover_pid % 2}/{name}",
            t0=asked,
            queued=queued,
            dequeued=dequeued,
        )

    def mount(self, ticket: Ticket, volume: Volume, request: int) -> tuple[Session, int, int]:
        """Mount a volume, however many tries it takes: the session, its request, and when positioning may begin."""
        for _ in range(self.mount_failures.pop(0) if self.mount_failures else 0):
            asked = request + self.between(0.1, 0.3)
            failed = asked + self.between(150, 280)
            self.day.mount_failures.append(MountFailure(self.drive, volume, ticket, request, asked, failed))
            request = failed + self.between(60, 120)
            ticket.dequeued = request - us(0.06)
        asked = request + self.between(0.1, 0.3)
        loaded = asked + self.between(30, 60)
        session = Session(self.drive, volume, asked, loaded)
        self.day.sessions.append(session)
        self.n_errors = 0
        return session, request, loaded + self.between(15, 20)

    def seek(self, at: int, volume: Volume, ready: int) -> list[tuple[int, int]]:
        """Space from the label of a fresh mount to a file; far files take longer."""
        far = min(1.0, volume.next_number / 600)
        arrive = ready + (self.between(1, 3) if at == 1 else self.between(8 + 35 * far, 14 + 45 * far))
        return [(arrive, at)]

    def transfer(
        self,
        ticket: Ticket,
        volume: Volume,
        request: int,
        position: Position,
        start: int,
        drive_mb_s: float,
        call_s: float | None = None,
    ) -> Transfer:
        """One file; seconds inside drive calls follow from the drive's rate unless they are given."""
        wrapper = READ_HEADER if ticket.mode == "read" else WRITE_HEADER + WRITE_TRAILER
        tape_bytes = ticket.file_bytes + wrapper
        if call_s is None:
            call_s = tape_bytes / (drive_mb_s * MB) * (0.992 + 0.016 * self.rng.random())
        small = [round(limit * (0.5 + self.rng.random()), 6) for limit in (0.04, 0.02, 0.01, 0.02)]
        call_s = round(call_s, 6)
        moved = Transfer(
            ticket=ticket,
            volume=volume,
            request=request,
            position_from=position[0],
            current=position[1],
            current_block=position[2],
            skips=position[3],
            start=start,
            end=start + us(call_s + sum(small)),
            tape_bytes=tape_bytes,
            moved_bytes=tape_bytes,
            call_s=call_s,
            buffer_s=small[0],
            checksum_s=small[1],
            space_s=small[2],
            idle_s=small[3],
            address=volume.address,
            errors=self.n_errors,
        )
        if ticket.mode == "write" and self.rng.random() < 0.01:
            self.n_errors += 1 + self.rng.randrange(3)
        volume.address += -(-tape_bytes // BLOCK) + 1
        volume.next_number = ticket.number + 1
        return moved

    def gap(self, before: Transfer, after: Transfer) -> Gap:
        """The pause between two files as the definitions of dead time cut it."""
        whole = after.start - before.end
        filemark = before.filemark - before.end if before.filemark else 0
        is_same = (before.ticket.client, before.ticket.pid) == (after.ticket.client, after.ticket.pid)
        no_request = 0 if is_same else max(0, after.ticket.queued - before.complete)
        judged = whole - filemark - after.position_us - no_request
        found = Gap(self.drive, before.end, after.start, judged, before.tape_bytes / before.call_s)
        self.day.gaps.append(found)
        return found

    def dismount(self, session: Session, at: int) -> int:
        """Rewind, eject, put away; when the drive is free again."""
        session.eject = at
        session.ejected = at + self.between(20, 45)
        session.dismounted = session.ejected + self.between(12, 20)
        if session.dismounted > session.load_requested + DAY:
            raise ValueError(f"a session of {self.drive.name} would last longer than a day")
        return session.dismounted
