"""The report as one HTML file that opens offline: figures are inline SVG, and nothing in it runs."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.answers.question import Answer
from pipelines.primitives.format import Column, is_number, label, table, unit
from pipelines.primitives.text import escape_control
from pipelines.reporting.report.figures import draw, paint
from pipelines.reporting.report.model import Figure, Night, Report, Table
from pipelines.reporting.report.trend import drawn, in_characters

_TEMPLATES = Path(__file__).parent / "templates"
Place = tuple[str, int]  # id of a section, and number of the figure in it
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_OF_BUILD = ("build_id", "number", "is_committed")  # the same in every row of the checks
_FIRST_SCREEN = ("coverage", "summary", "hours", "losses")  # the sections that belong on it


def print_report(report: Report, checks: str = "") -> str:
    """The whole page; `checks` is the name of the page next to it that lists all checks."""
    figures = {place: Markup(draw(figure, _name(place))) for place, figure in _figures(report)}
    return _print(report, figures, _POLICY, checks)


def print_checks(report: Report, answer: Answer | None, problem: str = "") -> str:
    """A page of its own on all checks of the last build; `problem` says why they cannot be asked.

    Not Great Expectations' own pages: those fetch fonts and scripts from other hosts.
    """
    named = answer.as_dicts() if answer else []
    head = named[0] if named else {}
    columns = [column for column in answer.columns if column.name not in _OF_BUILD] if answer else []
    checked = [row for row in named if row["relation"] is not None]
    return (
        _environment()
        .get_template("checks.html")
        .render(
            title=report.title,
            policy=_POLICY,
            problem=problem or ("" if head else "No build has been made yet."),
            build=head.get("build_id", ""),
            is_committed=head.get("is_committed", False),
            snapshot=answer.snapshot if answer else 0,
            columns=columns,
            rows=[[row[column.name] for column in columns] for row in checked],
            n_not_met=sum(row["outcome"] != "passed" for row in checked),
            sql=answer.sql if answer else "",
        )
    )


def checks_name(report: Report) -> str:
    """The file of that page."""
    return f"checks-{report.last_day or 'no-data'}.html"


def print_mail(report: Report) -> tuple[str, dict[str, bytes]]:
    """The page as mail readers show it, and its figures as PNG pictures by the names under which it calls them."""
    pictures = {place: paint(figure) for place, figure in _figures(report)}
    shown = {
        place: Markup('<img src="cid:{}" width="{}" alt="{}">').format(_name(place), width, figure.title)
        for (place, figure), (_, width) in zip(_figures(report), pictures.values(), strict=True)
    }
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src cid:"
    page = _print(report, shown, policy, trend=in_characters)  # mail readers leave drawings out
    return page, {_name(place): png for place, (png, _) in pictures.items()}


def _figures(report: Report) -> list[tuple[Place, Figure]]:
    """All figures of a report by section and place."""
    return [
        ((section.id, place), figure) for section in report.sections for place, figure in enumerate(section.figures)
    ]


def _name(place: Place) -> str:
    return f"figure-{place[0]}-{place[1]}"


def _print(
    report: Report,
    figures: dict[Place, Markup],
    policy: str,
    checks: str = "",
    trend: Callable[[Sequence[Night]], str] = drawn,
) -> str:
    def cells(shown: Table) -> tuple[list[Column], list[list[str]]]:
        return table(shown.columns, shown.rows, report.zone)

    page = _environment().get_template("report.html")
    return (
        page.render(
            report=report,
            figures=figures,
            cells=cells,
            first_screen=_FIRST_SCREEN,
            policy=policy,
            checks=checks,
            trend=trend,
        )
        + "\n"
    )


def _environment() -> Environment:
    # `finalize` sees every value a template prints, so none can be forgotten; autoescape comes after it.
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: escape_control(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sql": _lines, "code": _code, "label": label, "unit": unit}
    environment.tests["number"] = is_number
    return environment


def _code(text: str) -> Markup:
    """A sentence for a page: text between backticks is code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(escape_control(text)))))


def _lines(text: str) -> Markup:
    """A text of several lines for a <pre>."""
    return Markup("\n").join(escape(escape_control(line)) for line in text.splitlines())
