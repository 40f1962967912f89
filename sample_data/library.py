"""The library story: a few drives share tapes and stations for some days, and the scenario's faults strike them.

Every read takes a whole tape, and every tape comes to several drives, so that the effects of drives and of tapes can be
distinguished. Nothing is written here; see library_logs.py and library_truth.py.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from sample_data import planted
from sample_data.drive_run import Command, DriveRun, Position
from sample_data.facts import Day, Down, Session, Ticket, Transfer, Volume, us
from sample_data.places import Places
from sample_data.scenario import LibraryScenario
from sample_data.story import HOUR, MB, SECOND, Drive, make_settings

FIRST_HOUR, LAST_HOUR = 8, 16  # mounts are asked for between these
GROUP, FAMILY = "beams", "raw"
QUIET_GAP_S, QUIET_SD_S = 2.0, 0.25
FILEMARK_S, DATABASE_S = 2.0, 0.8
# How much drives, tapes and files differ when nothing is wrong; now and then a file needs a second try of its blocks.
DRIVE_SD, TAPE_SD, FILE_SD = 0.012, 0.015, 0.02
RETRY_SHARE, RETRY_TIMES = 0.01, 1.4
OTHER_CLIENT_SHARE = 0.06
HOME_TIMES = 3  # a drive gets this many times the mounts from its own station as from each other one


@dataclass
class Library:
    """What happened, and what each fault cost by its place in the scenario."""

    scenario: LibraryScenario
    places: Places
    drives: list[Drive]
    day: Day = field(default_factory=Day)
    stations: dict[int, str] = field(default_factory=dict)  # by the client's process
    lost_us: Counter[int] = field(default_factory=Counter)
    n_struck: Counter[int] = field(default_factory=Counter)

    def transfers(self, station: str, mode: str) -> list[Transfer]:
        prefix = f"{station}."
        return [t for t in self.day.transfers(mode=mode) if t.ticket.client.startswith(prefix)]


def run_library(scenario: LibraryScenario) -> Library:
    """All drives' days in the order in which mounts begin."""
    names = [f"DRV_{number}" for number in range(1, scenario.drives + 1)]
    drives = [
        Drive(name, "LTO-4", f"mover{n}", 6200 + n, f"{1310000000 + 37 * n}", f"0,{3 + n // 4},1,{n}", "")
        for n, name in enumerate(names, 1)
    ]
    library = Library(scenario, Places(scenario), drives)
    _Shift(library).work()
    return library


class _Shift:
    """Hands tapes and stations to drives, evenly and at random."""

    def __init__(self, library: Library) -> None:
        self.library, self.scenario = library, library.scenario
        scenario, seed = library.scenario, library.scenario.seed
        self.rng = Random(f"{seed} shift")
        settings = make_settings(seed, False, {})
        settings.drive.smallest_mb, settings.drive.largest_mb = scenario.smallest_mb, scenario.largest_mb
        self.runs = [DriveRun(drive, library.day, settings, Random(f"{seed} {drive.name}")) for drive in library.drives]
        self.own = {run.drive.name: 1 + _bell(run.rng, DRIVE_SD) for run in self.runs}
        self.tapes = {mode: [self._tape(mode, n) for n in range(scenario.tapes)] for mode in ("read", "write")}
        self.of_tape = {tape.label: 1 + _bell(self.rng, TAPE_SD) for tapes in self.tapes.values() for tape in tapes}
        self.used: Counter[str] = Counter()
        self.busy_until: dict[str, int] = {}
        self.free_at: dict[str, int] = {}

    def _tape(self, mode: str, number: int) -> Volume:
        family = FAMILY if mode == "read" else f"{FAMILY}-new"
        volume = Volume(f"V{mode[0].upper()}{number + 1:04d}", GROUP, family, "CD-LTO4")
        if mode == "read":
            volume.sizes = [self.runs[0].file_bytes() for _ in range(self.scenario.files_per_session)]
        return volume

    def work(self) -> None:
        for at, run, mode, station in sorted(self._plan(), key=lambda item: item[0]):
            begin = max(at, self.free_at.get(run.drive.name, 0))
            volume = self._pick(mode, begin, run.drive.name)
            self.used[volume.label] += 1
            self.used[f"{volume.label} {run.drive.name}"] += 1
            one = _Sitting(self, run, station, volume, mode)
            done = one.sit(begin)
            self.free_at[run.drive.name] = self.busy_until[volume.label] = done + 5 * SECOND
        self._downs()

    def _plan(self) -> list[tuple[int, DriveRun, str, str]]:
        """Begin, drive, mode and station of each mount: both modes alike, the drive's own station more than others."""
        scenario, rng = self.scenario, self.rng
        stations = self.library.places.stations
        slot = (LAST_HOUR - FIRST_HOUR) * HOUR // scenario.sessions_per_day
        plan = []
        for place, run in enumerate(self.runs):
            asking = [*stations, *[stations[place % len(stations)]] * HOME_TIMES]
            kinds = [(mode, station) for station in asking for mode in ("read", "write")]
            deck: list[tuple[str, str]] = []
            for day in range(scenario.days):
                morning = self.library.places.day_from(day) + FIRST_HOUR * HOUR
                for turn in range(scenario.sessions_per_day):
                    if not deck:
                        deck = rng.sample(kinds, len(kinds))
                    at = morning + turn * slot + int(slot * 0.8 * rng.random())
                    plan.append((at, run, *deck.pop()))
        return plan

    def _pick(self, mode: str, at: int, drive: str) -> Volume:
        """The tape in no drive that was mounted least, rather one this drive did not have yet; of equals any."""
        free = [tape for tape in self.tapes[mode] if self.busy_until.get(tape.label, 0) <= at]
        if not free:
            raise ValueError("more drives work at the same time than there are tapes: give the scenario more tapes")
        rank = {tape.label: (self.used[tape.label], self.used[f"{tape.label} {drive}"]) for tape in free}
        least = min(rank.values())
        return self.rng.choice([tape for tape in free if rank[tape.label] == least])

    def _downs(self) -> None:
        """Movers taken out of service in the evening, when they have no work."""
        places = self.library.places
        for number, fault in places.of(planted.DriveDown):
            begin = places.day_from(fault.from_day) + 17 * HOUR + int(HOUR * self.rng.random())
            end = begin + us(fault.hours * 3600)
            drive = next(drive for drive in self.library.drives if drive.name == places.entity[number])
            self.library.day.downs.append(Down(drive, begin, end))
            self.library.lost_us[number] += end - begin
            self.library.n_struck[number] += 1


