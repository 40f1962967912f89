"""A week of reads at a site of CTA that follow from what was asked for: requests, a mount policy, drives.

Unlike library.py, whose mounts are wished for one by one, here files are asked for in bursts, a data set at a time, and
a scheduler mounts a tape once its policy warrants it. The same requests under two policies are two weeks; what the one
took more of drives than the other is the truth about a policy. Nothing of it knows the library's models.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sample_data.cta.mount import File, Mount
from sample_data.cta.taped import Taped, after, asked

BEGIN = datetime(2026, 2, 2)
VO, MB_S = "muon", 340.0
LOOKS_S = 10.0  # a free drive looks for work so often
WRAP_GB, WRAP_S = 64.0, 105.0  # of LTO-9: 18 TB in 280 wraps, each as long as the tape is wound in


@dataclass(frozen=True)
class Ask:
    """A file that is asked for: seconds since the start of the story, its tape, place in GB and GB."""

    at_s: float
    tape: str
    number: int
    begin_gb: float
    gb: float


@dataclass(frozen=True)
class Rule:
    """When a tape is mounted, as CTA's scheduler decides; in which order one mount reads."""

    min_age_s: float
    min_files: int = 10**9
    min_gb: float = 1e9
    by_place: bool = False

    def warrants(self, waiting: list[Ask], now_s: float) -> bool:
        is_old = now_s - waiting[0].at_s > self.min_age_s
        return is_old or len(waiting) >= self.min_files or sum(one.gb for one in waiting) >= self.min_gb


@dataclass(frozen=True)
class Seat:
    """What was asked for and read in one mount, and when the drive was taken and free again."""

    asks: list[Ask]
    mount: Mount
    begun_s: float
    ended_s: float


def draw_requests(
    seed: int, days: int = 7, tapes: int = 14, bursts: int = 4, files: int = 12, hours: float = 3.0
) -> list[Ask]:
    """Bursts for a data set each, about `bursts` a day, of `files` on each of two tapes, spread over some hours."""
    rng = Random(f"{seed} wanted")
    sizes = {f"L{n:03d}": [round(2 + 6 * rng.random(), 3) for _ in range(1000)] for n in range(tapes)}
    found = []
    for day in range(days):
        for _ in range(max(1, round(rng.gauss(bursts, bursts**0.5)))):
            begin = 86_400 * (day + rng.random() * (1 - hours / 24))
            for tape in rng.sample(sorted(sizes), 2):
                first = rng.randrange(900)
                for number in sorted(rng.sample(range(first, first + 90), files)):
                    at = begin + hours * 3600 * rng.random()
                    found.append(Ask(at, tape, number + 1, sum(sizes[tape][:number]), sizes[tape][number]))
    return sorted(found, key=lambda one: (one.at_s, one.tape, one.number))


def serve(asks: list[Ask], rule: Rule, drives: Iterable[str], seed: int) -> list[Seat]:
    """Drives that become free take the tape whose oldest request has waited longest, of those that are warranted."""
    rng = Random(f"{seed} serve {rule}")
    waiting: dict[str, list[Ask]] = defaultdict(list)
    taken_until: dict[str, float] = {}
    to_come, seats = list(reversed(asks)), []
    free = [(n * LOOKS_S / 7, name) for n, name in enumerate(drives)]
    while to_come or any(waiting.values()):
        now, drive = heapq.heappop(free)
        _arrive(to_come, waiting, now)
        ready = [t for t, w in waiting.items() if w and taken_until.get(t, 0) <= now and rule.warrants(w, now)]
        if not ready:
            heapq.heappush(free, (now + LOOKS_S, drive))
            continue
        tape = min(ready, key=lambda one: waiting[one][0].at_s)
        seat = _sit(drive, tape, now, to_come, waiting, rule, rng)
        taken_until[tape] = seat.ended_s
        seats.append(seat)
        heapq.heappush(free, (seat.ended_s + 1, drive))
    return seats


def _arrive(to_come: list[Ask], waiting: dict[str, list[Ask]], now: float) -> None:
    while to_come and to_come[-1].at_s <= now:
        one = to_come.pop()
        waiting[one.tape].append(one)


def _sit(
    drive: str, tape: str, begun: float, to_come: list[Ask], waiting: dict[str, list[Ask]], rule: Rule, rng: Random
) -> Seat:
    """All that waits is read, and then what came meanwhile, until nothing is left."""
    mount = Mount(drive, tape, after(BEGIN, begun), [], vo=VO, media="LTO9")
    mount.mount_s, mount.label_s = rng.uniform(50, 90), rng.uniform(10, 20)
    mount.unload_s, mount.unmount_s = rng.uniform(35, 75), rng.uniform(12, 18)
    now, place, read = begun + mount.mount_s + mount.label_s, 0.0, list[Ask]()
    late = [one for one in to_come if one.tape == tape]  # the next one last
    lot, waiting[tape] = waiting[tape], []
    while lot:
        for one in sorted(lot, key=lambda ask: ask.begin_gb) if rule.by_place else lot:
            winding = _winding_s(place, one.begin_gb) * rng.uniform(0.85, 1.15)
            file = File(one.number, int(one.gb * 1e9), one.gb * 1000 / MB_S * rng.uniform(0.95, 1.1), winding, 0.1)
            mount.files.append(file)
            read.append(one)
            now += file.position_s + file.moving_s + file.waiting_s + 0.01
            place = one.begin_gb + one.gb
        lot = []
        while late and late[-1].at_s <= now:
            lot.append(late.pop())
    joined = {id(one) for one in read}
    to_come[:] = [one for one in to_come if id(one) not in joined]
    return Seat(read, mount, begun, now + 0.2 + mount.unload_s + mount.unmount_s + 1.0)


def _winding_s(from_gb: float, to_gb: float) -> float:
    """Seconds to a place: along the tape, and some to change and to start; the next file is there at once."""
    if abs(to_gb - from_gb) < 1e-6:
        return 0.2
    here, there = (abs((gb / WRAP_GB + 1) % 2 - 1) for gb in (from_gb, to_gb))
    return 9.0 + WRAP_S * abs(here - there)


def drive_hours(seats: list[Seat]) -> float:
    return sum(seat.ended_s - seat.begun_s for seat in seats) / 3600


def logs(seats: list[Seat], rule: Rule, servers: dict[str, str]) -> tuple[str, Taped]:
    """The lines of a frontend, and the daemons' of the drives; `servers` names the tape server of each drive."""
    taped, lines = Taped(servers), []
    for nth, seat in enumerate(seats, 1):
        taped.serve(seat.mount)
        for number, ask in enumerate(seat.asks, 1):
            at = BEGIN + timedelta(seconds=ask.at_s)
            lines.append((at, asked(at, 1000 * nth + number, vo=VO, min_age_s=rule.min_age_s)))
    return "".join(text for _, text in sorted(lines)), taped
