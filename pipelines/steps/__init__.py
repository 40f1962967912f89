"""The steps that the command line and the DAGs call: each one transaction's worth of work, safe to run again."""

from pipelines.restoring import Restored
from pipelines.steps.intake import (
    Recognised,
    bytes_below,
    bytes_to_read,
    forget,
    ingest,
    init,
    look,
    parse,
    recognise,
    waiting,
)
from pipelines.steps.judging import DetectReport, ForecastReport, detect, forecast, mark_finding
from pipelines.steps.making import BuildReport, MaintainReport, build, maintain
from pipelines.steps.places import SAMPLE, adopt, attach, backups_of, export, make_demo, restore, site_at
from pipelines.steps.telling import ask, ask_sql, deliver, drill, report, told, warn

__all__ = [
    "SAMPLE",
    "BuildReport",
    "DetectReport",
    "ForecastReport",
    "MaintainReport",
    "Recognised",
    "Restored",
    "adopt",
    "ask",
    "ask_sql",
    "attach",
    "backups_of",
    "build",
    "bytes_below",
    "bytes_to_read",
    "deliver",
    "detect",
    "drill",
    "export",
    "forecast",
    "forget",
    "ingest",
    "init",
    "look",
    "maintain",
    "make_demo",
    "mark_finding",
    "parse",
    "recognise",
    "report",
    "restore",
    "site_at",
    "told",
    "waiting",
    "warn",
]
