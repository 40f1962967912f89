"""Collecting from what sites run: a Prometheus and a VictoriaMetrics that scrape a node_exporter, and a journal.

All are the programs of Debian, on loopback. The spool is compared with one query of the whole time: each sample once,
although the collector was killed again and again.
"""

import json
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from pipelines import steps
from pipelines.config.site import Site
from support import TESTS
from support.archive import query
from support.ports import free_port
from support.processes import kill, python

JOURNAL_WRITER = Path("/lib/systemd/systemd-journal-remote")
SCRAPES = (
    "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: n\n  static_configs: [{{targets: [{targets}]}}]\n"
)
SERVERS = {
    "prometheus": (
        "prometheus",
        "--config.file=scrape.yml",
        "--storage.tsdb.path=prometheus-data",
        "--web.listen-address=127.0.0.1:{port}",
    ),
    "victoriametrics": (
        "victoria-metrics",
        "-promscrape.config=scrape.yml",
        "-storageDataPath=vm-data",
        "-httpListenAddr=127.0.0.1:{port}",
        "-search.latencyOffset=0s",
    ),
}
LATE_S = 2
CTA = TESTS / "sources" / "cta_taped"


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server, ended by its id."""
    with (folder / f"{arguments[0]}.log").open("ab") as log:
        process = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    with process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_until(holds: Callable[[], bool], limit_s: float = 60) -> None:
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)


def asked(url: str, **params: Any) -> Any:
    with suppress(requests.ConnectionError, ValueError):  # while it starts
        return requests.get(f"{url}/api/v1/query", params=params, timeout=10).json().get("data", {}).get("result", [])
    return []


@dataclass
class Monitors:
    """Two exporters, and servers that scrape them every second."""

    instances: list[str]
    urls: dict[str, str]


@pytest.fixture(scope="module")
def monitors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Monitors]:
    if lacking := [name for name in ("prometheus", "prometheus-node-exporter") if not shutil.which(name)]:
        pytest.skip(f"{' and '.join(lacking)} not installed")
    folder = tmp_path_factory.mktemp("monitors")
    # the collectors a tape server would have; all of them would make each scrape 60 KB
    few = ("--collector.disable-defaults", "--collector.cpu", "--collector.loadavg", "--collector.netdev")
    few += ("--collector.diskstats", "--collector.meminfo")
    with ExitStack() as stack:
        ports = [free_port() for _ in range(2)]
        for port in ports:
            stack.enter_context(
                started(folder, "prometheus-node-exporter", *few, f"--web.listen-address=127.0.0.1:{port}")
            )
        found = Monitors([f"127.0.0.1:{port}" for port in ports], {})
        targets = ", ".join(f'"{instance}"' for instance in found.instances)
        (folder / "scrape.yml").write_text(SCRAPES.format(targets=targets))
        for name, arguments in SERVERS.items():
            if shutil.which(arguments[0]):
                port = free_port()
                stack.enter_context(started(folder, *(argument.format(port=port) for argument in arguments)))
                found.urls[name] = f"http://127.0.0.1:{port}"
        for url in found.urls.values():
            wait_until(lambda: len(asked(url, query="count_over_time(node_load1[1m]) > 4")) == 2)  # noqa: B023
        yield found


def samples(content: bytes) -> Counter[tuple[str, str, float]]:
    """Series, instant and value of answers, a line each."""
    return Counter(
        (json.dumps(series["metric"], sort_keys=True), value, at)
        for line in content.splitlines()
        for series in json.loads(line)["data"]["result"]
        for at, value in series["values"]
    )


def spool(site: Site, name: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((site.root / "var" / "spool" / name).glob("20*")))


def mark(site: Site, name: str) -> dict[str, Any]:
    state: dict[str, Any] = json.loads((site.root / "var" / "spool" / name / ".state.json").read_text())
    return dict(state["mark"])


@pytest.mark.parametrize("name", SERVERS)
def test_each_sample_is_kept_once_however_the_collector_is_killed(
    tmp_path: Path, monitors: Monitors, name: str
) -> None:
    if name not in monitors.urls:
        pytest.skip(f"{SERVERS[name][0]} is not installed")
    url = monitors.urls[name]
    # a line holds some seconds of an exporter alone, so that windows are asked in parts
    entry = f'[[collect]]\nname = "p"\nprometheus = "{url}"\nevery = "1s"\nlate = "{LATE_S}s"\nsince = "30s"\n'
    (tmp_path / "site.toml").write_text(f'name = "t"\nzone = "UTC"\n[limits]\nline_kb = 40\n{entry}')
    site = steps.site_at(tmp_path)
    state = tmp_path / "var" / "spool" / "p" / ".state.json"
    for number in range(3):
        before = state.stat().st_mtime_ns if state.exists() else 0
        with python("-m", "pipelines.cli", "collect", "--watch", "--site", str(tmp_path)) as process:
            wait_until(lambda: state.exists() and state.stat().st_mtime_ns > before)  # noqa: B023
            time.sleep(0.02 * number)
            kill(process)
        steps.ingest(site)

    def has_five_seconds() -> bool:
        states = [one.state for one in steps.collect(site, is_all=True).asked]
        return states == ["done"] and mark(site, "p")["until"] - min(at for _, _, at in samples(spool(site, "p"))) > 5

    wait_until(has_five_seconds)
    counts = steps.ingest(site).as_dict()
    assert (counts["failed"], counts["unknown"], counts["n_rejected"]) == (0, 0, 0)

    content, until = spool(site, "p"), mark(site, "p")["until"]
    found = samples(content)
    assert set(found.values()) == {1}, "a sample is there twice"
    begin = min(at for _, _, at in found)
    assert until - begin > 5
    assert max(map(len, content.splitlines())) < 40 * 1024 and len(content.splitlines()) > 4
    metrics = "|".join(sorted({json.loads(metric)["__name__"] for metric, _, _ in found}))
    whole = asked(url, query=f'{{__name__=~"{metrics}"}}[120s]', time=until)
    there = Counter(
        (json.dumps(series["metric"], sort_keys=True), value, at)
        for series in whole
        for at, value in series["values"]
        if begin <= at <= until
    )
    assert found == there

    steps.build(site)
    hosts = query(site, "SELECT host, count(*), count(DISTINCT from_at) FROM silver.host_sample GROUP BY ALL")
    n_scrapes = Counter(json.loads(metric)["instance"] for metric, _, _ in found if '"node_load1"' in metric)
    assert {host for host, _, _ in hosts} == {"localhost"}, "their labels are loopback addresses"
    assert sum(n for _, n, _ in hosts) <= sum(n_scrapes.values())
    loads = {(at, float(value)) for metric, value, at in found if '"node_load1"' in metric}
    bronze = query(site, "SELECT epoch_us(to_at), load_1 FROM bronze.host_sample WHERE load_1 IS NOT NULL")
    # each scrape but the first of an exporter ends a row
    assert len(bronze) == len(set(bronze)) == len(loads) - 2
    assert {(at, load) for at, load in bronze} <= {(round(1e6 * at), load) for at, load in loads}


def test_a_day_begins_with_the_step_across_midnight(
    tmp_path: Path, monitors: Monitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file reaches back, so that silver has the steps of one file that was never cut."""
    if "prometheus" not in monitors.urls:
        pytest.skip("prometheus is not installed")
    rows, begin = {}, int(time.time()) - 9
    for kind, ends in {"cut": [begin + 4, begin + 7], "whole": [begin + 7]}.items():
        folder = tmp_path / kind
        folder.mkdir()
        url, since = monitors.urls["prometheus"], ends[0] - begin
        entry = f'prometheus = "{url}"\nevery = "1s"\nlate = "1s"\nsince = "{since}s"\nask = ["node_load.*"]'
        (folder / "site.toml").write_text(f'name = "t"\nzone = "UTC"\n[[collect]]\nname = "p"\n{entry}\n')
        site = steps.site_at(folder)
        for day, end in enumerate(ends, 1):
            monkeypatch.setattr("pipelines.ingest.collect.prometheus.utc_day", lambda _, day=day: f"2026-06-{day:02}")
            monkeypatch.setattr("pipelines.ingest.collect.prometheus._now", lambda _, end=end: end + 1)
            assert [one.reason for one in steps.collect(site, is_all=True).asked] == [""]
        steps.ingest(site)
        steps.build(site)
        assert len(list((folder / "var" / "spool" / "p").glob("20*"))) == len(ends)
        asked_for = f"SELECT host, from_at, to_at FROM silver.host_sample WHERE epoch(to_at) > {begin} ORDER BY ALL"
        rows[kind] = query(site, asked_for)
    assert rows["cut"] == rows["whole"] and len(rows["cut"]) >= 5


