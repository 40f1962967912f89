"""The report on the day before, every morning by the site's clock; it is sent whatever failed, and says that first."""

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import CronTriggerTimetable, Param, TriggerRule, chain, dag, get_current_context, task
from tapescope_alarm import secrets
from tapescope_tasks import EACH_DAG, POOL, call, glance

ZONE, _ = glance()
WHEN = CronTriggerTimetable("15 6 * * *", timezone=ZONE, interval=timedelta(days=1))
STEPS = {  # what was read is built, even if something could not be read
    "ingest": TriggerRule.ALL_SUCCESS,
    "build": TriggerRule.ALL_DONE,
    "detect": TriggerRule.ALL_SUCCESS,
    "forecast": TriggerRule.ALL_SUCCESS,
}
TAKES: dict[str, tuple[str, ...]] = {"detect": ("first", "last"), "forecast": ("last",)}
DAY: dict[str, Any] = {"type": ["null", "string"], "format": "date"}
PERIOD = {name: Param(None, description=f"{name} day (empty: last day with data)", **DAY) for name in ("first", "last")}


def period() -> dict[str, Any]:
    """The day that a scheduled or backfilled run is for; by hand the days given, else the last one with data."""
    run, given = get_current_context()["dag_run"], get_current_context()["params"]
    if run.run_type != "manual":
        return dict.fromkeys(PERIOD, (run.data_interval_start or run.run_after).astimezone(ZoneInfo(ZONE)).date())
    return {name: date.fromisoformat(given[name]) for name in PERIOD if given[name]}


def problems() -> list[str]:
    """The failures of the tasks before."""
    ti = get_current_context()["ti"]
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])[ti.run_id]
    bad = [name for name in STEPS if states[name] in ("failed", "upstream_failed")]
    return [ti.xcom_pull(task_ids=name, key="failure") or f"task {name}: {states[name]}" for name in bad]


@task(pool=POOL, on_failure_callback=None)  # the report shows it
def step(name: str) -> dict[str, Any]:
    return call(name, **{key: day for key, day in period().items() if key in TAKES.get(name, ())})


@task(trigger_rule=TriggerRule.ALL_DONE)
def report() -> dict[str, Any]:
    return call("deliver", problems=problems(), secrets=secrets(), **period())


@dag(schedule=WHEN, params=PERIOD, doc_md=__doc__, **EACH_DAG)
def nightly_report() -> None:
    done = [step.override(task_id=name, trigger_rule=rule)(name) for name, rule in STEPS.items()] + [report()]
    chain(*done)
    # the report comes out in any case: only this leaf makes a run fail in which a step failed
    done >> EmptyOperator(task_id="verdict")


nightly_report()
