"""The dashboard as people meet it: Streamlit in a process of its own, and a browser to look at it."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.warehouse.connection import LAKE, Warehouse
from pipelines.warehouse.engine import transaction
from support import REPO
from support.ports import free_port

APP = REPO / "dashboards" / "app.py"
HOSTILE = "<script>document.title = 'owned'</script> **bold** [link](http://198.51.100.1/) `code` $x^2$ ~~gone~~"
HOSTILE_STATION = "<b>*station*</b>"
CHANGE = f"""
[[change]]
at = 2010-03-10T09:00:00
what = '''{HOSTILE}'''
"""
# Text that a client can put after any name of a log: addresses, bare and marked, markup, an icon, an emoji.
HOSTILE_NAME = " http://198.51.100.1/x www.198.51.100.1.example a@b.example **b** _i_ [l](http://198.51.100.1) :smile:"
NAMED = ("drive", "station", "host", "volume", "storage_group", "file_family", "link", "mover_host", "robot")
DEADLINE_S = 180
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# Nothing a browser does of its own accord may be taken for a request of the page.
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


def make_archive(sample: Path, folder: Path) -> Path:
    """A copy of the sample archive, with what an ill-willed client could have put into a log."""
    shutil.copytree(sample, folder)
    with (folder / "site.toml").open("a") as site_toml:
        site_toml.write(CHANGE)
    site = steps.site_at(folder)
    steps.build(site)
    steps.detect(site)
    with Warehouse(site).write("test") as connection, transaction(connection):
        connection.execute(f"UPDATE {LAKE}.silver.mover_step SET message = ? WHERE drive = 'LTO4_101'", [HOSTILE])
        for table in ("silver.gap", "gold.gap_length"):
            connection.execute(f"UPDATE {LAKE}.{table} SET station = ? WHERE station = 'pic-stager'", [HOSTILE_STATION])
        connection.execute(f"UPDATE {LAKE}.gold.finding SET text = ? WHERE rule = 'source_silent'", [HOSTILE])
    return folder


def make_hostile(archive: Path, folder: Path) -> Path:
    """A copy of it where every drive, station, host, tape, group and link has a hostile name."""
    shutil.copytree(archive, folder)
    with Warehouse(steps.site_at(folder)).write("test") as connection, transaction(connection):
        named = connection.execute(
            "SELECT table_schema || '.' || table_name, column_name FROM information_schema.columns"
            " WHERE table_catalog = ? AND data_type = 'VARCHAR' AND list_contains(?, column_name)"
            " AND table_schema IN ('site', 'silver', 'gold', 'ops') ORDER BY 1, 2",
            [LAKE, list(NAMED)],
        ).fetchall()
        columns: dict[str, list[str]] = {}
        for table, column in named:
            columns.setdefault(table, []).append(f"{column} = {column} || ?")
        for table, changes in columns.items():
            values = [HOSTILE_NAME] * len(changes)
            connection.execute(f"UPDATE {LAKE}.{table} SET {', '.join(changes)}", values)
        # without a technology the What-if page names a field after each drive
        connection.execute(f"UPDATE {LAKE}.site.drive SET generation = NULL WHERE drive LIKE 'LTO2%'")
    return folder


def chromium() -> str:
    """A browser's program; the test is skipped where there is none, or no Playwright."""
    program = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if program is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("no Chromium or no Playwright here: `apt-get install chromium`, and `make install`")
    return program


@contextmanager
def served(site: Path, log: Path, port: int | None = None) -> Iterator[str]:
    """`tapescope dashboard` in its own session on a port of this machine; its whole process group ends afterwards.

    It starts away from the checkout, as it does for whoever installed it. A failure has a note on its end.
    """
    port = port or free_port()
    address = f"127.0.0.1:{port}"
    environment = os.environ | {"PYTHONPATH": str(REPO)}
    command = [sys.executable, "-m", "pipelines.cli", "dashboard", "--site", str(site), "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=log.parent, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_until_healthy(process, f"http://{address}/_stcore/health", log)
        yield f"http://{address}"
    except BaseException as failure:
        failure.add_note(_state(process, log))
        raise
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _state(process: subprocess.Popen[bytes], log: Path) -> str:
    """Whether the server runs, or how it ended, and the last of what it wrote."""
    code = process.poll()
    state = "still runs" if code is None else f"ended by itself with code {code}"
    return f"The server (process {process.pid}) {state}. Its log ends:\n{log.read_text(errors='replace')[-3000:]}"


def wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no answer from {url} in {DEADLINE_S} s:\n{log.read_text()}")


@contextmanager
def written(folder: Path, pause_s: float = 0.0) -> Iterator[list[int]]:
    """A writer that commits again and again, until the end; the list grows with each commit."""
    commits: list[int] = []
    failures: list[BaseException] = []
    over = threading.Event()

    def write() -> None:
        try:
            while not over.is_set():
                with Warehouse(steps.site_at(folder)).write("test") as connection, transaction(connection):
                    connection.execute(f"UPDATE {LAKE}.ops.build SET number = number WHERE number = 1")
                commits.append(1)
                over.wait(pause_s)
        except BaseException as error:
            failures.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield commits
    finally:
        over.set()
        writer.join()
    assert not failures
