"""The commands that read the warehouse: answer a question, run SQL, export all tables into one file."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.lazy import files, steps
from pipelines.cli.options import Finite, Listed, as_params, format_option, period, period_options, site_option
from pipelines.cli.output import print_answer


@click.command()
@click.argument("name", type=Listed("`tapescope questions` lists the questions."))
@click.argument("params", nargs=-1, metavar="[PARAM=VALUE]...")
@site_option
@period_options
@format_option
@click.option("--all-columns", is_flag=True, help="Also show columns that only programs need, such as hashes.")
def ask(
    name: str,
    params: tuple[str, ...],
    site_path: Path,
    day_day: Any,
    from_day: Any,
    to_day: Any,
    form: str,
    all_columns: bool,
) -> None:
    """Answer a question; `tapescope questions` lists them."""
    invalid = [param for param in params if "=" not in param]
    if invalid:
        raise click.UsageError(f"give parameters as NAME=VALUE, not {invalid[0]!r}")
    values = as_params(*period(day_day, from_day, to_day)) | dict(param.split("=", 1) for param in params)
    if day_day and name in (known := files.load_catalog().asked) and "first_day" not in known[name].params:
        values.pop("first_day", None)  # reported as of a day
    print_answer(steps.ask(steps.site_at(site_path), name, values), form, all_columns)


@click.command()
@click.argument("statement")
@site_option
@format_option
@click.option(
    "--timeout",
    "timeout_s",
    type=Finite(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="Stop the query after this many seconds.",
)
def sql(statement: str, site_path: Path, form: str, timeout_s: float) -> None:
    """Run one SELECT on the warehouse. It can read the schemas site, ops, bronze, silver and gold.

    Its time and memory are limited.
    """
    print_answer(steps.ask_sql(steps.site_at(site_path), statement, timeout_s), form)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@site_option
def export(file: Path, site_path: Path) -> None:
    """Write all tables of the warehouse to one plain DuckDB file."""
    n_tables = steps.export(steps.site_at(site_path), file)
    click.echo(f"Wrote {n_tables} tables to {file}")


ENGINES = ("duckdb", "polars", "spark", "trino")


@click.command()
@site_option
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="duckdb",
    show_default=True,
    help="The program that will read the warehouse.",
)
def attach(site_path: Path, engine: str) -> None:
    """Print what another program needs to read the warehouse.

    For DuckDB, the command prints SQL that attaches the warehouse read-only; use the DuckDB version that tapescope
    uses. For Polars and Spark, it prints a Python program that reads the files of the newest snapshot. Trino cannot
    read these files, so for Trino it prints how to make and read a copy.
    """
    click.echo(steps.attach(steps.site_at(site_path), engine), nl=False)
