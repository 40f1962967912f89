"""The `[[collect]]` entries of site.toml: what is asked for from time to time, and the files its answers are kept in.

Nothing is asked or executed that is not named here; secrets never do.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pipelines.config.inputs import Input, SourceName, Zone
from pipelines.config.model import Model
from pipelines.config.recipients import Url

SPOOL = "var/spool"  # a folder for each entry, next to site.toml
TOKEN = "TAPESCOPE_COLLECT_TOKEN"
TOKEN_PLACE, SINCE_PLACE = "{token}", "{since}"  # in the arguments of a command

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_METRICS = r"[\w:.*+?|()\[\]^$\\-]+"
# what of journalctl's options chooses entries: no option that alters a journal
_CHOICE = r"--(unit|identifier|directory|file|root|machine|namespace|priority)=.+|--merge|[A-Z_][A-Z0-9_]*=.*"
_PASSWORD = re.compile(r"(?i)^-{1,2}(pa|pass|passw|passwo|passwor|password|token)[=:]")


def _seconds(value: object) -> object:
    """`5m` as seconds; what is no such text is for the model to refuse."""
    found = re.fullmatch(r"(\d{1,6})([smhd])", value) if isinstance(value, str) else None
    if not found:
        raise ValueError("a number with a unit is needed, such as '30s', '5m', '1h' or '7d'")
    return int(found[1]) * _SECONDS[found[2]]


Seconds = Annotated[int, BeforeValidator(_seconds)]


class Spool(Input):
    """Files that a collector writes: they grow line by line, so that a last line without its end is half of one."""


class Collect(Model):
    """One thing to ask for: series of a Prometheus or VictoriaMetrics, a command's output, entries of the journal."""

    name: str = Field(pattern=f"^{_NAME}$")
    every: Annotated[Seconds, Field(ge=1)]
    prometheus: Url | None = None
    ask: tuple[
        str, ...
    ] = ()  # names of metrics as regular expressions, perhaps with labels; without it all that are read
    command: tuple[str, ...] = ()
    nothing_codes: tuple[Annotated[int, Field(ge=1, le=255)], ...] = ()  # exit codes that say: there is nothing
    own_clock: bool = False  # a JSON answer says itself when it was given
    stamp: bool = False  # a text is kept with others of its day, below a comment with its time
    journal: tuple[str, ...] | None = None  # options of journalctl that choose entries
    since: Annotated[Seconds, Field(ge=1, le=3650 * 86400)] = 3600  # how far back the first time
    late: Annotated[Seconds, Field(le=30 * 86400)] = 60  # so long after its time an answer is whole
    timeout: Annotated[Seconds, Field(ge=1, le=3600)] = 30
    max_mb: float = Field(default=64.0, gt=0, le=1024)
    token: str = Field(default=TOKEN, pattern=rf"^{TOKEN}(_[A-Z0-9_]+)?$")  # the variable that holds it
    source: SourceName = ""
    system: str = ""
    host: str = ""
    drive: str = ""
    zone: Zone | None = None
    date_order: Literal["", "dmy", "mdy"] = ""

    @field_validator("ask")
    @classmethod
    def _selectors(cls, ask: tuple[str, ...]) -> tuple[str, ...]:
        for text in ask:
            if not re.fullmatch(rf"{_METRICS}(\{{.+\}})?", text, re.DOTALL):
                raise ValueError(
                    f"{text!r} is not a pattern of metric names, such as `node_tape_.*` or "
                    f"`node_tape_.*{{label='value'}}`"
                )
        return ask

    @field_validator("journal")
    @classmethod
    def _choices(cls, journal: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for text in journal or ():
            if not re.fullmatch(_CHOICE, text, re.DOTALL):
                raise ValueError(
                    f"{text!r} selects no entries; use '--unit=cta-taped', '--directory=…' or 'FIELD=value'"
                )
        return journal

    @field_validator("command")
    @classmethod
    def _no_secrets(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        if any(_PASSWORD.match(text) and TOKEN_PLACE not in text for text in command):
            raise ValueError(f"site.toml must not contain a password: write {TOKEN_PLACE} and set the variable {TOKEN}")
        return command

    @model_validator(mode="after")
    def _one_kind(self) -> "Collect":
        if sum((self.prometheus is not None, bool(self.command), self.journal is not None)) != 1:
            raise ValueError("give exactly one of `prometheus`, `command` and `journal`")
        if self.ask and not self.prometheus:
            raise ValueError("`ask` works only in an entry with `prometheus`")
        if self.stamp and (not self.command or self.own_clock):
            raise ValueError("`stamp` works only in an entry with `command`, and not together with `own_clock`")
        return self

    @property
    def folder(self) -> Path:
        """Where its answers are kept, relative to site.toml."""
        return Path(SPOOL) / self.name

    @property
    def input(self) -> Spool:
        """The input that reads its answers; an [[input]] of site.toml that fits them goes before."""
        return Spool(
            glob=f"{self.folder.as_posix()}/20*",
            source=self.source or ("prometheus_range" if self.prometheus else ""),
            system=self.system,
            # of a loopback label, which names no host; the file's own name is that of a day
            host=self.host or ("localhost" if self.prometheus else ""),
            drive=self.drive,
            zone=self.zone,
            date_order=self.date_order,
        )
