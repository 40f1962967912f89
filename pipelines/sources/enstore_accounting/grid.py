"""Rows of text tables as lists of cells, whatever form they were exported in.

A `Section` is a run of rows under one header. The state that goes from chunk to chunk is a plain dictionary; a row that
spans lines is open in it until its last line comes. A line that turns out to belong to a row that never ends was
counted as used when it came: the reject that names it takes that back, see `Sheet.n_used`.
"""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources.enstore_accounting.tables import KNOWN, Header, read_header
from pipelines.sources.protocol import LINES, REJECTS

CELLS = pl.Schema([("line_no", pl.Int64()), ("text", pl.String()), ("cells", pl.List(pl.String))])
FOOTER = r"^\(\d+ rows?\)\s*$"
PROMPT = r"^\w*[=\-(*'\"$][>#] "  # of psql: accounting=> select …
_OPEN_BYTES = 64 * 2**10  # of a row that spans lines; what is longer is damage
_FIELD = r'(?:"(?:[^"]|"")*"|[^",]*)'
_SOUND = f"^{_FIELD}(?:,{_FIELD})*$"
_OPENS = f'^(?:{_FIELD},)*"(?:[^"]|"")*$'
_MAYBE_HEADER = rf'^[ "]*(?:{"|".join(sorted(KNOWN))})[ "]*[,|]'

State = dict[str, Any]


@dataclass
class Section:
    """Rows under one header."""

    header: Header
    rows: pl.DataFrame  # CELLS


@dataclass
class Sheet:
    """The contents of one chunk of lines: rows by header, and the state of the lines."""

    sections: list[Section] = field(default_factory=list)
    rejects: list[pl.DataFrame] = field(default_factory=list)
    n_skipped: int = 0

    def reject(self, line_no: int, text: str, reason: str) -> None:
        self.rejects.append(pl.DataFrame([(line_no, text, reason)], schema=REJECTS, orient="row"))

    def reject_rows(self, rows: pl.DataFrame, reason: str) -> None:
        if rows.height:
            self.rejects.append(rows.select("line_no", "text", reason=pl.lit(reason)))


def refuse(line_no: int, header: Header) -> NoReturn:
    """The rows under a header that is not ours must not be read by the one before."""
    raise UnreadableFile(
        f"line {line_no}: {header.why}: {', '.join(header.names)[:200]}",
        "export complete tables with their header line, SELECT * FROM …",
    )


def header_of(state: State) -> Header | None:
    """The header above the rows, from the names the state keeps."""
    return read_header(state["header"]) if state.get("header") else None


def delimited(lines: pl.DataFrame, state: State, delimiter: str, is_good: Callable[[Section], bool]) -> Sheet:
    """CSV with quotes (delimiter `,`), or psql's unaligned output (`|`), which has none.

    `is_good` says whether a row holds what its table asks for: so it is known from a line inside a row that spans
    lines.
    """
    sheet = Sheet()
    blank = pl.col("text").str.strip_chars() == ""
    if delimiter == "|":
        blank = blank | pl.col("text").str.contains(FOOTER) | pl.col("text").str.contains(PROMPT)
    if delimiter == ",":
        lines = _join_quoted(lines, state, sheet, is_good)
    rows = lines.filter(~blank)
    sheet.n_skipped += lines.height - rows.height
    bounds = _headers(rows, delimiter)
    first = bounds[0][0] if bounds else rows.height
    _cut(rows[:first], header_of(state), delimiter, sheet)
    for place, (index, header) in enumerate(bounds):
        state["header"] = list(header.names)
        end = bounds[place + 1][0] if place + 1 < len(bounds) else rows.height
        _cut(rows[index + 1 : end], header, delimiter, sheet)
    return sheet


def _headers(rows: pl.DataFrame, delimiter: str) -> list[tuple[int, Header]]:
    """Positions of header lines; raises UnreadableFile for one that is not read."""
    maybe = rows.with_row_index("index").filter(pl.col("text").str.contains(_MAYBE_HEADER))
    found = []
    for index, line_no, text in maybe.select("index", "line_no", "text").iter_rows():
        if header := read_header(split_line(text, delimiter)):
            if header.table is None:
                refuse(line_no, header)
            found.append((index, header))
    return found


def split_line(text: str, delimiter: str) -> list[str]:
    """A line's cells; none where it cannot be split."""
    if delimiter == "|":
        return text.split(delimiter)
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []


