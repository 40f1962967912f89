"""The answers to a [[collect]] entry are in the spool once and complete, whatever servers, commands and kills do.

The server is one of loopback that answers as servers do that are slow, loud, wrong or hostile; commands are real
processes. A real Prometheus is asked in `test_collect_real.py`.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipelines import steps
from pipelines.config.site import Site, load_site
from pipelines.ingest.collect import spool as spools
from pipelines.primitives.errors import ConfigError
from support import TESTS
from support.archive import query
from support.processes import kill, python

pytestmark = pytest.mark.usefixtures("mostly_plain_store")

SECRET = "s3cr3t-of-the-tests"
DRIVES = (TESTS / "sources" / "cta_admin" / "clean_drives.jsonl").read_text()


def site_of(folder: Path, *entries: str, top: str = "") -> Site:
    folder.mkdir(exist_ok=True)
    text = 'name = "t"\nzone = "Europe/Zurich"\n' + top
    (folder / "site.toml").write_text(text + "".join(f"[[collect]]\n{entry}\n" for entry in entries))
    return load_site(folder)


def command(*arguments: str, more: str = 'every = "1h"', name: str = "c") -> str:
    return f'name = "{name}"\ncommand = {json.dumps(arguments)}\n{more}'


def kept(site: Site, name: str = "c") -> list[bytes]:
    """The contents of an entry's files, in the order of their names."""
    return [path.read_bytes() for path in sorted((site.root / "var" / "spool" / name).glob("20*"))]


