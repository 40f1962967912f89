"""Tape drives as they are sold: capacity, rate, tracks and times of each generation, and what follows from them.

The figures are data, `technology.toml` next to this module; this is their one loader. What a drive is rated at is its
nameplate: it is read from here wherever it is needed, by the `generation` of `site.toml`.

Inputs: a name, as site.toml, a log or a product string has it. Outputs: GB of a cartridge, native MB/s, wraps and GB a
wrap, seconds of loading, locating and rewinding; hours to fill a cartridge, GB of a chunk. Limits: without compression;
the largest cartridge of a generation; a figure that no source states is left out. Source: each row names its own, and
what of it is not checked. GB = 10^9 bytes, MB = 10^6.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

TABLE = Path(__file__).with_suffix(".toml")
HOUR_S = 3600


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    capacity_gb: float = Field(gt=0)
    native_mb_s: float = Field(gt=0)
    source: str = Field(min_length=10)

    @property
    def fill_hours(self) -> float:
        """Hours to fill a cartridge at the native rate: capacity / rate (N05).

        >>> round(drive("LTO-4").fill_hours, 2)
        1.85
        """
        return self.capacity_gb * 1000 / self.native_mb_s / HOUR_S


class Promise(_Row):
    """What a roadmap announced for a generation."""


class Technology(_Row):
    """One generation of drives with its cartridge. None where no source was at hand."""

    names: tuple[str, ...]
    year: int = Field(ge=1980, le=2100)
    stated_mb_s: float | None = Field(default=None, gt=0)
    tracks: int | None = Field(default=None, gt=0)
    tracks_at_once: int | None = Field(default=None, gt=0)
    bands: int | None = Field(default=None, gt=0)
    length_m: float | None = Field(default=None, gt=0)
    load_s: float | None = Field(default=None, gt=0)
    unload_s: float | None = Field(default=None, gt=0)
    access_s: float | None = Field(default=None, gt=0)
    rewind_s: float | None = Field(default=None, gt=0)

    @property
    def wraps(self) -> int | None:
        """Passes over the tape that fill it: tracks / tracks at once (P31)."""
        return self.tracks // self.tracks_at_once if self.tracks and self.tracks_at_once else None

    @property
    def wrap_gb(self) -> float | None:
        """GB a wrap holds (P31).

        >>> round(drive("LTO-4").wrap_gb, 2)
        14.29
        """
        return self.capacity_gb / self.wraps if self.wraps else None

    def chunk_gb(self, seconds: float) -> float:
        """GB that keep one drive busy for so long at its native rate (N12).

        >>> drive("LTO-6").chunk_gb(3600)
        576.0
        """
        return self.native_mb_s * seconds / 1000


@cache
def technologies() -> dict[str, Technology]:
    """Every generation by its name, in the order of the table."""
    rows = [Technology.model_validate(row) for row in _table()["drive"]]
    return {row.name: row for row in rows}


@cache
def promises() -> tuple[Promise, ...]:
    """What roadmaps promised."""
    return tuple(Promise.model_validate(row) for row in _table()["promise"])


def known(name: str) -> Technology | None:
    """The generation with this name or alias, or None.

    >>> known("ult3580-td4").name, known("Ultrium 9-SCSI").name, known("3592E07").name, known("paper tape")
    ('LTO-4', 'LTO-9', 'TS1140', None)
    """
    return _by_name().get(_plain(name))


def drive(name: str) -> Technology:
    """The same. Raises KeyError that names the generations there are."""
    found = known(name)
    if found is None:
        raise KeyError(f"no drive generation is called {name!r}; known generations: {', '.join(technologies())}")
    return found


@cache
def _by_name() -> dict[str, Technology]:
    return {_plain(name): row for row in technologies().values() for name in (row.name, *row.names)}


def _plain(name: str) -> str:
    plain = re.sub(r"[\s\-._]+", "", name).upper()
    plain = re.sub(r"^(3592J[A-Z])\d+T$", r"\1", plain)  # media with their capacity: 3592JE20T
    return re.sub(r"^(?:ULTRIUM|ULT3580)(?:TD|HH)?(\d+)(?:SCSI)?$", r"LTO\1", plain)


@cache
def _table() -> dict[str, list[dict[str, object]]]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
