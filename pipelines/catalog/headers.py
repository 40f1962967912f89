"""Headers of the files of `schemas/`: TOML in the leading comment of SQL, or alone in its file."""

import re
import tomllib
from pathlib import Path
from typing import Any

from pipelines.primitives.errors import ContractError


def files_of(folder: Path, *suffixes: str) -> list[Path]:
    """The files of a folder that end so, in order."""
    return sorted(path for path in folder.iterdir() if path.suffix in suffixes) if folder.is_dir() else []


def split_header(text: str) -> tuple[str, str]:
    """The TOML header in a file's leading comment, and the SQL after it."""
    found = re.match(r"\s*/\*(.*?)\*/\s*(.*)", text, re.DOTALL)
    return (found[1], found[2].strip().rstrip(";")) if found else ("", text.strip())


def read_header(path: Path) -> tuple[dict[str, Any], str]:
    """The header of a file of `schemas/`, and its SQL. Raises ContractError."""
    text = path.read_text(encoding="utf-8")
    head, sql = (text, "") if path.suffix == ".toml" else split_header(text)
    try:
        return tomllib.loads(head), sql
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{path}: the header is not valid TOML: {error}") from error


def former_names(head: dict[str, Any]) -> tuple[str, ...]:
    """Former names: `was = "old"`, or a list of them."""
    given = head.get("was", ())
    return (given,) if isinstance(given, str) else tuple(given)
