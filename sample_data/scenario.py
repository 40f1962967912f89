"""Scenarios: a story, its faults, and when and how strongly they strike. Read from TOML, or drawn from a seed.

The migration story is the committed sample archive. The library story is some days of a few drives that share tapes
and stations: small and quick to make, so that many can be scored.
"""

import tomllib
from datetime import date
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from sample_data import planted
from sample_data.cta import faults
from sample_data.planted import Fault, Planted

FOLDER = Path(__file__).parent / "scenarios"
FORTNIGHT = 14  # days


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    seed: int = 1


class MigrationScenario(_Model):
    """The story of story.py; `set` turns its numbers."""

    story: Literal["migration"]
    faults: bool = True
    set: dict[str, int | float | str] = {}


class LibraryScenario(_Model):
    """Some days of a library: its size, and the faults planted in it."""

    story: Literal["library"] = "library"
    # Winter time throughout: the generator knows one offset. Weeks after the change of November and before March's.
    first_day: date = date(2010, 2, 1)
    days: int = Field(default=7, ge=1, le=28)
    stations: int = Field(default=3, ge=1, le=9)
    drives: int = Field(default=6, ge=1, le=90)
    tapes: int = Field(default=14, ge=2)  # to read; as many to write
    pools: int = Field(default=8, ge=0)
    sessions_per_day: int = Field(default=2, ge=1)  # of each drive
    files_per_session: int = Field(default=20, ge=2)
    smallest_mb: float = Field(default=600.0, gt=0)
    largest_mb: float = Field(default=1800.0, gt=0)
    drive_mb_s: float = Field(default=80.0, gt=0)
    link_mb_s: float = Field(default=250.0, gt=0)
    client_mb_s: float = Field(default=20.0, ge=0)  # traffic of a link in addition to the drives' files
    pool_requests: int = Field(default=60, ge=0)  # a day and pool
    host_step_s: int = Field(default=60, ge=1)
    network_days: tuple[int, ...] = (1, 3)  # days on which a station's interface is sampled every second
    network_hours: tuple[int, int] = (10, 13)
    fault: tuple[Fault, ...] = ()

    @model_validator(mode="after")
    def _in_winter(self) -> "LibraryScenario":
        first, last = self.first_day, self.first_day.toordinal() + self.days
        if not date(2009, 11, 10).toordinal() <= first.toordinal() <= last <= date(2010, 3, 13).toordinal():
            raise ValueError(
                "the days must be between 2009-11-10 and 2010-03-13, because the generator knows only winter time"
            )
        if late := [fault.kind for fault in self.fault if fault.from_day >= min(fault.to_day, self.days)]:
            raise ValueError(f"from_day of {late[0]} must be before its to_day, and within the days of the scenario")
        return self

    @property
    def drive_weeks(self) -> float:
        return self.drives * self.days / 7


class CtaScenario(_Model):
    """Some days of a site of CTA: its size, and the faults planted in it."""

    story: Literal["cta"] = "cta"
    first_day: date = date(2026, 2, 2)  # winter time throughout, as for a library
    days: int = Field(default=3, ge=1, le=28)
    servers: int = Field(default=3, ge=1, le=20)
    drives: int = Field(default=8, ge=1, le=200)  # LTO-9 and TS1170 in turns
    disks: int = Field(default=5, ge=1, le=8)  # disk systems, each with a virtual organisation of its own
    tapes: int = Field(default=2, ge=1)  # of each organisation and generation to read; as many to write
    mounts_per_day: int = Field(default=6, ge=1)  # of each drive
    files_per_mount: int = Field(default=22, ge=2)
    smallest_gb: float = Field(default=4.0, gt=0)
    largest_gb: float = Field(default=12.0, gt=0)
    min_age_s: int = Field(default=0, ge=0)  # of the mount policy, where a frontend logs requests; 0: it logs none
    pools: int = Field(default=0, ge=0)  # of dCache, whose billing is written where there are any
    pool_requests: int = Field(default=100, ge=0)  # a day and pool
    host_step_s: int = Field(default=0, ge=0)  # seconds between Prometheus' samples of the tape servers; 0: none
    past_days: int = Field(default=0, ge=0, le=14)  # with a little reading, that end a fortnight before the first day
    fault: tuple[faults.Fault, ...] = ()

    @model_validator(mode="after")
    def _in_winter(self) -> "CtaScenario":
        first, last = self.first_day.toordinal(), self.first_day.toordinal() + self.days
        since = first - (self.past_days + FORTNIGHT if self.past_days else 0)
        if not date(2025, 11, 1).toordinal() <= since <= last <= date(2026, 3, 28).toordinal():
            raise ValueError(
                "the days must be between 2025-11-01 and 2026-03-28, because the generator knows only winter time"
            )
        if late := [fault.kind for fault in self.fault if fault.from_day >= min(fault.to_day, self.days)]:
            raise ValueError(f"from_day of {late[0]} must be before its to_day, and within the days of the scenario")
        return self

    @property
    def drive_weeks(self) -> float:
        return self.drives * self.days / 7


