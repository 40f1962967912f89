"""Rules × methods → gold.finding: what is anomalous, what it costs at most, how sure, and which log lines prove it."""

from pipelines.analysis.findings.lifecycle import MUTE, mark
from pipelines.analysis.findings.registry import judge, read_metric
from pipelines.analysis.findings.run import detect
from pipelines.primitives.clock import Period
