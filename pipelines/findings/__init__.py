"""Rules × methods → gold.finding: what is anomalous, what it costs at most, how sure, and which log lines prove it."""

from pipelines.clock import Period
from pipelines.findings.detecting import detect
from pipelines.findings.hits import Hit
from pipelines.findings.judging import judge, read_metric
from pipelines.findings.life import ACKNOWLEDGE, MUTE, REOPEN, mark

__all__ = ["ACKNOWLEDGE", "MUTE", "REOPEN", "Hit", "Period", "detect", "judge", "mark", "read_metric"]
