"""A real Airflow for tests: a home of its own, and its parts in process groups that are gone at the end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from support import REPO
from support.ports import free_port

DAGS = REPO / "dags"
POOL = "tapescope_writer"
PASSWORD = "only-for-this-test"
LIMIT_S = 600


def environment(home: Path, site: Path, **more: str) -> dict[str, str]:
    """The environment of Airflow: nothing of the user's own Airflow or site."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "TAPESCOPE"))}
    return kept | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPO),
        "TAPESCOPE_SITE": str(site),
        **more,
    }


@dataclass
class Airflow:
    """A running Airflow, spoken to by its REST API."""

    url: str
    log: Path
    session: requests.Session = field(default_factory=requests.Session)

    def get(self, path: str, **params: Any) -> Any:
        return self._ask("GET", path, params=params)

    def post(self, path: str, content: dict[str, Any]) -> Any:
        return self._ask("POST", path, json=content)

    def switch_on(self, dag: str) -> None:
        self._ask("PATCH", f"dags/{dag}", json={"is_paused": False})

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        """Asked again where Airflow's own SQLite was busy: then nothing was done."""
        for _ in range(5):
            answer = self.session.request(method, f"{self.url}/api/v2/{path}", timeout=60, **more)
            if answer.status_code != 500:
                break
        assert answer.ok, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def trigger(self, dag: str, params: dict[str, str] | None = None) -> str:
        """A run by hand; its id."""
        return str(self.post(f"dags/{dag}/dagRuns", {"logical_date": None, "conf": params or {}})["dag_run_id"])

    def runs(self, dag: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"dags/{dag}/dagRuns", order_by="run_after", limit=100)["dag_runs"]
        return found

    def tasks(self, dag: str = "~", run: str = "~", **params: Any) -> list[dict[str, Any]]:
        path = f"dags/{dag}/dagRuns/{run}/taskInstances"
        found: list[dict[str, Any]] = self.get(path, limit=200, **params)["task_instances"]
        return found

    def wait(self, what: str, is_so: Callable[[], Any], between_s: float = 0.5) -> Any:
        """Ask until it is so; what Airflow wrote is in the error otherwise."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if found := is_so():
                return found
            time.sleep(between_s)
        raise AssertionError(f"waited {LIMIT_S} s in vain: {what}\n{self.log.read_text()[-4000:]}")

    def wait_for_runs(self, dag: str, n: int) -> list[dict[str, Any]]:
        """The first n runs of a DAG, ended."""

        def ended() -> list[dict[str, Any]]:
            runs = self.runs(dag)[:n]
            return runs if len(runs) == n and all(run["state"] in ("success", "failed") for run in runs) else []

        found: list[dict[str, Any]] = self.wait(f"{n} runs of {dag}", ended)
        return found


@contextmanager
def standalone(home: Path, site: Path, **more: str) -> Iterator[Airflow]:
    """`airflow standalone` on free ports, with the pool that `make airflow` makes; healthy when it is handed over."""
    with running(home, site, ("standalone",), AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION="False", **more) as airflow:
        yield airflow


@contextmanager
def running(home: Path, site: Path, commands: tuple[str, ...], **more: str) -> Iterator[Airflow]:
    """Airflow by these of its commands, each a process group that is gone at the end."""
    home.mkdir(parents=True, exist_ok=True)
    port, worker, triggerer = free_port(), free_port(), free_port()
    passwords = home / "passwords.json"
    passwords.write_text(json.dumps({"admin": PASSWORD}))
    variables = environment(home, site) | {
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(worker),
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": str(triggerer),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__CORE__PARALLELISM": "2",
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
        # on a busy machine all of this takes longer than Airflow thinks it may
        "AIRFLOW__DAG_PROCESSOR__STALE_DAG_THRESHOLD": "3600",
        "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "600",
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "600",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "900",
        "TAPESCOPE_POOL": POOL,
        "TAPESCOPE_RETRY_S": "0.1",
        **more,
    }
    subprocess.run([REPO / "deploy" / "prepare-airflow.sh"], env=variables, capture_output=True, check=True)
    log = home / "airflow.log"
    with ExitStack() as parts:
        processes = [parts.enter_context(part(variables, log, command)) for command in commands]
        airflow = Airflow(f"http://127.0.0.1:{port}", log)
        airflow.wait("health", lambda: _is_healthy(airflow, processes))
        token = requests.post(f"{airflow.url}/auth/token", json={"username": "admin", "password": PASSWORD}, timeout=60)
        airflow.session.headers["Authorization"] = f"Bearer {token.json()['access_token']}"
        yield airflow


@contextmanager
def part(variables: dict[str, str], log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`airflow …` in a process group of its own, which is gone at the end; what it writes goes to the end of a log."""
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "airflow", *arguments],
            env=variables,
            cwd=log.parent,  # of the folder in which it starts Python would import before PYTHONPATH
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


def _is_healthy(airflow: Airflow, processes: list[subprocess.Popen[bytes]]) -> bool:
    assert all(process.poll() is None for process in processes), airflow.log.read_text()[-4000:]
    try:
        health = requests.get(f"{airflow.url}/api/v2/monitor/health", timeout=5).json()
    except (requests.RequestException, ValueError):
        return False
    parts = ("metadatabase", "scheduler", "triggerer", "dag_processor")
    return all((health.get(part) or {}).get("status") == "healthy" for part in parts)
