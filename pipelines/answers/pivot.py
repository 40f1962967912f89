"""PIVOT … ON without IN, of which DuckDB's parser makes two statements and gives no tree."""

import re

_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$|\w+|[(\[{]|[)\]}]|,|;""", re.DOTALL
)
_END = {"USING", "GROUP", "ORDER", "LIMIT"}


def is_in(sql: str) -> bool:
    """Whether the word occurs in a text."""
    return re.search(r"\bPIVOT(_WIDER)?\b", sql, re.IGNORECASE) is not None


def with_values(sql: str) -> str:
    """The same text with a value for each column that names none, so that it is one SELECT; nothing without PIVOT.

    The tree of that text says which tables and functions the text itself names.

    >>> with_values("PIVOT silver.gap ON drive, f(a, b) IN (1) USING count(*)")
    "PIVOT silver.gap ON drive IN ('') , f(a, b) IN (1) USING count(*)"
    """
    if not is_in(sql):
        return ""
    places: list[int] = []
    open_pivots: list[tuple[int, str]] = []  # depth, and what of it is being read: source, column or valued
    depth = end = 0
    for token in _TOKEN.finditer(sql):
        text = token[0]
        if text.startswith(("--", "/*")):
            continue
        word = text.upper()
        at, state = open_pivots[-1] if open_pivots else (-1, "")
        is_over = text in ")]};" or word in _END
        if state and depth == at and (is_over or text == ","):
            if state == "column":
                places.append(end)
            if is_over:
                open_pivots.pop()
            elif state != "source":
                open_pivots[-1] = (at, "column")
        elif depth == at and (state, word) == ("source", "ON"):
            open_pivots[-1] = (at, "column")
        elif depth == at and (state, word) == ("column", "IN"):
            open_pivots[-1] = (at, "valued")
        elif word in ("PIVOT", "PIVOT_WIDER"):
            open_pivots.append((depth, "source"))
        depth += (text in "([{") - (text in ")]}")
        end = token.end()
    if open_pivots and open_pivots[-1][1] == "column":
        places.append(end)
    for place in reversed(places):
        sql = f"{sql[:place]} IN ('') {sql[place:]}"
    return sql
