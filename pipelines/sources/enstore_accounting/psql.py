"""Aligned output of psql: names over a rule, cells between bars, each row perhaps wrapped at the terminal's width.

        date         |       node       |  pid  …       a row wrapped over k lines has its names and its rule over
    ---------------------+------------------+---- …     k lines as well; blanks at the end of a line may be gone
     2014-08-27 13:58:15 | host.example.org |  777 …

The rule shows the places of the bars, so that a bar inside a cell does no harm.
"""

import re
from itertools import groupby, pairwise
from typing import Any

import polars as pl

from pipelines.sources.enstore_accounting.grid import CELLS, FOOTER, PROMPT, Section, Sheet, State, header_of, refuse
from pipelines.sources.enstore_accounting.tables import Header, read_header
from pipelines.sources.protocol import LINES, first_of

RULE = r"^[-+]+$"
RECORD = r"^-\[ RECORD \d+ \][-+]*$"
_NAMES = re.compile(r"[ A-Za-z_0-9.|?]*")
_MOST_PENDING = 64

Lines = list[tuple[int, str]]


def aligned(lines: pl.DataFrame, state: State) -> Sheet:
    """Rows of one or more results, each after its names and rule."""
    sheet = Sheet()
    text = pl.col("text")
    kinds = lines.with_columns(
        kind=first_of(
            rule=text.str.contains(RULE),
            edge=text.str.contains(FOOTER) | text.str.contains(PROMPT),
            blank=text.str.strip_chars() == "",
            otherwise="text",
        )
    )
    for kind, rows in _runs(kinds):
        if kind == "rule":
            for row in rows.iter_rows():
                _rule(state, row[0], row[1], sheet)
        elif kind == "edge":
            sheet.n_skipped += rows.height - _end(state, sheet)
        elif kind == "blank":
            sheet.n_skipped += _blank(state, rows, sheet)
        elif state.get("rule") is None:
            _names(state, rows, sheet)
        else:
            _data(state, rows, sheet)
    return sheet


