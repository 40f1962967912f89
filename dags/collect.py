"""What the [[collect]] entries of site.toml ask for, every five minutes; never, where there are none."""

from typing import Any

from airflow.sdk import CronTriggerTimetable, dag, task
from airflow.sdk.exceptions import AirflowFailException
from tapescope_alarm import secrets
from tapescope_tasks import EACH_DAG, call, glance

ZONE, _, HAS_ANY = glance()
WHEN = CronTriggerTimetable("*/5 * * * *", timezone=ZONE) if HAS_ANY else None


@task
def ask() -> dict[str, Any]:
    counts = call("collect", secrets=secrets())
    if counts["failed"]:
        what = f"[[collect]] entries fail: {counts['failing']}"
        raise AirflowFailException(f"{what}; `tapescope ask runs` shows why; the next run tries them again")
    return counts


@dag(schedule=WHEN, doc_md=__doc__, **EACH_DAG)
def collect() -> None:
    ask()


collect()
