"""dCache's pools of a site of CTA: what they store, and the restores of the files that drives read for them.

A restore has the file's id in CTA in its URI, so that one request can be followed to its tape. Billing is JSON, a line
for each request, in the file of the day on which it ended; what ends after the story is not written. The last pool
takes long to fetch its files, those of the others wait in the queue. That is planted: truth.toml has each pool's sums
and one request in full.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from sample_data import planted
from sample_data.cta.mount import Read
from sample_data.cta.site import OFFSET, Site, disk_of, moment, pools_of, some
from sample_data.story import DAY

STAGES = ("queue", "mount", "turn", "position", "read", "deliver")
QUEUE_S, DELIVER_S, SLOW_DELIVER_S = (1500, 3000), (1, 6), (5000, 7000)
_ZONE = "+01:00"


class Restore(NamedTuple):
    """A request of a pool, and the seconds of each of its stages."""

    pool: str
    pnfsid: str
    n_bytes: int
    archive_id: int
    created: datetime
    stages: dict[str, float]

    @property
    def slowest(self) -> str:
        return max(STAGES, key=lambda name: self.stages[name])

    @property
    def took_s(self) -> float:
        return sum(self.stages.values())


def restores(site: Site) -> list[Restore]:
    """Of each file that was read for the pools since the story began, in the order of reading; pools take turns."""
    pools, rng = pools_of(site.scenario), Random(f"{site.scenario.seed} restores")
    begin, end = moment(site.struck.from_at), moment(site.struck.to_at)
    disk = disk_of(site.organisations[0])
    theirs = [read for read in site.taped.reads if read.mount.disk == disk and read.mount.at >= begin]
    every = [_restore(rng, pools, number, read, begin) for number, read in enumerate(theirs if pools else [])]
    return [one for one in every if one.created + timedelta(seconds=one.took_s) < end]


def _restore(rng: Random, pools: list[str], number: int, read: Read, begin: datetime) -> Restore:
    pool, mount = pools[number % len(pools)], read.mount
    queue = min(round(some(rng, *QUEUE_S), 3), (mount.at - begin).total_seconds())
    deliver = some(rng, *(SLOW_DELIVER_S if pool == pools[-1] else DELIVER_S))
    mounted = mount.at + timedelta(seconds=mount.mount_s)
    moving = read.file.moving_s + read.file.waiting_s
    turn = (read.ended - mounted).total_seconds() - moving - read.file.position_s
    seconds = (queue, mount.mount_s, turn, read.file.position_s, moving, deliver)
    created = mount.at - timedelta(seconds=queue)
    return Restore(pool, _name(rng), read.file.n_bytes, read.file_id, created, dict(zip(STAGES, seconds, strict=True)))


def billing(site: Site) -> Iterator[tuple[str, str]]:
    """A file for each day of the site's clock."""
    texts: dict[str, list[tuple[datetime, str]]] = {}
    for ended, line in [*_stores(site), *map(_of_restore, restores(site))]:
        day = f"{ended + timedelta(microseconds=OFFSET):%Y.%m.%d}"
        if ended < moment(site.struck.to_at):
            texts.setdefault(day, []).append((ended, line))
    for day, lines in sorted(texts.items()):
        yield f"billing/billing-{day}", "".join(line for _, line in sorted(lines))


def _of_restore(one: Restore) -> tuple[datetime, str]:
    uri = f"cta://cta/{one.pnfsid}?archiveid={one.archive_id}"
    line = _line("restore", one.pool, one.pnfsid, one.n_bytes, one.created, one.took_s, uri)
    return one.created + timedelta(seconds=one.took_s), line


def _stores(site: Site) -> Iterator[tuple[datetime, str]]:
    """Files that people bring; all pools get an equal share but the one that a fault favours."""
    struck, pools = site.struck, pools_of(site.scenario)
    for day in range(struck.days if pools else 0):
        rng, begin = Random(f"{struck.seed} stores {day}"), struck.day_from(day)
        weights = dict.fromkeys(pools, 1.0)
        for number, fault in struck.of(planted.PoolSkew):
            since, until = struck.span(fault)
            if since <= begin < until:
                weights[struck.entity[number]] *= fault.times
        n_requests = site.scenario.pool_requests * len(pools)
        for pool in rng.choices(list(weights), list(weights.values()), k=n_requests):
            created, size = moment(begin + int(DAY * rng.random())), 500_000_000 + rng.randrange(1_500_000_000)
            queued, took = round(some(rng, 0, 60), 3), round(some(rng, 30, 200), 3)
            line = _line("store", pool, _name(rng), size, created, took, "", queued)
            yield created + timedelta(seconds=queued + took), line


def _name(rng: Random) -> str:
    return f"0000{rng.getrandbits(128):032X}"


def _line(
    kind: str, pool: str, pnfsid: str, n_bytes: int, created: datetime, took: float, uri: str, queued: float = 0.0
) -> str:
    local = created + timedelta(microseconds=OFFSET)
    record: dict[str, Any] = {
        "version": "1.0",
        "msgType": kind,
        "date": f"{local.isoformat(timespec='milliseconds')}{_ZONE}",
        "cellName": pool,
        "cellDomain": f"{pool}Domain",
        "cellType": "pool",
        "queuingTime": round(queued * 1000),
        "transferTime": round(took * 1000),
        "status": {"code": 0, "msg": ""},
        "hsm": {"type": "cta", "instance": "cta", "provider": "dcache-cta"},
        "locations": [uri] if uri else [],
        "pnfsid": pnfsid,
        "fileSize": n_bytes,
        "storageInfo": "muon:raw@cta",
    }
    return json.dumps(record, separators=(",", ":")) + "\n"


def truth_lines(site: Site) -> list[str]:
    """Of each pool how many restores can be followed, where most of them spent most time, and the hours of all stages.

    And the request that took longest, stage by stage.
    """
    every = restores(site)
    lines = []
    for pool in pools_of(site.scenario):
        own = [one for one in every if one.pool == pool]
        most = [one.slowest for one in own]
        lines += ["[[recall]]", f'pool = "{pool}"', f"n_followed = {len(own)}"]
        lines += [f'slowest = "{max(sorted(set(most)), key=most.count)}"'] if own else []
        lines += [f"{name}_hours = {sum(one.stages[name] for one in own) / 3600:.4f}" for name in STAGES] + [""]
    if every:
        longest = max(every, key=lambda one: one.took_s)
        lines += ["[longest_recall]", f'pnfsid = "{longest.pnfsid}"', f'pool = "{longest.pool}"']
        lines += [f'slowest = "{longest.slowest}"']
        lines += [f"{name}_s = {longest.stages[name]:.3f}" for name in STAGES] + [""]
    return lines
