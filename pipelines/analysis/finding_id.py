"""Findings are named by their id or the beginning of it, as commits are."""

from collections.abc import Collection

from pipelines.primitives.errors import TapescopeError


def only(ids: Collection[str], beginning: str) -> str:
    """The one id among those of all findings that begins so. Raises TapescopeError if it is none, or not one.

    >>> only(["ab12", "cd34"], "c")
    'cd34'
    """
    found = sorted({known for known in ids if known.startswith(beginning)})
    if len(found) != 1 or not beginning:
        said = f"{len(found)} findings have" if found else "no finding has"
        raise TapescopeError(f"{said} an id that begins with {beginning!r}", "`tapescope finding list` shows the ids")
    return found[0]
