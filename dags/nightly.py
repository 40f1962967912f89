"""The nightly run: when, in what order, and what is tried again. The work itself is in `pipelines.steps`."""

import os
from datetime import date, datetime, timedelta
from typing import Any

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import Param, TriggerRule, Variable, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException

START = datetime(2026, 1, 1)  # naive: the schedule is in the zone of Airflow
IN_VAIN = (2, 3)  # exit codes of what a second try cannot mend: a wrong site.toml, a failed critical check
RETRY: dict[str, Any] = {"retries": 2, "retry_delay": timedelta(minutes=5), "retry_exponential_backoff": 2}
DAY: dict[str, Any] = {"type": ["null", "string"], "format": "date"}
PERIOD = {name: Param(None, description=f"{name} day, if not the last with data", **DAY) for name in ("first", "last")}


def call(step: str, **options: Any) -> dict[str, Any]:
    """Call a step on the site; what it counted is the task's result."""
    from pipelines import steps

    try:
        site = steps.site_at(Variable.get("tapescope_site", default=os.environ.get("TAPESCOPE_SITE", "")))
        done = getattr(steps, step)(site, **options)
    except Exception as error:
        if getattr(error, "exit_code", None) in IN_VAIN:
            raise AirflowFailException(f"{error} ({getattr(error, 'hint', '')})") from error
        raise
    counts = done if isinstance(done, dict) else done.as_dict()
    print(counts)  # all of it into the task's log
    return {name: value for name, value in counts.items() if isinstance(value, int | float)}


def period() -> dict[str, Any]:
    given = get_current_context()["params"]
    return {name: date.fromisoformat(given[name]) for name in PERIOD if given[name]}


@task(**RETRY, pool=os.environ.get("TAPESCOPE_POOL", "default_pool"))
def step(name: str) -> dict[str, Any]:
    return call(name, **(period() if name == "detect" else {}))


@task(**RETRY, trigger_rule=TriggerRule.ALL_DONE)
def report() -> dict[str, Any]:
    ti = get_current_context()["ti"]
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])[ti.run_id]
    bad = [f"task {name}: {state}" for name, state in states.items() if state in ("failed", "upstream_failed")]
    return call("deliver", problems=bad, **period())


@dag(schedule="15 6 * * *", start_date=START, catchup=False, max_active_runs=1, params=PERIOD, doc_md=__doc__)
def nightly() -> None:
    done = [step.override(task_id=name)(name) for name in ("ingest", "build", "detect")] + [report()]
    done[0] >> done[1] >> done[2] >> done[3]
    # the report comes out in any case: only this leaf makes a run fail in which a step failed
    done >> EmptyOperator(task_id="verdict")


nightly()
