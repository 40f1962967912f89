"""Registration of commands: each module in a folder of commands adds the commands that it defines."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import click


def register(group: click.Group, package: str, path: Iterable[str]) -> None:
    """Add the commands of every module in a package to `group`, except commands of a module's sub-group."""
    for info in iter_modules(path):
        if info.name == "__main__":
            continue
        for command in _commands(import_module(f"{package}.{info.name}")):
            group.add_command(command)


def _commands(module: ModuleType) -> Iterator[click.Command]:
    defined = [value for value in vars(module).values() if isinstance(value, click.Command) and _is_from(module, value)]
    nested = {id(command) for value in defined if isinstance(value, click.Group) for command in value.commands.values()}
    return (command for command in defined if id(command) not in nested)


def _is_from(module: ModuleType, command: click.Command) -> bool:
    return command.callback is not None and command.callback.__module__ == module.__name__
