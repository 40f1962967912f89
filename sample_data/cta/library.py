"""What happens at a site of CTA: drives of two kinds at some tape servers serve disk systems with tapes of their own.

Every drive serves every organisation, and every tape of its kind comes to several drives. So the effects of a drive, a
tape and a disk system can be distinguished. The lines are written by taped.py, the truth by truth.py.
"""

from collections import Counter
from datetime import datetime
from random import Random

from sample_data import planted
from sample_data.cta import faults
from sample_data.cta.site import (
    DRIVE_SD,
    HEARTBEAT_S,
    MEDIA,
    OFFSET,
    ORGANISATIONS,
    PAST_FILES,
    PAST_MOUNTS,
    TAPE_SD,
    Drive,
    Site,
    Wish,
    bell,
    disk_of,
    moment,
    pools_of,
    tape_of,
)
from sample_data.cta.sitting import Sitting
from sample_data.cta.taped import Taped
from sample_data.places import Struck
from sample_data.scenario import CtaScenario
from sample_data.story import DAY, HOUR, SECOND


def run_site(scenario: CtaScenario) -> Site:
    """All days of a site, written to its daemons' logs."""
    drives = []
    for number in range(scenario.drives):
        generation = "TS1170" if number % 2 else "LTO-9"
        drives.append(
            Drive(f"{MEDIA[generation]}D{number + 1}", f"tpsrv{number % scenario.servers + 1:02d}", generation)
        )
    organisations = ORGANISATIONS[: scenario.disks]
    kinds = sorted({drive.generation for drive in drives})
    groups = {
        "drive": [drive.name for drive in drives],
        "disk": [disk_of(vo) for vo in organisations],
        "host": [f"tpsrv{number + 1:02d}" for number in range(scenario.servers)],
        "pool": pools_of(scenario),
        "tape": [tape_of(kind, "read", vo, n) for kind in kinds for vo in organisations for n in range(scenario.tapes)],
    }
    begin = round((datetime.fromisoformat(str(scenario.first_day)) - datetime(1970, 1, 1)).total_seconds())
    struck = Struck(scenario, begin * SECOND - OFFSET, groups)
    site = Site(scenario, drives, struck, Taped({drive.name: drive.server for drive in drives}))
    _Shift(site).work()
    return site


