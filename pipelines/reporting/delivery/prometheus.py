"""The night's figures as a text file that Prometheus' node exporter picks up."""

from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from pipelines.primitives.format import BASES
from pipelines.reporting.delivery.payload import Message, labels_of

_FINDING = ("site", "rule", "entity", "severity", "state")
# Of a day, in the question `day_state`; without findings it is good only if it is clean.
_STATES = ("not_run", "not_covered", "part_covered", "clean", "findings")
_PRICES = {
    "lost_hours": (
        "tapescope_finding_lost_hours",
        "upper limit of the drive-hours or station-hours that the finding cost",
    ),
    "lost_gb_day": (
        "tapescope_finding_lost_gb_per_day",
        "GB per day that could have moved in the lost hours without any other limit",
    ),
    "gain_gb_day": (
        "tapescope_finding_gain_gb_per_day",
        "additional GB per day that would move if the cause were fixed",
    ),
}
_HEADLINE = {
    "moved_tb": ("tapescope_moved_terabytes", "TB moved to and from tape in the period"),
    "overall_rate_mb_s": (
        "tapescope_overall_rate_megabytes_per_second",
        "overall rate in the period: bytes ÷ wall-clock time from mount request to end of dismount",
    ),
}


def write(file: Path, message: Message) -> str:
    """Write the file completely or not at all; returns its path. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_to_textfile(str(file), registry_of(message))
    return str(file)


def registry_of(message: Message) -> CollectorRegistry:
    """Gauges of one night. What is not known has no sample: 0 would be a claim."""
    registry = CollectorRegistry()

    def gauge(name: str, doc: str, labels: tuple[str, ...] = ("site",)) -> Gauge:
        return Gauge(name, doc, labels, registry=registry)

    problems = gauge("tapescope_report_problems", "number of problems that occurred while the report was made")
    problems.labels(message.site).set(len(message.report.problems))
    if message.ends_at:
        until = gauge(
            "tapescope_report_until_timestamp_seconds", "end of the last site day in the report, as a Unix time"
        )
        until.labels(message.site).set(message.ends_at.timestamp())
    for name, (metric, doc) in _HEADLINE.items():
        if (value := message.headline.get(name)) is not None:
            gauge(metric, doc).labels(message.site).set(value)
    if message.headline.get("drive_rate_mb_s") is not None:
        doc = (
            "drive rate in the period: bytes ÷ time in which drives moved them;"
            f" {BASES[message.headline['drive_rate_basis']]}"
        )
        rate = gauge("tapescope_drive_rate_megabytes_per_second", doc, ("site", "basis"))
        rate.labels(message.site, message.headline["drive_rate_basis"]).set(message.headline["drive_rate_mb_s"])
    doc = "drive-hours of the period, by use of drive time (bucket) and by group of such uses"
    hours = gauge("tapescope_drive_hours", doc, ("site", "group", "bucket"))
    for row in message.hours:
        hours.labels(message.site, row["group_words"], row["bucket"]).set(row["bucket_hours"])
    days = gauge(
        "tapescope_days",
        "number of days of the period, by state: findings, clean, part_covered, not_run or not_covered",
        ("site", "state"),
    )
    for state in _STATES:
        n_days = sum(row["n_days"] for row in message.days if row["state"] == state)
        days.labels(message.site, state).set(n_days)
    count = gauge(
        "tapescope_finding",
        "number of findings of the period; a finding that occurred several times counts each time",
        _FINDING,
    )
    prices = {name: gauge(metric, doc, _FINDING) for name, (metric, doc) in _PRICES.items()}
    for finding in message.findings:
        labels = labels_of(message, finding)
        count.labels(**labels).inc()
        for name, price in prices.items():
            if finding[name] is not None:
                price.labels(**labels).inc(finding[name])
    return registry
