"""Text of an Enstore DEBUGLOG: drives at work, and four lines in five that have nothing to do with them.

What drives, library manager, media changer and encp say comes from the writer of the sample archive. The rest is what
only the DEBUGLOG has (severity M) and the chatter of servers, mixed in until one line in five is of use.
"""

from collections.abc import Iterator
from random import Random

from sample_data.drive_run import DriveRun
from sample_data.enstore import LogBook, clock, head
from sample_data.facts import Day, Session, Volume, fqdn, us
from sample_data.story import DAY_FROM, HOUR, LOGGED, Drive, make_settings

NAME, GLOB = "DEBUGLOG-2010-03-10", "DEBUGLOG-{date}"

N_DRIVES = 12
SPAN = 2 * HOUR  # so much is planned, sorted and written at a time
CHATTER = 4  # lines of no use for each line of use
POOL = 20_000  # chatter messages made for each span
# Messages of drives at work that no table needs.
UNUSED = ("Updating stats",)
CLIENT_IP = "192.0.2.28"


def text(seed: int) -> Iterator[str]:
    """Pieces of a log that does not end; the calendar day is that of DAY_FROM first, then each next."""
    settings = make_settings(seed, False, {})
    drives = [_drive(number) for number in range(N_DRIVES)]
    runs = [DriveRun(drive, Day(), settings, Random(f"{seed} {drive.name}")) for drive in drives]
    rng = Random(f"{seed} chatter")
    begin = DAY_FROM
    while True:
        day, book = Day(), LogBook()
        for run in runs:
            run.day = day
            _work(run, begin, begin + SPAN)
        book.write_day(day)
        yield from _mix(book, _pool(rng, drives), rng)
        begin += SPAN


def _drive(number: int) -> Drive:
    generation = "LTO-2" if number % 3 == 0 else "LTO-4"
    name = f"{generation.replace('-', '')}_{301 + number}"
    serial = str(1_310_000_000 + 37 * number)
    return Drive(name, generation, f"stkenmvr{301 + number}a", 6300 + number, serial, f"0,{number // 4},2,{number}", "")


def _work(run: DriveRun, begin: int, end: int) -> None:
    """Volume after volume, each with some dozens of files one after the other."""
    now = begin + run.between(1, 30)
    while now < end - us(400):
        now = _session(run, now, end - us(120)) + run.between(5, 30)


def _session(run: DriveRun, now: int, until: int) -> int:
    is_read = run.drive.generation == "LTO-2"
    label = f"V{run.drive.name[-2:]}{run.rng.randrange(1000):03d}"
    volume = Volume(label, "lattice", "gauge" if is_read else "gauge-MIGRATION", "CD-LTO")
    volume.next_number = 1 + run.rng.randrange(400)
    command = run.command(LOGGED[run.rng.randrange(2)], CLIENT_IP)
    ticket = run.ticket(command, volume, run.file_bytes(), now, now + us(0.4))
    session, request, ready = run.mount(ticket, volume, now + us(0.46))
    skips = run.seek(ticket.number, volume, ready)
    position = (ready, 0, 1, skips)
    start = skips[-1][0] + us(0.01)
    for number in range(20 + run.rng.randrange(60)):
        moved = run.transfer(ticket, volume, request, position, start, 33.4 if is_read else 75.0)
        moved.is_first = number == 0
        moved.filemark = 0 if is_read else moved.end + run.between(1.8, 2.4)
        moved.complete = (moved.filemark or moved.end) + run.between(0.6, 1.2)
        session.transfers.append(moved)
        request = moved.complete + run.between(1.5, 9)
        if request > until:
            break
        ticket = run.ticket(command, volume, run.file_bytes(), request - us(0.5), request - us(0.1))
        skips = [(request + us(0.5), 1)] if is_read else []
        position = (request + us(0.2), ticket.number - is_read, moved.n_blocks if is_read else 0, skips)
        start = request + us(0.6)
    return run.dismount(session, _last(session) + run.between(1, 40))


def _last(session: Session) -> int:
    return session.transfers[-1].complete


