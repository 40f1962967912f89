"""A failure to people at once, by mail and webhook: the night's report may be hours away, or be what failed."""

import smtplib
from collections.abc import Callable, Collection, Mapping

import requests

from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line
from pipelines.reporting.delivery import mail
from pipelines.reporting.delivery.known_failures import opened
from pipelines.reporting.delivery.redact import redacted
from pipelines.reporting.delivery.webhook import post

_WAYS = ("mail", "webhook")
_MORE = "Pages and questions still show the last good build. `tapescope ask runs` lists the steps that ran."
_FAILED = "failed: "
_FAILURES = (OSError, smtplib.SMTPException, requests.RequestException, TapescopeError, ValueError)


def warn(
    site: Site, text: str, secrets: Mapping[str, str] | None = None, part: str = "", cause: str = ""
) -> dict[str, str]:
    """Send a failure by mail and webhook where `[deliver]` has them; returns the result of each way. Raises nothing.

    For most of a day no way gets the failure of a `part` for an equal `cause` (by default the text) again.
    """
    with opened(site.root) as book:
        failure = book.note(part, cause or text)
        text = text if failure.times == 1 else f"{text}\n\n{part or 'It'} {failure.history}."
        due = [way for way in _WAYS if book.is_due(failure, way)]
        done = _sent(site, f"{text}\n\n{_MORE}", [text], secrets, due)
        failure.sent |= {way: book.now for way, outcome in done.items() if not outcome.startswith(_FAILED)}
        return done


def recovered(site: Site, part: str, secrets: Mapping[str, str] | None = None) -> dict[str, str]:
    """Write to whoever had a failure of a part that it works again, some time after the last. Raises nothing."""
    with opened(site.root) as book:
        over = book.end(part)
        return _sent(site, f"{part} works again: it {over.history}", [], secrets, over.sent) if over else {}


def _sent(
    site: Site, text: str, problems: list[str], secrets: Mapping[str, str] | None, ways: Collection[str]
) -> dict[str, str]:
    """The result of each of these ways, as far as `[deliver]` has them."""
    subject = single_line(f"{site.name}: {problems[0] if problems else text}")
    content = {"site": site.name, "day": "", "text": subject, "problems": problems, "report": None}
    sends: dict[str, Callable[[], str]] = {}
    if box := site.deliver.mail:
        sends["mail"] = lambda: mail.hand_over(box, mail.letter_to(box, subject, f"{text}\n"), secrets or {})
    if hook := site.deliver.webhook:
        sends["webhook"] = lambda: post(hook.url, content, secrets or {}, "TAPESCOPE_WEBHOOK_TOKEN")
    return {way: redacted(_outcome(send), site.deliver) for way, send in sends.items() if way in ways}


def _outcome(send: Callable[[], str]) -> str:
    """To whom a message went, or why it did not."""
    try:
        return send()
    except mail.PartlySent as error:  # those who have it need it no second time
        return str(error)
    except _FAILURES as error:
        return f"{_FAILED}{type(error).__name__}: {error}"
