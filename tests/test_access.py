"""Who can open the pages: loopback alone unless configured otherwise, and with [auth] only users who have logged in."""

import http.client
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.access import is_allowed
from pipelines.cli.dashboard import _opened_to, _served_as
from support.browsing import browsing, new_page, wait_until_drawn
from support.oidc import CLIENT, provider
from support.ports import free_port
from support.served import APP, chromium, served

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
    assert "[auth] was not read" in app.error[0].value and not app.title


def test_addresses_are_allowed_by_pattern() -> None:
    known = {"email": "Ada@example.org", "email_verified": True}
    assert is_allowed(known, ["ada@example.org"]) and is_allowed(known, ["*@example.org"])
    assert not is_allowed(known | {"email_verified": False}, ["*@example.org"])
    assert not is_allowed({"email": "ada@example.org.evil.example"}, ["*@example.org"])
    assert not is_allowed({}, ["*"])
    for claim, is_in in ((True, True), ("true", True), ("false", False), (False, False), ("", False), (0, False)):
        assert is_allowed(known | {"email_verified": claim}, ["*@example.org"]) is is_in, claim
    silent = {"email": "ada@example.org"}
    assert not is_allowed(silent, ["*@example.org"]) and is_allowed(silent, ["*@example.org"], trust_unverified=True)
    assert not is_allowed(known | {"email_verified": "false"}, ["*@example.org"], trust_unverified=True)


def test_opening_is_warned_of() -> None:
    for address in ("127.0.0.1", "::1", "localhost", "127.0.0.9"):
        assert not _opened_to(address, False)
    assert "ANYBODY" in _opened_to("0.0.0.0", False)
    assert "who logs in" in _opened_to("192.0.2.7", True) and "who logs in" in _opened_to("stand.example.org", True)


def test_names_that_the_pages_are_served_as(tmp_path: Path) -> None:
    """Those given, that of the login's redirect, and, where others reach it, this machine's."""
    secrets = tmp_path / "secrets.toml"
    assert _served_as("127.0.0.1", (), secrets) == []
    secrets.write_text('[auth]\nredirect_uri = "https://Tape.example.org/oauth2callback"\n')
    assert _served_as("127.0.0.1", ("proxy.example.org",), secrets) == ["proxy.example.org", "tape.example.org"]
    assert socket.gethostname().lower() in _served_as("0.0.0.0", (), secrets)
    secrets.write_text("nonsense")
    assert _served_as("::1", (), secrets) == []


def test_login_in_a_browser(closed: Path) -> None:
    """The whole way: nothing, the provider, the pages; and not for an address that is not allowed."""
    program, port = chromium(), free_port()
    with provider() as known:
        ours = f"http://localhost:{port}"
        (closed / "secrets.toml").write_text(SECRETS.format(ours=ours, client=CLIENT, theirs=known.url))
        with served(closed, closed / "streamlit.log", port), browsing(program) as browser:
            assert refuses_a_strange_origin(port)
            assert serves_only_its_own_names(port)
            assert offers_nothing_else(port)
            assert listens_on_loopback_only(port)
            for email, sees in (
                ("ada@example.org", "No logs have been read yet"),
                ("eve@example.com", "eve@example.com has no access to these pages"),
            ):
                known.email = email
                page = new_page(browser)
                page.goto(f"{ours}/time")
                page.get_by_role("button", name="Log in").wait_for()
                assert page.get_by_text("No logs have been", exact=False).count() == 0
                page.get_by_role("button", name="Log in").click()
                page.get_by_text(sees, exact=False).first.wait_for()
                assert urlsplit(page.url).netloc == f"localhost:{port}"
                page.close()


WEBSOCKET = {
    **{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"},
    **{"Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Protocol": "streamlit"},
}


PLACE = "time?from=2010-03-10&to=2010-03-10&part=gaps&station=stkendm8a&drive=LTO4_101"


def test_a_link_with_choices_survives_the_login(archive: Path, tmp_path: Path) -> None:
    """Opened while signed out, the place and its choices are there after the login; the next login knows no place."""
    program, port = chromium(), free_port()
    site = shutil.copytree(archive, tmp_path / "site")
    with provider() as known:
        ours = f"http://localhost:{port}"
        (site / "secrets.toml").write_text(SECRETS.format(ours=ours, client=CLIENT, theirs=known.url))
        with served(site, tmp_path / "streamlit.log", port), browsing(program) as browser:
            page = new_page(browser, reduced_motion="reduce")
            page.goto(f"{ours}/{PLACE}")
            page.get_by_role("button", name="Log in").click()
            page.get_by_role("tab", name="Gaps between files", selected=True).wait_for()
            wait_until_drawn(page)
            assert page.url == f"{ours}/{PLACE}"
            assert "1,022 of 1,669 gaps (61 %)" in page.locator('[data-testid="stMain"]').inner_text()
            assert not [one for one in page.context.cookies() if one["name"] == "tapescope_place"]
            page.goto(f"{ours}/auth/login")
            page.get_by_text("Is anything wrong?").wait_for()


def test_a_login_leads_to_no_other_server(closed: Path) -> None:
    """Whatever the cookie holds, an answer leads to these pages only."""
    port = free_port()
    with provider() as known:
        ours = f"http://localhost:{port}"
        (closed / "secrets.toml").write_text(SECRETS.format(ours=ours, client=CLIENT, theirs=known.url))
        with served(closed, closed / "streamlit.log", port):
            for place, led in (
                ("%2Ftime%3Fdrive%3DD1", "/time?drive=D1"),
                ("%2F%2Fevil.example", "/"),
                ("%2F%5Cevil.example", "/"),
                ("https%3A%2F%2Fevil.example", "/"),
                ("%2Fa%0D%0ASet-Cookie%3A%20x", "/"),
            ):
                answer = answered(port, "GET", "/oauth2callback", Cookie=f"tapescope_place={place}")
                assert answer.status == 302 and urlsplit(answer.headers["Location"])[2:4] == urlsplit(led)[2:4], place
                assert answer.headers["Location"] == led


def answered(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    connection.close()
    return response


def refuses_a_strange_origin(port: int) -> bool:
    """The websocket is not for pages from elsewhere."""
    return answered(port, "GET", "/_stcore/stream", **WEBSOCKET, Origin="http://evil.example").status == 403


def serves_only_its_own_names(port: int) -> bool:
    """A foreign page whose name was pointed at this machine comes with its own name, and gets nothing."""
    evil, own = f"evil.example:{port}", f"localhost:{port}"
    return (
        answered(port, "GET", "/_stcore/stream", **WEBSOCKET, Host=evil, Origin=f"http://{evil}").status == 403
        and answered(port, "GET", "/", Host=evil).status == 421
        and answered(port, "GET", "/_stcore/stream", **WEBSOCKET, Host=own, Origin=f"http://{own}").status == 101
    )


def offers_nothing_else(port: int) -> bool:
    """No upload and no statistics, to anybody; and no other page may frame these."""
    page = answered(port, "GET", "/", Host=f"localhost:{port}")
    return (
        answered(port, "PUT", "/_stcore/upload_file/a/b", b"x" * 2**20).status == 404
        and answered(port, "GET", "/_stcore/metrics").status == 404
        and page.status == 200
        and page.headers["X-Frame-Options"] == "DENY"
        and "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    )


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
