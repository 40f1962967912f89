"""Every way out that site.toml names, one after the other; a receipt beside the report says what has left already."""

import json
import smtplib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import requests

from pipelines.config import Site
from pipelines.delivery import alerts, folder, mail, metrics, wlcg
from pipelines.delivery.message import Message
from pipelines.delivery.posting import post
from pipelines.errors import TapescopeError
from pipelines.whole import write_whole

# ValueError: a name or password beyond ASCII, an address no header can hold
_TROUBLE = (OSError, smtplib.SMTPException, requests.RequestException, TapescopeError, ValueError)
Way = Callable[[], str]
_NOW = ("prometheus", "wlcg", "alertmanager")  # take what they get for how things stand


@dataclass(frozen=True)
class Delivered:
    """What became of one way out."""

    way: str
    # sent, failed, earlier: the same report had left by it before; left_out: it does not say how things stand
    state: str
    where: str  # or why not

    @property
    def is_failed(self) -> bool:
        return self.state == "failed"


def deliver(
    site: Site, message: Message, secrets: Mapping[str, str] | None = None, again: bool = False
) -> list[Delivered]:
    """Send a report wherever `[deliver]` says. `again` also sends what has been sent; errors are told, not raised."""
    book = _Receipts(message.files["json"].with_suffix(".sent.json"), message.digest)
    done = []
    for name, send in _ways(site, message, secrets or {}).items():
        if why := _why_not(name, message):
            done.append(Delivered(name, "left_out", why))
            continue
        if not again and (where := book.where(name)):
            done.append(Delivered(name, "earlier", where))
            continue
        try:
            where = send()
        except mail.PartlySent as error:
            book.note(name, str(error))
            done.append(Delivered(name, "failed", str(error)))
            continue
        except _TROUBLE as error:
            done.append(Delivered(name, "failed", f"{type(error).__name__}: {error}"))
            continue
        book.note(name, where)
        done.append(Delivered(name, "sent", where))
    return done


def _why_not(way: str, message: Message) -> str:
    """Why a report does not go by a way that takes it for how things stand; empty if it does."""
    if way in _NOW and message.is_past:
        return f"{message.day} is past: {message.newest} is the last whole day with data"
    if way == "wlcg" and not message.wlcg:
        return "nothing is known of any storage group, which is not to say that there is none"
    return ""


def _ways(site: Site, message: Message, secrets: Mapping[str, str]) -> dict[str, Way]:
    to = site.deliver
    ways: dict[str, Way] = {}
    if to.folder:
        ways["folder"] = lambda: folder.copy(site.root / to.folder, message)
    if to.prometheus:
        ways["prometheus"] = lambda: metrics.write(site.root / to.prometheus, message)
    if place := to.wlcg:
        ways["wlcg"] = lambda: wlcg.write(site.root / place.file, place, message)
    if box := to.mail:
        ways["mail"] = lambda: mail.send(box, message, secrets)
    if hook := to.webhook:
        ways["webhook"] = lambda: post(hook.url, _payload(message), secrets, "TAPESCOPE_WEBHOOK_TOKEN")
    if manager := to.alertmanager:
        ways["alertmanager"] = lambda: alerts.send(manager, message, secrets)
    return ways


def _payload(message: Message) -> dict[str, object]:
    """What a webhook gets: enough for a chat's line, and the whole report for a program."""
    return {
        "site": message.site,
        "day": str(message.day or ""),
        "text": message.subject,
        "problems": message.report.problems,
        "report": json.loads(message.files["json"].read_text(encoding="utf-8")),
    }


class _Receipts:
    """By way: where this very report went. Written after each, so that a stop between two loses nothing."""

    def __init__(self, file: Path, digest: str) -> None:
        self.file, self.digest = file, digest
        try:
            held = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            held = {}
        self.sent: dict[str, str] = held.get("sent", {}) if held.get("report") == digest else {}

    def where(self, way: str) -> str:
        return self.sent.get(way, "")

    def note(self, way: str, where: str) -> None:
        self.sent[way] = where
        text = json.dumps({"report": self.digest, "sent": self.sent}, indent=1, sort_keys=True)
        write_whole(self.file, text.encode())
