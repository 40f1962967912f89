"""Where and when things go wrong: the seed moves each fault to another drive or station."""

from dataclasses import dataclass, field
from itertools import combinations

from sample_data.story import (
    DRIVES,
    HOUR,
    LOGGED,
    SINGLE_FROM,
    SINGLE_TO,
    Drive,
    Settings,
    Span,
    on_the_day,
)

# Working hours of the two logged stations, in half-hour bins: 39 and 20 of 48; and 42 of 48 when nothing is wrong.
BLOCKS = {
    "stkendm8a": (("00:10", "07:50"), ("08:40", "18:20"), ("21:10", "22:20")),
    "stkendm12a": (("08:40", "14:50"), ("16:10", "19:20")),
}
BUSY_BLOCKS = (("00:10", "07:50"), ("08:40", "20:50"), ("22:10", "22:50"))
# MB/s each station hands on: less than comes in, as in the study, whose output was starved.
OUT_MB_S = {"stkendm8a": 34.0, "stkendm12a": 30.0}
SINGLE_OUT_MB_S = 22.0


@dataclass
class Plan:
    """Which drive or station each fault strikes; empty when nothing is wrong."""

    long_gap: tuple[str, ...] = ()
    transfer_failures: str = ""
    lone_failure: str = ""
    mount_failures: str = ""
    drive_down: str = ""
    down: Span = field(default_factory=lambda: Span(0, 0))
    burst_station: str = ""
    silent_station: str = ""
    single: set[str] = field(default_factory=set)  # drives that work while vmstat runs


def make_plan(settings: Settings) -> Plan:
    """Faults turn through the drives with strides that differ, so that neighbouring seeds share none."""
    plan = Plan()
    if settings.faults:
        _strike(plan, settings)
    for station in LOGGED:
        for generation in ("LTO-2", "LTO-4"):
            pair = [drive.name for drive in station_drives(station, generation)]
            plan.single.add(next(name for name in pair if name != plan.drive_down))
    return plan


def _strike(plan: Plan, settings: Settings) -> None:
    seed = settings.seed
    readers = [drive.name for drive in DRIVES if drive.generation == "LTO-2"]
    writers = [drive.name for drive in DRIVES if drive.generation == "LTO-4" and drive.station in LOGGED]
    gaps = [(name,) for name in writers] + list(combinations(writers, 2))
    plan.long_gap = gaps[(3 * seed + 2) % len(gaps)]
    plan.transfer_failures = readers[(seed + 1) % 4]
    plan.lone_failure = readers[(seed + 3) % 4]
    taken = (plan.transfer_failures, plan.lone_failure, *plan.long_gap)
    free = [name for name in readers + writers if name not in taken]
    plan.mount_failures = free[(seed + 1) % len(free)]
    free.remove(plan.mount_failures)
    plan.drive_down = free[seed % len(free)]
    begin = on_the_day(settings.fault.down_from)
    plan.down = Span(begin, begin + round(settings.fault.down_hours * HOUR))
    plan.burst_station = LOGGED[(seed + 1) % 2]
    plan.silent_station = LOGGED[seed % 2]


def station_drives(station: str, generation: str) -> list[Drive]:
    return [drive for drive in DRIVES if drive.station == station and drive.generation == generation]


def working_hours(drive: Drive, plan: Plan, settings: Settings) -> list[Span]:
    """When a drive of a logged station has work on the day.

    Only one drive of a pair works while vmstat runs; the second reader of the less busy station only in its last
    block. A drive that goes down has no work then.
    """
    blocks = BLOCKS[drive.station] if settings.faults else BUSY_BLOCKS
    spans = [Span(on_the_day(begin), on_the_day(end)) for begin, end in blocks]
    if drive.name in plan.single:
        return spans
    cut: list[Span] = []
    for span in spans:
        if span.to_at <= SINGLE_FROM or span.from_at >= SINGLE_TO:
            cut.append(span)
        else:
            cut.append(Span(SINGLE_TO, span.to_at))
    is_second_reader = drive.generation == "LTO-2" and drive.station == LOGGED[1]
    return cut[1:] if is_second_reader and settings.faults else cut
