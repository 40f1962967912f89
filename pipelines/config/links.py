"""Links between stations and networks, the ports that count their bytes, and hosts that are no stations."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from pipelines.config.model import Model


class Host(Model):
    """A host that is no station: a tape server, a switch; and the names that logs and monitors know it by."""

    name: str
    aliases: tuple[str, ...] = ()


class Port(Model):
    """An interface of a switch or host: by its name there, or by what the switch has as its description (ifAlias)."""

    host: str = ""
    interface: str = ""
    description: str = ""

    @model_validator(mode="after")
    def _named(self) -> "Port":
        if bool(self.interface) == bool(self.description) or (self.interface and not self.host):
            raise ValueError("give a port by 'host' and 'interface', or by 'description' (optionally with 'host')")
        return self


class Link(Model):
    """A network link of a station.

    `polled` says whose interface MRTG asked; `port` names the interfaces that monitors count: of several, those of the
    station itself are added up, and so are those elsewhere.
    """

    name: str
    station: str
    capacity_mb_s: float | None = Field(default=None, gt=0)
    polled: Literal["switch", "host"] = "switch"
    port: tuple[Port, ...] = ()

    @field_validator("port", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, dict) else value
