"""Recorded mounts that read as requests for files: when each was asked for, where it is, and what its mount cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np

from pipelines.analysis.forecast.history import History, Row
from pipelines.analysis.forecast.whatif import Record, drives_of, is_whole, logged_mounts, mount_of, since
from pipelines.analysis.models import mount_costs, seeking
from pipelines.analysis.models.mount_costs import MountCosts, ReadTimes
from pipelines.analysis.models.seeking import Serpentine
from pipelines.analysis.models.simulation import Mount, Outage, Request, Use, Uses, Work
from pipelines.config import technology
from pipelines.primitives.estimate import NoEstimate

Places = dict[tuple[str, str, int], tuple[float, float]]  # GB before a file of a tape, and with it


@dataclass(frozen=True)
class ReadFile:
    """A file of a mount: its request, its number, the seconds before its first block, and of these the way to it."""

    request: Request
    number: int
    before_s: float
    idle_s: float  # part of these without a request
    way_s: float


@dataclass(frozen=True)
class ReadMount:
    """A mount all of whose files were asked for, in seconds since the days' first request, files as they were read."""

    begun_s: float
    ended_s: float
    files: tuple[ReadFile, ...]

    @property
    def kind(self) -> str:
        return self.files[0].request.kind

    @property
    def waiting(self) -> list[Request]:
        """What had been asked for when it began."""
        return [file.request for file in self.files if file.request.asked_s <= self.begun_s]

    @property
    def oldest_s(self) -> float:
        """How long its first request had waited when it began."""
        return self.begun_s - min(file.request.asked_s for file in self.files)

    @property
    def waits_s(self) -> list[float]:
        """From each request to the first block of its file."""
        at, found = self.begun_s, []
        for file in self.files:
            at += file.before_s
            found.append(at - file.request.asked_s)
            at += file.request.moving_s
        return found


@dataclass(frozen=True)
class RequestedReads:
    """The work to run again under policies, its mounts as they were, and what they cost by kind of drive."""

    record: Record
    mounts: tuple[ReadMount, ...]
    costs: dict[str, MountCosts]


def requested_reads(history: History) -> RequestedReads | NoEstimate:
    """The mounts whose files all were asked for; all others are run again as they were.

    The record's share is of the bytes that were read. Raises TapescopeError where no mount was logged completely.
    """
    logged = logged_mounts(history)
    whole = [rows for rows in logged if is_whole(rows)]
    asked, rest = ([rows for rows in whole if _is_asked(rows) is was] for was in (True, False))
    if not asked:
        return NoEstimate(
            "no read mount has a logged request time and a file number for each of its files",
            "the log of CTA's frontend, or Enstore's LOG",
        )
    zero = min(min(row["asked_at"], row["queued_at"] or row["asked_at"]) for rows in whole for row in rows)
    places = {
        (row["system"], row["volume"], row["file_number"]): (row["begin_gb"], row["end_gb"])
        for row in history.rows("file_places")
    }
    mounts = tuple(_read_mount(rows, zero, places) for rows in asked)
    others = [(mount_of(rows, zero), *_ends(rows, zero)) for rows in rest]
    read = sum(row["file_bytes"] for rows in logged if rows[0]["mode"] == "read" for row in rows)
    share = sum(row["file_bytes"] for rows in asked for row in rows) / read
    return gathered(mounts, *drives_of(history, whole, zero), others, share)


def gathered(
    mounts: Sequence[ReadMount],
    drives: dict[str, int],
    outages: Sequence[Outage] = (),
    others: Sequence[tuple[Mount, float, float]] = (),
    share: float = 1.0,
) -> RequestedReads | NoEstimate:
    """Mounts of requests and others, with begin and end, as work for the simulator; `share` of what was read."""
    costs: dict[str, MountCosts] = {}
    for kind in sorted({mount.kind for mount in mounts}):
        own = [mount for mount in mounts if mount.kind == kind]
        tape = _geometry(kind)
        found = mount_costs.learn(_times(own, tape), tape)
        if isinstance(found, NoEstimate):
            return NoEstimate(f"{kind} drives: {found.reason}", found.data_needed)
        costs[kind] = found
    requests = tuple(file.request for mount in mounts for file in mount.files)
    reading = {kind: cost.read for kind, cost in costs.items()}
    uses = _uses(mounts)
    for mount, begun, ended in others:
        uses.setdefault((mount.kind, mount.mode), Use()).add(mount, begun, ended)
    work = Work(tuple(mount for mount, _, _ in others), drives, tuple(outages), requests, reading)
    return RequestedReads(Record(work, uses, share), tuple(mounts), costs)


