"""A failure to people at once, by mail and webhook: the night's report may be hours away, or be what failed."""

import smtplib
from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid

import requests

from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line
from pipelines.reporting.delivery import mail
from pipelines.reporting.delivery.redact import redacted
from pipelines.reporting.delivery.webhook import post


def warn(site: Site, text: str, secrets: Mapping[str, str] | None = None) -> dict[str, str]:
    """Send a failure by mail and webhook where `[deliver]` has them; returns the result of each way. Raises nothing."""
    subject, done = single_line(f"{site.name}: {text}"), {}
    failures = (OSError, smtplib.SMTPException, requests.RequestException, TapescopeError, ValueError)
    try:
        if box := site.deliver.mail:
            done["mail"] = mail.hand_over(box, _letter(site, subject, text), secrets or {})
    except failures as error:
        done["mail"] = f"failed: {type(error).__name__}: {error}"
    try:
        if hook := site.deliver.webhook:
            content = {"site": site.name, "day": "", "text": subject, "problems": [text], "report": None}
            done["webhook"] = post(hook.url, content, secrets or {}, "TAPESCOPE_WEBHOOK_TOKEN")
    except failures as error:
        done["webhook"] = f"failed: {type(error).__name__}: {error}"
    return {way: redacted(outcome, site.deliver) for way, outcome in done.items()}


def _letter(site: Site, subject: str, text: str) -> EmailMessage:
    assert site.deliver.mail
    sender = site.deliver.mail.sender
    letter = EmailMessage()
    letter["Subject"] = subject
    letter["From"] = Address("tapescope", addr_spec=sender)
    letter["To"] = ", ".join(site.deliver.mail.to)
    letter["Auto-Submitted"] = "auto-generated"
    letter["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    letter.set_content(
        f"{text}\n\nPages and questions still show the last good build."
        " `tapescope ask runs` lists the steps that ran.\n"
    )
    return letter
