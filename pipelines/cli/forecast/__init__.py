"""The command group `tapescope forecast`; the modules of this folder add its commands."""

import json
from datetime import datetime
from pathlib import Path

import click
from click.core import ParameterSource

from pipelines.cli.lazy import steps
from pipelines.cli.options import DAY, json_option, site_option
from pipelines.cli.registration import register


@click.group(invoke_without_command=True)
@click.pass_context
@site_option
@click.option("--day", type=DAY, help="Site day from which to forecast; default: the last day with data.")
@json_option
def forecast(context: click.Context, site_path: Path, day: datetime | None, as_json: bool) -> None:
    """Fit models to the site's history. The models estimate how many drives the site needs, how long work takes, and
    what a change would gain.

    Without a subcommand, compute and store the nightly forecasts, as `tapescope run` does.
    """
    if context.invoked_subcommand is not None:
        given = [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        if given:
            raise click.UsageError(f"write the options after `{context.invoked_subcommand}`")
        return
    made = steps.forecast(steps.site_at(site_path), day.date() if day else None)
    click.echo(json.dumps(made.as_dict()) if as_json else made.sentence)


register(forecast, __name__, __path__)