def _ends(rows: list[Row], zero: datetime) -> tuple[float, float]:
    return since(zero, rows[0]["requested_at"]), since(zero, rows[0]["dismounted_at"])


def _is_asked(rows: list[Row]) -> bool:
    first = rows[0]
    known = all(row["queued_at"] is not None and row["file_number"] is not None for row in rows)
    idle_s = sum(max(0.0, row["think_s"]) for row in rows)
    has_ended = since(first["requested_at"], first["dismounted_at"]) > idle_s  # unless a clock jumped back
    return (
        known and has_ended and first["mode"] == "read" and first["volume"] and any(row["file_bytes"] for row in rows)
    )


def _geometry(kind: str) -> Serpentine | None:
    sold = technology.known(kind)
    try:
        return seeking.geometry(sold) if sold else None
    except ValueError:
        return None


def _read_mount(rows: list[Row], zero: datetime, places: Places) -> ReadMount:
    """A recorded mount."""
    first, files, here_gb = rows[0], list[ReadFile](), 0.0
    volume = f"{first['system']}/{first['volume']}"
    for nth, row in enumerate(rows):
        begin_gb, end_gb = places.get((first["system"], first["volume"], row["file_number"]), (here_gb, here_gb))
        mb, moving_s = row["file_bytes"] / 1e6, max(0.0, row["moving_s"])
        asked_s = since(zero, row["queued_at"])
        request = Request(first["kind"], volume, asked_s, mb, moving_s, begin_gb, end_gb)
        way_s = max(0.0, row["position_s"] or 0.0) if nth else 0.0
        files.append(ReadFile(request, row["file_number"], max(0.0, row["before_s"]), max(0.0, row["think_s"]), way_s))
        here_gb = end_gb
    begun_s, ended_s = _ends(rows, zero)
    return ReadMount(begun_s, ended_s, tuple(files))


def _times(mounts: Sequence[ReadMount], tape: Serpentine | None) -> ReadTimes:
    ways = [(place, *way) for place, mount in enumerate(mounts) for way in _ways(mount, tape)]
    of, way_s, prior_s = np.array(ways, dtype=float).reshape(-1, 3).T
    between_s = [sum(max(0.0, file.before_s - file.idle_s) for file in mount.files[1:]) for mount in mounts]
    idle_s = [sum(file.idle_s for file in mount.files) for mount in mounts]
    starts = np.array([mount.files[0].request.begin_gb for mount in mounts])
    moved_mb = [sum(file.request.mb for file in mount.files) for mount in mounts]
    wall_s = [mount.ended_s - mount.begun_s - idle for mount, idle in zip(mounts, idle_s, strict=True)]
    moving_s = [sum(file.request.moving_s for file in mount.files) for mount in mounts]
    return ReadTimes(
        n_files=np.array([len(mount.files) for mount in mounts], dtype=float),
        moved_mb=np.array(moved_mb, dtype=float),
        wall_s=np.array(wall_s),
        moving_s=np.array(moving_s),
        between_s=np.array(between_s, dtype=float) - np.bincount(of.astype(int), way_s, len(mounts)),
        before_s=np.array([mount.files[0].before_s for mount in mounts]),
        first_prior_s=np.zeros(len(mounts)) if tape is None else tape.prior_s(np.zeros(len(mounts)), starts),
        way_of=of.astype(np.int64),
        way_s=way_s,
        way_prior_s=prior_s,
    )


def _ways(mount: ReadMount, tape: Serpentine | None) -> list[tuple[float, float]]:
    """Seconds of its ways between files, and by the published model; with places none leads to the next file."""
    steps = list(pairwise(mount.files))
    if tape is None:
        return [(after.way_s, 0.0) for _, after in steps]
    ends = ([getattr(step[n].request, name) for step in steps] for n, name in ((0, "end_gb"), (1, "begin_gb")))
    prior_s = tape.prior_s(*(np.array(end) for end in ends))
    return [(step[1].way_s, prior) for step, prior in zip(steps, prior_s.tolist(), strict=True) if prior > 0]


def _uses(mounts: Sequence[ReadMount]) -> Uses:
    uses: Uses = {}
    for mount in mounts:
        use = uses.setdefault((mount.kind, "read"), Use())
        mb = sum(file.request.mb for file in mount.files)
        use.count(mb, mount.begun_s, mount.ended_s, sum(mount.waits_s), len(mount.files))
    return uses