class _Sitting:
    """One tape in one drive for one station: the mount, the files, the dismount, and the faults that strike them."""

    def __init__(self, shift: _Shift, run: DriveRun, station: str, volume: Volume, mode: str) -> None:
        self.library, self.run, self.station, self.volume, self.mode = shift.library, run, station, volume, mode
        self.places = shift.library.places
        self.mb_s = shift.scenario.drive_mb_s * shift.own[run.drive.name] * shift.of_tape[volume.label]
        self.n_files = shift.scenario.files_per_session

    def sit(self, now: int) -> int:
        run, volume = self.run, self.volume
        if self.mode == "read":
            volume.address = 4
        numbers = self._numbers(now)
        volume.next_number = numbers[0]
        for number, _ in self.places.striking(planted.MountFailures, run.drive.name, now):
            fault = self.library.scenario.fault[number]
            if isinstance(fault, planted.MountFailures) and self.library.n_struck[number] < fault.times:
                run.mount_failures = [1]
        command = self._command()
        ticket = run.ticket(command, volume, self._size(), now, now + us(0.4))
        session, request, ready = run.mount(ticket, volume, now + us(0.46))
        self._count_mount_failures(session, now)
        skips = run.seek(numbers[0], volume, ready)
        moved = self._move(ticket, request, (ready, 0, 1, skips), skips[-1][0] + us(0.01))
        moved.is_first = True
        session.transfers.append(moved)
        for before, number in pairwise(numbers):
            if moved.failed:
                break
            if run.rng.random() < OTHER_CLIENT_SHARE:
                command = self._command()
            volume.next_number = number
            moved = self._next(command, session, moved, number - before)
        if moved.failed:
            volume.next_number = moved.ticket.number
        return run.dismount(session, moved.complete + run.between(1, 20))

    def _numbers(self, now: int) -> list[int]:
        """Files of the tape to be moved: all of a full one, the next of one that is written."""
        if self.mode == "write":
            return list(range(self.volume.next_number, self.volume.next_number + self.n_files))
        step = 1
        for number, _ in self.places.striking(planted.PartialRead, self.volume.label, now):
            step = 2
            self.library.n_struck[number] += 1
        return list(range(1, self.n_files + 1, step))

    def _size(self) -> int:
        return self.volume.sizes[self.volume.next_number - 1] if self.mode == "read" else self.run.file_bytes()

    def _command(self) -> Command:
        """User cms is the one that DriveRun lets read."""
        return self.run.command(self.station, "192.0.2.28", "cms" if self.mode == "read" else "mig")

    def _count_mount_failures(self, session: Session, now: int) -> None:
        lost = session.load_requested - now - us(1)
        for number, _ in self.places.striking(planted.MountFailures, self.run.drive.name, now):
            if lost > 60 * SECOND:
                failure = self.library.day.mount_failures[-1]
                self.library.n_struck[number] += 1
                self.library.lost_us[number] += failure.failed - failure.load_requested

    def _next(self, command: Command, session: Session, before: Transfer, step: int) -> Transfer:
        """The gap: the client's dialogue; on reads the way to the file; another client asks when it pleases."""
        run = self.run
        is_other = f"-{command.pid}-" not in before.ticket.unique_id
        rest = max(us(0.3), run.around(QUIET_GAP_S, QUIET_SD_S) - (before.complete - (before.filemark or before.end)))
        rest += self._gap_fault(before.complete)
        waited = run.between(4, 40) if is_other else 0
        queued = before.complete + waited + rest * 45 // 100
        request = before.complete + waited + rest * 80 // 100
        ticket = run.ticket(command, self.volume, self._size(), queued, before.complete + waited + rest * 75 // 100)
        ready = before.complete + waited + rest
        if self.mode == "read":
            skips = [(ready + run.between(0.25, 0.6) + self._seek_fault(before.complete), step)]
            position: Position = (ready, before.ticket.number, before.n_blocks, skips)
            moved = self._move(ticket, request, position, skips[-1][0] + us(0.005))
        else:
            moved = self._move(ticket, request, (ready, ticket.number, 0, []), ready + us(0.1))
        session.transfers.append(moved)
        run.gap(before, moved)
        return moved

    def _seek_fault(self, now: int) -> int:
        sought = 0
        for number, fault in self.places.striking(planted.PartialRead, self.volume.label, now):
            sought += self.run.between(0.8 * fault.seek_s, 1.2 * fault.seek_s)
            self.library.lost_us[number] += sought
        return sought

    def _gap_fault(self, now: int) -> int:
        longer = 0
        for number, fault in self.places.striking(planted.LongGap, self.run.drive.name, now):
            if self.run.rng.random() < fault.share:
                longer += self.run.around(fault.longer_s, 0.3)
                self.library.lost_us[number] += longer
                self.library.n_struck[number] += 1
        for number, change in self.places.striking(planted.ChangedGap, self.run.drive.name, now):
            longer += self.run.around(change.longer_s, 0.1)
            self.library.n_struck[number] += 1
        return longer

    def _move(self, ticket: Ticket, request: int, position: Position, start: int) -> Transfer:
        """One file at its rate, which faults lower; then it may wait for data, or fail."""
        run = self.run
        seconds = ticket.file_bytes / (self.mb_s * MB) * (1 + _bell(run.rng, FILE_SD))
        seconds *= RETRY_TIMES if run.rng.random() < RETRY_SHARE else 1
        call_s = seconds / self._rate_faults(start, seconds)
        moved = run.transfer(ticket, self.volume, request, position, start, self.mb_s, call_s)
        if self.mode == "read":
            self._fail(moved, start)
            moved.complete = moved.end + run.between(0.6, 0.9)
            return moved
        self._starve(moved)
        moved.filemark = moved.end + run.around(FILEMARK_S, 0.08)
        moved.complete = moved.filemark + run.around(DATABASE_S, 0.06)
        return moved

    def _rate_faults(self, now: int, seconds: float) -> float:
        """By what the drive's rate is multiplied."""
        factor = 1.0
        slow: list[tuple[int, planted.SlowDrive | planted.BadTape]] = [
            *self.places.striking(planted.SlowDrive, self.run.drive.name, now),
            *self.places.striking(planted.BadTape, self.volume.label, now),
        ]
        for number, fault in slow:
            factor *= 1 - fault.slower
            self.library.lost_us[number] += us(seconds / (1 - fault.slower) - seconds)
            self.library.n_struck[number] += 1
        for number, change in self.places.striking(planted.TuningChange, "", now):
            factor *= 1 + change.faster
            self.library.n_struck[number] += 1
        return factor

    def _starve(self, moved: Transfer) -> None:
        """The drive's buffer is empty for so long that the stream comes to the rate of the data."""
        for number, fault in self.places.striking(planted.StarvedStream, self.station, moved.start):
            waited = max(0.0, moved.tape_bytes / (fault.mb_s * MB) - moved.call_s)
            moved.idle_s = round(moved.idle_s + waited, 6)
            moved.end += us(waited)
            self.library.lost_us[number] += us(waited)
            self.library.n_struck[number] += 1

    def _fail(self, moved: Transfer, start: int) -> None:
        for number, fault in self.places.striking(planted.TransferFailures, self.run.drive.name, start):
            if self.library.n_struck[number] >= fault.times or self.run.rng.random() > 0.15:
                continue
            part = 0.2 + 0.5 * self.run.rng.random()
            moved.failed = True
            moved.moved_bytes = int(moved.tape_bytes * part)
            moved.call_s = round(moved.call_s * part, 6)
            moved.end = start + us(moved.call_s + 0.2)
            self.library.n_struck[number] += 1
            self.library.lost_us[number] += moved.end + us(0.75) - moved.request


def _bell(rng: Random, sd: float) -> float:
    return sd * max(-3.0, min(3.0, sum(rng.random() for _ in range(12)) - 6.0))
