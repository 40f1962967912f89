"""Rules × methods → gold.finding: what is anomalous, what it costs at most, how sure, and which log lines prove it."""

from pipelines.findings.detecting import detect
from pipelines.findings.hits import Hit, Period
from pipelines.findings.judging import judge, read_metric

__all__ = ["Hit", "Period", "detect", "judge", "read_metric"]
