"""One module (or package) per kind of log; the folder is the registry.

A source is added by putting a file here: nothing lists the names. What starts with `_` is shared by sources
and is not a source.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import cast

from polars.exceptions import PanicException

from pipelines.primitives.errors import AmbiguousSource, UnreadableFile
from pipelines.sources.protocol import Claim, Source, source_names


@cache
def all_sources() -> dict[str, Source]:
    """Every source by its stem, sorted."""
    return {stem: source_of(stem) for stem in source_names()}


def source_of(stem: str) -> Source:
    """One source, without loading the others."""
    return cast(Source, importlib.import_module(f"{__name__}.{stem}"))


def choose(head: list[str]) -> tuple[str | None, dict[str, Claim]]:
    """The stem of the one source that claims these first lines, and the claim of every source."""
    claims = {stem: _claim(stem, source, head) for stem, source in all_sources().items()}
    matches = [stem for stem, claim in claims.items() if claim.is_match]
    if len(matches) > 1:
        reasons = "; ".join(f"{stem}: {claims[stem].why}" for stem in matches)
        raise AmbiguousSource(
            f"the sources {' and '.join(matches)} recognise the same file ({reasons})",
            "give one of these sources as `source` in the file's [[input]], and report this as a bug in tapescope",
        )
    return (matches[0] if matches else None), claims


def _claim(stem: str, source: Source, head: list[str]) -> Claim:
    try:
        with contained(stem):
            return source.recognise(head)
    except UnreadableFile as error:
        return Claim(False, 1.0, str(error))


@contextmanager
def contained(stem: str) -> Iterator[None]:
    """A fault of ours in one source must not keep other files out: whatever it raises refuses the file alone.

    Raises UnreadableFile. A panic of Polars is an exception, but no Exception; others of that kind end the process.
    """
    try:
        yield
    except UnreadableFile:
        raise
    except (Exception, PanicException) as error:
        raise UnreadableFile(
            f"tapescope's reader for {stem} failed on this file: {type(error).__name__}: {str(error)[:200]}",
            "this is a bug in tapescope: report it with the file",
            reason="internal_error",
        ) from error


def nearest(claims: dict[str, Claim]) -> str:
    """Why no source claims a file: the reason of the most similar source, if any is similar at all.

    >>> nearest({"sar": Claim(False, 0.0, "no header"), "nmon": Claim(False, 0.6, "AAA lines are missing")})
    'the most similar source is nmon: AAA lines are missing'
    >>> nearest({"sar": Claim(False, 0.0, "no header")})
    'the first lines resemble no known kind of log'
    """
    stem = max(claims, key=lambda key: claims[key].likeness)
    if not claims[stem].likeness:
        return "the first lines resemble no known kind of log"
    return f"the most similar source is {stem}: {claims[stem].why}"
