"""The tasks of a build: parts of a large one, which need no lock, and the one that commits."""

from typing import Any

from airflow.sdk import TriggerRule, task
from tapescope_tasks import POOL, call


@task(trigger_rule=TriggerRule.ALL_DONE)  # what was read is built, even if something could not be read
def plan_build() -> list[dict[str, int]]:
    return [{"number": number} for number in range(int(call("plan_build")["parts"]))]


@task
def build_part(number: int) -> dict[str, Any]:
    return call("build_part", number=number)


@task(pool=POOL, trigger_rule=TriggerRule.ALL_DONE)  # it makes what is missing, and all of a small build
def build() -> dict[str, Any]:
    return call("build", is_apart=True)
