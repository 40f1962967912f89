"""Rows of numbers that a program prints in columns of fixed width, read from their bytes many at a time.

    sdb               0.00   812.00    0.00  104.00     0.00   101.22  1993.25    14.20  136.50   7.90  82.20

Rows of one length whose numbers end in the same places are one table of bytes, in which a digit's weight is that of
its column. A row in which a number overflowed its column, or that holds anything but a name and plain numbers, is not
taken: it is read field by field elsewhere, and must come to the same values there.
"""

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

_ROW = re.compile(r"([a-z][!-~]*(?= ))?((?:(?: +|^)\d+(?:[.,]\d+)?)+)")
_CELL = re.compile(r"\d+(?:[.,](\d+))?")
_BLANK, _ZERO, _FIRST, _LAST = 32, 48, ord("a"), ord("z")
_MOST_DIGITS = 15  # of a number that a float holds exactly
_LONGEST = 1000  # characters of a row
_FEWEST, _LEAST_SHARE = 4, 0.02  # lines of one length, and their share of all, that are worth a table
_MOST_LENGTHS, _MOST_SAMPLES = 8, 8  # lengths, and lines of one length, that are looked at for rows
_SLICE_ROWS = 2048
_NOT_NAMES = (b"zzz ",)  # words that begin other lines

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


class Field(NamedTuple):
    """A number between the end of the text before it and its own end; `mark` is its point as a byte, 0 for none."""

    begin: int
    point: int
    end: int
    mark: int


class Shape(NamedTuple):
    """The shape of rows: with or without a name, and numbers, each an integer or not."""

    has_name: bool
    are_whole: tuple[bool, ...]


