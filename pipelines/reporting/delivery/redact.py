"""Addresses without what is secret in them: of a chat's webhook the path itself is the key to it.

Where a report went, and why it did not, is shown, logged and kept in `ops.run`, which every visitor of the SQL desk
reads. So all text that leaves this package passes through here.
"""

import re
from urllib.parse import unquote, urlsplit

import requests

from pipelines.config.recipients import Deliver

_URL = re.compile(r"\b([a-z][a-z0-9+.-]*)://([^\s/?#\"'<>)]*)[^\s\"'<>)]*", re.IGNORECASE)
_PATH = re.compile(r"(with url: )\S+")  # as urllib3 names what it could not reach
_HIDDEN = "…"


def redacted(text: str, to: Deliver) -> str:
    """A text in which URLs end with their host and port, and secret parts of the site's own addresses are hidden.

    >>> redacted("https://me:pw@chat.example.org:8443/hook/T0K?key=1 answered 404", Deliver())
    'https://chat.example.org:8443/… answered 404'
    """
    text = _URL.sub(lambda found: f"{found[1]}://{found[2].rpartition('@')[2]}/{_HIDDEN}", text)
    text = _PATH.sub(rf"\1{_HIDDEN}", text)
    for part in sorted(_secret_parts(to), key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(part)}(?!\w)", _HIDDEN, text)
    return text


def _secret_parts(to: Deliver) -> set[str]:
    """Path, query and fragment of each address as site.toml has them and as they are sent, complete and by piece."""
    found: set[str] = set()
    for url in (way.url for way in (to.webhook, to.alertmanager) if way):
        for form in (url, str(requests.Request("POST", url).prepare().url)):
            parts = urlsplit(form)
            found |= {parts.path, parts.query, parts.fragment, f"{parts.path}?{parts.query}"}
            found |= {piece for piece in re.split(r"[/&=?#]", f"{parts.path}&{parts.query}") if len(piece) >= 8}
    found |= {unquote(part) for part in found}
    return {part for part in found if len(part) > 1}
