"""`site.toml`, the only configuration, as validated models; all mistakes are reported together, with their lines."""

import datetime as dt
import os
import re
import shlex
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError, field_validator, model_validator

from pipelines.config import facts, toml
from pipelines.config.collect import Collect
from pipelines.config.inputs import Input, Zone
from pipelines.config.links import Host, Link
from pipelines.config.model import Model
from pipelines.config.plans import Plan
from pipelines.config.recipients import Deliver
from pipelines.primitives.errors import ConfigError
from pipelines.sources import blocks

FILE_NAME = "site.toml"
ARRIVED = "arrived"  # a file next to site.toml: logs have come, read them now

Share = Annotated[float, Field(ge=0, le=1)]


class Station(Model):
    """A host that stages files between tapes, or between tape and network."""

    name: str
    aliases: tuple[str, ...] = ()
    role: Literal["migration", "scanning", "stager", "unknown"] = "unknown"
    spool_gb: float | None = Field(default=None, gt=0)


class Drive(Model):
    """A tape drive and the mover process that owns it."""

    name: str
    logname: str = ""
    mover: str = ""
    mover_host: str = ""  # host it is attached to
    device: str = ""  # how that host's kernel names it: st0, for its counters
    generation: str = ""
    slot: str = ""  # how its library names it, in its history of mounts
    robot: str = ""  # library or robot that serves it
    begin: dt.date | None = Field(default=None, alias="from")  # in service from this day on; always, if left out
    end: dt.date | None = Field(default=None, alias="to")  # the first day on which it is not any more

    @field_validator("device")
    @classmethod
    def _of_kernel(cls, device: str) -> str:
        found = re.fullmatch(r"(?:/dev/)?n?(st\d+)[alm]?", device)
        if device and not found:
            raise ValueError(f"{device!r} is not a tape device of the kernel, such as 'st0'")
        return found[1] if found else ""

    @model_validator(mode="after")
    def _in_order(self) -> "Drive":
        if self.device and not self.mover_host:
            raise ValueError("a drive with 'device' also needs 'mover_host', the host to which it is attached")
        if self.begin and self.end and self.begin >= self.end:
            raise ValueError("'from' must be before 'to'")
        return self


class Campaign(Model):
    """So much data to be written to tape, or read from it, from some day on; what is left open is not asked for."""

    name: str = Field(min_length=1)
    size_tb: float = Field(gt=0)
    begin: dt.date = Field(alias="from")
    mode: Literal["read", "write"] = "write"
    station: str = ""
    storage_group: str = ""
    file_family: str = ""


class Change(Model):
    """Something that was changed on purpose: what a step in a rate may be explained by."""

    at: datetime | date  # by the site's clock where it does not say
    what: str
    entities: tuple[str, ...] = ()  # drives, stations, hosts, systems it touched; all of the site if none is given
    note: str = ""


class Limits(Model):
    """What one file may cost before it, or a line of it, is refused."""

    line_kb: int = Field(default=1024, ge=4, le=65_536)
    expansion: int = Field(default=200, ge=10)

    @property
    def of_reading(self) -> blocks.Limits:
        """As the reader of files takes them."""
        return blocks.Limits(self.line_kb * 1024, self.expansion)


