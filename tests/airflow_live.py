"""A whole Airflow, its own tables in PostgreSQL: logs that come, tasks that are killed, days that are made up for.

All tests share one `airflow standalone` and one site, to which a log comes a day; they run in the order of the file.
They take ten minutes and more and are not among those of `make test`: `make test-airflow` runs them.
"""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipelines.config.site import ARRIVED, Site
from pipelines.warehouse.connection import Warehouse
from pipelines.warehouse.writer_lock import HOLDER
from support.airflow_home import POOL, Airflow, standalone
from support.archive import differences, query
from support.postgres import postgres, sqlalchemy_uri
from support.week import N_DAYS, SILENT, WEEK, arrive, reports, site_rows, timely, week_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return week_site(tmp_path_factory.mktemp("inbox"))


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Airflow]:
    home = tmp_path_factory.mktemp("standalone")
    with (
        postgres() as server,
        standalone(home, site.root, AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=sqlalchemy_uri(server)) as running,
    ):
        running.wait("the runs that were due when it started", lambda: _is_settled(running))
        for made in ("out", "var"):  # a report on yesterday by the clock, and the warehouse that it was made from
            shutil.rmtree(site.root / made, ignore_errors=True)
        yield running


def _is_settled(airflow: Airflow) -> bool:
    """Whether each DAG with a timetable has made the one run that Airflow makes up for."""
    found = [airflow.runs(dag) for dag in ("ingest", "nightly_report", "maintain")]
    return all(runs and all(run["state"] in ("success", "failed") for run in runs) for runs in found)


def drop(site: Site, day: date) -> None:
    """A day's logs come into the inbox, and the mark that says so."""
    arrive(site, day)
    (site.root / ARRIVED).touch()


def marked(airflow: Airflow, dag: str) -> list[dict[str, Any]]:
    """Runs of a DAG that an asset began, the oldest first."""
    return [run for run in airflow.runs(dag) if run["run_type"] == "asset_triggered"]


def wait_for_marked(airflow: Airflow, dag: str, n: int) -> dict[str, Any]:
    """The n-th of them, ended."""

    def ended() -> dict[str, Any]:
        runs = marked(airflow, dag)
        return runs[n - 1] if len(runs) >= n and runs[n - 1]["state"] in ("success", "failed") else {}

    found: dict[str, Any] = airflow.wait(f"run {n} of {dag} by an asset", ended)
    return found


def wait_for(airflow: Airflow, dag: str, run: str) -> dict[str, Any]:
    def ended() -> dict[str, Any]:
        (found,) = (one for one in airflow.runs(dag) if one["dag_run_id"] == run)
        return found if found["state"] in ("success", "failed") else {}

    found: dict[str, Any] = airflow.wait(f"{run} of {dag}", ended)
    return found


def test_a_log_in_the_inbox_becomes_a_finding_in_the_report(airflow: Airflow, site: Site) -> None:
    begun = time.monotonic()
    drop(site, WEEK[0])
    assert wait_for_marked(airflow, "ingest", 1)["state"] == "success"
    assert wait_for_marked(airflow, "diagnose", 1)["state"] == "success"
    day = {name: str(WEEK[0]) for name in ("first", "last")}  # of the next one there is a line or two
    assert wait_for(airflow, "nightly_report", airflow.trigger("nightly_report", day))["state"] == "success"
    print(f"a log in the inbox was a finding in the report after {time.monotonic() - begun:.0f} s")
    assert not (site.root / ARRIVED).exists()
    found = query(site, f"SELECT rule, entity FROM gold.finding WHERE day = DATE '{WEEK[0]}'")
    assert found == [("drive_down", "DRV_2")]
    (report,) = reports(site).values()
    assert "Drive out of service: DRV_2" in " ".join(" ".join(report).split())


