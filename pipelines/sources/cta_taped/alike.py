"""The parameters of log lines: by place for lines alike, one by one for the others.

A message is written by one statement of the program, so that nearly all its lines have the same keys in the same
order. Split at the quotes, such lines have the same pieces but for the values: keys, separators and places are learnt
from one of them and checked in all. What differs is read on its own, and comes to the same values.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import polars as pl

Pairs = dict[str, str | None]

_KEY = re.compile(r" *[^\s=]+=")
_BARE = r"-?\d[\d.eE+-]*|true|false|null"
_MEMBER = re.compile(rf'\s*"([^"\\]*)"\s*:\s*(?:"([^"\\]*)"|({_BARE}))\s*([,}}])')
_BARE_PIECE = rf"\s*:\s*(?:{_BARE})\s*"
_BETWEEN = rf'^(?:{_BARE_PIECE},\s*"?)*$'
_UP_TO_END = rf'^(?:{_BARE_PIECE},\s*")*{_BARE_PIECE}\}}\s*$'
_AROUND_BARE = " :,}\t\r\n"
_FEWEST = 24  # lines alike that are worth learning from
_MOST_SHAPES = 6  # of one message in one block


class _Shape(NamedTuple):
    """How lines alike fall into pieces."""

    places: dict[str, tuple[int, bool]]  # of each key's value, and whether it stands without quotes
    fixed: list[int]  # pieces that are the same in all
    varied: list[int]
    bare: list[int]  # of the latter those without quotes
    text: str  # the fixed pieces, joined by quotes


def read(rows: pl.DataFrame, keys: Iterable[str]) -> pl.DataFrame:
    """Rows with a text column per key, null where the line has none, and `is_read`; they lack `body`.

    `rows` has `line_no`, `body`, `is_json` and `message`.
    """
    keys = sorted(set(keys))
    kept = [name for name in rows.columns if name != "body"]
    found: list[pl.DataFrame] = []
    singles: list[pl.DataFrame] = []
    # a value with quotes in one line and without in another makes two shapes
    n_quotes = rows["body"].str.count_matches('"', literal=True).alias("n_quotes")
    for alike in rows.with_columns(n_quotes).partition_by("is_json", "message", "n_quotes", include_key=True):
        singles.append(_by_place(alike.drop("n_quotes"), kept, keys, found))
    one_by_one = pl.concat(singles) if singles else rows
    found.append(one_by_one.select(kept).hstack(_table(one_by_one, keys)))
    return pl.concat(found).sort("line_no")


def _by_place(rows: pl.DataFrame, kept: list[str], keys: list[str], found: list[pl.DataFrame]) -> pl.DataFrame:
    """Lines of one message and as many quotes: those alike go to `found`, the others come back."""
    singles = []
    for _ in range(_MOST_SHAPES):
        if rows.height < _FEWEST:
            break
        body, is_json = rows.row(0, named=True)["body"], rows["is_json"][0]
        shape = _shape_of_json(body) if is_json else _shape_of_text(body)
        if shape is None:
            singles.append(rows.head(1))
            rows = rows.slice(1)
            continue
        split = rows.lazy().select(*kept, "body", pieces=pl.col("body").str.split('"'))
        read = split.select(*kept, *_values(shape, keys), is_read=_is_alike(shape, is_json)).collect()
        is_alike = read["is_read"]
        found.append(read if is_alike.all() else read.filter(is_alike))
        rows = rows.filter(~is_alike)
    return pl.concat([*singles, rows])


def _is_alike(shape: _Shape, is_json: bool) -> pl.Expr:
    pieces = pl.col("pieces")
    is_alike = pieces.list.gather(shape.fixed, null_on_oob=True).list.join('"', ignore_nulls=False) == shape.text
    is_alike &= pieces.list.len() == len(shape.fixed) + len(shape.varied)
    if is_json:  # a backslash changes what stands between quotes
        is_alike &= ~pl.col("body").str.contains("\\", literal=True)
    if shape.bare:
        is_last = shape.bare[-1] > shape.fixed[-1]
        bare = pieces.list.gather(shape.bare, null_on_oob=True).list.join('"')
        is_alike &= bare.str.contains(_UP_TO_END if is_last else _BETWEEN)
    return is_alike.fill_null(False)


def _values(shape: _Shape, keys: list[str]) -> Iterator[pl.Expr]:
    for key in keys:
        if key not in shape.places:
            yield pl.lit(None, pl.String).alias(key)
            continue
        place, is_bare = shape.places[key]
        piece = pl.col("pieces").list.get(place, null_on_oob=True)
        if is_bare:
            piece = piece.str.strip_chars(_AROUND_BARE)
        is_value = (piece != "") & (piece != "null") if is_bare else piece != ""
        yield pl.when(is_value).then(piece).alias(key)


def _shape_of_text(body: str) -> _Shape | None:
    pieces = body.split('"')
    if not _is_text(pieces):
        return None
    places = {key: (2 * number + 1, False) for number, key in enumerate(_text_keys(pieces))}
    fixed = list(range(2, len(pieces), 2))
    varied = list(range(1, len(pieces), 2))
    return _Shape(places, fixed, [0, *varied], [], '"'.join(pieces[place] for place in fixed))


def _is_text(pieces: list[str]) -> bool:
    """Keys and values in turn, behind the head of the line."""
    return len(pieces) % 2 == 1 and pieces[-1].strip() == "" and all(map(_KEY.fullmatch, pieces[2:-1:2]))


def _text_keys(pieces: list[str]) -> list[str]:
    return ["LVL", *(piece.strip()[:-1] for piece in pieces[2:-1:2])]


def _shape_of_json(body: str) -> _Shape | None:
    members = _members(body)
    if members is None:
        return None
    pieces = body.split('"')
    places: dict[str, tuple[int, bool]] = {}
    n_quotes = 0
    for key, _, bare in members:
        n_quotes += 2
        places[key] = (n_quotes, True) if bare else (n_quotes + 1, False)
        n_quotes += 0 if bare else 2
    bare_places = [place for place, is_bare in places.values() if is_bare]
    if len(places) < len(members):
        return None  # a key that stands twice
    varied = {place for place, _ in places.values()}
    fixed = [place for place in range(len(pieces)) if place not in varied]
    return _Shape(places, fixed, sorted(varied), bare_places, '"'.join(pieces[place] for place in fixed))


def _members(body: str) -> list[tuple[str, str, str]] | None:
    """Keys with a text or a bare value, of an object without objects and escapes in it; None if it is another."""
    if not body.startswith("{"):
        return None
    members, place, end = [], 1, ","
    while end == ",":
        match = _MEMBER.match(body, place)
        if match is None:
            return None
        key, text, bare, end = match.groups()
        members.append((key, text, bare))
        place = match.end()
    return members if not body[place:].strip() else None


def pairs(body: str, is_json: bool) -> Pairs | None:
    """The parameters of one line; None if it has not the shape of its kind."""
    if not is_json:
        pieces = body.split('"')
        return dict(zip(_text_keys(pieces), pieces[1::2], strict=True)) if _is_text(pieces) else None
    members = _members(body)
    if members is not None:
        return {key: text if bare is None else (bare if bare != "null" else None) for key, text, bare in members}
    try:
        found = json.loads(body, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return {key: _plain(value) for key, value in found.items()} if isinstance(found, dict) else None


def _plain(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def _table(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    read = [pairs(body, is_json) for body, is_json in rows.select("body", "is_json").iter_rows()]
    values = {key: [(found or {}).get(key) or None for found in read] for key in keys}
    schema = dict.fromkeys(keys, pl.String()) | {"is_read": pl.Boolean()}
    return pl.DataFrame(values | {"is_read": [found is not None for found in read]}, schema=schema)
