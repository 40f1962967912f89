"""One column, one form: command line, report and pages show it with the same label, unit and decimals."""

import pytest

from dashboards import charts, tables
from pipelines.catalog.contracts import Column
from pipelines.catalog.files import load_catalog
from pipelines.cli.output import print_table
from pipelines.primitives import format
from pipelines.reporting.report.html import print_report as print_html
from pipelines.reporting.report.model import Report, Section, Table
from pipelines.reporting.report.text import print_report as print_text

VALUES = (1234.56789, 0.8765432)
COLUMNS = {
    (column.name, column.unit): column
    for question in load_catalog().questions.values()
    for column in question.columns
    if column.type == "DOUBLE"
}


def on_page(column: Column, value: float) -> tuple[str, str]:
    """Heading and cell; the browser adds the separators of thousands."""
    config = tables.configured(column)
    (row,) = tables.cells([column], [{column.name: value}])
    return config["label"], config["type_config"]["format"] % row[column.name]


@pytest.mark.parametrize("value", VALUES)
def test_every_number_is_shown_alike(value: float, capsys: pytest.CaptureFixture[str]) -> None:
    """Every column of every question that has decimals."""
    columns = list(COLUMNS.values())
    tables = [Table(f"table {n}", "one", [column], [(value,)]) for n, column in enumerate(columns)]
    report = Report("one", "UTC", None, None, [], [Section("one", "One", tables=tables)])
    texts = print_text(report).split("[one]")[1:]
    pages = print_html(report).split("<h3>table ")[1:]
    differing = []
    for column, text, page in zip(columns, texts, pages, strict=True):
        print_table([column], [(value,)])
        head, cell = (line.strip() for line in capsys.readouterr().out.splitlines())
        heading, shown = on_page(column, value)
        label, unit = format.label(column), format.unit(column)
        is_alike = (
            head == heading == (f"{label} [{unit}]" if unit else label)
            and shown == cell.replace(",", "")
            and " ".join(text.split()).startswith(f"{label} {unit} {cell}".replace("  ", " "))
            and f">{label}<small>{unit}</small>" in page
            and f">{cell}</td>" in page
        )
        if not is_alike:
            differing.append((column.name, head, cell, heading, shown))
    assert differing == []


def test_tips_of_charts_have_the_decimals_of_their_units() -> None:
    tips = {
        "moved [GB]": charts.number("moved_gb", "moved [GB]"),
        "rate [MB/s]": charts.number("sum(rate_mb_s)", "rate [MB/s]"),
        "drives": charts.number("low", "drives", "drives"),
        "ratio": charts.number("ratio", "ratio"),
        "share": charts.share("covered_share", "share"),
        "gaps": charts.count("n_gaps", "gaps"),
    }
    forms = {name: tip.to_dict()["format"] for name, tip in tips.items()}
    assert forms == {
        "moved [GB]": ",.2f",
        "rate [MB/s]": ",.1f",
        "drives": ",.1f",
        "ratio": ",.4~r",
        "share": ",.1%",
        "gaps": ",d",
    }


def test_an_interval_is_shown_alike(capsys: pytest.CaptureFixture[str]) -> None:
    """In the cell of its value, with the decimals of its unit; a share in percent."""
    columns = [
        Column("duty_share", "DOUBLE", "", "1"),
        Column("duty_share_low", "DOUBLE", "", "1"),
        Column("duty_share_high", "DOUBLE", "", "1"),
    ]
    print_table(columns, [(0.25, 0.2, 0.3125)])
    cli = capsys.readouterr().out.splitlines()
    section = Section("one", "One", tables=[Table("one", "one", columns, [(0.25, 0.2, 0.3125)])])
    report = Report("one", "UTC", None, None, [], [section])
    assert [line.strip() for line in cli] == ["duty share [%]", "25.0 (20.0 to 31.2)"]
    assert "25.0 (20.0 to 31.2)" in print_text(report) and ">25.0 (20.0 to 31.2)</td>" in print_html(report)
    assert [tables.configured(column)["label"] for column in columns] == [
        "duty share [%]",
        "duty share low [%]",
        "duty share high [%]",
    ]


def test_an_estimated_rate_is_named_so_in_report_and_on_pages() -> None:
    column = Column("drive_rate_basis", "VARCHAR", "what its time is")
    for basis, words in (("estimate", "estimate: length of the TSM sessions less their waits"), ("call", "call")):
        (row,) = tables.cells([column], [{column.name: basis}])
        assert row[column.name] == format.cell(basis, column)
        assert row[column.name].startswith(words)
