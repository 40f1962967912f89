"""Runs the nightly DAG in a process of its own: Airflow keeps global state and warns of its own code.

`python tests/airflow_run.py DAGS_FOLDER [FAILING_STEP]` prints the states of the run and of its tasks as JSON, last.
"""

import json
import sys
from typing import Any
from unittest.mock import patch


def main(folder: str, failing: str = "") -> None:
    from airflow.dag_processing.dagbag import DagBag

    from pipelines import steps
    from pipelines.errors import CheckFailed

    dag = DagBag(folder).dags["nightly"]
    for task in dag.tasks:
        task.retry_delay *= 0  # or dag.test() would sit out the minutes
    if not failing:
        run: Any = dag.test()
    else:
        with patch.object(steps, failing, side_effect=CheckFailed("broken on purpose", "nothing to do")):
            run = dag.test()
    tasks = {task.task_id: task for task in run.get_task_instances()}
    said = {
        "run": run.state,
        "tasks": {name: task.state for name, task in tasks.items()},
        "tries": {name: task.try_number for name, task in tasks.items()},
        "counts": {name: task.xcom_pull(name) for name, task in tasks.items()},
    }
    print("\n" + json.dumps(said, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
