"""Tasks on two Celery workers, which share a catalogue in PostgreSQL, an S3 bucket and Redis: one is lost as it reads.

The build is made in parts, as those of large sites are.

The workers are given what the files of their unit set, so neither Airflow's database nor the key of its tokens.
`make test-airflow` runs it; it takes minutes.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site
from support import REPO
from support.airflow_home import Airflow, environment, part, running
from support.archive import all_rows, bronze, copied, differences, put, vmstat_text
from support.changed_code import eager_code
from support.ports import free_port
from support.postgres import OWNER, PASSWORD, make_lake, postgres, sqlalchemy_uri
from support.s3_server import BUCKET, objects, s3_server

UNITS = REPO / "deploy" / "celery" / "systemd"
PARTS = ("api-server", "scheduler", "dag-processor", "triggerer")
WORKERS = ("one", "other")
KEY = "only-for-this-trial-" * 3
N_FILES, N_LINES = 700, 300  # four batches with the logs of the demo
PART_ROWS = 100_000
LOST_S = "20"  # without a heartbeat; in production 300


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The demo's archive and many logs more; nothing is read yet."""
    site = steps.make_demo(tmp_path_factory.mktemp("plain") / "site")
    for n in range(N_FILES):
        begin = datetime(2010, 3, 1 + n % 10, n % 20)
        path = put(site, f"vmstat/load{n}_{begin:%Y-%m-%d}.txt", vmstat_text(begin, N_LINES + n))
        os.utime(path, (begin.timestamp(), begin.timestamp()))
    return site


def undisturbed(site: Site) -> Site:
    """What one process makes of it, with its own catalogue and folder."""
    steps.ingest(site, workers=1)
    steps.build(site)
    return site


def shared(plain: Site, folder: Path, sockets: Path) -> Site:
    """The same logs; what is made of them will be where every host can reach it."""
    site = copied(plain, folder)
    file = site.root / "site.toml"
    place = f'catalogue = "postgres:dbname=lake host={sockets} user={OWNER}"\ndata_path = "s3://{BUCKET}/lake"\n'
    file.write_text(place + file.read_text())
    return steps.site_at(site.root)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Its address, with a password; it keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server here")
    port = free_port()
    options = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--requirepass",
        PASSWORD,
        "--save",
        "",
        "--dir",
        str(folder),
    ]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as own:
        try:
            end = time.monotonic() + 60
            while own.poll() is None and time.monotonic() < end:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.05)
            yield f"redis://:{PASSWORD}@127.0.0.1:{port}"
        finally:
            own.kill()


def of_unit(name: str, **filled: str) -> dict[str, str]:
    """A file of variables as it is shipped, with what is to be filled in."""
    lines = [line for line in (UNITS / name).read_text().splitlines() if line and not line.startswith("#")]
    shipped = dict(line.split("=", 1) for line in lines)
    assert {key for key, value in shipped.items() if not value} <= set(filled) <= set(shipped), name
    return shipped | filled


