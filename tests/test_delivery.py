"""The report on its way out: real receivers on loopback get it once and complete, even if other channels fail."""

import json
import re
import shutil
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import trustme
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from pipelines import steps
from pipelines.catalog.files import load_catalog
from pipelines.cli import cli
from pipelines.config.site import Site, load_site
from pipelines.primitives import deadline
from pipelines.primitives.errors import ConfigError, TapescopeError
from pipelines.reporting import delivery
from pipelines.reporting import report as reporting
from pipelines.reporting.delivery import alertmanager, prometheus
from pipelines.reporting.delivery.payload import Message, single_line
from pipelines.reporting.report import Report
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.engine import transaction
from support import receivers
from support import report_site as stand
from support.archive import query

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = stand.DAY
TO = ("tape-ops@example.org", "shift@example.org")
SECRET = {"TAPESCOPE_SMTP_USER": "robot", "TAPESCOPE_SMTP_PASSWORD": "hunter2", "TAPESCOPE_WEBHOOK_TOKEN": "t0ken"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day with three findings: one is open, one is muted, one is gone since the day before."""
    folder = tmp_path_factory.mktemp("filled")
    site = stand.make_site(folder)
    stand.make_tables(site)
    stand.fill(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        before = {"day": DAY - timedelta(days=1), "first_day": DAY - timedelta(days=1), "finding_id": "old"}
        rows = [
            stand.finding("slow_drive", "D2", finding_id="muted", state="muted"),
            stand.finding("mount_failures", "s1", **before),
        ]
        stand.insert(connection, "gold.finding", *rows)
        for day in (before["day"], DAY):
            stand.insert(connection, "ops.detection", {"day": day, "n_findings": 1})
        volume = {"system": "s", "volume": "V1", "storage_group": "cms", "is_blank": False}
        stand.insert(connection, "silver.volume", volume | {"capacity_bytes": 10**12, "active_bytes": 6 * 10**11})
    return folder


@pytest.fixture
def root(filled: Path, tmp_path: Path) -> Path:
    """The same site for one test alone: receipts are next to its reports."""
    shutil.copytree(filled / "var", tmp_path / "var")
    return tmp_path


def site_of(root: Path, deliver: str) -> Site:
    (root / "site.toml").write_text(f'name = "test stand"\nzone = "America/Chicago"\n[deliver]\n{deliver}\n')
    return load_site(root)


def mail_to(port: int, tls: str = "none", host: str = "127.0.0.1") -> str:
    to = ", ".join(f'"{box}"' for box in TO)
    return f'mail = {{ host = "{host}", port = {port}, tls = "{tls}", from = "tapescope@example.org", to = [{to}] }}'


@pytest.fixture
def box() -> Iterator[receivers.Letterbox]:
    with receivers.mail_server() as box:
        yield box


@pytest.fixture
def web() -> Iterator[receivers.Web]:
    with receivers.web_server() as web:
        yield web


def ways(done: dict[str, Any]) -> dict[str, str]:
    return {way["way"]: way["state"] for way in done["ways"]}


def test_every_way_gets_the_report_once(root: Path, box: receivers.Letterbox, web: receivers.Web) -> None:
    site = site_of(
        root,
        f'folder = "out"\nprometheus = "out/tapescope.prom"\nwlcg = {{ file = "out/wlcg.json" }}\n{mail_to(box.port)}\n'
        f'webhook = {{ url = "{web.url}/hook" }}\nalertmanager = {{ url = "{web.url}" }}',
    )
    every = ("folder", "prometheus", "wlcg", "mail", "webhook", "alertmanager")
    assert ways(steps.deliver(site, DAY, DAY, secrets=SECRET)) == dict.fromkeys(every, "sent")
    assert {path.suffix for path in (root / "out").iterdir()} == {".html", ".txt", ".json", ".prom"}
    assert (len(box.letters), [path for path, _, _ in web.posts]) == (1, ["/hook", "/api/v2/alerts"])
    with Warehouse(site).write("test") as connection:  # another snapshot that says the same
        connection.execute("INSERT INTO lake.ops.dirty_day VALUES ('x', NULL)")
    assert ways(steps.deliver(site, DAY, DAY, secrets=SECRET)) == dict.fromkeys(every, "earlier")
    assert (len(box.letters), len(web.posts)) == (1, 2)
    noted = query(site, "SELECT step, outcome, counts FROM ops.run WHERE step = 'deliver'")
    assert noted == [("deliver", "done", '{"sent": 6, "earlier": 0}')], "what sends nothing leaves no row"
    assert ways(steps.deliver(site, DAY, DAY, secrets=SECRET, again=True)) == dict.fromkeys(every, "sent")
    # Another report of the same day: who has had the day's is left alone; channels for the present state are renewed.
    # (It went to people again until a build in between was found to repeat every mail.)
    people = dict.fromkeys(("mail", "webhook"), "earlier")
    altered = steps.deliver(site, DAY, DAY, ["task build: failed"], SECRET)
    assert ways(altered) == dict.fromkeys(every, "sent") | people
    assert (len(box.letters), [path for path, _, _ in web.posts]) == (
        2,
        ["/hook", "/api/v2/alerts"] * 2 + ["/api/v2/alerts"],
    )
    assert all("--again` sends the new report" in way["where"] for way in altered["ways"] if way["way"] in people)


def test_two_at_once_send_it_once(root: Path, web: receivers.Web) -> None:
    """A person and the DAG, or a retry after a lost heartbeat: each finds the receipts of the other."""
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}\nalertmanager = {{ url = "{web.url}" }}')
    message = message_of(site)
    both = threading.Barrier(2)

    def deliver(_: int) -> list[str]:
        both.wait()
        return [one.state for one in delivery.deliver(site, message)]

    with ThreadPoolExecutor(2) as pool:
        done = sorted(pool.map(deliver, range(2)))
    assert done == [["earlier", "earlier"], ["sent", "sent"]]
    assert [path for path, _, _ in web.posts] == ["/hook", "/api/v2/alerts"]


def message_of(site: Site) -> Message:
    """The report of the day, written."""
    catalog = load_catalog()
    made = reporting.make_report(site, catalog, DAY, DAY, [])
    return delivery.collect(site, catalog, made, reporting.write_report(made, site.root / "var" / "reports", None))


def test_who_is_new_among_the_recipients_gets_it_alone(root: Path, box: receivers.Letterbox) -> None:
    site = site_of(root, mail_to(box.port).replace(f', "{TO[1]}"', ""))
    message = message_of(site)
    assert [one.state for one in delivery.deliver(site, message, SECRET)] == ["sent"]
    site = site_of(root, mail_to(box.port))
    for state in ("sent", "earlier"):
        assert [one.state for one in delivery.deliver(site, message, SECRET)] == [state]
    assert [to for to, _ in box.letters] == [[TO[0]], [TO[1]]]


def test_receipts_of_an_earlier_release_count(root: Path, box: receivers.Letterbox) -> None:
    site = site_of(root, mail_to(box.port))
    message = message_of(site)
    old = {"report": message.digest, "sent": {"mail": ", ".join(TO)}}
    message.files["json"].with_suffix(".sent.json").write_text(json.dumps(old))
    assert [one.state for one in delivery.deliver(site, message, SECRET)] == ["earlier"]
    assert not box.letters


@pytest.mark.parametrize("answer", [404, 0, 200], ids=["refused", "away", "taken"])
def test_what_is_secret_in_an_address_leaves_nowhere(
    root: Path, web: receivers.Web, answer: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The path of a chat's webhook is the key to it: no error, log, receipt or row of the warehouse contains it."""
    address = web.url if answer else "http://127.0.0.1:9"  # where nothing listens
    secret = "/services/T00/B00/SECRETTOKEN123?key=s3cr3t-k3y"
    site = site_of(root, f'webhook = {{ url = "{address}{secret}" }}')
    web.answers = [answer]
    result = CliRunner().invoke(cli, ["deliver", "--site", str(root), "--day", str(DAY)])
    outputs = [
        result.output,
        str(result.exception),
        steps.summarize_failure("deliver", result.exception or Exception()),
    ]
    outputs += [*steps.warn(site, "a task failed").values(), caplog.text]
    outputs += [str(query(site, "SELECT * FROM ops.run")), *(path.read_text() for path in root.rglob("*.sent.json"))]
    assert (result.exit_code == 0) == (answer == 200)
    assert not [text for text in outputs if "SECRETTOKEN123" in text or "s3cr3t" in text or "/services" in text]
    assert "127.0.0.1" in "".join(outputs), "the output still names the host"


def test_a_mail_shows_the_report_in_any_reader(root: Path, box: receivers.Letterbox) -> None:
    done = steps.deliver(site_of(root, mail_to(box.port)), DAY, DAY, secrets=SECRET)
    [(to, letter)] = box.letters
    assert (tuple(to), box.logins) == (TO, [("robot", "hunter2")])
    assert letter["Subject"].startswith("test stand, 15 June 2010: 1.60 TB moved on 2 drives")
    assert letter["Auto-Submitted"] == "auto-generated"
    text, page = letter.get_body(("plain",)), letter.get_body(("html",))
    assert isinstance(text, EmailMessage) and isinstance(page, EmailMessage)
    assert text.get_content().splitlines() == Path(done["report"]["txt"]).read_text().splitlines()
    pictures = [part for part in letter.walk() if part.get_content_type() == "image/png"]
    assert len(pictures) >= 2
    shown = page.get_content()
    assert "<svg" not in shown and "<script" not in shown
    for picture in pictures:
        assert picture.get_payload(decode=True).startswith(b"\x89PNG")  # type: ignore[union-attr]
        assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in shown
    [attached] = letter.iter_attachments()
    assert attached.get_filename() == "report-2010-06-15.html"
    assert attached.get_content().splitlines() == Path(done["report"]["html"]).read_text().splitlines()


@pytest.mark.parametrize("refusal", ["451 greylisted, try again", "550 no such mailbox"])
def test_whom_the_server_refuses_gets_the_mail_when_it_takes_it(
    root: Path, box: receivers.Letterbox, refusal: str
) -> None:
    """Until then each try fails, and who has the mail gets no second one."""
    site, box.unknown, box.refusal = site_of(root, mail_to(box.port)), {TO[1]}, refusal
    with pytest.raises(TapescopeError, match=f"the mail went to {TO[0]}, but the server refused {TO[1]}: {refusal}"):
        steps.deliver(site, DAY, DAY, secrets=SECRET)
    with pytest.raises(TapescopeError, match=f"{TO[1]}.*{refusal[4:]}"):
        steps.deliver(site, DAY, DAY, secrets=SECRET)
    box.unknown = set()
    states = [steps.deliver(site, DAY, DAY, secrets=SECRET)["ways"][0]["state"] for _ in range(2)]
    assert states == ["sent", "earlier"] and [to for to, _ in box.letters] == [[TO[0]], [TO[1]]]


@pytest.mark.parametrize("goodbye", ["421 too busy to say goodbye", "500 what?"])
def test_how_a_server_says_goodbye_is_no_news_of_the_letter(root: Path, box: receivers.Letterbox, goodbye: str) -> None:
    """It has taken the letter before: a delivery that counted as failed would send it again the next time."""
    site, box.goodbye = site_of(root, mail_to(box.port)), goodbye
    states = [steps.deliver(site, DAY, DAY, secrets=SECRET)["ways"][0]["state"] for _ in range(2)]
    assert states == ["sent", "earlier"] and len(box.letters) == 1


def test_what_went_wrong_comes_first(root: Path, box: receivers.Letterbox) -> None:
    hostile = "task build: failed\r\nBcc: everybody@example.org\x1b[31m" + "x" * 500
    steps.deliver(site_of(root, mail_to(box.port)), DAY, DAY, [hostile], SECRET)
    [(_, letter)] = box.letters
    assert letter["Bcc"] is None
    assert "1 problem: task build: failed Bcc: everybody@example.org\\x1b[31m" in " ".join(letter["Subject"].split())
    assert len(" ".join(letter["Subject"].split())) <= 160


def test_mail_is_sent_to_whom_one_trusts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with receivers.mail_server(context) as box:
        site = site_of(root, mail_to(box.port, "starttls"))
        with stranger.cert_pem.tempfile() as trusted, monkeypatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", trusted)
            with pytest.raises(TapescopeError, match="certificate verify failed"):
                steps.deliver(site, DAY, DAY, secrets=SECRET)
        assert not box.letters and not box.logins
        with authority.cert_pem.tempfile() as trusted, monkeypatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", trusted)
            steps.deliver(site, DAY, DAY, secrets=SECRET)
        assert len(box.letters) == len(box.logins) == 1


def test_a_password_never_goes_in_the_clear(root: Path) -> None:
    with pytest.raises(TapescopeError, match="would be sent without encryption") as failed:
        steps.deliver(site_of(root, mail_to(25, host="192.0.2.1")), DAY, DAY, secrets=SECRET)
    assert "other receivers" not in failed.value.hint, "there is no other"


def test_one_way_that_fails_keeps_no_other_back(root: Path, web: receivers.Web) -> None:
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}\nalertmanager = {{ url = "{web.url}" }}')
    web.answers = [404]
    with pytest.raises(TapescopeError, match=r"to 1 receiver\nwebhook: HTTPError: .* answered 404") as failed:
        steps.deliver(site, DAY, DAY)
    assert failed.value.hint.endswith("; the other receivers already have the report")
    assert [path for path, _, _ in web.posts] == ["/hook", "/api/v2/alerts"]
    assert ways(steps.deliver(site, DAY, DAY)) == {"webhook": "sent", "alertmanager": "earlier"}


