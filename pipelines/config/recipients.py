"""Who gets the report and the findings: the `[deliver]` table of site.toml. Secrets are never in it."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from pipelines.config.model import Model

_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("give an address such as 'https://host/path'")  # which it may be a secret to repeat
    if parts.username or parts.password:
        raise ValueError(
            "an address must not hold a user name or password: set a token in the environment,"
            " such as TAPESCOPE_COLLECT_TOKEN or TAPESCOPE_WEBHOOK_TOKEN"
        )
    return text


def _base(text: str) -> str:
    """An address to which those of pages are appended; empty where there is none."""
    if text and (urlsplit(_url(text)).query or urlsplit(text).fragment or re.search(r"[\s?#\"<>]", text)):
        raise ValueError(
            "give an address such as 'https://host/path', without ? or #, because paths are appended to it"
        )
    return text


def _mailbox(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"give a mail address such as 'tape-ops@example.org', not {text!r}")
    return text


Url = Annotated[str, AfterValidator(_url)]
Base = Annotated[str, AfterValidator(_base)]
Mailbox = Annotated[str, AfterValidator(_mailbox)]


class Mail(Model):
    """A mail server and those it shall write to."""

    host: str
    port: int = Field(default=587, ge=1, le=65_535)
    tls: Literal["starttls", "tls", "none"] = "starttls"
    sender: Mailbox = Field(alias="from")
    to: tuple[Mailbox, ...] = Field(min_length=1)


class Webhook(Model):
    """A program that wants the report as JSON."""

    url: Url


class Alertmanager(Model):
    """Prometheus' Alertmanager; an alert stays for `keep_hours` unless the next night says it again."""

    url: Base = Field(min_length=1)
    keep_hours: float = Field(default=26.0, ge=1)


class Wlcg(Model):
    """WLCG's tape metrics as a file for its collector; `vos` names the VOs of a storage group where names differ."""

    file: str
    name: str = ""
    vos: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Deliver(Model):
    """Where a finished report goes; each is optional."""

    dashboard_url: Base = ""  # what the report, mail and alerts link to
    folder: str = ""
    mail: Mail | None = None
    webhook: Webhook | None = None
    alertmanager: Alertmanager | None = None
    prometheus: str = ""
    wlcg: Wlcg | None = None
