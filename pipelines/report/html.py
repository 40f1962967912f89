"""The report as one HTML file that opens offline: figures are inline SVG, and nothing in it runs."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.hostile import visible
from pipelines.report.cells import is_number, label, show, unit
from pipelines.report.figures import draw, paint
from pipelines.report.tree import Report, Stack, Table, Waterfall

_TEMPLATES = Path(__file__).parent / "templates"
Place = tuple[int, int]  # number of a section, and of the figure in it
_FIRST_SCREEN = 3  # the last section that belongs on it


def print_report(report: Report) -> str:
    """The whole page."""
    figures = {place: Markup(draw(figure, _name(place))) for place, figure in _figures(report)}
    return _print(report, figures, "default-src 'none'; style-src 'unsafe-inline'")


def print_mail(report: Report) -> tuple[str, dict[str, bytes]]:
    """The page as mail readers show it, and its figures as PNG pictures by the names under which it calls them."""
    pictures = {place: paint(figure) for place, figure in _figures(report)}
    shown = {
        place: Markup('<img src="cid:{}" width="{}" alt="{}">').format(_name(place), width, figure.title)
        for (place, figure), (_, width) in zip(_figures(report), pictures.values(), strict=True)
    }
    page = _print(report, shown, "default-src 'none'; style-src 'unsafe-inline'; img-src cid:")
    return page, {_name(place): png for place, (png, _) in pictures.items()}


def _figures(report: Report) -> list[tuple[Place, Waterfall | Stack]]:
    """All figures of a report by section and place."""
    return [
        ((section.number, place), figure) for section in report.sections for place, figure in enumerate(section.figures)
    ]


def _name(place: Place) -> str:
    return f"figure-{place[0]}-{place[1]}"


def _print(report: Report, figures: dict[Place, Markup], policy: str) -> str:
    def cells(table: Table) -> list[list[str]]:
        return [
            [show(value, column, report.zone) for value, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ]

    page = _environment().get_template("report.html")
    return page.render(report=report, figures=figures, cells=cells, first_screen=_FIRST_SCREEN, policy=policy) + "\n"


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