def test_a_busy_server_is_asked_again_and_a_strange_one_not_followed(root: Path, web: receivers.Web) -> None:
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}')
    web.answers = [503, 200]
    assert ways(steps.deliver(site, DAY, DAY, secrets=SECRET)) == {"webhook": "sent"}
    [_, (_, headers, payload)] = web.posts
    assert headers["Authorization"] == "Bearer t0ken"
    assert (payload["site"], payload["day"]) == ("test stand", "2010-06-15")
    (sentence,) = next(part["sentences"] for part in payload["report"]["sections"] if part["id"] == "summary")
    assert payload["text"] == f"test stand, 15 June 2010: {sentence}" and len(payload["text"]) > 160, "not cut"
    assert payload["report"] == json.loads((root / "var" / "reports" / "report-2010-06-15.json").read_text())
    web.posts.clear()
    web.answers = [302]
    with pytest.raises(TapescopeError, match="answered 302"):
        steps.deliver(site, DAY, DAY, secrets=SECRET, again=True)
    assert [path for path, _, _ in web.posts] == ["/hook"], "the token went to another address"


@pytest.mark.parametrize("status", [500, 504])
def test_what_a_server_may_have_taken_is_not_sent_again(root: Path, web: receivers.Web, status: int) -> None:
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}')
    web.answers = [status]
    with pytest.raises(TapescopeError, match=f"answered {status}"):
        steps.deliver(site, DAY, DAY)
    assert len(web.posts) == 1


_OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "beginning", [b"220", _OK, _OK + b"Content-Length: 9999\r\n\r\n"], ids=["mail", "head", "body"]
)
def test_a_server_that_answers_byte_by_byte_is_left(
    root: Path, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    """Each byte came before the limit of one read: the delivery never ended."""
    monkeypatch.setattr(deadline, "LIMIT_S", 0.5)
    with receivers.dripping_server(beginning) as port:
        way = f'webhook = {{ url = "http://127.0.0.1:{port}" }}' if beginning.startswith(_OK) else mail_to(port)
        with pytest.raises(TapescopeError, match=r": TimeoutError: the exchange was not complete after 0\.5 s$"):
            steps.deliver(site_of(root, way), DAY, DAY)


@pytest.mark.parametrize("reply", ["ok", "", '{"ok": true}', "[]", '{"ok": false, "error": "channel_not_found"}'])
def test_a_reply_that_says_it_failed_is_no_success(root: Path, web: receivers.Web, reply: str) -> None:
    """Programs of chats answer so with the status 200."""
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}')
    web.reply = reply
    if "false" not in reply:
        assert ways(steps.deliver(site, DAY, DAY)) == {"webhook": "sent"}
        return
    with pytest.raises(TapescopeError, match="answered 200 with `ok: false`") as caught:
        steps.deliver(site, DAY, DAY)
    assert "channel_not_found" not in str(caught.value)
    web.reply = " " * 2**20  # no more of it is read than a program of a chat would send
    assert ways(steps.deliver(site, DAY, DAY)) == {"webhook": "sent"}, "it has no receipt"


