"""Names and passwords of the ways out: from the environment, or handed over by whoever keeps them."""

import os
from collections.abc import Mapping

NAMES = {
    "TAPESCOPE_SMTP_USER": "user name for the mail server",
    "TAPESCOPE_SMTP_PASSWORD": "password for the mail server",
    "TAPESCOPE_WEBHOOK_TOKEN": "bearer token for the webhook",
    "TAPESCOPE_ALERTMANAGER_TOKEN": "bearer token for Alertmanager",
}


def secret(given: Mapping[str, str], name: str) -> str:
    """What was handed over under a name, else what the environment holds, without the end of line of a file of secrets.

    Empty if neither has it.
    """
    assert name in NAMES, name
    return (given.get(name) or os.environ.get(name, "")).strip()
