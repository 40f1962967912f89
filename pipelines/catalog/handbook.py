"""The operator's handbook: what a rule's header holds for the person who got its finding.

Its texts have this one home. The reference, `tapescope explain`, the page of a finding and the report show them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Handbook:
    """The `[handbook]` table of a rule; `{name}` in a text is the rule's parameter of that name."""

    computed: str
    confirm: str
    wrong_when: str

    @classmethod
    def of(cls, texts: Mapping[str, str], params: Mapping[str, Any]) -> "Handbook":
        """The texts with the rule's numbers in them.

        Raises TypeError for a text that is missing or unknown, KeyError for a number that the rule does not have.

        >>> texts = {"computed": "fires at {min_share:.0%}", "confirm": "look", "wrong_when": "never"}
        >>> Handbook.of(texts, {"min_share": 0.1}).computed
        'fires at 10%'
        """
        return cls(**{name: text.format_map(params) for name, text in texts.items()})


Entry = tuple[tuple[str, str], ...]  # headings and texts, in the order in which they are read
