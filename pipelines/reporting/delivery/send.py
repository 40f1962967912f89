"""Every way out that site.toml names, one after the other; a receipt next to the report says what has left already.

People and chats get the report of a day once: a build in between that changes it sends nothing again, unless `again`
asks for it. Ways that take the report for the present state (folder, Prometheus, WLCG, Alertmanager) is no message: it
gets each changed report, and the same one once. While one process delivers a report, another waits for it and finds its
receipts.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pipelines.config.recipients import Mail
from pipelines.config.site import Site
from pipelines.primitives.errors import WarehouseBusy
from pipelines.primitives.files import write_atomic
from pipelines.reporting.delivery import alertmanager, mail, prometheus, wlcg
from pipelines.reporting.delivery.payload import Message
from pipelines.reporting.delivery.redact import redacted
from pipelines.reporting.delivery.webhook import post
from pipelines.reporting.links import TONIGHT, to_page

_NOW = ("prometheus", "wlcg", "alertmanager")  # take what they get for the present state
TURN_S = 600.0  # so long one process waits for another that delivers the same report
_ALTERED = "the report has changed since it was sent; `tapescope deliver --again` sends the new report"


@dataclass(frozen=True)
class Way:
    """A way out, and those who get the report by it: by receiver, how to send it to those of them."""

    receivers: tuple[str, ...]
    send: Callable[[tuple[str, ...]], str]
    is_message: bool = False  # to people: the report of a day goes once, however it changes


@dataclass(frozen=True)
class Delivered:
    """The result of one way out."""

    way: str
    # sent, failed, earlier: the same report had left by it before; left_out: it is not the present state
    state: str
    where: str  # or why not

    @property
    def is_failed(self) -> bool:
        return self.state == "failed"


def deliver(
    site: Site, message: Message, secrets: Mapping[str, str] | None = None, again: bool = False
) -> list[Delivered]:
    """Send a report wherever `[deliver]` says. `again` also sends what has been sent; errors are returned, not raised.

    Raises WarehouseBusy where another process does not end delivering this report.
    """
    file = message.files["json"].with_suffix(".sent.json")
    with _alone(file):
        book = _Receipts(file, message.digest)
        ways = _ways(site, message, secrets or {})
        return [_deliver(site, name, way, message, book, again) for name, way in ways.items()]


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Two at once would both find no receipt, and both send. The lock goes with its process."""
    try:
        turn = FileLock(file.with_suffix(".lock")).acquire(timeout=TURN_S)
    except Timeout:
        hint = "wait until the other process ends, then try again"
        raise WarehouseBusy(f"another process has been delivering this report for {TURN_S:g} s", hint) from None
    with turn:
        yield


def _deliver(site: Site, name: str, way: Way, message: Message, book: "_Receipts", again: bool) -> Delivered:
    if why := _why_not(name, message):
        return Delivered(name, "left_out", why)
    lacking = way.receivers if again else book.lacking(name, way)
    if not lacking:
        return Delivered(name, "earlier", book.where(name, way))
    try:
        where = way.send(lacking)
    except mail.PartlySent as error:
        taken = tuple(one for one in lacking if one not in error.refused)
        book.note(name, taken, redacted(", ".join(taken), site.deliver))
        return Delivered(name, "failed", redacted(str(error), site.deliver))
    except Exception as error:  # whatever it is: it keeps no other way back
        return Delivered(name, "failed", redacted(f"{type(error).__name__}: {error}", site.deliver))
    where = redacted(where, site.deliver)
    book.note(name, lacking, where)
    return Delivered(name, "sent", where)


def _why_not(way: str, message: Message) -> str:
    """Why a report does not go by a way that takes it for the present state; empty if it does."""
    if way in _NOW and message.is_past:
        return f"the report is for {message.day}, but the last complete day with data is {message.newest}"
    if way == "wlcg" and not message.wlcg:
        return "WLCG's metrics are for each storage group, but no log names a storage group"
    return ""


