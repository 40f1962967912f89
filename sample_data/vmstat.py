"""One-second samples of two stations' disks while tapes are read and written, as `vmstat -t 1` prints them.

On one station the spool is flushed in bursts: nothing for two seconds, then all that came in at once.
"""

from random import Random

from sample_data.facts import Day
from sample_data.plan import Plan
from sample_data.story import LOG_DATE, MB, MINUTE, OFFSET, SECOND, VMSTAT_FROM, VMSTAT_TO, ZONE_LETTERS, Settings

HEADER = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st "
    f"{ZONE_LETTERS:>19}\n"
)
HEADER_EVERY = 21
MEMORY_KB = 8_174_000
PAGE_KB = 4  # memory is counted in pages


def log_text(station: str, day: Day, plan: Plan, settings: Settings) -> str:
    """Three hours of samples, or less where the program is planned to stop."""
    n_rows = (VMSTAT_TO - VMSTAT_FROM) // SECOND
    arriving = _each_second(day, station, "read", n_rows)
    leaving = _each_second(day, station, "write", n_rows)
    if station == plan.burst_station:
        written = _bursts(day, station, n_rows, settings.fault.burst_period_s, settings.fault.burst_mb * MB)
    else:
        written = arriving
    if station == plan.silent_station:
        n_rows -= settings.fault.silent_minutes * MINUTE // SECOND
    rng = Random(f"{settings.seed} vmstat {station}")
    lines = [HEADER, _row(rng, VMSTAT_FROM // SECOND, 1843 * 1024, 2210 * 1024)]
    for place in range(n_rows):
        if (place + 1) % HEADER_EVERY == 0:
            lines.append(HEADER)
        at = VMSTAT_FROM // SECOND + place + 1
        lines.append(_row(rng, at, leaving[place], written[place]))
    return "".join(lines)


def _each_second(day: Day, station: str, mode: str, n_rows: int) -> list[float]:
    """Bytes moved by transfers of one mode in each second of the window, evenly over each transfer."""
    moved = [0.0] * n_rows
    for transfer in day.transfers(station, mode):
        rate = transfer.moved_bytes / (transfer.end - transfer.start)
        first = max(0, (transfer.start - VMSTAT_FROM) // SECOND)
        last = min(n_rows - 1, (transfer.end - VMSTAT_FROM) // SECOND)
        for place in range(first, last + 1):
            begin = VMSTAT_FROM + place * SECOND
            moved[place] += rate * max(0, min(transfer.end, begin + SECOND) - max(transfer.start, begin))
    return moved


def _bursts(day: Day, station: str, n_rows: int, period: int, limit: float) -> list[float]:
    """What each file brought since the last flush, every `period` seconds from the file's first."""
    moved = [0.0] * n_rows
    for transfer in day.transfers(station, "read"):
        begin = (transfer.start - VMSTAT_FROM) // SECOND
        seconds = (transfer.end - transfer.start) / SECOND
        waiting = float(transfer.moved_bytes)
        arrived = transfer.moved_bytes / seconds * period
        place = begin + period
        while waiting > 0:
            flushed = min(waiting, limit, arrived)
            # Crumbs at the end of a file go with its last flush.
            if waiting - flushed < 0.02 * limit:
                flushed = waiting
            if 0 <= place < n_rows:
                moved[place] += flushed
            waiting -= flushed
            place += period
    return moved


def _row(rng: Random, at: int, read: float, written: float) -> str:
    """One sample; the processor is busier the more is moved."""
    busy = (read + written) / MB
    system = min(60, int(1 + busy * 0.08 + 2 * rng.random()))
    user = min(20, int(busy * 0.02 + 2 * rng.random()))
    wait = min(30, int(written / MB * 0.06 + read / MB * 0.05 + rng.random()))
    idle = 100 - system - user - wait
    read_kb = int(read * (0.985 + 0.03 * rng.random()) / 1024) if read else 0
    written_kb = int(written * (0.985 + 0.03 * rng.random()) / 1024) if written else 0
    if not written and rng.random() < 0.03:
        written_kb = 8 + 4 * rng.randrange(20)
    free = int(MEMORY_KB * (0.02 + 0.004 * rng.random())) // PAGE_KB * PAGE_KB
    blocked = 1 if wait > 3 and rng.random() < 0.5 else 0
    stamp = _stamp(at)
    running = int(busy > 20) + rng.randrange(2)
    buffers = (61000 + rng.randrange(900)) // PAGE_KB * PAGE_KB
    return (
        f"{running:2d} {blocked:2d} {108:6d} {free:6d} {buffers:6d} "
        f"{MEMORY_KB - free - 900_000:6d} {0:4d} {0:4d} {read_kb:5d} {written_kb:5d} "
        f"{1000 + int(busy * 55 + 60 * rng.random()):4d} {300 + int(busy * 30 + 80 * rng.random()):4d} "
        f"{user:2d} {system:2d} {idle:2d} {wait:2d} {0:2d} {stamp}\n"
    )


def _stamp(at: int) -> str:
    """Local time of a second; the window is within one day, so the date is its own."""
    days, seconds = divmod(at + OFFSET // SECOND, 86400)
    first = (VMSTAT_FROM + OFFSET) // SECOND // 86400
    if days != first:
        raise ValueError("the samples cross midnight")
    return f"{LOG_DATE} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
