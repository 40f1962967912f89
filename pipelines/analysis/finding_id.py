"""Findings are named by their id or the beginning of it, as commits are."""

from collections.abc import Collection

from pipelines.primitives.errors import TapescopeError


def resolve_prefix(ids: Collection[str], beginning: str) -> str:
    """The one finding id that begins so. Raises TapescopeError if none does, or several do.

    >>> resolve_prefix(["ab12", "cd34"], "c")
    'cd34'
    """
    found = sorted({known for known in ids if known.startswith(beginning)})
    if len(found) != 1 or not beginning:
        count = f"{len(found)} findings have" if found else "no finding has"
        raise TapescopeError(f"{count} an id that starts with {beginning!r}", "`tapescope finding list` shows the ids")
    return found[0]
