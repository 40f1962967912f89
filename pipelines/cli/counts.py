"""Output of a step: its counts as JSON, or a sentence and the files with problems."""

import json
from typing import Any

import click

from pipelines.cli.suggested import say
from pipelines.primitives.failures import problem_lines


def print_counts(counts: dict[str, Any], as_json: bool, sentence: str) -> None:
    """Print the counts as JSON or as a sentence; print problems and warnings to standard error."""
    if as_json:
        click.echo(json.dumps(counts, default=str))
        return
    for line in sentence.split("\n"):
        say(line)
    for line in problem_lines(counts):
        say(f"  {line}", to_stderr=True)
    if counts.get("unnamed"):
        say(counts["unnamed"], to_stderr=True)
