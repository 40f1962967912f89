"""The command about case studies: documents whose published figures tapescope computes again."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from pipelines.cli.lazy import contracts, studies
from pipelines.cli.options import format_option, site_option
from pipelines.cli.output import console, print_rows, print_table

_SHOWN = ("id", "what", "unit", "printed", "ours", "difference", "verdict")


@click.command()
@click.argument("name", required=False)
@click.option("--table", "table_name", help="Print only this published table of the study.")
@site_option
@format_option
def study(name: str | None, table_name: str | None, site_path: Path, form: str) -> None:
    """List the case studies, or show one. A study compares published with computed figures.

    You may shorten NAME as long as it fits only one study. Studies are the same at every site: `--site` has no effect.
    """
    if name is None:
        if table_name:
            raise click.UsageError("--table needs the NAME of a case study")
        columns = [contracts.Column(key, kind, "") for key, kind in _listed_columns().items()]
        print_rows(columns, [_listed(one) for one in studies.every()], form)
        return
    found = studies.find(name)
    if table_name:
        table = studies.table(found, table_name)
        print_rows(_columns(table), list(table.rows), form)
    elif form == "table":
        _show(found)
    else:
        print_rows(list(studies.COLUMNS), [line.cells() for line in studies.work_out(found)], form)


def _listed_columns() -> dict[str, str]:
    texts = dict.fromkeys(("study", "title"), "VARCHAR")
    return texts | dict.fromkeys(("tables", *studies.VERDICTS), "BIGINT")


def _listed(one: "studies.Study") -> tuple[Any, ...]:
    verdicts = Counter(line.verdict for line in studies.work_out(one))
    return (one.name, one.title, len(one.published), *(verdicts[key] for key in studies.VERDICTS))


def _columns(table: "studies.Table") -> list[Any]:
    columns = []
    for place, name in enumerate(table.columns):
        is_number = all(row[place] == "" or isinstance(row[place], int | float) for row in table.rows)
        columns.append(contracts.Column(name, "DOUBLE" if is_number else "VARCHAR", ""))
    return columns


def _show(one: "studies.Study") -> None:
    lines = studies.work_out(one)
    page = console()
    page.print(one.title, style="bold", soft_wrap=True)
    page.print(one.document, soft_wrap=True)
    for table in one.published:
        page.print(f"\n{table.title} ({table.place}; --table {table.name})", style="bold", soft_wrap=True)
        print_table(_columns(table), list(table.rows))
    page.print("\nPublished and computed figures", style="bold")
    shown = [column for column in studies.COLUMNS if column.name in _SHOWN]
    print_table(shown, [_cells(line) for line in lines if line.ours is not None or line.verdict == "unresolved"])
    page.print("\nAudit", style="bold")
    for line in lines:
        if line.verdict == "unresolved" or (line.ours is not None and line.verdict in ("matches", "derived")):
            continue
        text = f"{line.verdict:11}{line.id:4} {line.what}" + (f": {line.why}" if line.why else "")
        page.print(text, soft_wrap=True)
    meant = "; ".join(f"{key}: {meaning}" for key, meaning in studies.VERDICTS.items())
    more = "--format json also shows the place of each figure in the document, and its formula."
    page.print(f"\n{meant}.\n{more}", style="dim", soft_wrap=True)


def _cells(line: "studies.Line") -> tuple[Any, ...]:
    values = {name: getattr(line, name) for name in _SHOWN}
    rounded = None if line.difference is None else float(f"{line.difference:.2g}")
    return tuple((values | {"difference": rounded}).values())
