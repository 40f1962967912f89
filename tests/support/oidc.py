"""An OIDC provider of our own on the loopback address: it lets in whoever comes, under the address it was given."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "tapescope"


class Provider:
    """What it knows: its key, who comes next, and the nonces of codes it gave out."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.email = "ada@example.org"
        self.nonces: dict[str, str] = {}
        self.url = ""

    def metadata(self) -> dict[str, object]:
        ends = {"authorization": "authorize", "token": "token"}
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/jwks",
            **{f"{name}_endpoint": f"{self.url}/{path}" for name, path in ends.items()},
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def token(self, code: str) -> dict[str, object]:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "sub": self.email, "email": self.email, "email_verified": True}
        claims |= {"iat": now, "exp": now + 600, "nonce": self.nonces.pop(code)}
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return {"access_token": "x", "token_type": "Bearer", "expires_in": 600, "id_token": signed}


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that answers until the end."""
    known = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(url.query).items()}
                code = f"code{len(known.nonces)}"
                known.nonces[code] = asked["nonce"]
                self.send_response(302)
                back = urlencode({"code": code, "state": asked["state"]})
                self.send_header("Location", f"{asked['redirect_uri']}?{back}")
                self.end_headers()
            elif url.path == "/jwks":
                self.say({"keys": [known.key.as_dict(private=False)]})
            else:
                self.say(known.metadata())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.say(known.token(parse_qs(body)["code"][0]))

        def say(self, what: dict[str, object]) -> None:
            text = json.dumps(what).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