def reasons(site: Site, *names: str) -> list[str]:
    return [one.reason for one in steps.collect(site, names, is_all=not names).asked]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ('every = "5m"', "one of `prometheus`, `command` and `journal`"),
        ('every = "5m"\nprometheus = "http://p:9090"\ncommand = ["x"]', "one of `prometheus`"),
        ('every = "5"\ncommand = ["x"]', "a number with a unit"),
        ('every = "0s"\ncommand = ["x"]', "greater than or equal to 1"),
        ('every = "5m"\nprometheus = "http://me:pw@p:9090"', "set a token in the environment"),
        ('every = "5m"\nprometheus = "file:///etc/passwd"', "an address such as"),
        ('every = "5m"\nprometheus = "http://p"\nask = ["up} or {x"]', "not a pattern of metric names"),
        ('every = "5m"\ncommand = ["dsmadmc", "-pa=geheim"]', "site.toml must not contain a password"),
        ('every = "5m"\ncommand = ["x"]\ntoken = "AWS_SECRET_ACCESS_KEY"', "should match pattern"),
        ('every = "5m"\njournal = ["--vacuum-size=1"]', "selects no entries"),
        ('every = "5m"\njournal = ["--unit=cta-taped"]\nask = ["x"]', "`ask` works only in an entry with `prometheus`"),
        ('every = "5m"\njournal = ["--unit=cta-taped"]\nstamp = true', "`stamp` works only in an entry with `command`"),
        ('name = "../x"\nevery = "5m"\ncommand = ["x"]', "should match pattern"),
        ('every = "5m"\ncommand = ["x"]\n[[collect]]\nname = "c"\nevery = "1m"\ncommand = ["y"]', "declared twice"),
    ],
)
def test_what_must_not_be_asked_is_a_mistake_of_site_toml(tmp_path: Path, entry: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as raised:
        site_of(tmp_path, entry if entry.startswith("name") else f'name = "c"\n{entry}')
    assert "geheim" not in str(raised.value) and "pw" not in str(raised.value)


class Server(BaseHTTPRequestHandler):
    """Answers by the first part of the path."""

    protocol_version = "HTTP/1.1"
    asked: list[str]
    over: threading.Event  # the test has ended: whoever still answers stops

    def do_GET(self) -> None:
        self.asked.append(self.path)
        kind = self.path.split("/")[1]
        with suppress(ConnectionError):
            getattr(self, kind)()

    def head(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def redirect(self) -> None:
        self.head(302, Location="/elsewhere/", Content_Length="0")

    def endless(self) -> None:
        self.head(Transfer_Encoding="chunked")
        while not self.over.is_set():
            self.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")

    def slow(self) -> None:
        self.head(Content_Length="1000")
        while not self.over.wait(0.1):
            self.wfile.write(b" ")
            self.wfile.flush()

    def slow_head(self) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\nServer: ")
        while not self.over.wait(0.1):
            self.wfile.write(b"x")

    def silent(self) -> None:
        self.over.wait(30)

    def broken(self) -> None:
        text = b"out of \x1b[31mmemory\n" * 1000
        self.head(500, Content_Length=str(len(text)))
        self.wfile.write(text)

    def closed(self) -> None:
        text = f"no: {self.headers['Authorization']}".encode()
        self.head(401, Content_Length=str(len(text)))
        self.wfile.write(text)

    def page(self) -> None:
        self.head(Content_Length="13")
        self.wfile.write(b"<html></html>")

    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """The address of a strange server, and what it was asked."""
    asked: list[str] = []
    over = threading.Event()
    handler = type("Handler", (Server,), {"asked": asked, "over": over})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}", asked
    finally:
        over.set()
        listening.shutdown()
        thread.join()
        listening.server_close()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("redirect", "the server redirects to another address, which tapescope does not follow"),
        ("endless", "the server's answer is longer than 0.25 MiB"),
        ("slow", "the server gave no complete answer within 1 s"),
        ("slow_head", "the server gave no complete answer within 1 s"),
        ("silent", "the server gave no complete answer within 1 s"),
        ("broken", r"the server answered 500 out of \x1b[31mmemory out of"),
        ("closed", "the server answered 401 no: Bearer …"),
        ("page", "this answer is not from Prometheus: <html></html>"),
    ],
)
def test_a_strange_server_holds_up_nothing(
    tmp_path: Path, server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch, kind: str, why: str
) -> None:
    monkeypatch.setenv("TAPESCOPE_COLLECT_TOKEN", SECRET)
    url, asked = server
    entry = f'name = "p"\nprometheus = "{url}/{kind}/"\nevery = "1h"\ntimeout = "1s"\nmax_mb = 0.25'
    site = site_of(tmp_path, entry, command("echo", "[]"))
    report = steps.collect(site)
    assert [(one.name, one.state) for one in report.asked] == [("p", "failed"), ("c", "done")]
    assert report.asked[0].reason.startswith(why) and len(report.asked[0].reason) <= 400
    assert not kept(site, "p") and len(kept(site)) == 1
    everything = [path.read_text() for path in (site.root / "var").rglob("*") if path.is_file()]
    assert SECRET not in str(report) + "".join(everything)
    assert len(asked) == 1 and asked[0].startswith(f"/{kind}/api/v1/query")


def test_a_server_that_is_away_is_named_without_what_it_was_asked(tmp_path: Path) -> None:
    site = site_of(tmp_path, 'name = "p"\nprometheus = "http://127.0.0.1:1/key-of-it"\nevery = "1h"')
    assert reasons(site) == ["the request failed: Connection refused"]


