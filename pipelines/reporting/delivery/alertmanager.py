"""Findings as Alertmanager takes them (API v2): those that are open fire, those that are gone are resolved."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pipelines.config.recipients import Alertmanager
from pipelines.primitives.format import quantity
from pipelines.primitives.text import single_line
from pipelines.reporting.delivery.payload import Message, Row
from pipelines.reporting.delivery.webhook import post
from pipelines.reporting.links import to_finding

PATH = "/api/v2/alerts"
_SILENT = ("acknowledged", "muted")  # a person knows
TEXT_CHARS = 1000
RESOLVED_DAYS = 7


def send(settings: Alertmanager, message: Message, secrets: Mapping[str, str]) -> str:
    """Post all alerts at once; returns the address. Raises requests.RequestException."""
    url = settings.url.rstrip("/") + PATH
    alerts = alerts_of(message, datetime.now(UTC), timedelta(hours=settings.keep_hours))
    return post(url, alerts, secrets, "TAPESCOPE_ALERTMANAGER_TOKEN")


def alerts_of(message: Message, now: datetime, keep: timedelta) -> list[dict[str, Any]]:
    """An alert a finding: its labels are the same from night to night, so that Alertmanager knows it again."""
    worst: dict[str, Row] = {}
    for finding in message.findings:  # several spells of a day are one cause: the first is the worst
        worst.setdefault(finding["finding_id"], finding)
    reported = [row for row in message.standing if row["state"] != "gone" or _is_news(row, message)]
    return [_alert(message, row, worst.get(row["finding_id"]), now, keep) for row in reported]


def _is_news(row: Row, message: Message) -> bool:
    """Gone for so few days that a receiver that was away at first hears of it still; later none knows the alert."""
    return bool((message.report.last_day - row["gone_day"]).days < RESOLVED_DAYS)


def _alert(message: Message, row: Row, finding: Row | None, now: datetime, keep: timedelta) -> dict[str, Any]:
    fires = row["state"] not in ("gone", *_SILENT)
    text = (finding or row)["text"]
    annotations = {"summary": single_line(text), "description": single_line(text, TEXT_CHARS)}
    if finding:
        annotations |= {name: single_line(finding[name] or "", TEXT_CHARS) for name in ("means", "look_at")}
        prices = {name: finding[name] for name in ("lost_gb_day", "gain_gb_day") if finding[name]}
        annotations |= {name: quantity(value, "GB/day") for name, value in prices.items()}
    link = to_finding(message.dashboard, row["finding_id"])
    return ({"generatorURL": link} if link else {}) | {
        "labels": {
            "alertname": row["rule"],
            "site": message.site,
            "entity": single_line(row["entity"]),
            "severity": row["severity"],
            "finding": row["finding_id"],
        },
        "annotations": annotations,
        "startsAt": message.begin_of(row["first_day"]).isoformat(),
        "endsAt": (now + keep if fires else now).isoformat(),
    }
