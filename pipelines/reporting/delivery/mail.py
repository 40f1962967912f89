"""The report as a mail: the page with its figures as pictures, the same as text, and the page itself attached."""

import smtplib
import ssl
from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid

from pipelines.config.recipients import Mail
from pipelines.primitives.deadline import in_time
from pipelines.primitives.errors import ConfigError, TapescopeError
from pipelines.reporting.delivery.credentials import secret
from pipelines.reporting.delivery.payload import Message
from pipelines.reporting.report.html import print_mail

TIMEOUT_S = 60  # for each read
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class PartlySent(TapescopeError):
    """Some have the letter, and the server would not take it for the others, which are `refused`."""

    def __init__(self, message: str, refused: Mapping[str, object]) -> None:
        super().__init__(message)
        self.refused = refused


def send(mail: Mail, message: Message, secrets: Mapping[str, str]) -> str:
    """Send the report; returns to whom. Raises OSError, smtplib.SMTPException, ConfigError, PartlySent."""
    return hand_over(mail, compose(mail, message), secrets)


def hand_over(mail: Mail, letter: EmailMessage, secrets: Mapping[str, str]) -> str:
    """Give a letter to the mail server; returns to whom. Raises as `send`."""
    user = secret(secrets, "TAPESCOPE_SMTP_USER")
    if user and mail.tls == "none" and mail.host not in _LOOPBACK:
        raise ConfigError(
            f"the mail password for {mail.host} would be sent without encryption", 'deliver.mail.tls = "starttls"'
        )
    refused = in_time(lambda: _hand_over(mail, letter, user, secret(secrets, "TAPESCOPE_SMTP_PASSWORD")))
    if refused:
        taken = ", ".join(one for one in mail.to if one not in refused)
        refusals = "; ".join(f"{one}: {code} {why.decode(errors='replace')}" for one, (code, why) in refused.items())
        raise PartlySent(f"the mail went to {taken}, but the server refused {refusals}", refused)
    return ", ".join(mail.to)


def _hand_over(mail: Mail, letter: EmailMessage, user: str, password: str) -> dict[str, tuple[int, bytes]]:
    """The addresses that the server refused, if it took the letter for others."""
    server = _connection(mail)
    try:
        if user:
            server.login(user, password)
        return server.send_message(letter)
    finally:
        _leave(server)


def compose(mail: Mail, message: Message) -> EmailMessage:
    """The mail: text, HTML with inline pictures, and the report's own page, which opens offline."""
    letter = letter_to(mail, message.subject, message.files["txt"].read_text(encoding="utf-8"))
    shown, pictures = print_mail(message.report)
    letter.add_alternative(shown, subtype="html")
    body = letter.get_body(("html",))
    assert isinstance(body, EmailMessage)
    for name, png in pictures.items():
        body.add_related(png, "image", "png", cid=f"<{name}>", filename=f"{name}.png", disposition="inline")
    page = message.files["html"].read_text(encoding="utf-8")
    letter.add_attachment(page, subtype="html", filename=message.files["html"].name)
    return letter


def letter_to(mail: Mail, subject: str, text: str) -> EmailMessage:
    """A letter of plain text."""
    letter = EmailMessage()
    letter["Subject"] = subject
    letter["From"] = Address("tapescope", addr_spec=mail.sender)
    letter["To"] = ", ".join(mail.to)
    letter["Auto-Submitted"] = "auto-generated"  # no holiday notices, please
    letter["Message-ID"] = make_msgid(domain=mail.sender.rpartition("@")[2])
    letter.set_content(text)
    return letter


def _leave(server: smtplib.SMTP) -> None:
    """End the talk. Its end is no news of the letter: what the server has taken must not count as failed."""
    try:
        server.quit()
    except (OSError, smtplib.SMTPException):
        server.close()


def _connection(mail: Mail) -> smtplib.SMTP:
    if mail.tls == "tls":
        return smtplib.SMTP_SSL(mail.host, mail.port, timeout=TIMEOUT_S, context=ssl.create_default_context())
    server = smtplib.SMTP(mail.host, mail.port, timeout=TIMEOUT_S)
    if mail.tls == "starttls":
        try:
            server.starttls(context=ssl.create_default_context())
        except (OSError, smtplib.SMTPException):
            server.close()
            raise
    return server