def test_a_token_never_stands_in_an_error(root: Path, web: receivers.Web) -> None:
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}\nalertmanager = {{ url = "{web.url}" }}')
    tokens = {"TAPESCOPE_WEBHOOK_TOKEN": "t0k\nen", "TAPESCOPE_ALERTMANAGER_TOKEN": "from a file\n"}
    with pytest.raises(TapescopeError, match=r"to 1 receiver\nwebhook: ") as caught:
        steps.deliver(site, DAY, DAY, secrets=tokens)
    assert "t0k" not in str(caught.value)
    with pytest.raises(TapescopeError, match=r"to 1 receiver\nwebhook: ") as caught:
        steps.deliver(site, DAY, DAY, secrets={"TAPESCOPE_WEBHOOK_TOKEN": "t0k\u2026n"})
    assert "t0k" not in str(caught.value)
    [(path, headers, _)] = web.posts
    assert (path, headers["Authorization"]) == ("/api/v2/alerts", "Bearer from a file")


def test_every_way_links_to_the_pages(root: Path, box: receivers.Letterbox, web: receivers.Web) -> None:
    base = "https://tape.example.org/ts"
    site = site_of(
        root,
        f'dashboard_url = "{base}"\n{mail_to(box.port)}\nwebhook = {{ url = "{web.url}/hook" }}\n'
        f'alertmanager = {{ url = "{web.url}" }}',
    )
    steps.deliver(site, DAY, DAY, secrets=SECRET)
    contents = {path: content for path, _, content in web.posts}
    alerts = contents["/api/v2/alerts"]
    assert all(f"id={quote(one['labels']['finding'], safe='')}" in one["generatorURL"] for one in alerts)
    assert contents["/hook"]["url"] == f"{base}/?from=2010-06-15&to=2010-06-15"
    cards = [card for section in contents["/hook"]["report"]["sections"] for card in section["findings"]]
    assert len(cards) == 6 and {card["link"] for card in cards} <= {one["generatorURL"] for one in alerts}
    [(_, letter)] = box.letters
    text, page = (letter.get_body((kind,)).get_content() for kind in ("plain", "html"))
    for card in cards:
        assert f"page: {card['link']}" in text and f'<a href="{card["link"]}">' in page