def test_a_token_that_no_header_holds_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPESCOPE_COLLECT_TOKEN", f"{SECRET}\nX: y")
    site = site_of(tmp_path, 'name = "p"\nprometheus = "http://127.0.0.1:1"\nevery = "1h"')
    (reason,) = reasons(site)
    assert (
        reason.startswith("TAPESCOPE_COLLECT_TOKEN holds characters that an HTTP header cannot carry")
        and SECRET not in reason
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sleep 60 & echo $! >child; wait", "the command did not end within 1 s; raise `timeout`"),
        ("exec >&- 2>&-; echo $$ >child; exec sleep 60", "the command did not end within 1 s"),
        ("echo $$ >child; yes", "the command prints more than 0.25 MiB; raise `max_mb`"),
        (
            "echo '[]'; echo \"no ticket of $1\" >&2; head -c 1000000 /dev/zero | tr '\\\\0' y >&2; exit 3",
            "the command ended with exit code 3: no ticket of …",
        ),
        ("kill -9 $$", "the command ended with exit code -9"),
    ],
)
def test_a_command_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str) -> None:
    monkeypatch.setenv("TAPESCOPE_COLLECT_TOKEN", SECRET)
    site = site_of(
        tmp_path, command("sh", "-c", script, "sh", "{token}", more='every = "1h"\ntimeout = "1s"\nmax_mb = 0.25')
    )
    (reason,) = reasons(site)
    assert reason.startswith(why) and SECRET not in reason
    assert not kept(site)
    if (child := tmp_path / "child").exists():
        assert is_gone(int(child.read_text())), "what it started goes on"


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one without a waiting parent is a zombie for a moment, or longer in a container."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_a_command_gets_no_shell_and_none_of_our_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TAPESCOPE_SMTP_PASSWORD", "AIRFLOW__CORE__FERNET_KEY", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("KRB5CCNAME", "FILE:/tmp/cache")
    site = site_of(
        tmp_path,
        command("env", name="env"),
        command("echo", "$(id)", ";", "cat /etc/passwd", name="words"),
        command("no-such-command", name="none"),
        command("cat", name="input"),
    )
    assert reasons(site) == ["", "", "the command cannot be started: No such file or directory", ""]
    (variables,) = kept(site, "env")
    assert SECRET.encode() not in variables and b"KRB5CCNAME=FILE:/tmp/cache" in variables and b"PATH=" in variables
    assert kept(site, "words") == [b"$(id) ; cat /etc/passwd\n"] and not kept(site, "input")


def test_an_entry_is_asked_once_a_turn_of_the_clock_and_again_where_it_failed(tmp_path: Path) -> None:
    site = site_of(tmp_path, command("echo", "[]"), command("sh", "-c", "test -e there && echo '[]'", name="d"))
    states = lambda **more: [(one.name, one.state) for one in steps.collect(site, **more).asked]  # noqa: E731
    assert states() == [("c", "done"), ("d", "failed")]
    assert states() == [("d", "failed")]
    (tmp_path / "there").touch()
    assert states() == [("d", "done")] and states() == []
    assert states(names=["c"]) == [("c", "done")] and len(states(is_all=True)) == 2
    with pytest.raises(ConfigError, match=r"there is no .* entry 'x'"):
        steps.collect(site, ["x"])
    with spools.opened(site.root / "var" / "spool" / "c"):
        assert states(is_all=True) == [("c", "busy"), ("d", "done")]


def polling(folder: Path, name: str = "drives.json", more: str = 'every = "1h"\nsystem = "TESTCTA"') -> Site:
    """A site whose command prints the contents of a file."""
    return site_of(folder, command("cat", name, more=more))


def test_polls_become_rows_as_their_source_reads_them(tmp_path: Path) -> None:
    """The answers of the source's worked case, now at our times: a drive is covered from poll to poll."""
    answers = [json.loads(line)["answer"] for line in DRIVES.splitlines() if '"answer"' in line]
    site = polling(tmp_path)
    for answer in answers[:2]:
        (tmp_path / "drives.json").write_text(json.dumps(answer, indent=1))  # as a command prints it for people
        steps.collect(site, is_all=True)
        assert steps.ingest(site).as_dict()["n_rejected"] == 0
    (content,) = kept(site)
    assert [json.loads(line)["answer"] for line in content.splitlines()] == answers[:2]
    rows = query(
        site,
        "SELECT drive, count(*), count(DISTINCT polled_at) FROM bronze.cta_drive_poll WHERE is_current GROUP BY ALL",
    )
    assert rows and max(row[1] for row in rows) == 2 and all(row[1] == row[2] for row in rows)
    covered = query(site, "SELECT max(to_at - from_at) > INTERVAL 0 SECOND FROM bronze.log_coverage")
    assert covered == [(True,)]


def test_an_answer_longer_than_a_line_becomes_several(tmp_path: Path) -> None:
    items = [
        {"vid": f"L{number:05}", "mediaType": "LTO9", "masterDataInBytes": str(number), "name": "ä" * 40}
        for number in range(200)
    ]
    (tmp_path / "tapes.json").write_text(json.dumps(items))
    site = site_of(tmp_path, command("cat", "tapes.json"), top="[limits]\nline_kb = 4\n")
    steps.collect(site)
    (content,) = kept(site)
    lines = content.splitlines()
    assert len(lines) > 4 and max(map(len, lines)) < 4096
    assert [item for line in lines for item in json.loads(line)["answer"]] == items
    assert len({json.loads(line)["polled_at"] for line in lines}) == 1


