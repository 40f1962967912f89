"""The commands about findings: list them, show one, and record decisions about it."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from pipelines.analysis.finding_id import resolve_prefix
from pipelines.cli.lazy import files, steps
from pipelines.cli.options import DAY, as_params, site_option
from pipelines.primitives.format import counted
from pipelines.primitives.local import user_name
from pipelines.primitives.text import escape_control


@click.group()
def finding() -> None:
    """List, show, acknowledge, mute, reopen or annotate findings. The list shows the first day of each finding."""


_id_argument = click.argument("finding_id", metavar="ID")
_note_option = click.option("--note", help="Reason for the decision; it is stored and shown with the finding.")
_day_option = click.option(
    "--day", type=DAY, help="Site day for which the states of findings are shown; default: the last day with data."
)


def _rows(site_path: Path, question: str, params: dict[str, str]) -> list[dict[str, Any]]:
    return steps.ask(steps.site_at(site_path), question, params).as_dicts()


@finding.command("list")
@site_option
@_day_option
@click.option("--all", "with_gone", is_flag=True, help="Also list findings that are gone.")
def list_findings(site_path: Path, day: datetime | None, with_gone: bool) -> None:
    """List the findings that are not gone. Each line has the id and the state of a finding."""
    rows = _rows(site_path, "finding_life", as_params(None, day and day.date()))
    listed = [row for row in rows if with_gone or row["state"] != "gone"]
    for row in listed:
        until = f" until {row['until_day']}" if row["state"] == "muted" and row["until_day"] else ""
        summary = f"{row['finding_id']}  {row['state'] + until:12}  {row['severity']:8}  {row['rule']}: {row['entity']}"
        click.echo(
            escape_control(f"{summary}, since {row['first_day']}" + (f" ({row['note']})" if row["note"] else ""))
        )
    n_gone = len(rows) - len(listed)
    if not listed:
        click.echo("No open findings.")
    if n_gone:
        are = "is" if n_gone == 1 else "are"
        click.echo(f"{counted(n_gone, 'more finding')} {are} gone (--all lists every finding).")


@finding.command()
@_id_argument
@site_option
@_day_option
def show(finding_id: str, site_path: Path, day: datetime | None) -> None:
    """Show all details of one finding. Give its id or the first characters of the id."""
    from pipelines.primitives import format

    lives = {row["finding_id"]: row for row in _rows(site_path, "finding_life", as_params(None, day and day.date()))}
    life = lives[resolve_prefix(lives, finding_id)]
    period = as_params(life["last_day"], life["last_day"])  # when it last fired
    matches = [row for row in _rows(site_path, "findings", period) if row["finding_id"] == life["finding_id"]]
    questions = files.load_catalog().questions
    columns = {column.name: column for name in ("finding_life", "findings") for column in questions[name].columns}
    for name, value in (life | (matches[0] if matches else {})).items():
        if value is not None:
            click.echo(f"{format.heading(columns[name]):20} {format.cell(value, columns[name])}")


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
