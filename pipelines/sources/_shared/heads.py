"""A file's first lines, by which it is recognised.

Every source looks at every new file, and Polars keeps some thirty compiled patterns only. In patterns of heads digits
are therefore `[0-9]`: digits of all alphabets take ten times as long to compile.
"""

import polars as pl


def filled(head: list[str]) -> pl.Series:
    """The lines that are not blank."""
    return pl.Series([line for line in head if line.strip()], dtype=pl.String)


def share_of(texts: pl.Series, pattern: str) -> float:
    """The share of lines that contain a pattern; 0 where there are none."""
    return int(texts.str.contains(pattern).sum()) / max(len(texts), 1)
