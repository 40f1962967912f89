"""The commands about findings: list them, show one, and record decisions about it."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from pipelines.analysis.finding_id import resolve_prefix
from pipelines.cli.drill import print_log_line
from pipelines.cli.lazy import files, steps
from pipelines.cli.options import DAY, as_params, site_option
from pipelines.cli.output import CELL_CHARS, Rows
from pipelines.cli.suggested import say
from pipelines.primitives import format
from pipelines.primitives.format import counted
from pipelines.primitives.local import user_name
from pipelines.primitives.text import single_line
from pipelines.primitives.text_table import plain_lines, text_table


@click.group()
def finding() -> None:
    """List, show, acknowledge, mute, reopen or annotate findings. The list shows the first day of each finding."""


_id_argument = click.argument("finding_id", metavar="ID")
_note_option = click.option("--note", help="Reason for the decision; it is stored and shown with the finding.")
_day_option = click.option(
    "--day", type=DAY, help="Site day for which the states of findings are shown; default: the last day with data."
)


_MOST_LINES = 20
_COSTS = ("lost_hours", "gain_gb_day")


def _rows(site_path: Path, question: str, params: dict[str, str]) -> list[dict[str, Any]]:
    return steps.ask(steps.site_at(site_path), question, params).as_dicts()


@finding.command("list")
@site_option
@_day_option
@click.option("--all", "with_gone", is_flag=True, help="Also list findings that are gone.")
def list_findings(site_path: Path, day: datetime | None, with_gone: bool) -> None:
    """List the findings that are not gone. Each line has the id, state, lost hours and gain of a finding."""
    found = steps.ask(steps.site_at(site_path), "finding_life", as_params(None, day and day.date()))
    period = found.period and f"{found.period} (--day chooses another day)"
    as_of = f" as of {day:%Y-%m-%d}" if day else period.replace("up to", " as of", 1)
    rows = found.as_dicts()
    listed = [row for row in rows if with_gone or row["state"] != "gone"]
    say(f"Findings{as_of}:" if listed else f"No open findings{as_of}.")
    if listed:
        columns = {column.name: column for column in found.columns}
        costs = [columns[name] for name in _COSTS]
        heads = ["id", "state", "severity", *map(format.heading, costs), "finding"]
        lines = [[*_state(row), *(format.cell(row[cost.name], cost) for cost in costs), _since(row)] for row in listed]
        for line in plain_lines(text_table(lines, [False, False, False, True, True, False], heads)):
            click.echo(line)
    gone = [row["last_day"] for row in rows if row["state"] == "gone"]
    if gone and not with_gone:
        are = "is" if len(gone) == 1 else "are"
        say(
            f"{counted(len(gone), 'more finding')} {are} gone. `tapescope finding list --all` lists every finding,"
            f" `tapescope finding list --day {max(gone)}` those as of a day before."
        )


@finding.command()
@_id_argument
@site_option
@_day_option
def show(finding_id: str, site_path: Path, day: datetime | None) -> None:
    """Show all details of one finding. Give its id or the first characters of the id."""
    lives = {row["finding_id"]: row for row in _rows(site_path, "finding_life", as_params(None, day and day.date()))}
    life = lives[resolve_prefix(lives, finding_id)]
    period = as_params(life["last_day"], life["last_day"])  # when it last fired
    matches = [row for row in _rows(site_path, "findings", period) if row["finding_id"] == life["finding_id"]]
    questions = files.load_catalog().questions
    columns = {column.name: column for name in ("finding_life", "findings") for column in questions[name].columns}
    shown = {name: life[name] for name in life if name not in _COSTS} | (matches[0] if matches else {})
    facts, lines = (json.loads(shown.pop(name, None) or empty) for name, empty in (("facts", "{}"), ("evidence", "[]")))
    for name, value in shown.items():
        if value is not None:
            click.echo(f"{format.heading(columns[name]):20} {format.cell(value, columns[name])}")
    _print_details(facts, lines)


def _print_details(facts: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """Print the numbers and names of a finding's text, and the log lines that prove it."""
    known = {name: value for name, value in facts.items() if value not in (None, "", [])}
    if known:
        click.echo("facts")
    for column in Rows("facts", [known]).columns:
        text = single_line(format.cell(known[column.name], column).lstrip(" :;,"), CELL_CHARS)  # parts of a sentence
        click.echo(f"    {format.heading(column):20} {text}")
    if lines:
        click.echo("evidence")
    for line in lines[:_MOST_LINES]:
        print_log_line(line["path"], line["line_no"], line["text"])
    if len(lines) > _MOST_LINES:
        click.echo(f"    and {counted(len(lines) - _MOST_LINES, 'more line')}")


def _state(row: dict[str, Any]) -> list[str]:
    until = f" until {row['until_day']}" if row["state"] == "muted" and row["until_day"] else ""
    return [row["finding_id"], row["state"] + until, row["severity"]]


def _since(row: dict[str, Any]) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    return f"{row['rule']}: {row['entity']}, since {row['first_day']}{note}"


def _mark(site_path: Path, finding_id: str, kind: str, until: date | None, note: str | None, outcome: str) -> None:
    whole = steps.mark_finding(steps.site_at(site_path), finding_id, kind, until, note, user_name())
    click.echo(f"{whole} is {outcome}.")


@finding.command()
@_id_argument
@_note_option
@site_option
def acknowledge(finding_id: str, note: str | None, site_path: Path) -> None:
    """Acknowledge a finding. The finding counts as open again only if it disappears and returns."""
    _mark(site_path, finding_id, "acknowledge", None, note, "acknowledged until it is gone")


@finding.command()
@_id_argument
@click.option("--until", type=DAY, help="Last site day on which the finding is muted; default: muted permanently.")
@_note_option
@site_option
def mute(finding_id: str, until: datetime | None, note: str | None, site_path: Path) -> None:
    """Mute a finding until a day, or permanently. The finding stays muted even if it disappears and returns."""
    last = until.date() if until else None
    _mark(site_path, finding_id, "mute", last, note, f"muted {f'until {last}' if last else 'permanently'}")


@finding.command()
@_id_argument
@_note_option
@site_option
def reopen(finding_id: str, note: str | None, site_path: Path) -> None:
    """Undo an acknowledgement or a mute."""
    _mark(site_path, finding_id, "reopen", None, note, "open again")


@finding.command()
@_id_argument
@click.argument("text")
@site_option
def note(finding_id: str, text: str, site_path: Path) -> None:
    """Add a note to a finding; its state does not change."""
    _mark(site_path, finding_id, "note", None, text, "noted")
