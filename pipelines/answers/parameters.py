"""Parameters of questions: texts that a caller gave, checked and cast by the type that a question's header says."""

import math
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from pipelines.catalog.contracts import Question
from pipelines.primitives.clock import parse_instant
from pipelines.primitives.errors import ContractError, QuestionRefused
from pipelines.primitives.text import single_line

_MOST_BIGINT = 2**63 - 1
_VALUE_CHARS = 80


def given(question: Question, params: dict[str, str]) -> dict[str, Any]:
    """Values that a caller gave, and defaults of the header. Raises QuestionRefused for unknown or missing ones."""
    if unknown := sorted(params.keys() - question.params.keys()):
        known = ", ".join(question.params) or "none"
        raise QuestionRefused(f"{question.name} has no parameter {', '.join(unknown)}", f"its parameters: {known}")
    values: dict[str, Any] = {}
    for name, param in question.params.items():
        value = params.get(name, param.get("default"))
        if value is not None:
            values[name] = _cast(name, value, param["type"])
            if "choices" in param and values[name] not in param["choices"]:
                known = ", ".join(map(repr, param["choices"]))
                raise QuestionRefused(
                    f"{name}={single_line(value, _VALUE_CHARS)} is not a known value", f"choose one of {known}"
                )
        elif not is_day(question, name):
            raise QuestionRefused(f"{question.name} needs {name}: {param.get('doc', '')}", f"add {name}=…")
    return values


def is_day(question: Question, name: str) -> bool:
    """Whether a parameter is an end of the period, which has a default of its own."""
    return name in ("first_day", "last_day") and question.params[name]["type"] == "DATE"


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= _MOST_BIGINT:
        raise ValueError("not a count")
    return count


def _text(text: str) -> str:
    """No table holds a NUL, which readers of logs leave out, and which DuckLake does not take in a comparison.

    >>> ascii(_text("a" + chr(0)))
    "'a\\\\ufffd'"
    """
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _instant(text: str) -> datetime | None:
    """An empty text leaves the parameter out."""
    return parse_instant(text) if text else None


# By type: how a text becomes a value, and what is expected of it.
_CASTS: dict[str, tuple[Callable[[str], Any], str]] = {
    "DATE": (date.fromisoformat, "write a day like 2010-06-15"),
    "TIMESTAMP": (_instant, "write a UTC time like 2010-06-15 or 2010-06-15 17:00"),
    "DOUBLE": (_number, "write a number, such as 0.5 or 20"),
    "BIGINT": (_count, "write a whole number above 0, such as 20"),
    "VARCHAR": (_text, ""),
    "VARCHAR[]": (lambda text: _text(text).split(","), ""),
}


def _cast(name: str, value: Any, kind: str) -> Any:
    """A text as its type says; a header's default may be of that type already."""
    if kind not in _CASTS:
        raise ContractError(f"parameter {name} has the unknown type {kind}; known types: {', '.join(_CASTS)}")
    cast, expected = _CASTS[kind]
    try:
        return cast(value) if isinstance(value, str) else value
    except (ValueError, OverflowError):
        raise QuestionRefused(f"{name}={single_line(value, _VALUE_CHARS)} is not a {kind}", expected) from None