def test_a_day_begins_with_the_last_answer_of_the_day_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = polling(tmp_path)
    days = iter(["2026-06-15", "2026-06-15", "2026-06-16", "2026-06-16", "2026-06-16", "2026-06-17"])
    monkeypatch.setattr("pipelines.ingest.collect.poll.utc_day", lambda _: next(days))
    for number in range(4):
        (tmp_path / "drives.json").write_text(f'[{{"driveName":"D{number}"}}]')
        steps.collect(site, is_all=True)
    found = [[json.loads(line)["answer"][0]["driveName"] for line in content.splitlines()] for content in kept(site)]
    assert found == [["D0", "D1"], ["D1", "D2", "D3"]]
    for _ in range(2):  # a file that was taken away is no reason to stop
        (tmp_path / "var" / "spool" / "c" / "2026-06-16.jsonl").unlink()
        assert reasons(site) == [""]
    assert [content.count(b"polled_at") for content in kept(site)] == [2, 1]


def test_what_a_killed_collector_left_is_cut_off_and_read_rightly(tmp_path: Path) -> None:
    """Half a line, a whole line that was not noted, half a state, and a file of the next day: ingest saw them all."""

    def rows_of(folder: Path, is_killed: bool) -> list[Any]:
        site = polling(folder)
        for number in range(3):
            answer = json.loads(DRIVES.splitlines()[0])["answer"]
            (folder / "drives.json").write_text(json.dumps([drive | {"sessionId": str(number)} for drive in answer]))
            steps.collect(site, is_all=True)
            if is_killed:
                leave_halves(site, number)
                steps.ingest(site)
        steps.collect(site, is_all=True)
        assert steps.ingest(site).as_dict()["n_rejected"] == 0
        assert query(site, "SELECT * FROM ops.reject") == []
        assert not [path for path in (site.root / "var/spool/c").iterdir() if path.name.startswith((".20", ".."))]
        rows = query(site, "SELECT drive, mount_id, status, desired, line_no FROM bronze.cta_drive_poll ORDER BY ALL")
        assert [json.loads(line) for content in kept(site) for line in content.splitlines()]
        return rows

    assert rows_of(tmp_path / "killed", True) == rows_of(tmp_path / "whole", False) != []


def test_a_first_answer_that_was_not_noted_is_asked_for_again(tmp_path: Path) -> None:
    """A collector notes its window, appends the answer, and is killed before it notes that."""
    with spools.opened(tmp_path) as spool:
        assert spool
        spool.note(mark={"until": 0, "to": 60})
    (tmp_path / "2026-06-15.jsonl").write_bytes(b"first\n")
    with spools.opened(tmp_path) as spool:
        assert spool
        spool.append("2026-06-15", b"again\n", {"until": 60})
    assert (tmp_path / "2026-06-15.jsonl").read_bytes() == b"again\n"


def test_answers_outlive_a_lost_state(tmp_path: Path) -> None:
    """Whole lines stay, and neither the next note nor another kill takes them away."""
    (tmp_path / "2026-06-15.jsonl").write_bytes(b"head\none\nha")
    for number in range(2):
        with spools.opened(tmp_path) as spool:
            assert spool
            spool.note(mark={"until": number})
    with spools.opened(tmp_path) as spool:
        assert spool
        spool.append("2026-06-15", b"two\n", {}, head=b"head\n")
        assert spool.last_answer() == b"two\n"
    assert (tmp_path / "2026-06-15.jsonl").read_bytes() == b"head\none\ntwo\n"


def leave_halves(site: Site, number: int) -> None:
    folder = site.root / "var" / "spool" / "c"
    (path,) = folder.glob("20*.jsonl")
    (folder / f".{path.name}-x1").write_bytes(b"half")
    (folder / "..state.json-x2").write_bytes(b'{"mark"')
    last = path.read_bytes().splitlines()[-1] + b"\n"
    with path.open("ab") as file:
        file.write([last[:57], last, last + last[:90]][number])


