"""Options that commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]


def site_option(command: Command) -> Command:
    """Which site a command is about."""
    return click.option(
        "--site",
        "site_path",
        envvar="TAPESCOPE_SITE",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default="site.toml of this folder",
        help="site.toml, or the folder that holds it.",
    )(command)