@pytest.mark.skipif(
    not (shutil.which("journalctl") and JOURNAL_WRITER.exists()),
    reason="journalctl or systemd-journal-remote is not installed",
)
def test_the_journal_is_read_on_from_its_cursor(tmp_path: Path) -> None:
    """Entries of the worked case, written into a real journal in two parts, come out as if their log had been read."""
    entries = [json.loads(line) for line in (CTA / "clean_journal.log").read_text().splitlines()]
    rows = {}
    for kind in ("journal", "log"):
        folder = tmp_path / kind
        folder.mkdir()
        text = 'name = "t"\nzone = "Europe/Zurich"\n'
        if kind == "log":
            shutil.copy(CTA / "clean_journal.log", folder)
            (folder / "site.toml").write_text(text + '[[input]]\nglob = "*.log"\n')
            site = steps.site_at(folder)
        else:
            more = 'every = "1h"\nsince = "3650d"\nmax_mb = 0.002'
            choice = json.dumps([f"--file={folder}/a.journal"])
            (folder / "site.toml").write_text(f'{text}[[collect]]\nname = "j"\njournal = {choice}\n{more}\n')
            site = steps.site_at(folder)
            for part in (entries[:3], [], entries[3:]):
                into_journal(folder, part)
                assert [(one.state, one.reason) for one in steps.collect(site, is_all=True).asked] == [("done", "")]
                assert steps.ingest(site).as_dict()["n_rejected"] == 0
            content = spool(site, "j")
            assert [json.loads(line)["MESSAGE"] for line in content.splitlines()] == [e["MESSAGE"] for e in entries]
        steps.ingest(site)
        tables = ("cta_session", "cta_step", "cta_file")
        rows[kind] = [query(site, f"SELECT * EXCLUDE (file_id) FROM bronze.{table} ORDER BY ALL") for table in tables]
    assert rows["journal"] == rows["log"] and any(rows["log"])


def into_journal(folder: Path, entries: list[dict[str, Any]]) -> None:
    """Append entries to `a.journal`."""
    known = ("__REALTIME_TIMESTAMP", "MESSAGE", "_HOSTNAME", "SYSLOG_IDENTIFIER")
    exported = [
        "".join(f"{name}={entry[name]}\n" for name in known if name in entry)
        + f"__MONOTONIC_TIMESTAMP={int(entry['__REALTIME_TIMESTAMP']) % 10**12}\n_BOOT_ID={'ab' * 16}\n"
        for entry in entries
    ]
    (folder / "part.export").write_text("\n".join([*exported, ""]))
    command = [str(JOURNAL_WRITER), f"--output={folder}/a.journal", str(folder / "part.export")]
    subprocess.run(command, check=True, capture_output=True)
