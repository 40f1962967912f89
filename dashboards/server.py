"""What `tapescope dashboard` starts: Streamlit's server with a border of our own in front of it.

Streamlit serves more than these pages need, to whoever reaches it and before anybody logs in. The border answers only
under the names the pages are served as (another name may belong to a foreign page whose name was pointed at this
machine), takes no uploads, shows no statistics, and lets no other page frame this one.

Whoever has to log in comes back to the address that was opened, with its choices: Streamlit itself returns to the
landing page. A cookie keeps that address until then.
"""

import ipaddress
import os
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

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
LOGIN, CALLBACK = "/auth/login", "/oauth2callback"  # Streamlit's
PLACE, PLACE_S, PLACE_CHARS = "tapescope_place", 900, 3000  # a browser keeps 4 kB of a cookie
Message = MutableMapping[str, Any]
Headers = list[tuple[bytes, bytes]]
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
            await self.app(scope, receive, _with_headers(send, _of_the_login(str(scope["path"]), headers)))


def _of_the_login(path: str, headers: dict[bytes, bytes]) -> Headers:
    """Headers of an answer on the way through a login: its start keeps the place in a cookie, its end leads there."""
    if path.endswith(LOGIN):
        place = place_of(headers.get(b"referer", b"").decode("latin-1"))
        return [_cookie(place, PLACE_S)] if place else []
    if path.endswith(CALLBACK):
        try:
            kept = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(PLACE)
        except CookieError:
            return []
        place = place_of(unquote(kept.value)) if kept else ""
        return [(b"location", place.encode("ascii")), _cookie("", 0)] if place else []
    return []


def _cookie(place: str, seconds: int) -> tuple[bytes, bytes]:
    value = f"{PLACE}={quote(place, safe='')}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax"
    return b"set-cookie", value.encode("ascii")


def place_of(address: str) -> str:
    """Path and query of an address; empty where a browser would read them as another server's.

    >>> place_of("https://tape.example.org/time?part=gaps&drive=D1"), place_of("/time?drive=D%201")
    ('/time?part=gaps&drive=D1', '/time?drive=D%201')
    >>> [place_of(bad) for bad in ("https://a.example//evil.example", "/\\\\evil.example", "evil.example", "/é", "", "http://[")]
    ['', '', '', '', '', '']
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    place = f"{parts.path}?{parts.query}" if parts.query else parts.path
    is_ours = re.fullmatch(r"/(?!/)[!-\[\]-~]*", place) and not parts.path.endswith((LOGIN, CALLBACK))
    return place if is_ours and len(place) <= PLACE_CHARS else ""


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


def _with_headers(send: Send, own: Headers) -> Send:
    """Our headers with each answer, in place of those of the same name; `location` only where it has one."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            goes = any(name.lower() == b"location" for name, _ in given)
            ours = [header for header in (*HEADERS, *own) if goes or header[0] != b"location"]
            replaced = {name for name, _ in ours} - {b"set-cookie"}
            message["headers"] = [header for header in given if header[0].lower() not in replaced] + ours
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