def test_a_task_waits_for_another_writer(airflow: Airflow, site: Site) -> None:
    """Two runs of `ingest` at once, and another writer: no lock error is raised."""
    with Warehouse(site).write("test"):
        runs = [airflow.trigger("ingest") for _ in range(2)]
        arrive(site, WEEK[1])
        waiting = {"task_id": "commit", "state": "running"}
        airflow.wait("a task that commits", lambda: airflow.tasks("ingest", **waiting) or _is_over(airflow, runs))
        time.sleep(1)
    assert [wait_for(airflow, "ingest", run)["state"] for run in runs] == ["success", "success"]
    assert {task["try_number"] for run in runs for task in airflow.tasks("ingest", run)} <= {0, 1}
    assert wait_for_marked(airflow, "diagnose", 2)["state"] == "success"
    logs = [path.read_text() for path in (airflow.log.parent / "logs").rglob("*.log") if "dag_id=" in str(path)]
    assert logs and not [text for text in logs if "WarehouseBusy" in text]


def _is_over(airflow: Airflow, runs: list[str]) -> bool:
    return all(run["state"] == "success" for run in airflow.runs("ingest") if run["dag_run_id"] in runs)


class Killer:
    """Kills the process of each task once, in its first try: of one that writes while it holds the writer's lock."""

    def __init__(self, airflow: Airflow, site: Site) -> None:
        self.airflow, self.holder = airflow, Warehouse(site).folder / HOLDER
        self.killed: set[str] = set()

    def __call__(self, n: int) -> bool:
        """Look for something to kill; whether n tasks have been killed."""
        writer = self._writer()
        if writer:
            os.kill(writer, signal.SIGSTOP)  # or the step may end before Airflow has shown whose it is
        for task in self.airflow.tasks(state="running"):
            name, writes = f"{task['dag_id']}.{task['task_id']}", task["pool"] == POOL
            pid = writer if writes else task["pid"]
            if pid and name not in self.killed and task["try_number"] == 1:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed.add(name)
        if writer:
            with suppress(ProcessLookupError):
                os.kill(writer, signal.SIGCONT)
        return len(self.killed) >= n

    def _writer(self) -> int:
        try:
            pid = int(json.loads(self.holder.read_text())["pid"])
            os.kill(pid, 0)
        except (OSError, ValueError):
            return 0
        return pid


def test_days_made_up_for_while_every_task_is_killed_are_as_timely_ones(
    airflow: Airflow, site: Site, tmp_path: Path
) -> None:
    """The newest day first; on the last one the server log fell silent. The other site has no kill and no late task."""
    for day in WEEK[2:-1]:
        arrive(site, day)
    drop(site, SILENT)
    kill = Killer(airflow, site)
    airflow.wait("each task of two DAGs was killed", lambda: kill(8), 0.1)
    assert wait_for_marked(airflow, "diagnose", 3)["state"] == "success"
    # a report of the day before, every morning
    mornings = {"from_date": f"{WEEK[2]}T00:00:00Z", "to_date": f"{SILENT + timedelta(days=1)}T23:59:59Z"}
    order = {"run_backwards": True, "max_active_runs": 1, "dag_run_conf": {}}
    airflow.post("backfills", {"dag_id": "nightly_report", **order, **mornings})
    airflow.wait("each task of the third was killed", lambda: kill(13), 0.1)
    made = airflow.wait("a report of each day", lambda: _made_up_for(airflow))
    assert [run["state"] for run in made] == ["success"] * (N_DAYS - 1)
    assert kill.killed == {f"ingest.{name}" for name in ("recognise", "read", "commit", "announce")} | {
        *(f"diagnose.{name}" for name in ("plan_build", "build", "detect", "forecast")),
        *(f"nightly_report.{name}" for name in ("ingest", "build", "detect", "forecast", "report")),
    }
    other = week_site(tmp_path / "timely")
    timely(other, WEEK)
    assert differences(site_rows(other), site_rows(site)) == []
    assert reports(other, life=False) == reports(site, life=False)
    silent = "\n".join(reports(site)[f"report-{SILENT}"])
    assert "withheld: no log covers any drive" in silent and "0 of 24.00 h" in silent


def _made_up_for(airflow: Airflow) -> list[dict[str, Any]]:
    runs = [run for run in airflow.runs("nightly_report") if run["run_type"] == "backfill"]
    ended = [run for run in runs if run["state"] in ("success", "failed")]
    return ended if len(ended) == N_DAYS - 1 else []
