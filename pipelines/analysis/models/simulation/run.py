"""One run of the work, by discrete events."""

from collections import defaultdict
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import simpy

from pipelines.analysis.models.simulation.queues import Policy, Read, Request, TapeQueue
from pipelines.analysis.models.simulation.stations import Station
from pipelines.analysis.models.simulation.work import Changes, Mount, Outage, Outcome, Use, Uses, Work, chunked

Steps = Generator[simpy.Event, Any, None]


class Run:
    """One run of the work."""

    def __init__(self, work: Work, changes: Changes) -> None:
        self.env = simpy.Environment()
        self.changes = changes
        self.uses: Uses = defaultdict(Use)
        self.reads: dict[str, Read] = defaultdict(Read)
        numbers = work.drives | changes.drives
        self.drives = {kind: simpy.PriorityResource(self.env, n) for kind, n in numbers.items()}
        self.volumes: dict[str, simpy.Resource] = defaultdict(lambda: simpy.Resource(self.env, 1))
        self.stations: dict[str, Station] = defaultdict(lambda: Station(self.env, changes))
        mounts = chunked(work.mounts, changes.chunk_gb) if changes.chunk_gb else work.mounts
        self.n_waiting = len(mounts)
        for mount in sorted(mounts, key=lambda one: one.asked_s):
            self.env.process(self._serve(replace(mount, asked_s=0.0, collected_s=0.0) if changes.at_once else mount))
        queues: dict[tuple[str, str], list[Request]] = defaultdict(list)
        for request in work.requests:
            queues[request.kind, request.volume].append(request)
        for (kind, volume), requests in queues.items():
            queue = TapeQueue(requests, changes.policy or Policy(), work.costs[kind])
            self.env.process(self._attend(kind, volume, queue))
        for outage in work.outages:
            self.env.process(self._withhold(outage))

    def outcome(self) -> Outcome:
        self.env.run()
        return Outcome(dict(self.uses), self.n_waiting, dict(self.reads))

    def _withhold(self, outage: Outage) -> Steps:
        yield self.env.timeout(max(0.0, outage.from_s))
        with self.drives[outage.kind].request(priority=-1) as drive:
            yield drive
            yield self.env.timeout(max(0.0, outage.to_s - self.env.now))

    def _serve(self, mount: Mount) -> Steps:
        env, station = self.env, self.stations[mount.station]
        yield env.timeout(mount.asked_s)
        held: list[tuple[simpy.Resource, Any]] = []
        resources: list[simpy.Resource] = [self.drives[mount.kind]]
        if mount.mode in station.slots:
            resources.insert(0, station.slots[mount.mode])
        if mount.volume:
            resources.insert(0, self.volumes[mount.volume])
        for resource in resources:
            request = resource.request()
            held.append((resource, request))
            yield request
        begun = env.now
        yield env.timeout(mount.lead_s)
        yield from self._files(mount, station)
        yield env.timeout(mount.tail_s)
        for resource, request in held:
            resource.release(request)
        self.uses[mount.kind, mount.mode].add(mount, begun, env.now)
        self.n_waiting -= 1

    def _files(self, mount: Mount, station: Station) -> Steps:
        env, reads = self.env, mount.mode == "read"
        ends = [env.now] * self.changes.depth  # of the files before, the oldest first
        for file in mount.files:
            yield env.timeout(max(0.0, ends.pop(0) + file.think_s - env.now))
            gap = file.gap_s if self.changes.gap_s is None else min(file.gap_s, self.changes.gap_s)
            yield env.timeout(gap + file.tape_s)
            if self.changes.writes_wait_for_reads and not reads:
                yield station.take(file.mb)
            if file.mb and file.moving_s:
                yield station.move(file.mb, file.mb / file.moving_at(self.changes.speed), reads)
            else:
                yield env.timeout(file.moving_s)
            if reads:
                station.read(file.mb)
            ends.append(env.now)

    def _attend(self, kind: str, volume: str, queue: TapeQueue) -> Steps:
        """The mounts of one tape for those who wait for it, one after the other."""
        env, costs, again_s = self.env, queue.costs, 0.0
        while queue.has_more:
            due_s = queue.warranted_at(max(env.now, again_s))
            yield env.timeout(max(0.0, due_s - env.now))
            with self.volumes[volume].request() as tape:
                yield tape
                with self.drives[kind].request() as drive:
                    yield drive
                    # rounded, the clock may be short of the instant at which the request comes
                    begun, first = max(env.now, due_s), queue.served
                    again_s = begun + queue.policy.remount_delay_s
                    yield env.timeout(costs.lead_s)
                    waited_s = yield from self._read(self.reads[kind], queue, begun)
                    yield env.timeout(costs.tail_s)
            self.reads[kind].busy_s += env.now - begun
            mb = queue.mb[queue.served] - queue.mb[first]
            self.uses[kind, "read"].count(mb, begun, env.now, waited_s, queue.served - first)

    def _read(self, read: Read, queue: TapeQueue, begun: float) -> Generator[simpy.Event, Any, float]:
        """Lots of requests in one mount; returns the seconds they waited for their first blocks, in all."""
        env, costs, waited_s = self.env, queue.costs, 0.0
        place_gb: float | None = None
        read.n_mounts += 1
        while lot := queue.take(env.now if queue.policy.joins else begun):
            ways, n_ways, prior_s = costs.ways(lot, place_gb)
            read.n_ways += n_ways
            read.prior_s += prior_s
            at = env.now
            for request, way_s in zip(lot, ways, strict=True):
                at += way_s + costs.file_s
                read.waits_s.append(at - request.asked_s)
                waited_s += at - request.asked_s
                at += request.moving_s
            yield env.timeout(at - env.now)
            place_gb = lot[-1].end_gb
        return waited_s