def peel(lines: pl.DataFrame) -> tuple[dict[Shape, pl.DataFrame], pl.DataFrame]:
    """The rows whose cells are at fixed columns, by their shape, and all other lines.

    `lines` has `line_no` and `text`. Rows have the columns of the lines, `name` and numbers "0", "1", … as Float64,
    those without a point as Int64.
    """
    size = lines["text"].str.len_bytes().to_numpy()
    is_taken = np.zeros(lines.height, dtype=np.bool_)
    found: dict[Shape, list[pl.DataFrame]] = {}
    for length in _lengths(size):
        is_long = size == length
        places = np.flatnonzero(is_long)
        samples = lines["text"].gather(places[:: max(places.size // _MOST_SAMPLES, 1)]).to_list()
        tried = [columns for columns in dict.fromkeys(_columns(sample) for sample in samples) if columns]
        if tried and (read := _read(lines.filter(is_long), tried)) is not None:
            shape, rows, is_row = read
            is_taken[places[is_row]] = True
            found.setdefault(shape, []).append(rows)
    joined = {
        shape: parts[0] if len(parts) == 1 else pl.concat(parts).sort("line_no") for shape, parts in found.items()
    }
    return joined, lines.filter(~is_taken) if found else lines


def _lengths(size: npt.NDArray[Any]) -> list[int]:
    """Those that many lines have."""
    counts = np.bincount(np.minimum(size, _LONGEST + 1), minlength=2)
    counts[[0, 1, -1]] = 0 if counts.size == _LONGEST + 2 else [0, 0, counts[-1]]
    common = np.argsort(-counts, kind="stable")[:_MOST_LENGTHS]
    return [int(one) for one in common if counts[one] >= max(_FEWEST, _LEAST_SHARE * size.size)]


def _read(lines: pl.DataFrame, tried: list[tuple[Field, ...]]) -> tuple[Shape, pl.DataFrame, Flags] | None:
    """Of lines of one length: the shape of most, their rows, and which lines those are; None if none tried fits."""
    table = _by_column(lines["text"])
    is_digit = (table - _ZERO) < 10
    for fields in tried:
        has_name = fields[0].begin > 0
        is_row, begin = _names(table, fields[0].point) if has_name else (np.ones(lines.height, dtype=np.bool_), 0)
        fields = (fields[0]._replace(begin=begin), *fields[1:])
        for field in fields:
            is_row &= _numbers(table, is_digit, field)
        if 2 * is_row.sum() < lines.height:
            continue
        name = pl.col("text").str.head(begin).str.strip_chars_end(" ") if has_name else pl.lit(None, pl.String)
        values = {str(i): pl.Series(_values(table, field)) for i, field in enumerate(fields)}
        shape = Shape(has_name, tuple(not field.mark for field in fields))
        rows = lines.with_columns(name=name, **values)
        return shape, rows if is_row.all() else rows.filter(is_row), is_row
    return None


def _by_column(texts: pl.Series) -> Bytes:
    """The bytes of texts of one length, a column of the text as a row.

    They are turned piece by piece, as each fits into a processor's cache.
    """
    arrow = texts.to_arrow(compat_level=pl.CompatLevel.oldest())  # one run of bytes
    _, offsets, data = arrow.buffers()
    begin, end = np.frombuffer(offsets, dtype=np.int64)[[arrow.offset, arrow.offset + len(arrow)]]
    table = np.frombuffer(data, dtype=np.uint8)[begin:end].reshape(len(arrow), -1)
    turned = np.empty(table.shape[::-1], dtype=np.uint8)
    for begin in range(0, len(table), _SLICE_ROWS):
        turned[:, begin : begin + _SLICE_ROWS] = table[begin : begin + _SLICE_ROWS].T
    return turned


def _columns(text: str) -> tuple[Field, ...] | None:
    """The places of the numbers in a row; None for another line.

    >>> _columns("sdb    0.00 12")
    (Field(begin=3, point=8, end=11, mark=46), Field(begin=11, point=14, end=14, mark=0))
    """
    match = _ROW.fullmatch(text)
    if match is None:
        return None
    fields = []
    begin = len(match[1] or "")
    for cell in _CELL.finditer(text, begin):
        point = cell.end() - len(cell[1]) - 1 if cell[1] else cell.end()
        fields.append(Field(begin, point, cell.end(), ord(text[point]) if cell[1] else 0))
        begin = cell.end()
    return tuple(fields)


def _names(table: Bytes, end: int) -> tuple[Flags, int]:
    """Which rows begin with one word, blanks and a number up to `end`; and where the longest of those words ends."""
    is_blank = table[:end] == _BLANK
    is_row = (table[0] >= _FIRST) & (table[0] <= _LAST) & ((is_blank[1:] & ~is_blank[:-1]).sum(axis=0) == 1)
    for word in _NOT_NAMES:
        is_row &= (np.frombuffer(word, dtype=np.uint8) != table[: len(word)].T).any(axis=1)
    longest = int(is_blank.argmax(axis=0)[is_row].max(initial=0))
    is_row &= ((table[:longest] >= _BLANK) & (table[:longest] < 127)).all(axis=0)
    return is_row, longest


def _numbers(table: Bytes, is_digit: Flags, field: Field) -> Flags:
    """Which rows have blanks (at least one, except at the start of the line) and then a number in their columns."""
    begin, point, end, mark = field
    inside = is_digit[begin:point]
    is_row: Flags = (inside | (table[begin:point] == _BLANK)).all(axis=0) & inside[-1]
    is_row &= ~(inside[:-1] & ~inside[1:]).any(axis=0)  # no blank after a digit
    if begin:
        is_row &= ~inside[0]
    if end - begin > _MOST_DIGITS:
        is_row &= ~is_digit[begin : end - _MOST_DIGITS].any(axis=0)
    if mark:
        is_row &= (table[point] == mark) & is_digit[point + 1 : end].all(axis=0)
    return is_row


def _values(table: Bytes, field: Field) -> npt.NDArray[Any]:
    """All digits as an integer, divided by the power of ten of their point: rounded once, as a parser rounds."""
    begin, point, end, mark = field
    begin = max(begin, end - _MOST_DIGITS)
    total: npt.NDArray[Any] = np.zeros(table.shape[1], dtype=np.int64 if end - begin > 9 else np.int32)
    for place in (*range(begin, point), *range(point + 1, end)):
        total *= 10
        total += table[place] & 15  # a blank counts as a zero
    return total / 10 ** (end - point - 1) if mark else total.astype(np.int64)
