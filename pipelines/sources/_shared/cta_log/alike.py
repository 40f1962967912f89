"""The parameters of log lines: by place for lines alike, one by one for the others.

A message is written by one statement of the program, so that nearly all its lines have the same keys in the same
order. Cut at the quotes, such lines have the same pieces but for the values: keys, separators and places are learnt
from one of them and checked in all. What differs is read on its own, and comes to the same values.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

Pairs = dict[str, str | None]

_KEY = re.compile(r" *[^\s=]+=")
# A value without quotes reaches to the next quote, or to the end: whether it is a number, its column decides.
_MEMBER = re.compile(r'\s*"([^"\\]*)"\s*:\s*(?:"([^"\\]*)"\s*([,}])|([^"\\]*)([,}]))\s*(?="|$)', re.ASCII)
_BARE = re.compile(rb"(\s*:\s*)[^\"]*?(\s*[,}]\s*)")
_QUOTE, _BLANK = ord('"'), ord(" ")
_BLANKS = "".join(map(chr, range(_BLANK + 1)))
_FEWEST = 30  # lines alike that are worth learning from
_MOST_SHAPES = 6  # of one message in one block
_SLICE_ROWS = 64  # checked at a time, as they fit into a processor's cache

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class _Shape(NamedTuple):
    """How lines alike fall into pieces, by the quotes; lengths are in bytes."""

    values: dict[str, int]  # the piece of each key's value
    fixed: list[int]  # pieces that are the same in all
    bare: dict[int, tuple[bytes, bytes]]  # pieces of values without quotes: the text before and after the value
    pieces: list[bytes]


class _Cut(NamedTuple):
    """Lines with as many quotes as each other: their bytes, and where each piece begins and ends."""

    data: Bytes
    begins: Places
    ends: Places


def read(rows: pl.DataFrame, keys: Iterable[str]) -> pl.DataFrame:
    """Rows with a text column per key, null where the line has none, and `is_read`; they lack `body`.

    `rows` has `line_no`, `body`, `is_json` and `message`.
    """
    keys = sorted(set(keys))
    kept = [name for name in rows.columns if name != "body"]
    found: list[pl.DataFrame] = []
    singles: list[pl.DataFrame] = [rows.clear()]
    n_quotes = rows["body"].str.count_matches('"', literal=True).alias("n_quotes")
    for group in rows.with_columns(n_quotes).partition_by("is_json", "message", "n_quotes"):
        singles.append(_by_place(group.drop("n_quotes"), kept, keys, found))
    one_by_one = pl.concat(singles)
    singly = [pairs(body, is_json) for body, is_json in one_by_one.select("body", "is_json").iter_rows()]
    found.append(one_by_one.select(kept).hstack(table(singly, keys)))
    return pl.concat(found, how="diagonal").sort("line_no")


def _by_place(rows: pl.DataFrame, kept: list[str], keys: list[str], found: list[pl.DataFrame]) -> pl.DataFrame:
    """Lines of one message and as many quotes: those alike go to `found`, the others come back."""
    singles = [rows.clear()]
    for _ in range(_MOST_SHAPES):
        if rows.height < _FEWEST:
            break
        body, is_json = rows["body"][0], rows["is_json"][0]
        shape = _shape_of_json(body) if is_json else _shape_of_text(body)
        if shape is None:
            singles.append(rows.head(1))
            rows = rows.slice(1)
            continue
        cut = _cut(rows["body"])
        is_alike = pl.Series("is_read", _alike(cut, shape))
        if is_json:  # a backslash changes the text between quotes
            is_alike &= ~rows["body"].str.contains("\\", literal=True)
        read = rows.select(*kept, *_values(cut, shape, keys), is_alike)
        found.append(read if is_alike.all() else read.filter(is_alike))
        rows = rows.filter(~is_alike)
    return pl.concat([*singles, rows])


def _cut(bodies: pl.Series) -> _Cut:
    arrow = bodies.to_arrow(compat_level=pl.CompatLevel.oldest())  # one run of bytes
    _, offsets, buffer = arrow.buffers()
    edges = np.frombuffer(offsets, dtype=np.int64)[arrow.offset : arrow.offset + len(arrow) + 1]
    data = np.frombuffer(buffer, dtype=np.uint8)
    quotes = np.flatnonzero(data[edges[0] : edges[-1]] == _QUOTE).reshape(len(arrow), -1) + edges[0]
    return _Cut(data, np.column_stack([edges[:-1], quotes + 1]), np.column_stack([quotes, edges[1:]]))


def _alike(cut: _Cut, shape: _Shape) -> Flags:
    """Which lines have the fixed pieces, and the same text around their bare values as the shape."""
    size = cut.ends - cut.begins
    is_alike: Flags = (size[:, shape.fixed] == [len(shape.pieces[place]) for place in shape.fixed]).all(axis=1)
    runs = [(cut.begins[:, place], shape.pieces[place]) for place in shape.fixed]
    for place, (before, behind) in shape.bare.items():
        begin, end = cut.begins[:, place] + len(before), cut.ends[:, place] - len(behind)
        is_alike &= (begin < end) & (cut.data.take(begin, mode="clip") > _BLANK)
        is_alike &= cut.data.take(end - 1, mode="clip") > _BLANK
        runs += [(cut.begins[:, place], before), (end, behind)]
    begins = np.column_stack([begin for begin, _ in runs])
    lengths = [len(text) for _, text in runs]
    of_run = np.repeat(np.arange(len(runs)), lengths)
    within = np.concatenate([np.arange(length) for length in lengths])
    text = np.frombuffer(b"".join(text for _, text in runs), dtype=np.uint8)
    for first in range(0, len(begins), _SLICE_ROWS):
        chosen = np.flatnonzero(is_alike[first : first + _SLICE_ROWS]) + first
        bytes_of = cut.data.take(begins[chosen].take(of_run, axis=1) + within)
        is_alike[chosen] = (bytes_of == text).all(axis=1)
    return is_alike


def _values(cut: _Cut, shape: _Shape, keys: list[str]) -> list[pl.Expr]:
    body = pl.col("body").cast(pl.Binary)
    values = []
    for key in keys:
        place = shape.values.get(key)
        if place is None:
            continue
        before, behind = shape.bare.get(place, (b"", b""))
        begin = cut.begins[:, place] - cut.begins[:, 0] + len(before)
        size = np.maximum(cut.ends[:, place] - cut.begins[:, place] - len(before) - len(behind), 0)
        value = body.bin.slice(pl.Series(begin), pl.Series(size)).cast(pl.String, strict=False)
        is_value = (value != "") & (value != "null") if place in shape.bare else value != ""
        values.append(pl.when(is_value).then(value).alias(key))
    return values


def _shape_of_text(body: str) -> _Shape | None:
    pieces = body.split('"')
    if not _is_text(pieces):
        return None
    values = {key: 2 * number + 1 for number, key in enumerate(_text_keys(pieces))}
    return _Shape(values, list(range(2, len(pieces), 2)), {}, body.encode().split(b'"'))


def _is_text(pieces: list[str]) -> bool:
    """Keys and values in turn, after the head of the line."""
    return len(pieces) % 2 == 1 and pieces[-1].strip() == "" and all(map(_KEY.fullmatch, pieces[2:-1:2]))


def _text_keys(pieces: list[str]) -> list[str]:
    return ["LVL", *(piece.strip()[:-1] for piece in pieces[2:-1:2])]


def _shape_of_json(body: str) -> _Shape | None:
    members = _members(body)
    if members is None or len({key for key, _, _ in members}) < len(members):
        return None
    pieces = body.encode().split(b'"')
    values: dict[str, int] = {}
    bare: dict[int, tuple[bytes, bytes]] = {}
    n_quotes = 0
    for key, text, _ in members:
        n_quotes += 2
        values[key] = n_quotes if text is None else n_quotes + 1
        if text is not None:
            n_quotes += 2
        elif match := _BARE.fullmatch(pieces[n_quotes]):
            bare[n_quotes] = (match[1], match[2])
        else:
            return None
    varied = set(values.values())
    return _Shape(values, [place for place in range(len(pieces)) if place not in varied], bare, pieces)


def _members(body: str) -> list[tuple[str, str | None, str | None]] | None:
    """Keys with a text or a bare value, of an object without texts in objects or lists, and without escapes."""
    if not body.startswith("{"):
        return None
    members: list[tuple[str, str | None, str | None]] = []
    place, end = 1, ","
    while end == ",":
        match = _MEMBER.match(body, place)
        if match is None:
            return None
        key, text, end_of_text, bare, end_of_bare = match.groups()
        members.append((key, text, bare))
        place, end = match.end(), end_of_text or end_of_bare
    return members if place == len(body) else None


def pairs(body: str, is_json: bool) -> Pairs | None:
    """The parameters of one line; None if it has not the shape of its kind."""
    if not is_json:
        pieces = body.split('"')
        return dict(zip(_text_keys(pieces), pieces[1::2], strict=True)) if _is_text(pieces) else None
    try:
        found = json.loads(body, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and not any(isinstance(value, (dict, list)) for value in found.values()):
        return {key: _plain(value) for key, value in found.items()}
    # what is not quite JSON is read as among lines alike
    members = _members(body)
    if members is not None:
        return {key: _bare(bare) if text is None else text for key, text, bare in members}
    return {key: _plain(value) for key, value in found.items()} if isinstance(found, dict) else None


def _bare(value: str | None) -> str | None:
    value = (value or "").strip(_BLANKS)
    return None if value == "null" else value


def _plain(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def table(read: list[Pairs | None], keys: list[str]) -> pl.DataFrame:
    """The parameters of lines as a text column per key, null where a line has none, and `is_read`."""
    values = {key: [(found or {}).get(key) or None for found in read] for key in keys}
    schema = dict.fromkeys(keys, pl.String()) | {"is_read": pl.Boolean()}
    return pl.DataFrame(values | {"is_read": [found is not None for found in read]}, schema=schema)
