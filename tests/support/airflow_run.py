"""Runs DAGs in a process of its own: Airflow keeps global state and warns of its own code.

`python tests/support/airflow_run.py DAGS_FOLDER DAG…` runs one after the other with `dag.test()`; as JSON, last, it
prints the states of each run and of its tasks.
"""

import json
import sys
from pathlib import Path
from typing import Any


def main(folder: str, *names: str) -> None:
    from airflow.dag_processing.dagbag import BundleDagBag

    dags = BundleDagBag(folder, bundle_path=Path(folder), bundle_name="dags-folder").dags
    print("\n" + json.dumps({name: run(dags[name]) for name in names}, default=str))


def run(dag: Any) -> dict[str, Any]:
    for task in dag.tasks:
        task.retry_delay *= 0  # or dag.test() would sit out the minutes
    done = dag.test()
    tasks = done.get_task_instances()
    return {
        "run": done.state,
        "tasks": {task.task_id: task.state for task in tasks},
        "tries": {task.task_id: task.try_number for task in tasks},
        "counts": {task.task_id: task.xcom_pull(task.task_id, map_indexes=task.map_index) for task in tasks},
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
