"""What the [[collect]] entries of site.toml ask for, every five minutes; never, where there are none."""

from typing import Any

from airflow.sdk import CronTriggerTimetable, dag, task
from airflow.sdk.exceptions import AirflowFailException
from tapescope_alarm import secrets, tell
from tapescope_tasks import EACH_DAG, call, glance, has_collect

ZONE, _ = glance()
WHEN = CronTriggerTimetable("*/5 * * * *", timezone=ZONE) if has_collect() else None


@task(on_failure_callback=None)  # it would send the same message again five minutes later
def ask() -> dict[str, Any]:
    counts = call("collect", secrets=secrets())
    if counts["newly_failed"]:
        tell(f"collect: {counts['newly_failed']} [[collect]] entries began to fail; `tapescope ask runs` shows why")
    if counts["failed"]:
        raise AirflowFailException("[[collect]] entries failed; the next run tries them again")
    return counts


@dag(schedule=WHEN, doc_md=__doc__, **EACH_DAG)
def collect() -> None:
    ask()


collect()
