"""The logs of a library scenario: Enstore's by day, vmstat, nicstat, MRTG and dCache's billing, as plain text."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from sample_data import planted
from sample_data.enstore import LogBook, clock, head
from sample_data.facts import fqdn, us
from sample_data.flows import Flows
from sample_data.library import Library
from sample_data.mrtg import Traffic, rows
from sample_data.places import SYSTEM, Struck
from sample_data.story import DAY, HOUR, MB, OFFSET, SECOND, ZONE_LETTERS

POLL_S = 300
MRTG_DAYS_BEFORE = 2
WRAP = 2**32
MEMORY_KB = 16_000_000
VMSTAT_HEADER = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st "
    f"{ZONE_LETTERS:>19}\n"
)
_OBJECT = "[$pnfsid$,$filesize$] [$path$] $if(storage)$$storage.storageClass$@$storage.hsm$$else$<Unknown>$endif$"
BILLING_HEADER = (
    f"## storage-info-message $date$ [$cellType$:$cellName$:$type$] {_OBJECT} $transferTime$ $queuingTime$ "
    '{$rc$:"$message$"}\n'
)


def write_logs(library: Library, logs: Path) -> None:
    """Everything below `logs/`."""
    flows = Flows(library)
    for name, text in _all_texts(library, flows):
        path = logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _all_texts(library: Library, flows: Flows) -> Iterator[tuple[str, str]]:
    yield from _enstore(library)
    for station in library.places.stations:
        yield f"mrtg/{station}-link.log", _mrtg(library, flows, station)
        yield f"vmstat/{station}_week.txt", _vmstat(library, flows, station)
        seconds = [_nicstat(library, flows, station, day) for day in library.scenario.network_days]
        if any(seconds):
            yield f"nicstat/{station}_seconds.txt", "".join(seconds)
    if library.scenario.pools:
        n_requests = library.scenario.pool_requests * library.scenario.pools
        yield from billing(library.places, library.places.pools, n_requests, OFFSET)


def local(at: int, offset: int = OFFSET) -> datetime:
    """The site's wall clock, as a naive instant."""
    return datetime(1970, 1, 1) + timedelta(microseconds=at + offset)


# --- Enstore --------------------------------------------------------------------------------------------------


def _enstore(library: Library) -> Iterator[tuple[str, str]]:
    """A file a day, with a heartbeat so that the log never sleeps, except where it is planned to."""
    book = LogBook()
    book.write_day(library.day)
    rng = Random(f"{library.scenario.seed} heartbeat")
    sender = head(fqdn("server1"), 11811, "enstore", "I", "EVRLY")
    at = library.places.from_at
    while at < library.places.to_at:
        book.add(at, f"{sender}MSG_TYPE=EVENT_RELAY  forwarded {2 + rng.randrange(40)} alive messages")
        at += us(120 + 60 * rng.random())
    silences = [span for _, span in silent(library, f"enstore_log/{SYSTEM}")]
    days: dict[int, list[str]] = {}
    for at, _, text in sorted(book.entries):
        if not any(begin <= at < end for begin, end in silences):
            days.setdefault((at + OFFSET) // DAY, []).append(f"{clock(at)} {text}\n")
    for number, lines in days.items():
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=number)
        yield f"enstore/LOG-{date:%Y-%m-%d}", "".join(lines)


