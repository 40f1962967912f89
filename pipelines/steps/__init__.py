"""The steps that the command line and the DAGs call: each one transaction's worth of work, safe to run again."""

from pipelines.steps.build import BuildReport, MaintainReport, build, maintain
from pipelines.steps.detect import DetectReport, ForecastReport, detect, forecast, mark_finding
from pipelines.steps.ingest import (
    Recognised,
    bytes_below,
    bytes_to_read,
    dirty_tables,
    forget,
    ingest,
    init,
    parse,
    pending_files,
    recognise,
)
from pipelines.steps.report import ask, ask_sql, deliver, drill, report, summarize_failure, warn
from pipelines.steps.site import SAMPLE, adopt, attach, backups_of, export, make_demo, restore, site_at
from pipelines.warehouse.restore import Restored

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
    "dirty_tables",
    "drill",
    "export",
    "forecast",
    "forget",
    "ingest",
    "init",
    "maintain",
    "make_demo",
    "mark_finding",
    "parse",
    "pending_files",
    "recognise",
    "report",
    "restore",
    "site_at",
    "summarize_failure",
    "warn",
]