def test_killed_at_any_moment_no_answer_is_half_or_twice(tmp_path: Path) -> None:
    """Each answer has a number of its own, counted by the command; lost are only those of the kill itself."""
    script = (
        'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >m && mv m n; printf \'[{"n":%d,"fill":"%0200000d"}]\' $n 0'
    )
    site = site_of(tmp_path, command("sh", "-c", script))
    loop = "import sys\nfrom pipelines import steps\nwhile True: steps.collect(steps.site_at(sys.argv[1]), is_all=True)"
    folder = tmp_path / "var" / "spool" / "c"
    for number in range(4):
        before = size_below(folder)
        with python("-c", loop, str(tmp_path)) as process:
            wait_until(lambda: size_below(folder) > before + 400_000)  # noqa: B023
            time.sleep(0.003 * number)
            kill(process)
    steps.collect(site, is_all=True)
    numbers = [json.loads(line)["answer"][0]["n"] for content in kept(site) for line in content.splitlines()]
    assert len(numbers) >= 8 and numbers == sorted(set(numbers))
    assert numbers[-1] - numbers[0] < len(numbers) + 5


def size_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("20*"))


def wait_until(holds: Callable[[], bool], limit_s: float = 120) -> None:
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.mark.lake
def test_text_is_asked_since_the_last_answer_and_goes_from_the_spool_when_it_was_read(tmp_path: Path) -> None:
    """TSM's table as `dsmadmc` prints it; a second answer overlaps the first, a third says that there is nothing."""
    table = (TESTS / "sources" / "tsm_summary" / "clean.csv").read_text()
    (tmp_path / "answer").write_text(table)
    script = 'echo "$1" >>since; test -s answer || { echo "ANR2034E SELECT: No match found."; exit 11; }; cat answer'
    more = 'every = "1h"\nsince = "7d"\nlate = "1h"\nnothing_codes = [11]\nsystem = "tsm1"'
    site = site_of(tmp_path, command("sh", "-c", script, "sh", "END_TIME>'{since}'", more=more), top="spool_days = 2\n")
    for _ in range(2):
        steps.collect(site, is_all=True)
    (tmp_path / "answer").write_text("")
    assert reasons(site) == [""]
    counts = steps.ingest(site).as_dict()
    assert (counts["loaded"] + counts["unchanged"], counts["n_rejected"]) == (2, 0)
    since = [
        time.mktime(time.strptime(line[10:-2], "%Y-%m-%d %H:%M:%S"))
        for line in (tmp_path / "since").read_text().splitlines()
    ]
    assert since[1] - since[0] == pytest.approx(7 * 86400, abs=120) and since[2] - since[1] < 120
    before = query(site, "SELECT * EXCLUDE (file_id) FROM bronze.tsm_summary ORDER BY ALL")
    old = time.time() - 3 * 86_400
    for path in (tmp_path / "var" / "spool" / "c").glob("20*"):
        os.utime(path, (old, old))
    assert steps.maintain(site).as_dict()["spool_files_removed"] == 0, "as they are now they were not read yet"
    steps.ingest(site)
    assert steps.maintain(site).as_dict()["spool_files_removed"] == 2 and not kept(site)
    steps.ingest(site)
    assert before and query(site, "SELECT * EXCLUDE (file_id) FROM bronze.tsm_summary ORDER BY ALL") == before


def test_what_begins_to_fail_and_answers_again_is_recorded_once(tmp_path: Path) -> None:
    site = site_of(
        tmp_path,
        command("echo", "[]", more='every = "1h"\nsource = "cta_admin"'),
        command("cat", "no-such-file", name="d"),
    )
    steps.collect(site)  # there is no warehouse yet
    steps.ingest(site)
    for _ in range(3):
        steps.collect(site)
    (tmp_path / "no-such-file").write_text("[]")
    for _ in range(2):
        steps.collect(site, is_all=True)
    runs = query(site, "SELECT outcome, failure FROM ops.run WHERE step = 'collect' ORDER BY started_at")
    assert [outcome for outcome, _ in runs] == ["failed", "done"]
    assert "d: the command ended with exit code 1: cat: no-such-file" in runs[0][1]
    (state,) = (
        row for row in steps.ask(site, "freshness").as_dicts() if (row["kind"], row["name"]) == ("step", "collect")
    )
    assert state["outcome"] == "done"


