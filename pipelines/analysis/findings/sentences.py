"""The sentence of a finding: the text of its rule with the facts filled in."""

import re
import string
from collections.abc import Mapping
from typing import Any

from pipelines.primitives import format

FACT_CHARS = 120  # what comes from logs is bounded before it goes into a sentence
_ONE = "1 "
_ZERO = re.compile(r"0(\.0+)?%?")


class _Counts(string.Formatter):
    """A format that begins with `1 ` names what is counted."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith(_ONE):
            return format.counted(int(value), format_spec.removeprefix(_ONE))
        found: str = super().format_field(value[:FACT_CHARS] if isinstance(value, str) else value, format_spec)
        if isinstance(value, float) and value > 0 and _ZERO.fullmatch(found):
            return f"<{found[:-2]}1%" if found.endswith("%") else f"<{found[:-1]}1"
        return found


def sentence(text: str, facts: Mapping[str, Any]) -> str:
    """The text with the facts in place of their names.

    >>> sentence("{entity}: {n:1 mount} of {tape}, {hours:.2f} h", {"entity": "D1", "n": 1, "tape": "T1", "hours": 2})
    'D1: 1 mount of T1, 2.00 h'
    >>> sentence("{hours:.2f} h, {share:.0%} of {total:.1f} h", {"hours": 0.002, "share": 0.004, "total": 0.0})
    '<0.01 h, <1% of 0.0 h'
    """
    return _Counts().vformat(text, (), facts)
