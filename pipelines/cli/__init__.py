"""The command line: parse arguments, call one step, print, choose the exit code.

Each module of this folder contains a command or a group of commands.
"""

import click

from pipelines.cli.endings import run as run_command
from pipelines.cli.registration import register


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tapescope")
def cli() -> None:
    """Show how a tape archive's drives spend their time, and why.

    Begin with `tapescope demo`, or write a site.toml and run `tapescope run`.
    """


register(cli, __name__, __path__)


def main() -> None:
    """The command `tapescope`: every failure becomes a message, a hint and an exit code."""
    run_command(cli)
