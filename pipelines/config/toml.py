"""TOML files that may build on a template, and the line of every key, so that a mistake is named with its place."""

import re
import tomllib
from pathlib import Path
from typing import Any

from pipelines.primitives.errors import ConfigError

TEMPLATE = "template"  # the key that names the file to build on, relative to the one that names it

_NULL = re.compile(r"\\u0{4}|\\U0{8}")

# a table or key as pydantic names it, e.g. ("link", 2, "station"), and where it is
Places = dict[tuple[str | int, ...], str]

_HINTS = {
    "missing": "add this key",
    "extra_forbidden": "remove this unknown key; docs/reference/site-toml lists all keys",
    "tuple_type": "write a list, or a table with double brackets, such as [[drive]]",
    "literal_error": "use one of the listed values",
}


def read(file: Path, hint: str) -> tuple[dict[str, Any], Places]:
    """The values of a file on top of its template, and where each is.

    A key of the file's own replaces the template's; `[[tables]]` of both are taken, the template's first, and
    `[tables]` are merged key by key; `template` becomes the path of that file. Raises ConfigError, with `hint` where
    the file itself cannot be read.
    """
    text, values = _parsed(file, hint)
    named = values.pop(TEMPLATE, None)
    if named is None:
        return values, _places(text, "line", {})
    if not isinstance(named, str) or not named:
        raise ConfigError(
            f"{file}: `template` must be the name of a file", "write it like this: template = '../common.toml'"
        )
    base_text, base = _parsed(file.parent / named, f"correct the path that `template` in {file} names")
    if TEMPLATE in base:
        raise ConfigError(
            f"the template {file.parent / named} has a key `template`",
            "remove that key: a template cannot use another template",
        )
    counts = {name: len(tables) - 1 for name, tables in base.items() if isinstance(tables, list)}
    values[TEMPLATE] = file.parent / named
    return _merged(base, values), _places(base_text, f"{named}, line", {}) | _places(text, "line", counts)


def describe(problem: Any, places: Places) -> str:
    """One of pydantic's complaints: where it is, what is wrong, and what to do."""
    where: tuple[str | int, ...] = problem["loc"]
    known = where
    while known and known not in places:
        known = known[:-1]
    line = f"{places[known]}: " if known else ""
    name = ".".join(str(part + 1) if isinstance(part, int) else part for part in where)
    text = problem["msg"].removeprefix("Value error, ")
    hint = _HINTS.get(problem["type"], "")
    return f"  {line}{name + ': ' if name else ''}{text}" + (f" ({hint})" if hint else "")


def _parsed(file: Path, hint: str) -> tuple[str, dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8: {error}", "save the file as UTF-8") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {file}: {error}", hint) from error
    if null := _NULL.search(text):  # no path or name can hold it
        line = text.count("\n", 0, null.start()) + 1
        raise ConfigError(f"line {line} of {file} has a null character, {null[0]}", "remove it")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}", "correct the line that the message names") from error


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in own.items():
        before = base.get(name)
        if isinstance(before, list) and isinstance(value, list):
            merged[name] = before + value
        elif isinstance(before, dict) and isinstance(value, dict):
            merged[name] = before | value
        else:
            merged[name] = value
    return merged


def _places(text: str, label: str, counts: dict[str, int]) -> Places:
    """`counts`: by name of an array of tables the number of its last one so far."""
    places: Places = {}
    counts = dict(counts)
    table: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\[([\w.]+)\]\]", line):
            name = header[1]
            counts[name] = counts.get(name, -1) + 1
            table = (name, counts[name])
            places[table] = f"{label} {number}"
        elif header := re.match(r"\s*\[([\w.]+)\]", line):
            table = (header[1],)
            places[table] = f"{label} {number}"
        elif key := re.match(r"\s*(\w+)\s*=", line):
            places[(*table, key[1])] = f"{label} {number}"
    return places
