"""Loads and runs DAGs in a process of its own: Airflow keeps global state and warns of its own code.

`python tests/support/airflow_run.py DAGS_FOLDER JOBS`: one job after the other, each in a fork of this process, since
Airflow takes seconds to import. JOBS is JSON: by name a job's site, the folder of its `code`, the DAGs to `run` with
`dag.test()`, the params as their `conf`, a time limit of each task, and the words of a `command` to run after them. The
results are printed last, as JSON.
"""

import io
import json
import multiprocessing
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from airflow.api_fastapi.execution_api import app, routes  # noqa: F401 what a task asks, imported before the forks
from airflow.dag_processing.dagbag import BundleDagBag
from airflow.sdk.execution_time import supervisor, task_runner  # noqa: F401 likewise

FORK = multiprocessing.get_context("fork")


def main(folder: str, jobs: str) -> None:
    print("\n" + json.dumps({name: forked(folder, job) for name, job in json.loads(jobs).items()}))


def forked(folder: str, job: dict[str, Any]) -> dict[str, Any]:
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=answer, args=(theirs, folder, job))
    process.start()
    theirs.close()
    found: dict[str, Any] = json.loads(ours.recv())
    process.join()
    return found


def answer(to: Connection, folder: str, job: dict[str, Any]) -> None:
    os.environ["TAPESCOPE_SITE"] = job["site"]
    sys.path.insert(0, job["code"])
    begun = time.monotonic()
    bag = BundleDagBag(folder, bundle_path=Path(folder), bundle_name="dags-folder")
    loaded = {
        "seconds": time.monotonic() - begun,
        "errors": bag.import_errors,
        "warnings": bag.captured_warnings,
        "dags": {name: described(dag) for name, dag in bag.dags.items()},
    }
    ran = {name: run(bag.dags[name], job["conf"], job["limit_s"]) for name in job["run"]}
    command = command_line(job["code"], job["command"]) if job["command"] else None
    to.send(json.dumps({"loaded": loaded, "ran": ran, "command": command}, default=str))


def described(dag: Any) -> dict[str, Any]:
    condition = dag.timetable.asset_condition
    tasks = {
        task.task_id: {
            "retries": task.retries,
            "pool": task.pool,
            "rule": task.trigger_rule,
            "timeout": str(task.execution_timeout),
            "next": sorted(task.downstream_task_ids),
        }
        for task in dag.tasks
    }
    return {
        "catchup": dag.catchup,
        "active": dag.max_active_runs,
        "timeout": str(dag.dagrun_timeout),
        "documented": bool(dag.doc_md),
        "reports": bool(dag.on_failure_callback),
        "when": repr(dag.timetable),
        "assets": sorted(asset.name for asset in getattr(condition, "objects", [condition] if condition else [])),
        "tasks": tasks,
    }


def run(dag: Any, conf: dict[str, Any], limit_s: float | None) -> dict[str, Any]:
    for task in dag.tasks:
        task.retry_delay *= 0  # or dag.test() would sit out the minutes
        if limit_s:
            task.execution_timeout = timedelta(seconds=limit_s)
    done = dag.test(run_conf=conf)
    tasks = done.get_task_instances()
    return {
        "run": done.state,
        "tasks": {task.task_id: task.state for task in tasks},
        "tries": {task.task_id: task.try_number for task in tasks},
        "counts": {task.task_id: task.xcom_pull(task.task_id, map_indexes=task.map_index) for task in tasks},
    }


def command_line(code: str, words: list[str]) -> dict[str, Any]:
    """The exit code and the output of `tapescope`, of the same code."""
    from pipelines import cli

    assert Path(cli.__file__).is_relative_to(code)
    sys.argv, output = ["tapescope", *words], io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        try:
            cli.main()
        except SystemExit as end:
            return {"exit": end.code, "output": output.getvalue()}
    return {"exit": 0, "output": output.getvalue()}


if __name__ == "__main__":
    main(*sys.argv[1:])
