"""Faults a scenario may plant: what each is called, how strong it is, and which rules should find it.

Defaults are the smallest strengths at which a diagnosis is expected to work.
"""

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field


class Planted(BaseModel):
    """A fault of some days; without an entity the seed chooses one. Days count from 0, `to_day` is not included."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    entity: str = ""
    from_day: int = Field(default=0, ge=0)
    to_day: int = Field(default=10_000, ge=1)

    among: ClassVar[str]  # entities it may strike; faults of one group never share one
    needs: ClassVar[str] = ""  # what the scenario must have, so that any log shows it
    rules: ClassVar[tuple[str, ...]]  # any of these finds it
    follows: ClassVar[tuple[str, ...]] = ()  # may fire for the same entity because of it, and are no false alarms


class LongGap(Planted):
    """A second mode of the gaps between files of one drive."""

    kind: Literal["long_gap"] = "long_gap"
    share: float = Field(default=0.2, gt=0, le=1)
    longer_s: float = Field(default=5.0, gt=0)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("long_gap",)
    follows: ClassVar[tuple[str, ...]] = ("changed_gap", "changed_rate")


class ChangedGap(Planted):
    """From a day on every gap of one drive is longer: too little to be a long gap, but a rule should find it."""

    kind: Literal["changed_gap"] = "changed_gap"
    longer_s: float = Field(default=1.0, gt=0)
    from_day: int = Field(default=4, ge=1)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("changed_gap",)
    follows: ClassVar[tuple[str, ...]] = ("long_gap",)


class SlowDrive(Planted):
    """One drive moves every file more slowly than its peers do."""

    kind: Literal["slow_drive"] = "slow_drive"
    slower: float = Field(default=0.15, gt=0, lt=1)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("slow_drive",)
    follows: ClassVar[tuple[str, ...]] = ("changed_rate",)


class BadTape(Planted):
    """One cartridge is slow in any drive."""

    kind: Literal["bad_tape"] = "bad_tape"
    slower: float = Field(default=0.15, gt=0, lt=1)
    among: ClassVar[str] = "tape"
    rules: ClassVar[tuple[str, ...]] = ("bad_tape",)


class PartialRead(Planted):
    """Of one tape every other file is read, mount after mount; to seek them takes longer than to read them all."""

    kind: Literal["partial_read"] = "partial_read"
    seek_s: float = Field(default=45.0, gt=0)
    among: ClassVar[str] = "tape"
    rules: ClassVar[tuple[str, ...]] = ("partial_read",)


class StarvedStream(Planted):
    """Writes for one station wait for its data."""

    kind: Literal["starved_stream"] = "starved_stream"
    mb_s: float = Field(default=40.0, gt=0)
    among: ClassVar[str] = "stream"
    rules: ClassVar[tuple[str, ...]] = ("starved_stream",)
    follows: ClassVar[tuple[str, ...]] = ("changed_rate",)


class SaturatedDisk(Planted):
    """For some hours a day writes keep a station's disk busy, and reads get through only between them."""

    kind: Literal["saturated_disk"] = "saturated_disk"
    hours: float = Field(default=3.0, gt=0, le=20)
    write_mb_s: float = Field(default=175.0, gt=0)
    among: ClassVar[str] = "host"
    rules: ClassVar[tuple[str, ...]] = ("write_starves_read",)
    follows: ClassVar[tuple[str, ...]] = ("host_saturated",)


class SaturatedHost(Planted):
    """For some hours a day a station's processors have no time left."""

    kind: Literal["saturated_host"] = "saturated_host"
    hours: float = Field(default=3.0, gt=0, le=20)
    among: ClassVar[str] = "host"
    needs: ClassVar[str] = "host_step_s"
    rules: ClassVar[tuple[str, ...]] = ("host_saturated",)


class NetworkCap(Planted):
    """For some hours a day a station's link carries all it can."""

    kind: Literal["network_cap"] = "network_cap"
    hours: float = Field(default=4.0, gt=0, le=20)
    load: float = Field(default=0.98, gt=0, le=1)
    among: ClassVar[str] = "link"
    rules: ClassVar[tuple[str, ...]] = ("link_saturated",)
    follows: ClassVar[tuple[str, ...]] = ("unbalanced_station",)  # the flood comes in and stays


class ClockSkew(Planted):
    """A station's clock is ahead of the others' (below zero: late)."""

    kind: Literal["clock_skew"] = "clock_skew"
    skew_s: float = 10.0
    among: ClassVar[str] = "clock"
    rules: ClassVar[tuple[str, ...]] = ("clock_skew",)


class SilentSource(Planted):
    """A log lacks some hours in the middle of a day."""

    kind: Literal["silent_source"] = "silent_source"
    hours: float = Field(default=2.0, gt=0, le=20)
    among: ClassVar[str] = "source"
    rules: ClassVar[tuple[str, ...]] = ("source_silent",)


class CounterWrap(Planted):
    """A 32-bit counter of a busy link wraps between two polls, and whole turns are lost."""

    kind: Literal["counter_wrap"] = "counter_wrap"
    among: ClassVar[str] = "link"
    rules: ClassVar[tuple[str, ...]] = ("counter_wrap",)
    follows: ClassVar[tuple[str, ...]] = ("duty_low", "unbalanced_station")


class PoolSkew(Planted):
    """One disk pool gets some times the share of each of the others."""

    kind: Literal["pool_skew"] = "pool_skew"
    times: float = Field(default=2.0, gt=1)
    among: ClassVar[str] = "pool"
    rules: ClassVar[tuple[str, ...]] = ("pool_skew",)


class TuningChange(Planted):
    """From a day on all drives are faster by this share; nothing is wrong, but a rule should find it."""

    kind: Literal["tuning_change"] = "tuning_change"
    faster: float = Field(default=0.10, gt=-1)
    from_day: int = Field(default=4, ge=1)
    among: ClassVar[str] = "site"
    rules: ClassVar[tuple[str, ...]] = ("changed_rate",)


class DriveDown(Planted):
    """A mover is offline for some hours of its first day."""

    kind: Literal["drive_down"] = "drive_down"
    hours: float = Field(default=2.0, gt=0, le=20)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("drive_down",)


class TransferFailures(Planted):
    """One drive fails again and again to read."""

    kind: Literal["transfer_failures"] = "transfer_failures"
    times: int = Field(default=5, ge=1)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("transfer_failures",)


class MountFailures(Planted):
    """The robot gives up mounts of one drive."""

    kind: Literal["mount_failures"] = "mount_failures"
    times: int = Field(default=5, ge=1)
    among: ClassVar[str] = "drive"
    rules: ClassVar[tuple[str, ...]] = ("mount_failures",)


Fault = Annotated[
    LongGap
    | ChangedGap
    | SlowDrive
    | BadTape
    | PartialRead
    | StarvedStream
    | SaturatedDisk
    | SaturatedHost
    | NetworkCap
    | ClockSkew
    | SilentSource
    | CounterWrap
    | PoolSkew
    | TuningChange
    | DriveDown
    | TransferFailures
    | MountFailures,
    Field(discriminator="kind"),
]


def by_name(*kinds: type[Planted]) -> dict[str, type[Planted]]:
    return {kind.model_fields["kind"].default: kind for kind in kinds}


KINDS = by_name(*get_args(get_args(Fault)[0]))
