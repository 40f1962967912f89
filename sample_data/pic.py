"""The four published tape-read tests, timed so that each comes to its drive rate and its overall rate.

Seconds inside drive calls follow from the drive rate; what the overall rate leaves beyond mount, dismount and the
quiet gaps is spent positioning, file by file.
"""

from random import Random

from sample_data.drive_run import Command, DriveRun
from sample_data.facts import READ_HEADER, Day, Ticket, Volume, us
from sample_data.story import GB, MB, SECOND, STAGER, PicTest, Settings, drive_named, on_the_day

LABEL = "G03243"
IP = "192.0.2.77"
SMALL_S = 0.09  # of a file outside drive calls, on average
SLACK_S = 3.5  # between the last file and the eject, so that those small times may vary


def chosen(pattern: str, n_files: int, n_on_tape: int) -> list[int]:
    """File numbers that a test reads."""
    if pattern == "odd":
        return list(range(1, 2 * n_files, 2))
    if pattern == "spaced":
        return [1 + number * n_on_tape // n_files for number in range(n_files)]
    return list(range(1, n_files + 1))


def tape_sizes(tests: dict[str, PicTest]) -> list[int]:
    """Sizes of the tape's files such that every selection sums to what its test read."""
    rng = Random("the tape G03243")
    n_files = tests["test1"].n_files
    spaced = set(chosen("spaced", tests["test4"].n_files, n_files))
    every_second = set(chosen("odd", tests["test3"].n_files, n_files))
    whole, half, few = (round(tests[name].gb * GB) for name in ("test1", "test3", "test4"))
    weights = {number: 0.85 + 0.3 * rng.random() for number in range(1, n_files + 1)}
    sizes: dict[int, int] = {}
    _share_out(sizes, [n for n in weights if n in spaced], weights, few)
    taken = sum(size for number, size in sizes.items() if number in every_second)
    _share_out(sizes, [n for n in weights if n in every_second and n not in spaced], weights, half - taken)
    _share_out(
        sizes, [n for n in weights if n not in every_second and n not in spaced], weights, whole - sum(sizes.values())
    )
    return [sizes[number] - READ_HEADER for number in range(1, n_files + 1)]


def _share_out(sizes: dict[int, int], numbers: list[int], weights: dict[int, float], total: int) -> None:
    unit = total / sum(weights[number] for number in numbers)
    for number in numbers[:-1]:
        sizes[number] = int(weights[number] * unit)
    sizes[numbers[-1]] = total - sum(sizes[number] for number in numbers[:-1])


def run_tests(day: Day, settings: Settings) -> None:
    sizes = tape_sizes(settings.pic)
    for name, test in settings.pic.items():
        run = DriveRun(drive_named(test.drive), day, settings, Random(f"{settings.seed} {name}"))
        _run_test(run, test, sizes)


def _run_test(run: DriveRun, test: PicTest, sizes: list[int]) -> None:
    """All requests are queued at the start, each by a client of its own; the drive takes them in tape order."""
    volume = Volume(LABEL, "cms", "t1d0data", "LTO4", sizes)
    numbers = chosen(test.pattern, test.n_files, len(sizes))
    tickets = _tickets(run, volume, numbers, on_the_day(test.start))
    request = tickets[-1].queued + us(0.9)
    tickets[0].dequeued = request - us(0.06)
    session, request, ready = run.mount(tickets[0], volume, request)
    calls = [(ticket.file_bytes + READ_HEADER) / (test.drive_mb_s * MB) for ticket in tickets]
    calls = _jitter(run.rng, calls)
    total = us(sum(ticket.file_bytes + READ_HEADER for ticket in tickets) / (test.overall_mb_s * MB))
    end = session.load_requested + total
    ejected, free = end - run.between(12, 20), end
    eject = ejected - run.between(30, 45)
    gap = us(run.settings.drive.quiet_gap_s)
    spent = ready - session.load_requested + sum(us(call + SMALL_S) for call in calls) + gap * (len(calls) - 1)
    left = total - spent - (end - eject) - us(SLACK_S)
    if left < us(0.2) * len(calls):
        raise ValueError(
            f"with a drive rate of {test.drive_mb_s} MB/s, an overall rate of {test.overall_mb_s} MB/s"
            " leaves no time for positioning; set a lower overall_mb_s or a higher drive_mb_s"
        )
    weights = [0.7 + 0.6 * run.rng.random() for _ in calls]
    unit = left / sum(weights)
    before = None
    for ticket, call, weight in zip(tickets, calls, weights, strict=True):
        current, block = 0, 1
        if before is not None:
            rest = before.end + gap - before.complete
            request, ready = before.complete + rest * 8 // 10, before.complete + rest
            ticket.dequeued = request - us(0.06)
            current, block = before.ticket.number, before.n_blocks
        skips = [(ready + int(weight * unit), ticket.number - current)]
        position = (ready, current, block, skips)
        moved = run.transfer(ticket, volume, request, position, skips[-1][0], test.drive_mb_s, call)
        moved.complete = moved.end + run.between(0.6, 0.9)
        moved.is_first = before is None
        session.transfers.append(moved)
        if before is not None:
            run.gap(before, moved)
        before = moved
    session.eject, session.ejected, session.dismounted = eject, ejected, free
    if session.transfers[-1].complete >= eject:
        raise ValueError("a tape-read test would eject its tape before the last file is read")


def _tickets(run: DriveRun, volume: Volume, numbers: list[int], begin: int) -> list[Ticket]:
    tickets = []
    for place, number in enumerate(numbers):
        client = Command(STAGER, IP, "cms", 2000 + run.rng.randrange(28000))
        volume.next_number = number
        queued = begin + place * SECOND // 40
        tickets.append(run.ticket(client, volume, volume.sizes[number - 1], queued, queued))
    return tickets


def _jitter(rng: Random, calls: list[float]) -> list[float]:
    """The same sum, spread a little."""
    spread = [call * (0.98 + 0.04 * rng.random()) for call in calls]
    scale = sum(calls) / sum(spread)
    return [call * scale for call in spread]
