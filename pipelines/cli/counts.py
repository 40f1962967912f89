"""What a step reports: its counts as JSON, or a sentence and the files that had trouble."""

import json
from typing import Any

import click

from pipelines.primitives.text import escape_control

_MOST_NAMED = 4  # files with the same trouble; the others are counted
_NO_CLOCK = (
    "Files refused with no_clock can be read once their [[input]] in site.toml dates them: `date`, or `start_at` "
    "and `interval_s`, or `date_order`. `tapescope init DIR --out FILE` lists what each file lacks."
)


def print_counts(counts: dict[str, Any], as_json: bool, sentence: str) -> None:
    """Counts as JSON, or a sentence; problems and warnings on standard error."""
    if as_json:
        click.echo(json.dumps(counts, default=str))
        return
    click.echo(sentence)
    for line in problem_lines([*counts.get("problems", []), *counts.get("warnings", [])]):
        click.echo(f"  {line}", err=True)
    if counts.get("unnamed"):
        click.echo(escape_control(counts["unnamed"]), err=True)


def problem_lines(problems: list[dict[str, str]]) -> list[str]:
    """One line per problem; of many files with the same problem the first, with a hint where there is one."""
    alike: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        alike.setdefault((problem["state"], escape_control(problem["reason"])), []).append(
            escape_control(problem["path"])
        )
    lines: list[str] = []
    for (state, reason), paths in alike.items():
        if len(paths) <= _MOST_NAMED:
            lines += [f"{state}: {path}: {reason}" for path in paths]
        else:
            more = f"{', '.join(paths[:_MOST_NAMED])} and {len(paths) - _MOST_NAMED} more: `tapescope ask files`"
            lines.append(f"{state}: {len(paths)} files: {reason}: {more}")
    return [*lines, _NO_CLOCK] if any(reason.startswith("no_clock") for _, reason in alike) else lines
