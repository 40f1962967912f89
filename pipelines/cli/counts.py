"""Output of a step: its counts as JSON, or a sentence and the files with problems."""

import json
from typing import Any

import click

from pipelines.primitives.failures import problem_lines
from pipelines.primitives.text import escape_control


def print_counts(counts: dict[str, Any], as_json: bool, sentence: str) -> None:
    """Print the counts as JSON or as a sentence; print problems and warnings to standard error."""
    if as_json:
        click.echo(json.dumps(counts, default=str))
        return
    click.echo(sentence)
    for line in problem_lines(counts):
        click.echo(f"  {line}", err=True)
    if counts.get("unnamed"):
        click.echo(escape_control(counts["unnamed"]), err=True)
