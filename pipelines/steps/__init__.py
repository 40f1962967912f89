"""The steps that the command line and the DAGs call: each one transaction's worth of work, safe to run again."""

from pipelines.answers.question import ask_sql
from pipelines.primitives.failures import problem_lines, summarize_failure
from pipelines.steps.build import BuildReport, build, build_part, maintain, plan_build
from pipelines.steps.collect import collect, seconds_to_next
from pipelines.steps.detect import days_to_judge, detect, forecast, mark_finding
from pipelines.steps.ingest import (
    bytes_below,
    bytes_to_read,
    commit,
    dirty_tables,
    forget,
    ingest,
    init,
    parse,
    pending_files,
    read_files,
    recognise,
)
from pipelines.steps.report import ask, deliver, drill, recovered, rejects, report, warn
from pipelines.steps.run import Run, StepReport, run
from pipelines.steps.site import attach, export, make_demo, recipients_at, site_at
from pipelines.warehouse.restore import adopt, restore
from pipelines.warehouse.restore import kept as backups_of
