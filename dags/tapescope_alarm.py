"""What the DAGs do when something fails: the recipients, and the names and passwords for the messages."""

import os
from typing import Any

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException

SITE = os.environ.get("TAPESCOPE_SITE", "")
CONNECTIONS = {
    "tapescope_mail": {"login": "TAPESCOPE_SMTP_USER", "password": "TAPESCOPE_SMTP_PASSWORD"},
    "tapescope_webhook": {"password": "TAPESCOPE_WEBHOOK_TOKEN"},
    "tapescope_alertmanager": {"password": "TAPESCOPE_ALERTMANAGER_TOKEN"},
    "tapescope_collect": {"password": "TAPESCOPE_COLLECT_TOKEN"},
}


def secrets() -> dict[str, str]:
    """What Airflow's connections hold; what they do not comes from the environment of the workers."""
    found: dict[str, str] = {}
    for name, fields in CONNECTIONS.items():
        try:
            held = Connection.get(name)
        except AirflowNotFoundException:
            continue
        found |= {key: getattr(held, field) or "" for field, key in fields.items()}
    return found


def failed(context: Any) -> None:
    """A task has failed and is not tried again: by mail and webhook, and in the log."""
    ti, error = context["ti"], context.get("exception")
    what = str(error) if error else "the task's process was killed, or its worker was lost"
    text = f"task {ti.task_id} of {ti.dag_id}, try {ti.try_number} of run {ti.run_id}: {what}"
    tell("warn", text=text, part=ti.dag_id, cause=f"{ti.task_id}: {what}")


def stuck(context: Any) -> None:
    """A run has not ended in time: a task hangs, or the pool that TAPESCOPE_POOL names was never made."""
    if context.get("reason") == "timed_out":
        dag, what = context["dag"].dag_id, "a task hangs, or the pool for its tasks does not exist"
        tell("warn", text=f"{dag}, run {context['run_id']}, did not end in time: {what}", part=dag, cause=what)


def well(context: Any) -> None:
    """A run has ended well: whoever had a failure of this DAG hears that it works again, once it did for some time."""
    tell("recovered", part=context["dag"].dag_id)


def tell(step: str, **message: str) -> None:
    """To the recipients, unless they know."""
    from pipelines import steps

    print(f"FAILED: {message['text']}" if "text" in message else f"{message['part']} ended well")
    try:
        done = getattr(steps, step)(steps.recipients_at(SITE), secrets=secrets(), **message)
        print(f"sent: {done or 'nothing'}")
    except Exception as error:  # without a site.toml that TOML can read there are no recipients
        print(f"no message was sent: {error}")