def test_the_command_line_says_what_was_collected(tmp_path: Path) -> None:
    site_of(tmp_path, command("echo", "[]"), command("false", name="d"))
    with python("-m", "pipelines.cli", "collect", "--site", str(tmp_path)) as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert (
        "Tried to collect from 2 of 2 entries (1 failed): 1 answer, " in output
        and "failed: d: the command ended with exit code 1" in output
    )


def test_watching_ends_with_sigterm_and_takes_its_commands_along(tmp_path: Path) -> None:
    script = "echo $$ >child; exec sleep 600"
    site = site_of(
        tmp_path,
        command("sh", "-c", script, more='every = "1s"\ntimeout = "1h"'),
        command("echo", "[]", more='every = "1s"', name="d"),
    )
    with python("-m", "pipelines.cli", "collect", "--watch", "--site", str(tmp_path)) as process:
        wait_until(
            lambda: (tmp_path / "child").exists() and bool((tmp_path / "child").read_text()) and bool(kept(site, "d"))
        )
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, output
    assert is_gone(int((tmp_path / "child").read_text()))
    assert spools.state_of(tmp_path / "var" / "spool" / "c")["failure"] == ""


def test_counters_of_text_are_kept_with_their_times_and_rise_from_answer_to_answer(tmp_path: Path) -> None:
    """The contents of the kernel's files are there to the byte, below the instant of asking."""
    folder = tmp_path / "class" / "scsi_tape" / "st0" / "stats"
    folder.mkdir(parents=True)
    site = site_of(
        tmp_path, command("grep", "-r", "", str(folder.parent), more='every = "1h"\nstamp = true\nhost = "h1"')
    )
    for n_bytes in (1_000, 5_000, 6_000):
        (folder / "read_byte_cnt").write_text(f"{n_bytes}\n")
        assert reasons(site) == [""]
    (content,) = kept(site)
    lines = content.decode().splitlines()
    assert [line.rpartition(":")[2] for line in lines[1::2]] == ["1000", "5000", "6000"]
    times = [datetime.fromisoformat(line.removeprefix("# ")) for line in lines[::2]]
    assert times == sorted(set(times)) and (datetime.now(UTC) - times[-1]).total_seconds() < 60
    steps.ingest(site)
    assert query(site, "SELECT host, device, read_bytes FROM bronze.drive_counter") == [("h1", "st0", 4_000)]


def test_text_without_a_clock_is_of_when_it_was_asked_for(tmp_path: Path) -> None:
    """Two drives, each asked twice, print the same: four readings, each with the time and drive of its answer."""
    (tmp_path / "answer").write_text(
        "IBM       ULTRIUM-HH9       Q3F5\n\n  Read error counter page  [0x3]\n  Total uncorrected errors = 0\n"
    )
    site = site_of(
        tmp_path,
        command("cat", "answer", name="st0", more='every = "1h"\nhost = "tps1"'),
        command("cat", "answer", name="second", more='every = "1h"\nhost = "tps1"\ndrive = "st1"'),
    )
    begin = datetime.now(UTC).replace(tzinfo=None)
    for _ in range(2):
        assert reasons(site) == ["", ""]
    end = datetime.now(UTC).replace(tzinfo=None)
    assert steps.ingest(site).as_dict()["loaded"] == 4
    rows = query(site, "SELECT host, drive, logged_at FROM bronze.scsi_counter ORDER BY drive, logged_at")
    assert [row[:2] for row in rows] == [("tps1", "st0")] * 2 + [("tps1", "st1")] * 2
    assert all(begin <= at <= end for _, _, at in rows) and len({at for _, _, at in rows}) == 4
    assert steps.ingest(site).as_dict()["loaded"] == 0