@pytest.mark.parametrize(
    "address", ["ftp://tape.example.org", "https://me:pw@tape.example.org", "tape", "https://tape.example.org/?a=1"]
)
def test_an_address_no_link_can_use_is_refused(root: Path, address: str) -> None:
    with pytest.raises(ConfigError, match="dashboard_url") as refused:
        site_of(root, f'dashboard_url = "{address}"')
    assert "pw" not in str(refused.value), "a secret is not repeated"


def test_alerts_fire_while_a_finding_stands(root: Path, web: receivers.Web) -> None:
    steps.deliver(site_of(root, f'alertmanager = {{ url = "{web.url}/", keep_hours = 30 }}'), DAY, DAY)
    [(_, _, sent)] = web.posts
    now = datetime.now(UTC)
    ends = {alert["labels"]["finding"]: datetime.fromisoformat(alert["endsAt"]) - now for alert in sent}
    fires = {name for name, left in ends.items() if left > timedelta(0)}
    assert fires == set(ends) - {"muted", "old"} and {"muted", "old"} < set(ends)
    assert all(timedelta(hours=29) < ends[name] <= timedelta(hours=30) for name in fires)
    [gone] = [alert for alert in sent if alert["labels"]["finding"] == "old"]
    labels = {"alertname": "mount_failures", "site": "test stand", "entity": "s1", "severity": "warning"}
    assert gone["labels"] == labels | {"finding": "old"}
    assert gone["startsAt"] == "2010-06-14T05:00:00+00:00", "the day begins in Chicago"
    [muted] = [alert for alert in sent if alert["labels"]["finding"] == "muted"]
    assert muted["annotations"] == {
        "summary": "D2: it happened.",
        "description": "D2: it happened.",
        "means": "It means this.",
        "look_at": "Look there.",
        "lost_gb_day": "300 GB/day",
    }