def _ways(site: Site, message: Message, secrets: Mapping[str, str]) -> dict[str, Way]:
    to = site.deliver
    ways: dict[str, Way] = {}
    if to.folder:
        ways["folder"] = Way((to.folder,), lambda _: _copy(site.root / to.folder, message))
    if to.prometheus:
        ways["prometheus"] = Way((to.prometheus,), lambda _: prometheus.write(site.root / to.prometheus, message))
    if place := to.wlcg:
        ways["wlcg"] = Way((place.file,), lambda _: wlcg.write(site.root / place.file, place, message))
    if box := to.mail:
        ways["mail"] = Way(box.to, lambda lacking: mail.send(_only(box, lacking), message, secrets), is_message=True)
    if hook := to.webhook:
        send = lambda _: post(hook.url, _payload(message), secrets, "TAPESCOPE_WEBHOOK_TOKEN")  # noqa: E731
        ways["webhook"] = Way((hook.url,), send, is_message=True)
    if manager := to.alertmanager:
        ways["alertmanager"] = Way((manager.url,), lambda _: alertmanager.send(manager, message, secrets))
    return ways


def _only(box: Mail, to: tuple[str, ...]) -> Mail:
    """The same mail server, for those who have not had the letter."""
    return box.model_copy(update={"to": to})


def _copy(folder: Path, message: Message) -> str:
    """Copy all forms of the report; returns the folder. Raises OSError."""
    for path in message.files.values():
        write_atomic(folder / path.name, path.read_bytes())
    return str(folder)


def _payload(message: Message) -> dict[str, object]:
    """What a webhook gets: enough for a chat's line, and the whole report for a program."""
    url = to_page(message.dashboard, TONIGHT, message.report.first_day, message.report.last_day)
    return ({"url": url} if url else {}) | {
        "site": message.site,
        "day": str(message.day or ""),
        "text": message.text,
        "problems": message.report.problems,
        "report": json.loads(message.files["json"].read_text(encoding="utf-8")),
    }


class _Receipts:
    """By way and receiver: where the report went, and which one. Written after each way: a stop loses no other's.

    Receivers are kept as digests: an address may be a secret.
    """

    def __init__(self, file: Path, digest: str) -> None:
        self.file, self.digest = file, digest
        try:
            held = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            held = {}
        self.sent: dict[str, dict[str, Any]] = held if _is_book(held) else _of_before(held)

    def lacking(self, name: str, way: Way) -> tuple[str, ...]:
        """Receivers of a way who have not had it: at all where it is a message, else this very report."""
        sent = self.sent.get(name, {})
        has = [sent.get(_key(one)) or sent.get("") for one in way.receivers]
        pairs = zip(way.receivers, has, strict=True)
        return tuple(one for one, note in pairs if not note or not (way.is_message or note["report"] == self.digest))

    def where(self, name: str, way: Way) -> str:
        notes = [self.sent[name].get(_key(one)) or self.sent[name][""] for one in way.receivers]
        places = "; ".join(dict.fromkeys(str(note["where"]) for note in notes))
        is_same = all(note["report"] == self.digest for note in notes)
        return places if is_same else f"{places} ({_ALTERED})"

    def note(self, name: str, receivers: tuple[str, ...], where: str) -> None:
        self.sent.setdefault(name, {}).update({_key(one): {"report": self.digest, "where": where} for one in receivers})
        write_atomic(self.file, json.dumps(self.sent, indent=1, sort_keys=True).encode())


def _key(receiver: str) -> str:
    return hashlib.sha256(receiver.encode()).hexdigest()[:16]


def _is_book(held: Any) -> bool:
    return isinstance(held, dict) and all(isinstance(sent, dict) and "report" not in sent for sent in held.values())


def _of_before(held: Any) -> dict[str, dict[str, Any]]:
    """Receipts as an earlier release wrote them: by way only, of one report."""
    if not isinstance(held, dict) or not isinstance(held.get("sent"), dict):
        return {}
    return {name: {"": {"report": held.get("report"), "where": where}} for name, where in held["sent"].items()}