class Site(Model):
    """The archive we look at."""

    name: str
    zone: Zone = "UTC"
    warehouse: str = "var/warehouse"
    catalogue: str = ""
    data_path: str = ""
    duty_threshold_mb_s: float = Field(default=5.0, gt=0)
    expected_gap_s: float = Field(default=2.0, ge=0, le=86_400)
    log_silence_s: float = Field(default=600.0, ge=60, le=86_400)
    retention_days: int = Field(default=400, ge=1, le=36_500)
    snapshot_retention_days: int = Field(default=30, ge=7, le=36_500)
    lock_wait_s: float | None = Field(default=None, ge=0)  # for another writer; by default as the catalogue wants it
    workers: int | None = Field(default=None, ge=1)  # processes; by default one for each core
    station: tuple[Station, ...] = ()
    host: tuple[Host, ...] = ()
    drive: tuple[Drive, ...] = ()
    link: tuple[Link, ...] = ()
    input: tuple[Input, ...] = ()  # those of site.toml, then one for what each [[collect]] entry wrote
    collect: tuple[Collect, ...] = ()
    spool_days: int = Field(default=30, ge=2, le=36_500)  # so long answers that were read stay in the spool
    campaign: tuple[Campaign, ...] = ()
    plan: tuple[Plan, ...] = ()
    limits: Limits = Limits()
    deliver: Deliver = Deliver()
    change: tuple[Change, ...] = ()
    fact: tuple[facts.Fact, ...] = ()
    change_log: str = ""  # a CSV file with the columns at, what, entities, note
    # by rule: share of its logs' declared hours below which it gives no verdict
    min_coverage: dict[str, Share] = Field(default_factory=dict)
    root: Path = Path()
    template: Path | None = None  # the file this one builds on

    @model_validator(mode="after")
    def _consistent(self) -> "Site":
        known: tuple[Station | Host, ...] = (*self.station, *self.host)
        problems = _repeated("host", [name for each in known for name in (each.name, *each.aliases)])
        problems += _repeated("drive", [drive.name for drive in self.drive])
        problems += _repeated("link", [link.name for link in self.link])
        problems += _repeated("campaign", [campaign.name for campaign in self.campaign])
        problems += _repeated("collect", [entry.name for entry in self.collect])
        problems += _repeated("plan", [plan.name for plan in self.plan])
        problems += facts.repeated(self.fact)
        problems += _repeated("port", [" ".join(dict(port).values()) for link in self.link for port in link.port])
        names = {each.name for each in known}
        problems += [
            f"link {link.name!r} belongs to station {link.station!r}, which is not declared"
            for link in self.link
            if link.station not in names
        ]
        if self.root.is_relative_to(os.path.normpath(self.warehouse_path)):
            problems.append(
                "`warehouse` must be a folder of its own: neither the folder of site.toml nor a folder that contains it"
            )
        if "://" in self.data_path and not self.data_path.startswith("s3://"):
            problems.append("data_path must be a folder, or s3://BUCKET/FOLDER")
        if self.catalogue and not self.data_path:
            problems.append("site.toml has a `catalogue`, so it also needs a `data_path`")
        if re.search(r"password\s*=|://[^/@]*:[^/@]+@", self.catalogue):
            problems.append("`catalogue` must not hold a password: set PGPASSWORD, PGPASSFILE or PGSERVICE")
        if self.catalogue and not re.match("postgres(ql)?:", self.catalogue):
            problems.append("`catalogue` must be a postgres: address")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def tzinfo(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    @property
    def warehouse_path(self) -> Path:
        return self.root / self.warehouse

    @property
    def reports_path(self) -> Path:
        """The folder of the nightly reports, unless a command names another."""
        return self.root / "var" / "reports"


def site_file(path: Path) -> Path:
    """The `site.toml` that a path names: itself, or the one in a folder."""
    return path / FILE_NAME if path.is_dir() else path


def load_site(path: Path) -> Site:
    """Read `site.toml` (or the one in a folder). Raises ConfigError naming every mistake and its line."""
    file = site_file(path)
    try:
        values, places = toml.read(file, "correct site.toml")
    except ConfigError as error:
        if isinstance(error.__cause__, FileNotFoundError) and not os.path.lexists(file):  # it may lack its template
            raise _no_site(path) from error
        raise
    if "root" in values:
        raise ConfigError(
            f"{file}: `root` is not a key of site.toml", "remove it: paths are relative to the folder of site.toml"
        )
    try:
        site = Site.model_validate(values | {"root": file.resolve().parent})
    except ValidationError as error:
        listed = "\n".join(toml.describe(problem, places) for problem in error.errors())
        raise ConfigError(
            f"{file} has {error.error_count()} mistake(s):\n{listed}", "correct the lines above"
        ) from error
    return site.model_copy(update={"input": (*site.input, *(entry.input for entry in site.collect))})


def _no_site(path: Path) -> ConfigError:
    """There is no site.toml where a path names one."""
    if path == Path():
        hint = "give --site FOLDER, set TAPESCOPE_SITE, or run `tapescope demo`; `tapescope init .` writes a site.toml"
        return ConfigError("the current folder has no site.toml", f"{hint} for a folder of logs")
    if path.is_dir():
        hint = f"if it is a folder of logs, `tapescope init {shlex.quote(str(path))}` writes a site.toml"
        return ConfigError(f"the folder {path} has no site.toml", hint)
    return ConfigError(f"there is no file or folder {path}", "give the folder that holds site.toml")


def load_recipients(path: Path) -> Site:
    """A site of name and `[deliver]` alone, for a message about a site.toml of which other parts are wrong.

    Raises ConfigError where these parts cannot be read either.
    """
    file = site_file(path)
    values, _ = toml.read(file, "give the path of site.toml")
    try:
        return Site.model_validate(
            {name: values[name] for name in ("name", "deliver") if name in values} | {"root": file.resolve().parent}
        )
    except ValidationError as error:
        raise ConfigError(f"`name` or [deliver] of {file} is wrong", "correct site.toml") from error


def glance(path: str) -> tuple[str, str, bool]:
    """What a scheduler must know before any step: the zone, the file that says that logs have come, and if it collects.

    Of a site.toml that cannot be read UTC, a file next to it, and no: the steps are to complain, not the timetable.
    """
    try:
        site = load_site(Path(path))
    except ConfigError:
        return "UTC", str(Path(path).absolute() / ARRIVED), False
    return site.zone, str(site.root / ARRIVED), bool(site.collect)


def _repeated(kind: str, names: list[str]) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1})
    return [f"{kind} {name!r} is declared twice" for name in twice]