def test_a_report_of_a_day_gone_by_is_not_how_things_stand(root: Path, web: receivers.Web) -> None:
    site = site_of(
        root,
        f'folder = "out"\nprometheus = "t.prom"\nwlcg = {{ file = "w.json" }}\nalertmanager = {{ url = "{web.url}" }}',
    )
    before = DAY - timedelta(days=1)
    done = ways(steps.deliver(site, before, before))
    assert done == {"folder": "sent"} | dict.fromkeys(("prometheus", "wlcg", "alertmanager"), "left_out")
    assert not web.posts and not (root / "t.prom").exists() and not (root / "w.json").exists()


def test_hostile_findings_are_bounded_in_alerts() -> None:
    row = {"finding_id": "1", "rule": "r", "severity": "info", "state": "open", "first_day": DAY}
    row |= {"entity": "e\x1b" + "x" * 10_000, "text": "a\nb" + "x" * 10_000}
    report = Report("t", "UTC", DAY, DAY, [], [])
    message = Message("s", report, {}, [], [row], [], {}, [])
    [alert] = alertmanager.alerts_of(message, datetime.now(UTC), timedelta(hours=1))
    assert len(json.dumps(alert)) < 2000 and "\\u001b" not in json.dumps(alert)
    assert single_line("a\nb") == "a b"


def test_prometheus_reads_the_night(root: Path) -> None:
    steps.deliver(site_of(root, 'prometheus = "night.prom"'), DAY, DAY, ["something"])
    samples = {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families((root / "night.prom").read_text())
        for sample in family.samples
    }
    assert samples["tapescope_drive_hours", "transfer", "moving data", "test stand"] == 6.0
    assert samples["tapescope_drive_hours", "unknown", "unknown", "test stand"] == 1.5
    assert samples["tapescope_report_problems", "test stand"] == 1.0
    assert samples["tapescope_moved_terabytes", "test stand"] == 1.6
    # the rate is worth nothing without its basis
    assert samples["tapescope_drive_rate_megabytes_per_second", "call", "test stand"] == 80.0
    assert samples["tapescope_overall_rate_megabytes_per_second", "test stand"] == 50.0
    # entity, rule, severity, site, state
    labels = ("D2", "slow_drive", "warning", "test stand", "muted")
    assert samples["tapescope_finding", *labels] == 1.0
    assert samples["tapescope_finding_lost_gb_per_day", *labels] == 300.0
    assert ("tapescope_finding_gain_gb_per_day", *labels) not in samples, "what is not known is no sample"
    assert samples["tapescope_days", "test stand", "findings"] == 1.0
    assert samples["tapescope_days", "test stand", "clean"] == 0.0
    midnight = datetime(2010, 6, 16, 5, tzinfo=UTC).timestamp()  # of Chicago
    assert samples["tapescope_report_until_timestamp_seconds", "test stand"] == midnight


@pytest.mark.parametrize("state", ["not_run", "not_covered", "part_covered", "clean"])
def test_prometheus_keeps_a_silent_day_apart_from_a_clean_one(state: str) -> None:
    report = Report("t", "UTC", DAY, DAY, [], [])
    days = [{"state": state, "n_days": 2}, {"state": "findings", "n_days": 1}, {"state": state, "n_days": 3}]
    registry = prometheus.registry_of(Message("s", report, {}, [], [], [], {}, [], days=days))
    counts = {
        name: registry.get_sample_value("tapescope_days", {"site": "s", "state": name})
        for name in ("not_run", "not_covered", "part_covered", "clean", "findings")
    }
    assert counts == dict.fromkeys(counts, 0.0) | {state: 5.0, "findings": 1.0}


