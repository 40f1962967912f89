"""What if: the recorded work run again unchanged, compared with the record, and only then with a change."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby

from pipelines.analysis.forecast.history import History, Row
from pipelines.analysis.models.simulation import Changes, File, Mount, Outage, Outcome, Use, Uses, Work, simulate
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.format import quantity

MOST_ERROR = 0.10


@dataclass(frozen=True)
class Record:
    """Recorded work and what it did: uses by kind and direction, and the share of its bytes that can be run again."""

    work: Work
    uses: Uses
    share: float

    @property
    def recorded(self) -> Outcome:
        return Outcome(self.uses)


@dataclass(frozen=True)
class WhatIf:
    """The record, the same run again, how far that was off, and the change; None where the replay cannot be trusted."""

    record: Record
    replayed: Outcome
    error: float
    what: str
    changed: Outcome | None

    @property
    def is_withheld(self) -> bool:
        return self.changed is None

    @property
    def shorter_waits(self) -> str:
        """Why mounts wait less in the replay than in the logs; empty where they do not."""
        was, again = (sum(use.waited_s for use in uses.values()) for uses in (self.record.uses, self.replayed.uses))
        if was <= again:
            return ""
        less = quantity((was - again) / sum(use.n_asked for use in self.record.uses.values()), "s")
        return (
            f"In the replay, any free drive of a kind takes a mount at once, without delay by a scheduler: mounts wait"
            f" {less} less on average."
        )


def what_if(history: History, changes: Changes) -> WhatIf:
    """Run the site's days again, then with changes. Raises TapescopeError where nothing was recorded."""
    return judge(recorded(history), changes)


def judge(record: Record, changes: Changes, run: Callable[[Changes], Outcome] | None = None) -> WhatIf:
    """The replay first; the change only where the replay is within 10 % and nearly all of the bytes took part.

    `run` simulates the record's work with changes, for a caller that caches outcomes.
    """
    run = run or partial(simulate, record.work)
    replayed = run(Changes())
    error, what = replay_error(record, replayed)
    if record.share < 1 - MOST_ERROR:
        error, what = 1 - record.share, "bytes of mounts without a logged request or dismount"
    if error > MOST_ERROR:
        return WhatIf(record, replayed, error, what, None)
    return WhatIf(record, replayed, error, what, replayed if changes == Changes() else run(changes))


def replay_error(record: Record, replayed: Outcome) -> tuple[float, str]:
    """The largest error of the replay and what it is of: mounts, drive-hours, rate, end, and waits in drive-hours."""
    found: list[tuple[float, str]] = []
    for key, was in record.uses.items():
        again, name = replayed.uses.get(key, Use()), " ".join(key)
        found.append((abs(again.n_mounts / was.n_mounts - 1), f"number of {name} mounts"))
        found.append((_off(again.busy_s, was.busy_s), f"drive-hours of {name} mounts"))
        found.append((_off(again.rate_mb_s, was.rate_mb_s) if was.rate_mb_s else 0.0, f"rate of {name} mounts"))
        found.append((_off(again.ended_s, was.ended_s), f"end of the last {name} mount"))
        waits = _off(again.waited_s, was.waited_s, was.busy_s + was.waited_s)
        found.append((waits, f"waits for {name} mounts"))
    return max(found)


def _off(again: float, was: float, of: float | None = None) -> float:
    """An error as a share; all of it where the record has no length to compare with, as where a clock jumped back."""
    of = was if of is None else of
    return abs(again - was) / abs(of) if of else float(again != was)


def recorded(history: History) -> Record:
    """The work of some days. Raises TapescopeError where there is none."""
    mounts = logged_mounts(history)
    whole = [mount for mount in mounts if is_whole(mount)]
    zero = min(mount[0]["asked_at"] for mount in whole)
    made = [mount_of(rows_of, zero) for rows_of in whole]
    uses: Uses = {}
    for rows_of, mount in zip(whole, made, strict=True):
        begun, ended = (since(zero, rows_of[0][name]) for name in ("requested_at", "dismounted_at"))
        uses.setdefault((mount.kind, mount.mode), Use()).add(mount, begun, ended)
    numbers, outages = drives_of(history, whole, zero)
    moved = sum(row["file_bytes"] for mount in mounts for row in mount)
    again = sum(row["file_bytes"] for mount in whole for row in mount)
    return Record(Work(tuple(made), numbers, outages), uses, again / moved if moved else 0.0)


def logged_mounts(history: History) -> list[list[Row]]:
    """Rows of `recorded_work`, a list for each mount. Raises TapescopeError where no mount was logged completely."""
    rows = history.rows("recorded_work")
    mounts = [list(group) for _, group in groupby(rows, key=lambda row: (row["system"], row["session_id"]))]
    if not any(map(is_whole, mounts)):
        raise TapescopeError(
            "no mount was logged from request to dismount on these days",
            "choose other days with --days or --day, or see `tapescope ask coverage`",
        )
    return mounts


def is_whole(mount: list[Row]) -> bool:
    """Whether both its request and its dismount were logged."""
    return mount[0]["requested_at"] is not None and mount[-1]["dismounted_at"] is not None


def drives_of(history: History, whole: list[list[Row]], zero: datetime) -> tuple[dict[str, int], tuple[Outage, ...]]:
    """The drives of each kind that served some mounts, and when they could not be used.

    The outage of a drive that served no mount takes no drive from those that did.
    """
    drives = {(mount[0]["kind"], mount[0]["drive"]) for mount in whole}
    numbers = {kind: sum(kind == other for other, _ in drives) for kind, _ in drives}
    down = [row for row in history.rows("drives_down") if (row["kind"], row["drive"]) in drives]
    return numbers, tuple(Outage(row["kind"], since(zero, row["from_at"]), since(zero, row["to_at"])) for row in down)


def mount_of(rows: list[Row], zero: datetime) -> Mount:
    """A recorded mount; a clock that jumped back makes no time below 0."""
    first = rows[0]
    files = [
        File(
            row["file_bytes"] / 1e6,
            max(0.0, row["moving_s"]),
            max(0.0, row["avoidable_s"]),
            row["think_s"],
            max(0.0, row["before_s"] - row["think_s"] - row["avoidable_s"]) if place else 0.0,
            min(max(0.0, row["wait_s"] or 0.0), max(0.0, row["moving_s"])),
        )
        for place, row in enumerate(rows)
    ]
    return Mount(
        first["kind"],
        first["mode"],
        tuple(files),
        since(zero, first["asked_at"]),
        first["station"] or "",
        f"{first['system']}/{first['volume']}" if first["volume"] else "",
        max(0.0, first["before_s"]),
        max(0.0, rows[-1]["after_s"]),
    )


def since(zero: datetime, at: datetime) -> float:
    """Seconds from one instant to another."""
    return (at - zero).total_seconds()
