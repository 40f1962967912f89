"""The logged day of the two migration stations: LTO-2 tapes in, LTO-4 tapes out."""

from random import Random

from sample_data.drive_run import Command, DriveRun, Position
from sample_data.facts import Day, Down, Session, Ticket, Transfer, Volume, us
from sample_data.plan import OUT_MB_S, SINGLE_OUT_MB_S, Plan, station_drives, working_hours
from sample_data.story import (
    DRIVES,
    GB,
    LOGGED,
    MB,
    MINUTE,
    MISSPELT,
    MISSPELT_FROM,
    MISSPELT_TO,
    SECOND,
    SINGLE_FROM,
    SINGLE_TO,
    Drive,
    Settings,
    Span,
)

IPS = {LOGGED[0]: "192.0.2.28", LOGGED[1]: "192.0.2.32"}
GROUPS = {LOGGED[0]: ("lattice", "gauge"), LOGGED[1]: ("survey", "plates")}
LTO2_GB = 185
FILES_PER_SESSION = (60, 160)


def run_stations(day: Day, plan: Plan, settings: Settings) -> None:
    """All drives of both stations, each with random numbers of its own."""
    for drive in DRIVES:
        if drive.station not in LOGGED:
            continue
        hours = working_hours(drive, plan, settings)
        run = DriveRun(drive, day, settings, Random(f"{settings.seed} {drive.name}"))
        _arm(run, hours, plan)
        if drive.generation == "LTO-2":
            _Reader(run).work(hours)
        else:
            _Writer(run, plan).work(hours)
    if plan.drive_down:
        down = next(drive for drive in DRIVES if drive.name == plan.drive_down)
        day.downs.append(Down(down, *plan.down))


