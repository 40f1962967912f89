"""The `[[input]]` entries of site.toml: which files are read, and what is known of them besides their lines."""

import datetime as dt
import re
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, field_validator, model_validator

from pipelines.config.model import Model
from pipelines.primitives.clock import naive_utc
from pipelines.sources.protocol import source_names

_zones = cache(available_timezones)  # they are the names of files, and each input may have a zone of its own


def _known_zone(name: str) -> str:
    if name not in _zones():
        raise ValueError(f"unknown time zone {name!r}; use a name such as 'America/Chicago' or 'UTC'")
    return name


def _naive_utc(value: datetime | date) -> datetime:
    try:
        return naive_utc(value) if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    except OverflowError:  # an offset takes it before the first year, or after the last
        raise ValueError(f"{value} is outside the years 1 to 9999") from None


def _known_source(source: str) -> str:
    if source and source not in source_names():
        raise ValueError(f"there is no source {source!r}; known sources: {', '.join(source_names())}")
    return source


Zone = Annotated[str, AfterValidator(_known_zone)]
Instant = Annotated[datetime, AfterValidator(_naive_utc)]
SourceName = Annotated[str, AfterValidator(_known_source)]


class Expect(Model):
    """When a log should have been written: coverage counts only what is declared."""

    begin: Instant = Field(alias="from")
    end: Instant = Field(alias="to")

    @model_validator(mode="after")
    def _in_order(self) -> "Expect":
        if self.begin >= self.end:
            raise ValueError("'from' must be before 'to'")
        if self.begin.year < 1980 or self.end.year > 2100:  # each day of it is built
            raise ValueError("'from' and 'to' must be in the years 1980 to 2100")
        return self


class Input(Model):
    """Files to read; `{link}`, `{host}`, `{drive}`, `{system}`, `{date}`, `{name}` in the pattern say whence one is."""

    glob: str
    source: SourceName = ""
    system: str = ""
    host: str = ""
    link: str = ""
    drive: str = ""
    zone: Zone | None = None
    date: dt.date | None = None
    start_at: Instant | None = None
    interval_s: float | None = Field(default=None, gt=0)
    date_order: Literal["", "dmy", "mdy"] = ""
    columns: dict[str, str] = Field(default_factory=dict)  # titles of columns, by what the source calls them
    expect: Expect | None = None

    @property
    def pattern(self) -> str:
        """The glob below its base."""
        return self.glob.lstrip("/")

    def match(self, path: str) -> dict[str, str] | None:
        """The pattern's placeholders in a path relative to its base, or None if it does not fit."""
        found = _pattern(self.pattern).fullmatch(path)
        return found.groupdict() if found else None

    def base(self, root: Path) -> Path:
        """The folder the pattern starts from: the site's own, unless it is absolute."""
        return Path("/") if self.glob.startswith("/") else root

    @field_validator("glob")
    @classmethod
    def _readable(cls, glob: str) -> str:
        names = re.findall(r"\{(\w*)\}", glob)
        parts = [part for part in glob.split("/") if part != "."]  # such as ./logs/*.txt
        glob = "/".join(parts)
        if any("**" in part and part != "**" for part in parts):
            raise ValueError("`**` must be alone between slashes, as in 'logs/**/*.txt'")
        if not glob.strip("/"):
            raise ValueError("give a pattern of files, such as 'logs/{host}_*.txt'")
        if unknown := sorted({name for name in names if name not in _PLACEHOLDERS or names.count(name) > 1}):
            raise ValueError(
                f"placeholder {{{unknown[0]}}} is unknown or repeated; each of these can be used once: "
                f"{', '.join(sorted(_PLACEHOLDERS))}"
            )
        return glob


_PLACEHOLDERS = {
    "date": r"(?P<date>\d{4}[-.]?\d\d[-.]?\d\d)",
    "link": r"(?P<link>[^/]+?)",
    "host": r"(?P<host>[^/_]+?)",
    "drive": r"(?P<drive>[^/]+?)",
    "system": r"(?P<system>[^/]+?)",
    "name": r"(?P<name>[^/]+?)",
}


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob with placeholders as a regular expression; `**` crosses folders, `*` and `?` do not."""
    parts = re.split(r"(\*\*/|\*|\?|\{\w+\})", glob)
    known = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    whole = "".join(
        known.get(part) or _PLACEHOLDERS.get(part.strip("{}"), "")
        if part in known or part.startswith("{")
        else re.escape(part)
        for part in parts
    )
    # before a `*` only a dot or an underscore says where a name ends; as little as fits would be its first letter
    open_end = r"(\(\?P<(?!date)\w+>[^)]*\))(?=\[\^/\]\*)"
    return re.compile(re.sub(open_end, r"\1(?=[._]|$)", whole))
