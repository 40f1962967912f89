"""Text of each source as its program writes it, made from a seed: one module per source; the folder is the registry.

A module holds NAME (of the file), GLOB (of the [[input]] that names it) and `text(seed)`, pieces of a log without end.
It may hold ORIGIN, further lines of that [[input]], `json_text(seed)`, the same log as JSON, and REASON, why its source
need not be as fast as others. What starts with `_` is shared by texts and is none itself.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast


class Text(Protocol):
    """A module of this folder."""

    NAME: str
    GLOB: str

    def text(self, seed: int) -> Iterator[str]:
        """Pieces of a log without end; some first ones and any number of the others are a whole log."""


@cache
def all_texts() -> dict[str, Text]:
    """Every text by the stem of its source."""
    stems = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {stem: cast(Text, importlib.import_module(f"{__name__}.{stem}")) for stem in stems}
