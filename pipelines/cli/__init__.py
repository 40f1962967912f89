"""The command line: parse arguments, call one step, print, choose the exit code.

Each module of this folder contains a command or a group of commands.
"""

import shlex
from typing import Any

import click

from pipelines.cli.endings import run as run_command
from pipelines.cli.lazy import files
from pipelines.cli.registration import register


class _Commands(click.Group):
    """The commands; for an unknown one that is the name of a question, the message gives the command that asks it."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0] not in files.load_catalog().questions:
                raise
            raise click.UsageError(
                f"{args[0]!r} is a question: run `tapescope ask {shlex.join(args)}`.", ctx
            ) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tapescope")
def cli() -> None:
    """Show how a tape archive's drives spend their time, and why.

    Begin with `tapescope demo`, or write a site.toml and run `tapescope run`.
    """


register(cli, __name__, __path__)


def main() -> None:
    """The command `tapescope`: every failure becomes a message, a hint and an exit code."""
    run_command(cli)
