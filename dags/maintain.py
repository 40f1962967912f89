"""The warehouse kept small: old facts, small files and old snapshots, once a week."""

from typing import Any

from airflow.sdk import CronTriggerTimetable, dag, task
from tapescope_tasks import EACH_DAG, POOL, call, glance

ZONE, *_ = glance()


@task(pool=POOL)
def tidy() -> dict[str, Any]:
    return call("maintain")


@dag(schedule=CronTriggerTimetable("30 3 * * 0", timezone=ZONE), doc_md=__doc__, **EACH_DAG)
def maintain() -> None:
    tidy()


maintain()