@dataclass
class Trial:
    """An Airflow, its site and the processes of its workers."""

    airflow: Airflow
    site: Site
    workers: dict[str, "subprocess.Popen[bytes]"]
    storage: str
    readers: set[str] = field(default_factory=set)

    def reading(self) -> set[str]:
        """Workers of which a task has a log open at this moment, once each has had one."""
        now = {name for name, worker in self.workers.items() if _has_open(worker.pid, self.site.root / "logs")}
        self.readers |= now
        return now if len(self.readers) == len(self.workers) else set()

    def lose(self, name: str) -> None:
        """A worker and all of its processes, at once and without a word: as if its host had lost power."""
        for pid in _session(self.workers[name].pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.workers[name].wait(60)


def _session(leader: int) -> list[int]:
    """The processes that began with one, whatever groups they have made."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[3]) == leader:
                found.append(int(path.parent.name))
    return found


def _has_open(leader: int, folder: Path) -> bool:
    for pid in _session(leader):
        with suppress(OSError):
            for link in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    if Path(os.readlink(link)).is_relative_to(folder):
                        return True
    return False


@pytest.fixture(scope="module")
def trial(plain: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    if find_spec("airflow.providers.celery") is None:
        pytest.skip("Celery is not installed here: make .venv/done-celery")
    folder = tmp_path_factory.mktemp("trial")
    with ExitStack() as stack:
        server, storage, broker = (stack.enter_context(one) for one in (postgres(), s3_server(), redis(folder)))
        site = shared(plain, folder / "site", make_lake(server))
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("PGPASSWORD", PASSWORD)
        code = str(eager_code(folder / "code", PART_ROWS))
        queue = of_unit(
            "celery.env",
            AIRFLOW__CELERY__BROKER_URL=f"{broker}/0",
            AIRFLOW__CELERY__RESULT_BACKEND=f"{broker}/1",
        )
        airflow = stack.enter_context(
            running(
                folder / "head",
                site.root,
                PARTS,
                AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=sqlalchemy_uri(server),
                AIRFLOW__API__SECRET_KEY=KEY,
                AIRFLOW__API_AUTH__JWT_SECRET=KEY[::-1],
                AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT=LOST_S,
                PYTHONPATH=code,
                **queue,
            )
        )
        workers = {}
        for name in WORKERS:
            variables = queue | of_unit(
                "worker.env",
                AIRFLOW_HOME=str(folder / name),
                AIRFLOW__CORE__DAGS_FOLDER=str(REPO / "dags"),
                AIRFLOW__CORE__EXECUTION_API_SERVER_URL=f"{airflow.url}/execution/",
                AIRFLOW__API__SECRET_KEY=KEY,
                AIRFLOW__CELERY__WORKER_CONCURRENCY="1",
            )
            variables["PYTHONPATH"] = code
            more = {"AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(free_port())}
            log = folder / f"{name}.log"
            command = ("celery", "worker", "--celery-hostname", name)
            worker = part(environment(folder / name, site.root, **variables, **more), log, *command)
            workers[name] = stack.enter_context(worker)
            airflow.wait(f"worker {name}", lambda log=log: "ready." in log.read_text())
        yield Trial(airflow, site, workers, storage)


def test_a_worker_lost_while_it_reads_loses_and_doubles_nothing(trial: Trial, plain: Site) -> None:
    airflow = trial.airflow
    for dag in ("ingest", "diagnose"):
        airflow.switch_on(dag)
    airflow.wait("a task that reads", lambda: airflow.tasks("ingest", task_id="read", state="running"))
    reading = airflow.wait("both workers read", trial.reading, 0.05)
    lost, before = min(reading), len(objects(trial.storage))
    trial.lose(lost)
    (run,) = airflow.wait_for_runs("ingest", 1)
    assert run["state"] == "success"
    tries = [task["try_number"] for task in airflow.tasks("ingest", run["dag_run_id"], task_id="read")]
    print(f"{len(tries)} batches, tries {sorted(tries)}; {before} objects when the worker was lost")
    assert len(tries) > len(WORKERS) and sorted(tries)[-1] > 1, "the lost task was read again"
    (run,) = airflow.wait_for_runs("diagnose", 1)
    parts = airflow.tasks("diagnose", run["dag_run_id"], task_id="build_part")
    print(f"{len(parts)} parts of the build on {', '.join(sorted({part['hostname'] for part in parts}))}")
    assert run["state"] == "success" and len(parts) > 1 and {part["state"] for part in parts} == {"success"}
    assert any("staged-" in name for name in objects(trial.storage, "lake/silver/")), "no part was committed"
    alone = undisturbed(plain)
    assert differences(bronze(alone), bronze(trial.site)) == []
    assert differences(all_rows(alone), all_rows(trial.site)) == []
