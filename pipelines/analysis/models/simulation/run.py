"""One run of the work, by discrete events."""

from collections import defaultdict
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import simpy

from pipelines.analysis.models.simulation.stations import Station
from pipelines.analysis.models.simulation.work import Changes, Mount, Outage, Outcome, Use, Uses, Work, chunked

Steps = Generator[simpy.Event, Any, None]


class Run:
    """One run of the work."""

    def __init__(self, work: Work, changes: Changes) -> None:
        self.env = simpy.Environment()
        self.changes = changes
        self.uses: Uses = defaultdict(Use)
        numbers = work.drives | changes.drives
        self.drives = {kind: simpy.PriorityResource(self.env, n) for kind, n in numbers.items()}
        self.volumes: dict[str, simpy.Resource] = defaultdict(lambda: simpy.Resource(self.env, 1))
        self.stations: dict[str, Station] = defaultdict(lambda: Station(self.env, changes))
        mounts = chunked(work.mounts, changes.chunk_gb) if changes.chunk_gb else work.mounts
        self.n_mounts = len(mounts)
        for mount in sorted(mounts, key=lambda one: one.asked_s):
            self.env.process(self._serve(replace(mount, asked_s=0.0, collected_s=0.0) if changes.at_once else mount))
        for outage in work.outages:
            self.env.process(self._withhold(outage))

    def outcome(self) -> Outcome:
        self.env.run()
        return Outcome(dict(self.uses), self.n_mounts - sum(use.n_mounts for use in self.uses.values()))

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
