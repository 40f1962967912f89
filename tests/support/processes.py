"""Steps as the command line runs them, each in a process of its own, to be killed at any moment."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pipelines.config.site import Site
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.writer_lock import HOLDER
from support import REPO

LIMIT_S = 300


@contextmanager
def python(*arguments: str, output: Any = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """Python with the repository on its path, in a process group of its own, which is gone at the end."""
    path = os.pathsep.join([str(REPO), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(LIMIT_S)


def run(site: Site, step: str, kill_after_s: float = LIMIT_S) -> float:
    """A step by the command line, killed so long after it took the writer's lock; how long it held that."""
    with python("-m", "pipelines.cli", step, "--site", str(site.root)) as process:
        begun = wait_for_lock(site, process)
        try:
            output, _ = process.communicate(timeout=kill_after_s)
        except subprocess.TimeoutExpired:
            assert kill_after_s < LIMIT_S, f"{step} does not end"
        else:
            assert process.returncode == 0, output
        return time.monotonic() - begun


def wait_for_lock(site: Site, process: subprocess.Popen[str]) -> float:
    """The moment at which a process has become the writer, or has ended."""
    holder = Warehouse(site).folder / HOLDER
    while process.poll() is None:
        try:
            if json.loads(holder.read_text())["pid"] == process.pid:
                break
        except (OSError, ValueError):
            pass
        time.sleep(0.005)
    return time.monotonic()
