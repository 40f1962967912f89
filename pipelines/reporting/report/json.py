"""The report as JSON: values as they are, instants in UTC, every character beyond ASCII as an escape."""

import dataclasses
import json
from datetime import date, datetime
from typing import Any

from pipelines.reporting.report.model import Report


def print_report(report: Report) -> str:
    """The tree itself."""
    return json.dumps(dataclasses.asdict(report), indent=1, default=_text, allow_nan=False) + "\n"


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat() + "Z"
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