def _mix(book: LogBook, pool: list[str], rng: Random) -> Iterator[str]:
    owed = 0  # lines of no use that are still to come
    lines: list[str] = []
    for at, _, entry in sorted(book.entries):
        now = clock(at)
        lines.append(f"{now} {entry}\n")
        message = entry.split("  ", 1)[1].lstrip()
        owed += -1 if message.startswith(UNUSED) else CHATTER
        for _ in range(max(0, owed)):
            lines.append(f"{now} {pool[int(rng.random() * POOL)]}\n")
        owed = min(0, owed)
        if len(lines) > 5_000:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def _pool(rng: Random, drives: list[Drive]) -> list[str]:
    return [_chatter(rng, drives[rng.randrange(len(drives))]) for _ in range(POOL)]


# Who says it, and what; a mover's lines end with the thread that wrote them.
_SERVERS = (
    (1, 11801, "FILSRV", "I", "Number of open file clerk requests {n}"),
    (1, 11801, "FILSRV", "M", "10 file_clerk: bfids of V{n:05d} wanted by ('192.0.2.{b}', {p}) took {s:.4f} s"),
    (1, 11802, "VOLSRV", "M", "10 volume_clerk: next_write_volume CD-LTO4 lattice.gauge.cpio_odc gave V{n:05d}"),
    (1, 11802, "VOLSRV", "I", "checked quota of {n} storage groups"),
    (2, 11811, "EVRLY", "M", "12 forwarded alive of ('192.0.2.{b}', {p}) to {n} subscribers in {s:.4f} s"),
    (2, 11810, "INQSRV", "I", "updated server status page in {n} steps"),
    (2, 12001, "LTO4LM", "M", "9 mover_idle: {{'mover': 'LTO4_3{n:02d}.mover', 'state': 'IDLE', 'time': {s:.6f}}}"),
    (2, 12001, "LTO4LM", "M", "9 next_work_this_volume: V{n:05d} lattice.gauge-MIGRATION.cpio_odc {b} of {p}"),
    (
        *(2, 12001, "LTO4LM", "M"),
        "9 pending: {{'work': 'write_to_hsm', 'wrapper': {{'uid': {p}, 'gid': {b}, 'node': 'stkendm{n}a.example.org', "
        "'pnfsFilename': '/pnfs/lattice/gauge/V{n:05d}_{p}', 'size_bytes': {p}51328L}}, 'encp': {{'basepri': 1, "
        "'adminpri': -1, 'curpri': {b}, 'delayed_dismount': {n}}}, 'times': {{'in_queue': {s:.6f}}}, 'retry': 0}}",
    ),
    (3, 12002, "STKMC", "M", "88 view V{n:05d} LTO4 returned ('ok', 0, 'slot 0,{b},{n},1', 'home') after {s:.3f} s"),
    (1, 11812, "ACCSRV", "M", "11 insert into tape_mounts_tmp: {n} rows, {s:.5f} s, connection {p}"),
)
_MOVERS = (
    ("M", "11 ftt_driver: status block_number {p} remain_blocks {n} bloc_loc {p} flags 0x{b:02x}"),
    ("M", "11 Buffer.stream_read: block {n} of {b} wait {s:.6f} bytes buffered {p}000 state ACTIVE"),
    ("M", "11 net: select on socket {b} returned after {s:.6f} s, to go {p}131072, rate {s:.4f}"),
    (
        "M",
        "11 update_lm: state=ACTIVE reset_timer=0 volume=V{n:05d} bytes_written {p}000 address ('192.0.2.{b}', 7501)",
    ),
    ("M", "11 check_transfer_stuck: {n} bytes since last look, threshold {b}, volume V{n:05d}, thread alive {b}"),
)


def _chatter(rng: Random, drive: Drive) -> str:
    numbers = {"n": rng.randrange(1, 100), "b": rng.randrange(1, 250), "p": rng.randrange(1000, 9999)}
    seconds = rng.random() * 3
    if rng.random() < 0.55:
        severity, message = _MOVERS[rng.randrange(len(_MOVERS))]
        sender = head(fqdn(drive.mover_host), drive.mover_pid, "root", severity, drive.logname)
        return sender + message.format(s=seconds, **numbers) + " Thread tape_thread"
    host, pid, name, severity, message = _SERVERS[rng.randrange(len(_SERVERS))]
    sender = head(fqdn(f"stkensrv{host}"), pid, "enstore", severity, name)
    return sender + message.format(s=seconds, **numbers)
