"""A failure to people at once, by mail and webhook: the night's report may be hours away, or be what failed."""

import smtplib
from collections.abc import Mapping

import requests

from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.text import single_line
from pipelines.reporting.delivery import mail
from pipelines.reporting.delivery.redact import redacted
from pipelines.reporting.delivery.webhook import post

_MORE = "Pages and questions still show the last good build. `tapescope ask runs` lists the steps that ran."


def warn(site: Site, text: str, secrets: Mapping[str, str] | None = None) -> dict[str, str]:
    """Send a failure by mail and webhook where `[deliver]` has them; returns the result of each way. Raises nothing."""
    subject, done = single_line(f"{site.name}: {text}"), {}
    failures = (OSError, smtplib.SMTPException, requests.RequestException, TapescopeError, ValueError)
    try:
        if box := site.deliver.mail:
            done["mail"] = mail.hand_over(box, mail.letter_to(box, subject, f"{text}\n\n{_MORE}\n"), secrets or {})
    except failures as error:
        done["mail"] = f"failed: {type(error).__name__}: {error}"
    try:
        if hook := site.deliver.webhook:
            content = {"site": site.name, "day": "", "text": subject, "problems": [text], "report": None}
            done["webhook"] = post(hook.url, content, secrets or {}, "TAPESCOPE_WEBHOOK_TOKEN")
    except failures as error:
        done["webhook"] = f"failed: {type(error).__name__}: {error}"
    return {way: redacted(outcome, site.deliver) for way, outcome in done.items()}
