"""Faults that a site of CTA may have; those that every archive may have are in planted.py.

Defaults are the smallest strengths at which a diagnosis is expected to work.
"""

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from sample_data import planted
from sample_data.planted import Planted


class Remounts(Planted):
    """One tape is asked for in small lots, day and night, and each lot takes a mount."""

    kind: Literal["remounts"] = "remounts"
    times: int = Field(default=16, ge=1)  # a day
    among: ClassVar[str] = "tape"
    rules: ClassVar[tuple[str, ...]] = ("remounts",)
    follows: ClassVar[tuple[str, ...]] = ("small_mounts",)


class ScatteredFiles(Planted):
    """Files that one disk system asks for are far apart: winding takes longer than reading."""

    kind: Literal["scattered_files"] = "scattered_files"
    position_s: float = Field(default=40.0, gt=0)
    among: ClassVar[str] = "disk"
    rules: ClassVar[tuple[str, ...]] = ("positioning_loss", "winding_bound")
    follows: ClassVar[tuple[str, ...]] = ("partial_read",)


class SmallMounts(Planted):
    """One disk system asks for its files one by one: a mount each."""

    kind: Literal["small_mounts"] = "small_mounts"
    times: int = Field(default=5, ge=2)  # mounts where it would have been one
    among: ClassVar[str] = "disk"
    rules: ClassVar[tuple[str, ...]] = ("small_mounts",)
    follows: ClassVar[tuple[str, ...]] = ("remounts",)


class HungSession(Planted):
    """A session of one drive makes no progress until it is killed."""

    kind: Literal["hung_session"] = "hung_session"
    hours: float = Field(default=0.5, gt=0, le=20)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("hung_session",)


class EmptyMounts(Planted):
    """One drive is given mounts for which no file is left; it gives them up before the robot moves."""

    kind: Literal["empty_mounts"] = "empty_mounts"
    times: int = Field(default=20, ge=1)  # a day
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("empty_mounts",)


class EmptySessions(Planted):
    """One drive mounts tapes from which nothing is read."""

    kind: Literal["empty_sessions"] = "empty_sessions"
    times: int = Field(default=10, ge=1)  # a day
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("empty_mounts",)


class DriveAlerts(Planted):
    """One drive raises an alert at most mounts, whatever the tape."""

    kind: Literal["drive_alerts"] = "drive_alerts"
    share: float = Field(default=0.7, gt=0, le=1)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("drive_alerts",)


class TapeAlerts(Planted):
    """One tape raises alerts in every drive."""

    kind: Literal["tape_alerts"] = "tape_alerts"
    among: ClassVar[str] = "tape"
    rules: ClassVar[tuple[str, ...]] = ("tape_alerts",)


class MediaErrors(Planted):
    """One tape has blocks that no drive can read at once: the drives' counters of the mount rise."""

    kind: Literal["media_errors"] = "media_errors"
    errors: int = Field(default=3, ge=1)  # a mount
    among: ClassVar[str] = "tape"
    rules: ClassVar[tuple[str, ...]] = ("tape_alerts",)


class DriveErrors(Planted):
    """One drive corrects some times the errors that were usual, whatever the tape."""

    kind: Literal["drive_errors"] = "drive_errors"
    times: float = Field(default=5.0, gt=1)
    among: ClassVar[str] = "drive"
    needs: ClassVar[str] = "past_days"
    rules: ClassVar[tuple[str, ...]] = ("drive_errors",)


class TapeErrors(Planted):
    """One tape needs some times the corrections that were usual, whatever the drive."""

    kind: Literal["tape_errors"] = "tape_errors"
    times: float = Field(default=5.0, gt=1)
    among: ClassVar[str] = "tape"
    needs: ClassVar[str] = "past_days"
    rules: ClassVar[tuple[str, ...]] = ("tape_errors",)


class SlowDrain(Planted):
    """Tapes are gone, but one disk system still takes what was read: its drives are not free."""

    kind: Literal["slow_drain"] = "slow_drain"
    drain_s: float = Field(default=240.0, gt=0)
    among: ClassVar[str] = "disk"
    rules: ClassVar[tuple[str, ...]] = ("draining_loss",)


class StalledReads(Planted):
    """Reads for one disk system wait for memory, which it does not empty quickly enough."""

    kind: Literal["stalled_reads"] = "stalled_reads"
    mb_s: float = Field(default=200.0, gt=0)
    among: ClassVar[str] = "disk"
    rules: ClassVar[tuple[str, ...]] = ("stalled_read",)


class StarvedWrites(Planted):
    """Writes for one disk system wait for its data."""

    kind: Literal["starved_writes"] = "starved_writes"
    mb_s: float = Field(default=200.0, gt=0)
    among: ClassVar[str] = "disk"
    rules: ClassVar[tuple[str, ...]] = ("starved_stream",)


Fault = Annotated[
    Remounts
    | ScatteredFiles
    | SmallMounts
    | HungSession
    | EmptyMounts
    | EmptySessions
    | DriveAlerts
    | TapeAlerts
    | MediaErrors
    | DriveErrors
    | TapeErrors
    | SlowDrain
    | StalledReads
    | StarvedWrites
    | planted.SlowDrive
    | planted.BadTape
    | planted.DriveDown
    | planted.TransferFailures
    | planted.MountFailures
    | planted.SaturatedHost
    | planted.PoolSkew,
    Field(discriminator="kind"),
]
KINDS = planted.by_name(*get_args(get_args(Fault)[0]))