def _cut(rows: pl.DataFrame, header: Header | None, delimiter: str, sheet: Sheet) -> None:
    """Rows as lists of cells; those that have too few or too many are rejected."""
    if not rows.height:
        return
    if header is None:
        sheet.reject_rows(rows, "no_header")
        return
    n_cells = len(header.names)
    text = pl.col("text")
    is_quoted = text.str.contains('"', literal=True) & (delimiter == ",")
    parts = rows.with_columns(is_quoted=is_quoted)
    plain = parts.filter(~pl.col("is_quoted")).with_columns(width=text.str.count_matches(delimiter, literal=True) + 1)
    sheet.reject_rows(plain.filter(pl.col("width") != n_cells), "wrong_width")
    plain = plain.filter(width=n_cells).with_columns(cells=text.str.split(delimiter))
    quoted = parts.filter("is_quoted").with_columns(is_sound=text.str.contains(_SOUND))
    sheet.reject_rows(quoted.filter(~pl.col("is_sound")), "bad_syntax")
    quoted = quoted.filter("is_sound").with_columns(cells=_unquoted())
    fits = pl.col("cells").list.len() == n_cells
    sheet.reject_rows(quoted.filter(~fits), "wrong_width")
    whole = pl.concat([plain.select(CELLS.names()), quoted.filter(fits).select(CELLS.names())])
    sheet.sections.append(Section(header, (whole if quoted.is_empty() else whole.sort("line_no")).cast(CELLS)))


def _unquoted() -> pl.Expr:
    cell = pl.element().str.slice(1)
    bare = pl.when(cell.str.starts_with('"')).then(
        cell.str.strip_prefix('"').str.strip_suffix('"').str.replace_all('""', '"', literal=True)
    )
    fields = ("," + pl.col("text")).str.extract_all(f",{_FIELD}")
    return fields.list.eval(bare.otherwise(cell))


# --- rows that span lines, because a quoted cell holds line breaks -------------------------------------------------


def _join_quoted(lines: pl.DataFrame, state: State, sheet: Sheet, is_good: Callable[[Section], bool]) -> pl.DataFrame:
    """The same lines, those of one row as one; a row whose last line has not come waits in the state."""
    is_unbalanced = (lines["text"].str.count_matches('"', literal=True) % 2 == 1).to_list()
    if state.get("open") is None and not any(is_unbalanced):
        return lines
    texts, numbers = lines["text"].to_list(), lines["line_no"].to_list()
    header = header_of(state)
    taken: set[int] = set()
    joined: list[tuple[int, str]] = []
    place = 0
    while place < len(texts):
        text, is_open = texts[place], state.get("open")
        if is_open is None:
            if not is_unbalanced[place] or not re.match(_OPENS, text):
                if read := _header_in(text):
                    header = read
                place = next(
                    (i for i in range(place + 1, len(texts)) if is_unbalanced[i] or _header_in(texts[i])), len(texts)
                )
                continue
            state["open"] = {"line_no": numbers[place], "text": text}
            taken.add(place)
        elif is_unbalanced[place]:
            joined.append((is_open["line_no"], f"{is_open['text']}\n{text}"))
            state["open"] = None
            taken.add(place)
        elif _is_row(text, header, is_good):
            sheet.reject(is_open["line_no"], is_open["text"], "bad_syntax")
            state["open"] = None
        else:
            if len(is_open["text"]) < _OPEN_BYTES:
                is_open["text"] += f"\n{text}"
            taken.add(place)
        place += 1
    rest = lines.filter(~pl.Series([i in taken for i in range(lines.height)], dtype=pl.Boolean))
    return pl.concat([rest, pl.DataFrame(joined, schema=LINES, orient="row")]).sort("line_no")


def _header_in(text: str) -> Header | None:
    return read_header(split_line(text, ",")) if re.match(_MAYBE_HEADER, text) else None


def _is_row(text: str, header: Header | None, is_good: Callable[[Section], bool]) -> bool:
    """A line that is a whole row or header by itself: the row before it was broken off."""
    if _header_in(text) is not None:
        return True
    if header is None or text.count(",") < len(header.names) - 1:
        return False
    sheet = Sheet()
    _cut(pl.DataFrame([(0, text)], schema=LINES, orient="row"), header, ",", sheet)
    return any(section.rows.height == 1 and is_good(section) for section in sheet.sections)
