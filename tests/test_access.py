"""Who sees the pages: loopback alone unless told otherwise, and with [auth] nobody who has not logged in."""

import http.client
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browsing import browsing, new_page
from oidc import CLIENT, provider
from served import APP, chromium, free_port, served
from streamlit.testing.v1 import AppTest

from dashboards.access import is_allowed
from pipelines.cli import _opened_to

pytestmark = pytest.mark.xdist_group("dashboard")

SITE = 'name = "closed"\n'
SECRETS = """
[access]
allow = ["*@example.org"]

[auth]
redirect_uri = "{ours}/oauth2callback"
cookie_secret = "of this test only"
client_id = "{client}"
client_secret = "of this test only"
server_metadata_url = "{theirs}/.well-known/openid-configuration"
"""


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "site.toml").write_text(SITE)
    monkeypatch.setenv("TAPESCOPE_SITE", str(tmp_path))
    return tmp_path


def test_without_a_login_nothing_is_shown(closed: Path) -> None:
    app = AppTest.from_file(APP, default_timeout=60)
    app.secrets["auth"] = {"redirect_uri": "http://x/oauth2callback", "cookie_secret": "x"}
    app.run()
    assert not app.exception
    assert [button.label for button in app.button] == ["Log in"]
    assert [title.value for title in app.title] == ["tapescope"] and not app.info


@pytest.mark.parametrize("text", ["not TOML [", "[access]\nallow = []\n"])
def test_a_broken_secrets_file_opens_nothing(closed: Path, text: str) -> None:
    (closed / "secrets.toml").write_text(text)
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert not app.exception
    assert "no [auth]" in app.error[0].value and not app.title


def test_addresses_are_allowed_by_pattern() -> None:
    known = {"email": "Ada@example.org", "email_verified": True}
    assert is_allowed(known, ["ada@example.org"]) and is_allowed(known, ["*@example.org"])
    assert not is_allowed(known | {"email_verified": False}, ["*@example.org"])
    assert not is_allowed({"email": "ada@example.org.evil.example"}, ["*@example.org"])
    assert not is_allowed({}, ["*"])


def test_opening_is_warned_of() -> None:
    for address in ("127.0.0.1", "::1", "localhost", "127.0.0.9"):
        assert not _opened_to(address, False)
    assert "ANYBODY" in _opened_to("0.0.0.0", False)
    assert "who logs in" in _opened_to("192.0.2.7", True) and "who logs in" in _opened_to("stand.example.org", True)


def test_login_in_a_browser(closed: Path) -> None:
    """The whole way: nothing, the provider, the pages; and not for an address that is not allowed."""
    program, port = chromium(), free_port()
    with provider() as known:
        ours = f"http://localhost:{port}"
        (closed / "secrets.toml").write_text(SECRETS.format(ours=ours, client=CLIENT, theirs=known.url))
        with served(closed, closed / "streamlit.log", port), browsing(program) as browser:
            assert refuses_a_strange_origin(port)
            assert listens_on_loopback_only(port)
            for email, sees in (("ada@example.org", "Nothing has been loaded yet"), ("eve@example.com", "not for eve")):
                known.email = email
                page = new_page(browser)
                page.goto(f"{ours}/gaps")
                page.get_by_role("button", name="Log in").wait_for()
                assert page.get_by_text("Nothing has been", exact=False).count() == 0
                page.get_by_role("button", name="Log in").click()
                page.get_by_text(sees, exact=False).first.wait_for()
                assert urlsplit(page.url).netloc == f"localhost:{port}"
                page.close()


def refuses_a_strange_origin(port: int) -> bool:
    """The websocket is not for pages from elsewhere."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers |= {"Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Origin": "http://evil.example"}
    connection.request("GET", "/_stcore/stream", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status == 403


def listens_on_loopback_only(port: int) -> bool:
    """Another address of this machine does not answer, where it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # sends nothing
        except OSError:
            return True
        own = probe.getsockname()[0]
    try:
        socket.create_connection((own, port), timeout=5).close()
    except OSError:
        return True
    return own.startswith("127.")