Drawn = LibraryScenario | CtaScenario
KINDS: dict[str, dict[str, type[Planted]]] = {"library": planted.KINDS, "cta": faults.KINDS}  # by story
Scenario = MigrationScenario | Drawn
_ANY: TypeAdapter[Scenario] = TypeAdapter(Annotated[Scenario, Field(discriminator="story")])


def load(path: Path) -> Scenario:
    """A scenario's TOML. Raises ValueError that names every mistake."""
    try:
        return _ANY.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError, OSError) as error:
        raise ValueError(f"{path}: {error}") from error


def named(name: str) -> Scenario:
    """One of the scenarios kept here."""
    return load(FOLDER / f"{name}.toml")


def drawn(seed: int, n_faults: int = 8, base: Drawn | None = None) -> Drawn:
    """A library whose faults the seed draws, each at its least strength; without faults where `n_faults` is 0.

    A group of entities is not asked for more faults than it bears: at most half of the drives are struck, each kind
    strikes one, so that most peers keep their rates.
    """
    base = base or LibraryScenario()
    rng = Random(f"{seed} faults")
    known = KINDS[base.story]
    kinds = list(known)
    rng.shuffle(kinds)
    room = _room(base)
    chosen: list[Planted] = []
    for kind in kinds:
        if len(chosen) == n_faults:
            break
        group = known[kind].among
        if room[group] < 1 or (known[kind].needs and not getattr(base, known[kind].needs)):
            continue
        room[group] -= 1
        chosen.append(_fault(known[kind], rng, base))
    return base.model_copy(update={"seed": seed, "fault": tuple(chosen)})


def _room(base: Drawn) -> dict[str, int]:
    """How many faults each group of entities bears."""
    if isinstance(base, CtaScenario):
        room = {"drive": base.drives // 2, "tape": base.tapes * base.disks // 3, "disk": base.disks // 2}
        return room | {"pool": base.pools // 4, "host": base.servers // 2}
    return {
        "drive": base.drives // 2,
        "tape": base.tapes // 4,
        "pool": base.pools // 4,
        "source": 1,
        "site": 1,
        **dict.fromkeys(("stream", "host", "link", "clock"), base.stations // 2),
    }


def _fault(planted_kind: type[Planted], rng: Random, base: Drawn) -> Planted:
    """A clock may also be late, and a change comes somewhere in the middle."""
    more: dict[str, Any] = {}
    kind = planted_kind.model_fields["kind"].default
    if kind == "clock_skew" and rng.random() < 0.5:
        more["skew_s"] = -planted_kind.model_fields["skew_s"].default
    if kind in ("tuning_change", "changed_gap"):
        more["from_day"] = max(1, base.days // 2 - 1 + rng.randrange(3))
    if kind in ("silent_source", "drive_down", "hung_session"):
        more["from_day"] = rng.randrange(base.days)
    return planted_kind(**more)
