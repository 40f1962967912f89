"""Lines of tools that print in columns, without the blanks that make them."""

import polars as pl

# Blanks replaced by one, in this order: nearly all runs are gone then, in half the time of a regular expression.
_SQUEEZES = (5, 3, 2)


def flatten(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines with `flat`: single blanks, none outside."""
    flat = pl.col("text")
    if lines["text"].str.contains("\t", literal=True).any():
        flat = flat.str.replace_all("\t", " ", literal=True)
    for width in _SQUEEZES:
        flat = flat.str.replace_all(" " * width, " ", literal=True)
    lines = lines.with_columns(flat=flat.str.strip_chars(" \r"))
    for rest in ("  ", "  +"):
        if not lines["flat"].str.contains("  ", literal=True).any():
            break
        lines = lines.with_columns(pl.col("flat").str.replace_all(rest, " ", literal=rest == "  "))
    return lines