class _Shift:
    """Hands wishes to drives in the order in which they are asked for."""

    def __init__(self, site: Site) -> None:
        self.site, self.scenario, self.struck = site, site.scenario, site.struck
        seed = self.scenario.seed
        self.rng = Random(f"{seed} cta")
        self.of = {drive.name: drive for drive in site.drives}
        self.own = {name: Random(f"{seed} {name}") for name in self.of}
        self.speed = {name: 1 + bell(self.own[name], DRIVE_SD) for name in self.of}
        self.tape_speed: dict[str, float] = {}
        self.free_at: dict[str, int] = {}  # drives and tapes
        self.used: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}  # before the story, and in it

    def work(self) -> None:
        site = self.site
        for drive in site.drives:
            begin, end = moment(site.begin), moment(self.struck.to_at)
            site.taped.heartbeat(drive.name, begin, end, HEARTBEAT_S)
        plan = sorted([*self._past(), *self._usual(), *self._remounts(), *self._empty()])
        downs = sorted(self._downs())
        for wish in plan:
            while downs and downs[0][0] <= wish.at:
                self._take_down(*downs.pop(0))
            self._serve(wish)
        for down in downs:
            self._take_down(*down)

    # --- what is asked for ------------------------------------------------------------------------------------

    def _past(self) -> list[Wish]:
        """A little is read from all tapes in turns, long before the story."""
        wishes = []
        for place, drive in enumerate(self.site.drives):
            rng = Random(f"{self.scenario.seed} {drive.name} past")
            for slot in range(self.scenario.past_days * PAST_MOUNTS):
                at = self.site.begin + int((slot + 0.8 * rng.random()) * DAY / PAST_MOUNTS)
                vo = self.site.organisations[(place // 2 + slot) % len(self.site.organisations)]
                wishes.append(Wish(at, 0, drive.name, "read", vo, "", PAST_FILES))
        return wishes

    def _usual(self) -> list[Wish]:
        """Both modes of all organisations alike for every drive, at any time of the day."""
        scenario = self.scenario
        slot, wishes = DAY // scenario.mounts_per_day, []
        kinds = [(mode, vo) for vo in self.site.organisations for mode in ("read", "write")]
        for drive in self.site.drives:
            rng, deck = self.own[drive.name], list[tuple[str, str]]()
            for day in range(scenario.days):
                for turn in range(scenario.mounts_per_day):
                    deck = deck or rng.sample(kinds, len(kinds))
                    mode, vo = deck.pop()
                    at = self.struck.day_from(day) + turn * slot + int(slot * 0.8 * rng.random())
                    wishes += self._lots(Wish(at, 0, drive.name, mode, vo, "", scenario.files_per_mount))
        return wishes

    def _lots(self, wish: Wish) -> list[Wish]:
        """As one mount, or, where small mounts are planted, as some with a file each."""
        if wish.mode == "read":
            for number, fault in self.struck.striking(faults.SmallMounts, disk_of(wish.vo), wish.at):
                self.site.strike(number, (fault.times - 1) * 130.0)
                return [wish._replace(order=n, n_files=1) for n in range(fault.times)]
        return [wish]

    def _remounts(self) -> list[Wish]:
        wishes = []
        for number, fault in self.struck.of(faults.Remounts):
            tape, (begin, end) = self.struck.entity[number], self.struck.span(fault)
            alike = [d.name for d in self.site.drives if (d.generation == "TS1170") == (tape[0] == "J")]
            vo = next(vo for vo in self.site.organisations if vo[:2].upper() == tape[2:4])
            step = DAY // fault.times
            for at in range(begin, end, step):
                wishes.append(
                    Wish(at + int(0.5 * step * self.rng.random()), 0, self.rng.choice(alike), "read", vo, tape, 2)
                )
                self.site.strike(number, 130.0)
        return wishes

    def _empty(self) -> list[Wish]:
        wishes = []
        kinds: tuple[type[faults.EmptyMounts | faults.EmptySessions], ...] = (faults.EmptyMounts, faults.EmptySessions)
        for number, fault in (found for kind in kinds for found in self.struck.of(kind)):
            is_empty = isinstance(fault, faults.EmptyMounts)
            begin, end = self.struck.span(fault)
            step = DAY // fault.times
            for at in range(begin, end, step):
                vo = self.rng.choice(self.site.organisations)
                later = at + int(0.9 * step * self.rng.random())
                wishes.append(Wish(later, 0, self.struck.entity[number], "read", vo, "", 0, is_empty))
                self.site.strike(number, 0.0 if is_empty else 130.0)
        return wishes

    def _downs(self) -> list[tuple[int, int, float]]:
        return [
            (self.struck.day_from(fault.from_day) + 10 * HOUR + int(6 * HOUR * self.rng.random()), number, fault.hours)
            for number, fault in self.struck.of(planted.DriveDown)
        ]

    # --- what is served ---------------------------------------------------------------------------------------

    def _take_down(self, at: int, number: int, hours: float) -> None:
        drive = self.struck.entity[number]
        begin = max(at, self.free_at.get(drive, 0))
        end = begin + round(hours * HOUR)
        self.site.taped.status(moment(begin), drive, "DOWN")
        self.site.taped.status(moment(end), drive, "UP")
        self.free_at[drive], self.site.spans[number] = end + SECOND, (begin, end)
        self.site.strike(number, hours * 3600)

    def _serve(self, wish: Wish) -> None:
        begin = max(wish.at, self.free_at.get(wish.drive, 0))
        if begin > self.struck.to_at - HOUR:
            return  # what is asked for last is served after the story's end
        tape = wish.volume or self._pick(wish, begin)
        begin = begin if wish.is_empty else max(begin, self.free_at.get(tape, 0))
        drive = self.of[wish.drive]
        speed = self.speed[wish.drive] * self.speed_of(tape)
        done = Sitting(self.site, drive, self.own[wish.drive], wish, tape, speed).sit(begin)
        self.free_at[wish.drive] = done + 2 * SECOND
        if not wish.is_empty:
            self.free_at[tape] = done + 2 * SECOND
            self.site.tapes[tape] = wish.vo
        if wish.n_files:
            self._used_at(begin).update([tape, f"{tape} {wish.drive}"])

    def _pick(self, wish: Wish, at: int) -> str:
        """The tape in no drive that was mounted least, rather one this drive did not have yet; of equals any."""
        generation = self.of[wish.drive].generation
        tapes = [tape_of(generation, wish.mode, wish.vo, n) for n in range(self.scenario.tapes)]
        used = self._used_at(at)
        rank = {t: (self.free_at.get(t, 0) > at, used[t], used[f"{t} {wish.drive}"]) for t in tapes}
        least = min(rank.values())
        return self.rng.choice([tape for tape in tapes if rank[tape] == least])

    def _used_at(self, at: int) -> Counter[str]:
        return self.used[at >= self.struck.from_at]

    def speed_of(self, tape: str) -> float:
        """Of a tape against others of its kind."""
        if tape not in self.tape_speed:
            self.tape_speed[tape] = 1 + bell(Random(f"{self.scenario.seed} {tape}"), TAPE_SD)
        return self.tape_speed[tape]