def _arm(run: DriveRun, hours: list[Span], plan: Plan) -> None:
    """Load the drive with the failures planned for it."""
    faults = run.settings.fault
    if run.drive.name == plan.mount_failures:
        run.mount_failures = [faults.n_mount_failures - faults.n_mount_failures // 2, faults.n_mount_failures // 2]
    n_failures = faults.n_transfer_failures if run.drive.name == plan.transfer_failures else 0
    if run.drive.name == plan.lone_failure:
        n_failures = 1
    worked = sum(span.to_at - span.from_at - 50 * MINUTE for span in hours)
    for number in range(n_failures):
        left = worked * (number + 0.5) / n_failures
        for span in hours:
            room = span.to_at - span.from_at - 50 * MINUTE
            if left < room:
                run.failures.append(int(span.from_at + 20 * MINUTE + left))
                break
            left -= room


class _Reader:
    """A drive that reads whole LTO-2 tapes, file after file."""

    def __init__(self, run: DriveRun) -> None:
        self.run = run
        self.n_volumes = 0
        self.volume = self._next_volume()

    def _next_volume(self) -> Volume:
        self.n_volumes += 1
        group, family = GROUPS[self.run.drive.station]
        label = f"VL{self.run.drive.name[-1]}{self.n_volumes + 40:03d}"
        volume = Volume(label, group, family, "CD-LTO2")
        while sum(volume.sizes) < LTO2_GB * GB:
            volume.sizes.append(self.run.file_bytes())
        return volume

    def work(self, hours: list[Span]) -> None:
        for span in hours:
            now = span.from_at + self.run.between(5, 60)
            while now < span.to_at - 4 * MINUTE:
                now = self._session(now, span.to_at - 3 * MINUTE) + self.run.between(15, 45)

    def _session(self, now: int, until: int) -> int:
        run, volume = self.run, self.volume
        station = run.drive.station
        command = run.command(station, IPS[station])
        ticket = self._ticket(command, now, now + us(0.4))
        session, request, ready = run.mount(ticket, volume, now + us(0.46))
        skips = run.seek(ticket.number, volume, ready)
        moved = self._read(ticket, request, (ready, 0, 1, skips))
        moved.is_first = True
        session.transfers.append(moved)
        while not moved.failed and moved.complete < until and volume.next_number <= len(volume.sizes):
            moved = self._next_file(command, session, moved)
        if moved.failed:
            volume.next_number = moved.ticket.number
            volume.address = moved.address
        elif volume.next_number > len(volume.sizes):
            self.volume = self._next_volume()
        return run.dismount(session, moved.complete + run.between(0.5, 2.0))

    def _ticket(self, command: Command, queued: int, dequeued: int) -> Ticket:
        size = self.volume.sizes[self.volume.next_number - 1]
        return self.run.ticket(command, self.volume, size, queued, dequeued)

    def _read(self, ticket: Ticket, request: int, position: Position) -> Transfer:
        run = self.run
        start = position[3][-1][0] + us(0.005)
        moved = run.transfer(ticket, self.volume, request, position, start, run.settings.drive.lto2_mb_s)
        if run.failures and start > run.failures[0]:
            run.failures.pop(0)
            part = 0.2 + 0.5 * run.rng.random()
            moved.failed = True
            moved.moved_bytes = int(moved.tape_bytes * part)
            moved.call_s = round(moved.call_s * part, 6)
            moved.end = start + us(moved.call_s + 0.2)
            moved.complete = moved.end + us(0.4)
        else:
            moved.complete = moved.end + run.between(0.6, 0.9)
        return moved

    def _next_file(self, command: Command, session: Session, before: Transfer) -> Transfer:
        """The same command's next file: the dialogue takes the quiet gap, then one file mark is spaced."""
        run = self.run
        rest = before.end + run.around(run.settings.drive.quiet_gap_s, 0.1) - us(0.005) - before.complete
        queued, request = before.complete + rest * 45 // 100, before.complete + rest * 80 // 100
        ticket = self._ticket(command, queued, before.complete + rest * 75 // 100)
        ready = before.complete + rest
        skips = [(ready + run.between(0.25, 0.6), 1)]
        moved = self._read(ticket, request, (ready, before.ticket.number, before.n_blocks, skips))
        session.transfers.append(moved)
        run.gap(before, moved)
        return moved


class _Writer:
    """A drive that appends to LTO-4 tapes in batches, one client command each, as far as its pace allows."""

    def __init__(self, run: DriveRun, plan: Plan) -> None:
        self.run = run
        self.plan = plan
        self.is_slow = run.drive.name in plan.long_gap
        self.n_volumes = 0
        self.written = 0

    def _next_volume(self) -> Volume:
        self.n_volumes += 1
        group, family = GROUPS[self.run.drive.station]
        first = 1 + self.run.rng.randrange(700)
        label = f"VM{self.run.drive.name[-1]}{self.n_volumes + 10:03d}"
        volume = Volume(label, group, f"{family}-MIGRATION", "CD-LTO4")
        volume.next_number, volume.address = first, first * 5200
        return volume

    def _allowed(self, span: Span, now: int) -> float:
        """Bytes this drive may have written since the block began; nothing in its first minutes."""
        total = 0.0
        begin = span.from_at + 3 * MINUTE
        drives = station_drives(self.run.drive.station, "LTO-4")
        usual = OUT_MB_S[self.run.drive.station] * MB / len(drives) / SECOND
        single = SINGLE_OUT_MB_S * MB / SECOND
        for low, high, rate in (
            (begin, SINGLE_FROM, usual),
            (SINGLE_FROM, SINGLE_TO, single),
            (SINGLE_TO, span.to_at, usual),
        ):
            total += max(0, min(high, now) - max(low, begin)) * rate
        return total

    def _wait(self, span: Span, now: int) -> int:
        """When the spool again holds work for this drive."""
        while now < span.to_at and self._allowed(span, now) < self.written:
            now += 5 * SECOND
        return now

    def work(self, hours: list[Span]) -> None:
        for span in hours:
            self.written = 0
            now = span.from_at + 3 * MINUTE + self.run.between(0, 60)
            while now < span.to_at - 8 * MINUTE:
                now = self._session(now, span) + self.run.between(15, 45)
                now = self._wait(span, now)

    def _session(self, now: int, span: Span) -> int:
        run, volume = self.run, self._next_volume()
        low, high = FILES_PER_SESSION
        left = low + run.rng.randrange(high - low)
        command = self._command(now)
        ticket = run.ticket(command, volume, run.file_bytes(), now, now + us(0.4))
        session, request, ready = run.mount(ticket, volume, now + us(0.46))
        skips = run.seek(ticket.number, volume, ready)
        moved = self._write(session, ticket, request, (ready, 0, 1, skips), skips[-1][0] + us(0.01))
        moved.is_first = True
        batch = 6 + run.rng.randrange(9)
        while left > 0 and moved.complete < span.to_at - 4 * MINUTE:
            left -= 1
            batch -= 1
            queued = 0
            if batch <= 0:
                queued = self._wait(span, moved.complete + us(3.0)) + run.between(0, 2)
                if queued > span.to_at - 5 * MINUTE or left < 5:
                    break
                command, batch = self._command(queued), 6 + run.rng.randrange(9)
            moved = self._next_file(command, session, moved, queued)
        return run.dismount(session, moved.complete + run.between(20, 40))

    def _command(self, now: int) -> Command:
        station = self.run.drive.station
        host = MISSPELT[1] if station == MISSPELT[0] and MISSPELT_FROM <= now < MISSPELT_TO else station
        return self.run.command(host, IPS[station])

    def _next_file(self, command: Command, session: Session, before: Transfer, queued: int) -> Transfer:
        """`queued` is 0 within a command, whose dialogue is the gap; else the instant of a new command's request."""
        run = self.run
        faults, usual = run.settings.fault, run.settings.drive
        begun = us(0.25)
        if queued:
            dequeued = queued + us(0.4)
            request = dequeued + us(0.06)
        else:
            is_long = self.is_slow and run.rng.random() < faults.long_gap_share
            judged = (
                run.around(faults.long_gap_s, faults.long_gap_sd_s) if is_long else run.around(usual.quiet_gap_s, 0.1)
            )
            rest = judged - (before.complete - before.filemark) - begun
            request = before.complete + rest
            queued, dequeued = before.complete + rest * 75 // 100, before.complete + rest * 94 // 100
        ticket = run.ticket(command, session.volume, run.file_bytes(), queued, dequeued)
        position: Position = (request + us(0.2), ticket.number, 0, [])
        moved = self._write(session, ticket, request, position, request + begun)
        run.gap(before, moved)
        return moved

    def _write(
        self,
        session: Session,
        ticket: Ticket,
        request: int,
        position: Position,
        start: int,
    ) -> Transfer:
        run = self.run
        usual = run.settings.drive
        moved = run.transfer(ticket, session.volume, request, position, start, usual.lto4_mb_s)
        moved.filemark = moved.end + run.around(usual.filemark_s, 0.08)
        moved.complete = moved.filemark + run.around(usual.database_s, 0.06)
        self.written += moved.tape_bytes
        session.transfers.append(moved)
        return moved


def drive_rate(day: Day, drive: Drive) -> float:
    """Bytes a second of drive calls, over the drive's finished files of the day."""
    done = [t for s in day.sessions if s.drive == drive for t in s.transfers if not t.failed]
    seconds = sum(transfer.call_s for transfer in done)
    return sum(transfer.tape_bytes for transfer in done) / seconds if seconds else 0.0
