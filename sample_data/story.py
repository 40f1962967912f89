"""The story of the sample archive: its hosts and drives, the events of each day, and every number that can be set.

Instants are integer microseconds since 1970 (UTC), so that sums are exact and the same on every machine.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
MB = 10**6
GB = 10**9
BIN_S = 1800  # of the duty factor

ZONE = "America/Chicago"
ZONE_LETTERS = "CST"
# All of the story is in winter time, before the change of 2010-03-14, so that one offset serves for all of it.
OFFSET = -6 * HOUR
LOG_DATE = "2010-03-10"
DOMAIN = "example.org"


def instant(text: str) -> int:
    """Local time of the site, 'YYYY-MM-DD HH:MM', as an instant."""
    local = datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    return int(local.timestamp()) * SECOND - OFFSET


def on_the_day(clock: str) -> int:
    """Local clock time 'HH:MM' of the logged day as an instant."""
    return instant(f"{LOG_DATE} {clock}")


DAY_FROM = on_the_day("00:00")
DAY_TO = DAY_FROM + DAY
WEEK_FROM = DAY_TO - 7 * DAY
VMSTAT_FROM, VMSTAT_TO = on_the_day("09:00"), on_the_day("12:00")
# While vmstat ran each station worked with one tape in and one tape out, as in the study this follows.
SINGLE_FROM, SINGLE_TO = on_the_day("08:30"), on_the_day("12:10")
FIRST_POLL_S = instant("2010-02-20 10:17") // SECOND + 17
LAST_POLL_S = DAY_TO // SECOND + 7 * 60 + 17


class Span(NamedTuple):
    """An interval of instants."""

    from_at: int
    to_at: int


@dataclass(frozen=True)
class Drive:
    """A tape drive and the mover process that owns it."""

    name: str
    generation: str
    mover_host: str
    mover_pid: int
    serial: str
    address: str
    station: str

    @property
    def logname(self) -> str:
        return f"{self.name}MV"

    @property
    def mover(self) -> str:
        return f"{self.name}.mover"

    @property
    def product(self) -> str:
        return "ULTRIUM-TD2" if self.generation == "LTO-2" else "ULTRIUM-TD4"


@dataclass(frozen=True)
class Station:
    """A host that stages files; `in_mb_s` and `out_mb_s` are its usual rates while active."""

    name: str
    link: str
    in_mb_s: tuple[float, float]
    out_mb_s: tuple[float, float]
    role: str = "migration"


# Rates of the migration study, rounded to MB/s; its station 9 only scans.
STATIONS = (
    Station("stkendm5a", "dm5-bond0", (25, 50), (25, 44)),
    Station("stkendm6a", "dm6-bond0", (26, 56), (25, 44)),
    Station("stkendm7a", "dm7-bond0", (26, 56), (25, 50)),
    Station("stkendm8a", "dm8-bond0", (53, 58), (31, 37)),
    Station("stkendm9a", "dm9-bond0", (75, 112), (0.1, 0.4), "scanning"),
    Station("stkendm10a", "dm10-bond0", (25, 50), (25, 44)),
    Station("stkendm11a", "dm11-bond0", (25, 50), (25, 44)),
    Station("stkendm12a", "dm12-bond0", (26, 56), (25, 50)),
)
STAGER = "pic-stager"
LOGGED = ("stkendm8a", "stkendm12a")  # the two stations whose drives are in the Enstore log
MISSPELT = ("stkendm8a", "stkensm8a")
MISSPELT_FROM, MISSPELT_TO = on_the_day("10:00"), on_the_day("11:00")


def _drive(name: str, host: str, number: int, station: str) -> Drive:
    generation = "LTO-2" if name.startswith("LTO2") else "LTO-4"
    serial = f"{1310000000 + 37 * number + int(name[-3:])}"
    return Drive(name, generation, host, 6200 + number, serial, f"0,{3 + number // 4},1,{number}", station)


DRIVES = (
    _drive("LTO2_201", "stkenmvr201a", 1, LOGGED[0]),
    _drive("LTO2_202", "stkenmvr202a", 2, LOGGED[0]),
    _drive("LTO2_203", "stkenmvr203a", 3, LOGGED[1]),
    _drive("LTO2_204", "stkenmvr204a", 4, LOGGED[1]),
    _drive("LTO4_101", "stkenmvr211a", 5, LOGGED[0]),
    _drive("LTO4_102", "stkenmvr212a", 6, LOGGED[0]),
    _drive("LTO4_103", "stkenmvr213a", 7, LOGGED[1]),
    _drive("LTO4_104", "stkenmvr214a", 8, LOGGED[1]),
    _drive("STKL402", "ts001", 12, STAGER),
    _drive("STKL403", "ts002", 13, STAGER),
    _drive("STKL405", "ts020", 15, STAGER),
)


def drive_named(name: str) -> Drive:
    return next(drive for drive in DRIVES if drive.name == name)


@dataclass
class PicTest:
    """One tape-read test: which files of the tape on which drive, and the two rates it came to."""

    drive: str
    start: str
    pattern: str  # which files are read: all, every second one, or spaced (more than 12 GB apart)
    n_files: int
    gb: float
    drive_mb_s: float  # bytes on tape over seconds inside drive calls
    overall_mb_s: float  # bytes on tape over mount request to dismounted


def pic_tests() -> dict[str, PicTest]:
    """The four published tests on tape G03243."""
    return {
        "test1": PicTest("STKL403", "00:20", "all", 278, 766.0, 83.4, 72.6),
        "test2": PicTest("STKL405", "04:00", "all", 278, 766.0, 80.4, 66.5),
        "test3": PicTest("STKL402", "08:30", "odd", 139, 382.0, 81.9, 40.8),
        "test4": PicTest("STKL403", "13:00", "spaced", 44, 119.0, 80.0, 29.2),
    }


@dataclass
class DriveSettings:
    """How quick drives and robots are, and what passes between files."""

    lto2_mb_s: float = 33.4
    lto4_mb_s: float = 75.0
    filemark_s: float = 2.0
    database_s: float = 1.0
    quiet_gap_s: float = 2.0  # what is left of a gap without file mark, positioning and missing demand
    largest_mb: float = 1000.0
    smallest_mb: float = 100.0


@dataclass
class FaultSettings:
    """What goes wrong, and how badly."""

    long_gap_s: float = 10.0
    long_gap_sd_s: float = 0.4
    long_gap_share: float = 0.7
    long_above_s: float = 3.0  # a gap is long when this much above the quiet one
    n_transfer_failures: int = 7
    n_mount_failures: int = 4
    down_from: str = "09:05"
    down_hours: float = 2.4
    burst_period_s: int = 3
    burst_mb: float = 100.0
    silent_minutes: int = 45


@dataclass
class Settings:
    """Every number of the story, by the names that `--set` knows."""

    seed: int = 1
    faults: bool = True
    pic: dict[str, PicTest] = field(default_factory=pic_tests)
    drive: DriveSettings = field(default_factory=DriveSettings)
    fault: FaultSettings = field(default_factory=FaultSettings)
    duty: dict[str, float] = field(default_factory=dict)


DUTY = {
    "stkendm5a": 0.0,
    "stkendm6a": 0.6,
    "stkendm7a": 0.6,
    "stkendm8a": 0.8,
    "stkendm9a": 0.7,
    "stkendm10a": 0.0,
    "stkendm11a": 0.0,
    "stkendm12a": 0.4,
}
BUSY_DUTY = 0.86  # of every station when nothing is wrong


def make_settings(seed: int, faults: bool, overrides: dict[str, str]) -> Settings:
    """The default story with some of its numbers replaced, e.g. {'pic.test4.drive_mb_s': '70'}."""
    settings = Settings(seed, faults)
    settings.duty = dict(DUTY) if faults else dict.fromkeys(DUTY, BUSY_DUTY)
    for key, value in overrides.items():
        _override(settings, key, value)
    return settings


def _override(settings: Settings, key: str, value: str) -> None:
    *path, name = key.split(".")
    target: Any = settings
    try:
        for step in path:
            target = target[step] if isinstance(target, dict) else getattr(target, step)
        old = target[name] if isinstance(target, dict) else getattr(target, name)
    except (KeyError, AttributeError):
        raise ValueError(f"there is no setting {key!r}; see the classes of sample_data/story.py") from None
    if not path or not isinstance(old, int | float | str):
        raise ValueError(f"--set cannot change {key!r}; name one value in a group, e.g. fault.long_gap_s")
    new = type(old)(value)
    if isinstance(target, dict):
        target[name] = new
    else:
        setattr(target, name, new)
