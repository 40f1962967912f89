"""What `tapescope dashboard` starts: Streamlit's server with a border of our own in front of it.

Streamlit serves more than these pages need, to whoever reaches it and before anybody logs in. The border answers only
under the names the pages are served as (another name may belong to a foreign page whose name was pointed at this
machine), takes no uploads, shows no statistics, and lets no other page frame this one.
"""

import ipaddress
import os
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from altair.utils.schemapi import disable_debug_mode
from starlette.middleware import Middleware
from streamlit.starlette import App

disable_debug_mode()  # checks every chart against the whole schema of Vega-Lite; the tests run with it
HOSTS = "TAPESCOPE_DASHBOARD_HOSTS"  # names besides localhost, with spaces between them
CLOSED = ("/_stcore/upload_file", "/_stcore/metrics")
HEADERS = (
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Border:
    """Turns away requests, those for a WebSocket too, that the pages have no use for."""

    def __init__(self, app: Callable[[Message, Receive, Send], Awaitable[None]], hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not is_served_as(headers.get(b"host", b"").decode("latin-1"), self.hosts):
            await _refuse(scope, send, 421, b"These pages are not served under this name: see --host.\n")
        elif str(scope["path"]).startswith(CLOSED):
            await _refuse(scope, send, 404, b"Not served.\n")
        else:
            await self.app(scope, receive, _with_headers(send))


def is_served_as(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header names this server. An address cannot be pointed elsewhere, so every address does.

    >>> here = frozenset({"localhost"})
    >>> [is_served_as(host, here) for host in ("localhost:8501", "127.0.0.1", "[::1]:80")]
    [True, True, True]
    >>> [is_served_as(host, here) for host in ("evil.example:8501", "", "a@localhost", "localhost/")]
    [False, False, False, False]
    """
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        is_plain = parts.netloc == host and parts.username is None and parts.password is None
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError:
        return False
    if not is_plain:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in hosts
    return True


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sent


async def _refuse(scope: Message, send: Send, status: int, text: bytes) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # before it was accepted: the client gets 403
        return
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": text})


hosts = frozenset({"localhost", *os.environ.get(HOSTS, "").lower().split()})
app = App(Path(__file__).parent / "app.py", middleware=[Middleware(Border, hosts=hosts)])
