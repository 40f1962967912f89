"""Commands that messages suggest, written so that they run when they are copied."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pipelines.primitives.text import escape_control

_COMMAND = re.compile(r"`tapescope (?P<words>[^`]+)`")
_site: list[str] = []  # as the user gave it; empty if the environment or the current folder gives it


def name_site(site: Path) -> None:
    """Add this site to the commands that this command suggests."""
    _site[:] = [f" --site {shlex.quote(str(site))}"]


def remember_site(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The callback of the option --site."""
    _site.clear()
    if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
        name_site(value)
    return value


def program() -> str:
    """How to call tapescope: by its path as the user gave it, unless a shell finds it by its name."""
    path = Path(sys.argv[0])
    found = shutil.which("tapescope")
    is_named = path.name != "tapescope" or (found is not None and Path(found).absolute() == path.absolute())
    return "tapescope" if is_named else shlex.quote(sys.argv[0])


def runnable(text: str) -> str:
    """The text with the program and --site in the commands that it suggests (between backticks)."""
    return _COMMAND.sub(_completed, text)


def say(text: str, to_stderr: bool = False) -> None:
    """Print a message whose suggested commands can be copied; control characters are escaped."""
    click.echo(escape_control(runnable(text)), err=to_stderr)


def _completed(found: re.Match[str]) -> str:
    words = found["words"]
    site = _site[0] if _site and "--site" not in words and _takes_site(words.split()) else ""
    return f"`{program()} {words}{site}`"


def _takes_site(words: list[str]) -> bool:
    from pipelines.cli import cli

    command: Any = cli
    for word in words:
        if not isinstance(command, click.Group) or word not in command.commands:
            break
        command = command.commands[word]
    return any(parameter.name == "site_path" for parameter in command.params)
