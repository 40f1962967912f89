"""Lines as fields between delimiters, those in quotes too."""

import csv

import polars as pl


def cells(texts: pl.Series, delimiter: str) -> pl.Series:
    """Each line's fields; NULL where quotes do not close."""
    found = texts.str.split(delimiter)
    quoted = texts.str.contains('"', literal=True).arg_true()
    if not len(quoted):
        return found
    split = found.to_list()
    for place in quoted:
        split[place] = _unquoted(texts[place], delimiter)
    return pl.Series(found.name, split, dtype=pl.List(pl.String))


def _unquoted(text: str, delimiter: str) -> list[str] | None:
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None