def silent(library: Library, source: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """When a source says nothing, on the first of each fault's days."""
    for number, fault in library.places.of(planted.SilentSource):
        if library.places.entity[number] == source:
            yield number, next(library.places.hours(fault, fault.hours, number))


# --- links ----------------------------------------------------------------------------------------------------


def _mrtg(library: Library, flows: Flows, station: str) -> str:
    """Traffic of the link as the switch's counters had it; MRTG was begun some days before the first of the story."""
    places = library.places
    begin, end = places.from_at // SECOND, places.to_at // SECOND
    first = begin - MRTG_DAYS_BEFORE * 86400
    polls = list(range(first + 17, end + 2 * POLL_S, POLL_S))
    moved = {way: [0, *flows.between(station, way, polls)] for way in ("into", "out")}
    for _, fault in ((n, f) for n, f in places.of(planted.CounterWrap) if places.entity[n] == station):
        since, until = places.span(fault)
        for values in moved.values():
            for place, at in enumerate(polls):
                if since <= at * SECOND < until:
                    values[place] %= WRAP
    traffic = Traffic(polls, moved["into"], moved["out"])
    lines = [f"{polls[-1]} {sum(traffic.out)} {sum(traffic.into)}"]
    lines += [" ".join(map(str, row)) for row in rows(traffic)]
    return "\n".join(lines) + "\n"


def _nicstat(library: Library, flows: Flows, station: str, day: int) -> str:
    """`nicstat -p 1`: seconds since 1970 by the station's own clock, which a fault may have set wrong."""
    if day >= library.scenario.days:
        return ""
    first, last = library.scenario.network_hours
    begin = (library.places.day_from(day) + first * HOUR) // SECOND
    end = begin + (last - first) * 3600
    into, out = (flows.each_second(station, way, begin, end) for way in ("into", "out"))
    skew = sum(fault.skew_s for _, fault in library.places.striking(planted.ClockSkew, station, begin * SECOND))
    capacity = library.scenario.link_mb_s * MB
    stamp = begin + 1 + round(skew)
    return "".join(
        f"{stamp + n}:eth0:{a / 1024:.1f}:{b / 1024:.1f}:{a / 1400:.1f}:{b / 1400:.1f}:"
        f"{min(100.0, max(a, b) * 100 / capacity):.2f}:0.00\n"
        for n, (a, b) in enumerate(zip(into, out, strict=True))
    )


# --- hosts ----------------------------------------------------------------------------------------------------


def _vmstat(library: Library, flows: Flows, station: str) -> str:
    """`vmstat -t` of all days: what comes in is written to disk, what goes out is read from it."""
    step, places = library.scenario.host_step_s, library.places
    skew = round(sum(f.skew_s for n, f in places.of(planted.ClockSkew) if places.entity[n] == station))
    rng = Random(f"{library.scenario.seed} vmstat {station}")
    stamps = range(places.from_at // SECOND, places.to_at // SECOND + 1, step)
    into, out = (flows.between(station, way, stamps) for way in ("into", "out"))
    silences = [span for _, span in silent(library, f"vmstat/{station}")]
    busy_disk = _spans(library, planted.SaturatedDisk, station)
    busy_host = _spans(library, planted.SaturatedHost, station)
    lines = [VMSTAT_HEADER, _host_row(rng, stamps[0] + skew, 1e6, 1e6)]
    for at, arrived, left in zip(stamps[1:], into, out, strict=True):
        instant = at * SECOND
        if any(begin < instant <= end for begin, end in silences):
            continue
        written, read = arrived / step, left / step
        wait, is_full = 0, False
        for begin, end in busy_disk:
            if begin < instant <= end:
                written, read, wait = _one_way(library, rng, instant - begin)
        for begin, end in busy_host:
            is_full |= begin < instant <= end
        lines.append(_host_row(rng, at + skew, read, written, wait, is_full))
    return "".join(lines)


def _spans(
    library: Library, kind: type[planted.SaturatedDisk | planted.SaturatedHost], station: str
) -> list[tuple[int, int]]:
    places = library.places
    return [
        span
        for number, fault in places.of(kind)
        if places.entity[number] == station
        for span in places.hours(fault, fault.hours, number)
    ]


def _one_way(library: Library, rng: Random, since: int) -> tuple[float, float, int]:
    """Writes for ten minutes with hardly a read, then reads for five: bytes a second, and the wait they mean."""
    fault = next(fault for _, fault in library.places.of(planted.SaturatedDisk))
    rate = fault.write_mb_s * MB * (0.96 + 0.08 * rng.random())
    if since // (60 * SECOND) % 15 < 10:
        return rate, 0.002 * rate * rng.random(), 70
    return 0.002 * rate * rng.random(), rate, 45


def _host_row(rng: Random, at: int, read: float, written: float, wait: int = 0, is_full: bool = False) -> str:
    """One sample of `vmstat -t`; processors are busier the more is moved."""
    busy = (read + written) / MB
    if is_full:
        user, system = 30 + rng.randrange(6), 62 + rng.randrange(3)
        wait = rng.randrange(2)
    else:
        system, user = min(45, int(1 + busy * 0.08 + 2 * rng.random())), min(10, int(busy * 0.02 + 2 * rng.random()))
        wait = min(max(wait + rng.randrange(6) if wait else int(busy * 0.05 + rng.random()), 0), 100 - system - user)
    idle = max(0, 100 - user - system - wait)
    running = 18 + rng.randrange(10) if is_full else int(busy > 20) + rng.randrange(2)
    blocked = 4 + rng.randrange(4) if wait >= 40 else int(wait > 6)
    memory = f"{108:6d} {320_000 + 4 * rng.randrange(9000):6d} {61_000:6d} {MEMORY_KB - 900_000:6d} {0:4d} {0:4d}"
    moved = f"{int(read / 1024):5d} {int(written / 1024):5d} {1000 + int(busy * 55):4d} {300 + int(busy * 30):4d}"
    shares = f"{user:2d} {system:2d} {idle:2d} {wait:2d} {0:2d}"
    return f"{running:2d} {blocked:2d} {memory} {moved} {shares} {local(at * SECOND):%Y-%m-%d %H:%M:%S}\n"


# --- pools ----------------------------------------------------------------------------------------------------


def billing(struck: Struck, pools: list[str], n_requests: int, offset: int) -> Iterator[tuple[str, str]]:
    """Stores and restores of each day; all pools get an equal share but the one that a fault favours."""
    for day in range(struck.days):
        rng = Random(f"{struck.seed} billing {day}")
        begin = struck.day_from(day)
        weights = dict.fromkeys(pools, 1.0)
        for number, fault in struck.of(planted.PoolSkew):
            since, until = struck.span(fault)
            if since <= begin < until:
                weights[struck.entity[number]] *= fault.times
        asked = sorted(begin + int(DAY * rng.random()) for _ in range(n_requests))
        to = rng.choices(list(weights), list(weights.values()), k=n_requests)
        lines = [_request(rng, local(at, offset), pool) for at, pool in zip(asked, to, strict=True)]
        yield f"billing/billing-{local(begin, offset):%Y.%m.%d}", BILLING_HEADER + "".join(lines)


def _request(rng: Random, at: datetime, pool: str) -> str:
    size = 500_000_000 + rng.randrange(1_500_000_000)
    pnfsid = f"0000{rng.getrandbits(128):032X}"
    is_store = rng.random() < 0.5
    took, queued = 20_000 + size // 60_000 + rng.randrange(120_000), rng.randrange(60_000) if is_store else 0
    return (
        f"{at:%m.%d %H:%M:%S} [pool:{pool}@{pool}Domain:{'store' if is_store else 'restore'}] [{pnfsid},{size}] "
        f'[/pnfs/example.org/beams/raw/{pnfsid[-8:]}.root] beams:raw@osm {took} {queued} {{0:""}}\n'
    )
