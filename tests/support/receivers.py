"""Receivers of what tapescope sends: a mail server and a web server on loopback, which keep what they get."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from ssl import SSLContext
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class Letterbox:
    """What a mail server was given."""

    port: int = 0
    letters: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)  # addresses it takes nothing for
    refusal: str = "550 no such mailbox"
    goodbye: str = "221 bye"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        if address in self.unknown:
            return self.refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        letter = message_from_bytes(content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append((envelope.rcpt_tos, letter))
        return "250 kept"

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self.goodbye

    def admit(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=True)


class _AnyPort(Controller):
    """Listens on a port the system chooses."""

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def mail_server(tls: SSLContext | None = None) -> Iterator[Letterbox]:
    """A mail server; with a context it offers STARTTLS and wants it."""
    box = Letterbox()
    controller = _AnyPort(
        box,
        hostname="127.0.0.1",
        port=0,
        tls_context=tls,
        require_starttls=tls is not None,
        authenticator=box.admit,
        auth_require_tls=tls is not None,
    )
    controller.start()
    try:
        box.port = controller.port
        yield box
    finally:
        controller.stop()


@contextmanager
def dripping_server(beginning: bytes) -> Iterator[int]:
    """Answers any program with a beginning, then byte by byte without end; its port."""
    is_over = threading.Event()

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):  # the other side has left
                self.request.sendall(beginning)
                while not is_over.wait(0.05):
                    self.request.sendall(b" ")

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.server_address[1]
        is_over.set()
        server.shutdown()
        thread.join()


@dataclass
class Web:
    """What a web server was sent, and what it shall answer: statuses in turn, then 200."""

    url: str = ""
    posts: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)  # path, headers, JSON
    answers: list[int] = field(default_factory=list)
    reply: str = ""


@contextmanager
def web_server() -> Iterator[Web]:
    web = Web()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            web.posts.append((self.path, dict(self.headers), json.loads(body)))
            status = web.answers.pop(0) if web.answers else 200
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"{web.url}/elsewhere")
            self.send_header("Content-Length", str(len(web.reply)))
            self.end_headers()
            self.wfile.write(web.reply.encode())

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    web.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
