"""Text of a capture of Enstore's event relay: twelve movers, each telling every few seconds how far it got."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Moved, local, moved_files

NAME, GLOB = "entv_messages.txt", "entv_*.txt"
REASON = "nearly every line of 60 bytes becomes a row, and its state depends on the drive's line before it"

STEPS = 4  # lines about bytes at the tape, for each file
LATE_S = 60  # files end in order, but begin up to so much earlier


def text(seed: int) -> Iterator[str]:
    """Pieces of a capture that does not end, in the order of the clock."""
    waiting: list[tuple[int, int, str]] = []
    count = 0
    for one in moved_files(seed, "enstore_relay"):
        events = _file(one)
        waiting += [(at, count + number, text) for number, (at, text) in enumerate(events)]
        count += len(events)
        if len(waiting) > 2_000:
            waiting.sort()
            whole = [line for line in waiting if line[0] < one.ended - LATE_S]
            yield "".join([f"{local(at).ctime()} {text}\n" for at, _, text in whole])
            del waiting[: len(whole)]


def _file(one: Moved) -> list[tuple[int, str]]:
    who = f"{one.mover}@stk"
    begin = one.begun + 3
    events = [
        (one.begun, f"state {who} SETUP"),
        (one.begun, f"connect {who} 192.0.2.{21 + one.drive % 3}"),
        (one.begun + 1, f"loaded {who} {one.volume}"),
        (one.begun + 1, f"state {who} SEEK"),
        (begin, f"state {who} ACTIVE"),
    ]
    sign = "-" if one.is_read else ""
    for step in range(STEPS + 1):
        at = begin + (one.ended - begin) * step // STEPS
        done = one.n_bytes * step // STEPS
        moved = f"{sign if done else ''}{done} {one.n_bytes} media {0 if step == STEPS else 91_750_400}"
        events.append((at, f"transfer {who} {moved} {FIRST_S + at}.{(37 * one.number + step) % 1000:03d}"))
        if step < STEPS:
            network = f"{sign if done else ''}{done} {one.n_bytes} network 91750400 {FIRST_S + at}.990"
            events.append((at, f"transfer {who} {network}"))
    end = "HAVE_BOUND" if one.is_read else "FINISH_WRITE"
    return [*events, (one.ended, f"state {who} {end}"), (one.ended, f"disconnect {who} 192.0.2.{21 + one.drive % 3}")]
