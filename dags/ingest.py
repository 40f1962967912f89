"""New logs into bronze: every quarter of an hour, and when `arrived` appears next to site.toml. Reports changes."""

from typing import Any

from airflow.providers.standard.triggers.file import FileDeleteTrigger
from airflow.sdk import (
    Asset,
    AssetAlias,
    AssetOrTimeSchedule,
    AssetWatcher,
    CronTriggerTimetable,
    TriggerRule,
    dag,
    get_current_context,
    task,
)
from tapescope_tasks import EACH_DAG, POOL, call, glance

ZONE, MARKER, _ = glance()
BRONZE = AssetAlias("tapescope_bronze")
ARRIVED = AssetWatcher("tapescope_arrived", FileDeleteTrigger(filepath=MARKER, poke_interval=5.0))
WHEN = AssetOrTimeSchedule(
    timetable=CronTriggerTimetable("*/15 * * * *", timezone=ZONE),
    assets=Asset("tapescope_inbox", watchers=[ARRIVED]),
)


@task
def recognise() -> list[dict[str, int]]:
    n_batches = int(call("pending_files")["batches"])
    return [{"number": number, "of": n_batches} for number in range(n_batches)]


@task
def read(number: int, of: int) -> dict[str, Any]:
    return call("read_files", share=(number, of))


@task(pool=POOL, trigger_rule=TriggerRule.ALL_DONE_MIN_ONE_SUCCESS)
def commit() -> dict[str, Any]:
    return call("commit")


@task(outlets=[BRONZE], trigger_rule=TriggerRule.ALL_DONE_MIN_ONE_SUCCESS)
def announce() -> dict[str, Any]:
    dirty, events = call("dirty_tables"), get_current_context()["outlet_events"][BRONZE]
    for relation, n_days in dirty.items():
        events.add(Asset(relation), extra={"days": n_days})
    return dirty


@dag(schedule=WHEN, doc_md=__doc__, **EACH_DAG)
def ingest() -> None:
    read.expand_kwargs(recognise()) >> commit() >> announce()


ingest()