def _runs(kinds: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Neighbouring lines of one kind together."""
    starts = kinds.with_row_index("index").filter((pl.col("kind") != pl.col("kind").shift(1)).fill_null(True))
    bounds = [*starts["index"].to_list(), kinds.height]
    return [(kinds["kind"][a], kinds[a:b]) for a, b in pairwise(bounds)]


def _end(state: State, sheet: Sheet) -> int:
    """A result ends; what follows are names again. Number of rows broken off: 1 or 0."""
    pieces = state.get("pieces") or []
    if pieces:
        sheet.reject(pieces[0][0], pieces[0][1], "bad_syntax")
    state.update(rule=None, header=None, pending=[], pieces=[])
    return min(1, len(pieces))


def _blank(state: State, rows: pl.DataFrame, sheet: Sheet) -> int:
    """A blank line ends a result, unless it is a wrapped piece of names or cells; number of lines skipped."""
    if state.get("pieces"):
        _data(state, rows, sheet)
        return 0
    if state.get("pending") and state.get("rule") is None:
        _names(state, rows, sheet)
        return 0
    return rows.height - _end(state, sheet)


def _names(state: State, rows: pl.DataFrame, sheet: Sheet) -> None:
    """Lines before a rule are names, if they look like names."""
    for line_no, text in rows.select("line_no", "text").iter_rows():
        if _NAMES.fullmatch(text) and len(state.get("pending", [])) < _MOST_PENDING:
            state.setdefault("pending", []).append(text)
        else:
            sheet.reject(line_no, text, "no_header")


def _rule(state: State, line_no: int, text: str, sheet: Sheet) -> None:
    if state.get("rule") is None or state.get("header") is not None:
        if state.get("rule") is not None:
            _end(state, sheet)
        state["rule"] = []
    state["rule"].append(text)
    state["rule_line"] = line_no


def _close_rule(state: State) -> Header | None:
    """At the first line after a rule its names are known."""
    if state.get("header") is not None:
        return header_of(state)
    header = read_header(names_of(state.get("pending") or [], state["rule"]))
    if header is None:
        return None
    if header.table is None:
        refuse(state["rule_line"], header)
    state.update(header=list(header.names), pending=[], pieces=[])
    return header


def names_of(pending: list[str], rule: list[str]) -> list[str]:
    """Column names above a rule: they take as many lines as the rule."""
    return [name.strip() for name in _joined(pending[-len(rule) :], rule).split("|")]


def _joined(pieces: list[str], rule: list[str]) -> str:
    """Wrapped pieces as one line: the blanks cut from their ends are put back."""
    return "".join(piece.ljust(len(of)) for piece, of in zip(pieces, rule, strict=False))


def _data(state: State, rows: pl.DataFrame, sheet: Sheet) -> None:
    header = _close_rule(state)
    if header is None:
        sheet.reject_rows(rows, "no_header")
        return
    rule: list[str] = state["rule"]
    if len(rule) > 1:
        rows = _unwrapped(state, rows, rule, sheet)
    _cut(rows, header, "".join(rule), sheet)


def _unwrapped(state: State, rows: pl.DataFrame, rule: list[str], sheet: Sheet) -> pl.DataFrame:
    """Rows put together from their pieces; a piece that does not fit its place is rejected."""
    bars = [[place for place, sign in enumerate(piece) if sign == "+"] for piece in rule]
    found: Lines = []
    pieces: list[list[Any]] = state.setdefault("pieces", [])
    for line_no, text in rows.select("line_no", "text").iter_rows():
        if _fits(text, rule, bars, len(pieces)):
            pieces.append([line_no, text])
        elif pieces and _fits(text, rule, bars, 0):
            sheet.reject(pieces[0][0], pieces[0][1], "bad_syntax")
            pieces[:] = [[line_no, text]]
        else:
            sheet.reject(line_no, text, "bad_syntax")
        if len(pieces) == len(rule):
            found.append((pieces[0][0], _joined([piece for _, piece in pieces], rule)))
            pieces.clear()
    return pl.DataFrame(found, schema=LINES, orient="row")


def _fits(text: str, rule: list[str], bars: list[list[int]], place: int) -> bool:
    """Bars where the rule has its crosses; blanks after the last bar may be gone, so the line may be shorter."""
    if len(text) > len(rule[place]):
        return False
    if place == 0 and not text[:2].strip():
        return False  # a row begins with its first cell
    return all(place_of >= len(text) or text[place_of] == "|" for place_of in bars[place]) and (
        not bars[place] or len(text) > bars[place][-1] or not text.strip()
    )


def _cut(rows: pl.DataFrame, header: Header, rule: str, sheet: Sheet) -> None:
    """Cells between bars: as many bars as names, else by the places of the rule's crosses."""
    n_bars = len(header.names) - 1
    text = pl.col("text")
    rows = rows.select("line_no", "text").with_columns(width=text.str.count_matches("|", literal=True))
    cells = text.str.split("|").list.eval(pl.element().str.strip_chars(" "))
    plain = rows.filter(width=n_bars).with_columns(cells=cells).select(CELLS.names())
    mismatched = rows.filter(pl.col("width") != n_bars)
    places = [place for place, sign in enumerate(rule) if sign == "+"]
    by_place = mismatched.filter(pl.lit(len(places) == n_bars))
    for place in places:
        by_place = by_place.filter(text.str.slice(place, 1) == "|")
    bounds = [-1, *places]
    lengths = [*(b - a - 1 for a, b in zip(bounds, places, strict=False)), None]
    sliced = by_place.with_columns(
        cells=pl.concat_list(
            [text.str.slice(a + 1, n).str.strip_chars(" ") for a, n in zip(bounds, lengths, strict=True)]
        )
    ).select(CELLS.names())
    sheet.reject_rows(mismatched.join(sliced, on="line_no", how="anti"), "wrong_width")
    whole = pl.concat([plain, sliced]) if sliced.height else plain
    sheet.sections.append(Section(header, whole.sort("line_no").cast(CELLS)))


# --- expanded output: one cell a line -------------------------------------------------------------------------------


def expanded(lines: pl.DataFrame, state: State) -> Sheet:
    """psql's `\\x` output; a small form, read line by line."""
    sheet = Sheet()
    found: list[tuple[int, list[str], list[str]]] = []
    is_record = re.compile(RECORD).match
    is_edge = re.compile(f"{FOOTER}|{PROMPT}|^\\s*$").match
    for line_no, text in lines.select("line_no", "text").iter_rows():
        if is_record(text):
            _close(state, found, sheet)
            state["record"] = {"line_no": line_no, "names": [], "cells": []}
        elif is_edge(text):
            sheet.n_skipped += 0 if _close(state, found, sheet) else 1
        elif (record := state.get("record")) is None:
            sheet.reject(line_no, text, "no_header")
        elif (pair := re.fullmatch(r"(\w+) *\| ?(.*)", text)) is None:
            sheet.reject(line_no, text, "bad_syntax")
        else:
            record["names"].append(pair[1])
            record["cells"].append(pair[2].strip())
            if record["names"] == state.get("header"):
                _close(state, found, sheet)
    for names, group in groupby(found, key=lambda row: row[1]):
        header = read_header(names)
        rows = [(line_no, "\n".join(cells), cells) for line_no, _, cells in group]
        if header is not None:
            sheet.sections.append(Section(header, pl.DataFrame(rows, schema=CELLS, orient="row")))
    return sheet


def _close(state: State, found: list[tuple[int, list[str], list[str]]], sheet: Sheet) -> bool:
    """Take the open record, if there is one; the first says which names are to come."""
    record = state.get("record")
    state["record"] = None
    if record is None:
        return False
    header = read_header(record["names"])
    if header is not None and header.table is None and not state.get("header"):
        refuse(record["line_no"], header)
    if header is None or header.table is None:
        sheet.reject(record["line_no"], "\n".join(record["cells"]), "bad_syntax")
        return True
    state["header"] = state.get("header") or record["names"]
    found.append((record["line_no"], record["names"], record["cells"]))
    return True
