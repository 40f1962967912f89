"""The report on the day before, every morning by the site's clock; it is sent whatever failed, and says that first."""

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import CronTriggerTimetable, Param, TriggerRule, chain, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException
from tapescope_alarm import secrets
from tapescope_tasks import EACH_DAG, POOL, call, glance

ZONE, *_ = glance()
WHEN = CronTriggerTimetable("15 6 * * *", timezone=ZONE, interval=timedelta(days=1))
STEPS = dict.fromkeys(("ingest", "build", "detect", "forecast"), TriggerRule.ALL_SUCCESS)
STEPS["build"] = TriggerRule.ALL_DONE  # what was read is built, even if something could not be read
TAKES: dict[str, tuple[str, ...]] = {"detect": ("first", "last"), "forecast": ("last",)}
DAY: dict[str, Any] = {"type": ["null", "string"], "format": "date"}
PERIOD = {name: Param(None, description=f"{name} day (empty: last day with data)", **DAY) for name in ("first", "last")}


def period() -> dict[str, Any]:
    """The day that a scheduled or backfilled run is for; by hand the days given, else the last one with data."""
    run = get_current_context()["dag_run"]
    day = (run.data_interval_start or run.run_after).astimezone(ZoneInfo(ZONE)).date()
    given = {name: text for name, text in (run.conf or {}).items() if text}
    if wrong := sorted(given.keys() - (PERIOD if run.run_type == "manual" else {})):
        raise AirflowFailException(f"param {', '.join(wrong)} is refused: a run by hand takes only first and last")
    days = {name: date.fromisoformat(text) for name, text in given.items()}
    if days.get("first", date.min) > days.get("last", date.max):
        raise AirflowFailException(f"the param first ({days['first']}) is after the param last ({days['last']})")
    return days if run.run_type == "manual" else dict.fromkeys(PERIOD, day)


def problems() -> list[str]:
    ti = get_current_context()["ti"]
    states = ti.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])[ti.run_id]
    bad = [name for name in STEPS if states[name] in ("failed", "upstream_failed")]
    failures = [ti.xcom_pull(task_ids=name, key="failure") or f"task {name}: {states[name]}" for name in bad]
    return failures + (ti.xcom_pull(task_ids="ingest", key="problems") or [])  # files that could not be read


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
    done >> EmptyOperator(task_id="verdict")  # the report comes out in any case: this leaf makes a failed run fail


nightly_report()
