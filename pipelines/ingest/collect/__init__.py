"""Answers of servers, commands and the journal into a spool that ordinary ingest reads; the one place that asks others.

Parsers and the rest of ingest know nothing of it: an answer is a file like any other.
"""

from pipelines.ingest.collect.run import CollectReport, collect, seconds_to_next
