"""A site of CTA: its drives and users, their requests, and the outcome."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from sample_data.cta.taped import Taped
from sample_data.places import Struck
from sample_data.scenario import FORTNIGHT, CtaScenario
from sample_data.story import HOUR, SECOND

ZONE, OFFSET = "Europe/Zurich", HOUR
ORGANISATIONS = ("muon", "proton", "kaon", "pion", "lepton", "quark", "gluon", "boson")
MB_S = {"LTO-9": 330.0, "TS1170": 370.0}
MEDIA = {"LTO-9": "LTO9", "TS1170": "3592JF"}
HEARTBEAT_S = 540
# How much drives, tapes and files differ when nothing is wrong; now and then a file needs a second try of its blocks.
DRIVE_SD, TAPE_SD, FILE_SD = 0.012, 0.015, 0.02
RETRY_SHARE, RETRY_TIMES = 0.01, 1.4
TAPE_FILES = 2000  # on a tape that is read
CORRECTED_PER_TB, CORRECTED_SD = 200.0, 0.3
PAST_MOUNTS, PAST_FILES = 4, 4  # a drive's of a day before the story, and the files of each: read, nothing is written
ALERTS = ("Read warning", "Hard error", "Media", "Cleaning required")


class Drive(NamedTuple):
    name: str
    server: str
    generation: str


class Wish(NamedTuple):
    """A requested mount; without a tape any of its organisation, `n_files` 0 of one that moves nothing."""

    at: int
    order: int
    drive: str
    mode: str
    vo: str
    volume: str
    n_files: int
    is_empty: bool = False


@dataclass
class Site:
    """Who is there, what the daemons logged, and what each fault cost by its place in the scenario."""

    scenario: CtaScenario
    drives: list[Drive]
    struck: Struck
    taped: Taped
    lost_us: Counter[int] = field(default_factory=Counter)
    n_struck: Counter[int] = field(default_factory=Counter)
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    written: Counter[str] = field(default_factory=Counter)  # files on each tape
    tapes: dict[str, str] = field(default_factory=dict)  # organisation of each that was mounted

    @property
    def begin(self) -> int:
        """Of the first day with a log."""
        past = self.scenario.past_days
        return self.struck.day_from(-(past + FORTNIGHT) if past else 0)

    @property
    def servers(self) -> list[str]:
        return sorted({drive.server for drive in self.drives})

    @property
    def organisations(self) -> tuple[str, ...]:
        return ORGANISATIONS[: self.scenario.disks]

    def strike(self, number: int, lost_s: float = 0.0) -> None:
        self.n_struck[number] += 1
        self.lost_us[number] += round(lost_s * SECOND)


def disk_of(vo: str) -> str:
    """EOS, but dCache's pools of the first organisation."""
    return f"{'dc' if vo == ORGANISATIONS[0] else 'eos'}{vo}"


def pools_of(scenario: CtaScenario) -> list[str]:
    return [f"pool_{number + 1}" for number in range(scenario.pools)]


def tape_of(generation: str, mode: str, vo: str, number: int) -> str:
    """A label: J of 3592 or L of LTO, mode, organisation and number."""
    return f"{'J' if generation == 'TS1170' else 'L'}{mode[0].upper()}{vo[:2].upper()}{number + 1:02d}"


def moment(at: int) -> datetime:
    return datetime(1970, 1, 1) + timedelta(microseconds=at)


def some(rng: Random, low: float, high: float) -> float:
    return round(low + (high - low) * rng.random(), 6)


def bell(rng: Random, sd: float) -> float:
    return sd * max(-3.0, min(3.0, sum(rng.random() for _ in range(12)) - 6.0))