def test_wlcg_gets_its_metrics(root: Path) -> None:
    steps.deliver(
        site_of(root, 'wlcg = { file = "wlcg.json", name = "T1-TAPE", vos = { cms = ["cms", "cms-t0"] } }'), DAY, DAY
    )
    service = json.loads((root / "wlcg.json").read_text())["storageservice"]
    assert (service["name"], service["implementation"]) == ("T1-TAPE", "tapescope")
    # the end of 15 June in Chicago: 05:00 UTC of the 16th
    at = int(datetime(2010, 6, 16, 5, tzinfo=UTC).timestamp())
    assert service["latestupdate"] == at
    assert service["storageshares"] == [
        {
            "name": "cms",
            "vos": ["cms", "cms-t0"],
            "timestamp": at,
            "usedsize": 600_000_000_000,
            "occupiedsize": 1_000_000_000_000,
            "readbytes24h": 0,
            "writebytes24h": 0,
            "avgtaperemounts": 0.0,
            "totalmounts24h": 0,
            "uniquemounts24h": 0,
        }
    ]


def test_the_day_before_is_how_things_stand_while_today_goes_on(root: Path, web: receivers.Web) -> None:
    """Live logs are read all day: in the morning the report on the day before is still the newest there can be."""
    site = site_of(root, f'prometheus = "t.prom"\nalertmanager = {{ url = "{web.url}" }}')
    morning = int(datetime(2010, 6, 15, 11, 15, tzinfo=UTC).timestamp()) * 10**9
    with Warehouse(site).write("test") as connection:
        connection.execute("UPDATE lake.ops.file SET modified_ns = ?", [morning])
    before = DAY - timedelta(days=1)
    assert ways(steps.deliver(site, before, before)) == dict.fromkeys(("prometheus", "alertmanager"), "sent")


def test_a_report_goes_out_where_nothing_could_be_built(tmp_path: Path, box: receivers.Letterbox) -> None:
    """No warehouse at all: the mail says so."""
    site = site_of(tmp_path, f'{mail_to(box.port)}\nwlcg = {{ file = "w.json" }}')
    (tmp_path / "w.json").write_text("of the night before")
    assert ways(steps.deliver(site, problems=["task ingest: failed"])) == {"mail": "sent", "wlcg": "left_out"}
    assert (tmp_path / "w.json").read_text() == "of the night before"
    [(_, letter)] = box.letters
    assert re.search(r"\d problems?: task ingest: failed", letter["Subject"])


@pytest.mark.parametrize("url", ["http://localhost:9093/#/alerts", "http://localhost:9093/?silenced=true", ""])
def test_an_alertmanager_by_the_address_of_its_page_is_refused(tmp_path: Path, url: str) -> None:
    """What follows a # is not sent: the alerts went to the page itself."""
    with pytest.raises(ConfigError, match=r"without \? or #|at least 1 character"):
        site_of(tmp_path, f'alertmanager = {{ url = "{url}" }}')


def test_recipients_are_checked(tmp_path: Path) -> None:
    wrong = 'mail = { host = "h", from = "nobody", to = [] }\nwebhook = { url = "https://me:secret@example.org/" }'
    with pytest.raises(ConfigError) as caught:
        site_of(tmp_path, wrong)
    message = str(caught.value)
    assert (
        "a mail address such as" in message
        and "must not hold a user name or password" in message
        and "at least 1" in message
    )


def test_the_command_tells_what_it_sent(root: Path) -> None:
    site_of(root, 'folder = "out"')
    result = CliRunner().invoke(cli, ["deliver", "--site", str(root), "--day", str(DAY)], catch_exceptions=False)
    assert result.exit_code == 0 and "folder       sent" in result.output
    site_of(root, "")
    result = CliRunner().invoke(cli, ["deliver", "--site", str(root), "--day", str(DAY)], catch_exceptions=False)
    assert "No recipients: site.toml has no" in result.output


