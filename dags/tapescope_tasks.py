"""What the DAGs share: what is tried again and for how long, and how a task calls its step."""

import json
import os
from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowFailException, AirflowTaskTimeout
from tapescope_alarm import SITE, failed, stuck, well

POOL = os.environ.get("TAPESCOPE_POOL", "default_pool")  # of tasks that write: one slot for the embedded catalogue
IN_VAIN = (2, 3)  # exit codes that a second try cannot fix: a wrong site.toml, a failed critical check
LOCK_WAIT_S = 900.0  # for writers outside Airflow
HOURS = 3
LATE = f"; Airflow stopped the task after {HOURS} hours; `tapescope ingest` and `tapescope build` have no time limit"
EACH_TASK: dict[str, Any] = {
    "retries": 3,
    "retry_delay": timedelta(seconds=float(os.environ.get("TAPESCOPE_RETRY_S", "60"))),
    "retry_exponential_backoff": 2,
    "max_retry_delay": timedelta(minutes=30),
    "execution_timeout": timedelta(hours=HOURS),
    "on_failure_callback": failed,
}
EACH_DAG: dict[str, Any] = {
    "start_date": datetime(1990, 1, 1),  # the first day a backfill may ask for
    "catchup": False,
    "max_active_runs": 1,
    "dagrun_timeout": timedelta(hours=6),
    "on_failure_callback": stuck,
    "on_success_callback": well,
    "default_args": EACH_TASK,
}


def glance() -> tuple[str, str, bool]:
    """The site's zone, the file that says that logs have come, and whether there is anything to collect."""
    from pipelines.config import site

    return site.glance(SITE)  # asked whenever Airflow reads the DAGs


def call(name: str, **options: Any) -> dict[str, Any]:
    """Call a step on the site; all it counted goes into the task's log, numbers and names back to Airflow."""
    from pipelines import steps

    try:
        done = getattr(steps, name)(steps.site_at(SITE, LOCK_WAIT_S), **options)
    except (Exception, AirflowTaskTimeout) as error:
        late = AirflowTaskTimeout in (type(error), type(error.__cause__))  # DuckDB makes an error of its own of it
        failure = steps.summarize_failure(name, error) + (LATE if late else "")
        print(failure)
        get_current_context()["ti"].xcom_push("failure", failure)
        in_vain = late or getattr(error, "exit_code", 1) in IN_VAIN
        raise (AirflowFailException if in_vain else RuntimeError)(failure) from error
    counts = done if isinstance(done, dict) else done.as_dict()
    print(f"{name}: {json.dumps(counts, default=str)}")
    get_current_context()["ti"].xcom_push("problems", steps.problem_lines(counts))
    return {name: value for name, value in counts.items() if isinstance(value, int | float | str)}
