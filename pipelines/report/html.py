"""The report as one HTML file that opens offline: figures are inline SVG, and nothing in it runs."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.hostile import visible
from pipelines.report.cells import is_number, label, show, unit
from pipelines.report.figures import draw
from pipelines.report.tree import Report, Table

_TEMPLATES = Path(__file__).parent / "templates"
_FIRST_SCREEN = 3  # the last section that belongs on it


def print_report(report: Report) -> str:
    """The whole page."""
    figures = {
        (section.number, place): Markup(draw(figure, f"figure-{section.number}-{place}"))
        for section in report.sections
        for place, figure in enumerate(section.figures)
    }

    def cells(table: Table) -> list[list[str]]:
        return [
            [show(value, column, report.zone) for value, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ]

    page = _environment().get_template("report.html")
    return page.render(report=report, figures=figures, cells=cells, first_screen=_FIRST_SCREEN) + "\n"


def _environment() -> Environment:
    # `finalize` sees every value a template prints, so none can be forgotten; autoescape comes after it.
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sql": _lines, "label": label, "unit": unit}
    environment.tests["number"] = is_number
    return environment


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _lines(text: str) -> Markup:
    """A text of several lines for a <pre>."""
    return Markup("\n").join(escape(visible(line)) for line in text.splitlines())