def test_the_first_day_of_the_report_is_the_days_asked_for(root: Path) -> None:
    done = steps.deliver(site_of(root, ""), date(2010, 6, 14), DAY)
    assert json.loads(Path(done["report"]["json"]).read_text())["first_day"] == "2010-06-14"


def book_of(root: Path) -> Path:
    return root / "var" / "known_failures.json"


def age(root: Path, hours: float) -> None:
    """Move all that is known of failures into the past."""
    parts = json.loads(book_of(root).read_text())
    for failure in (one for known in parts.values() for one in known.values()):
        places = [(failure, "first"), (failure, "last"), *((failure["sent"], way) for way in failure["sent"])]
        for place, key in places:
            place[key] = (datetime.fromisoformat(place[key]) - timedelta(hours=hours)).isoformat()
    book_of(root).write_text(json.dumps(parts))


def test_an_equal_failure_is_sent_once_a_day(root: Path, box: receivers.Letterbox, web: receivers.Web) -> None:
    """96 runs of `ingest` a day sent 96 mails for one mistake in site.toml."""
    site = site_of(root, f'{mail_to(box.port)}\nwebhook = {{ url = "{web.url}/hook" }}')
    fail = lambda n: steps.warn(site, f"run {n}: broken, PID: {n}", SECRET, "ingest", f"broken, PID: {n}")  # noqa: E731
    assert set(fail(1001)) == {"mail", "webhook"}
    assert [fail(n) for n in range(2000, 2095)] == [{}] * 95, "an id of a process is no other failure"
    assert set(steps.warn(site, "another", SECRET, "ingest", "another")) == {"mail", "webhook"}
    assert (len(box.letters), len(web.posts)) == (2, 2)
    age(root, 19)
    assert fail(3000) == {}
    age(root, 1)
    assert set(fail(3001)) == {"mail", "webhook"}
    text = box.letters[-1][1].get_content()
    assert "ingest failed 98 times since " in text  # 1 + 95 + 2


def test_who_did_not_get_a_failure_gets_the_next(root: Path, box: receivers.Letterbox, web: receivers.Web) -> None:
    """A way that failed is tried again, and who has the mail gets no second one for an address that is refused."""
    box.unknown = {TO[1]}
    web.answers = [500]
    site = site_of(root, f'{mail_to(box.port)}\nwebhook = {{ url = "{web.url}/hook" }}')
    first = steps.warn(site, "broken", SECRET)
    assert first["webhook"].startswith("failed: ") and "refused" in first["mail"]
    assert set(steps.warn(site, "broken", SECRET)) == {"webhook"}
    assert steps.warn(site, "broken", SECRET) == {}
    assert (len(box.letters), len(web.posts)) == (1, 2)


def test_recipients_hear_when_it_works_again(root: Path, web: receivers.Web) -> None:
    """Not of what comes and goes: it would be two messages each time."""
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}')
    assert steps.recovered(site, "ingest", SECRET) == {}, "nothing had failed"
    for _ in range(3):
        steps.warn(site, "broken", SECRET, "ingest", "broken")
        assert steps.recovered(site, "ingest", SECRET) == {}
    age(root, 2)
    assert steps.recovered(site, "diagnose", SECRET) == {}
    assert set(steps.recovered(site, "ingest", SECRET)) == {"webhook"}
    assert steps.recovered(site, "ingest", SECRET) == {}
    assert len(web.posts) == 2 and web.posts[-1][2]["problems"] == []
    assert web.posts[-1][2]["text"].startswith("test stand: ingest works again: it failed 3 times since ")
    assert set(steps.warn(site, "broken", SECRET, "ingest", "broken")) == {"webhook"}, "it is a new failure"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"ingest": {"a": {}}}', '{"ingest": 1}'])
def test_a_damaged_record_of_failures_holds_nothing_back(root: Path, web: receivers.Web, content: str) -> None:
    site = site_of(root, f'webhook = {{ url = "{web.url}/hook" }}')
    book_of(root).write_text(content)
    assert set(steps.warn(site, "broken", SECRET)) == {"webhook"}
    assert steps.warn(site, "broken", SECRET) == {}
