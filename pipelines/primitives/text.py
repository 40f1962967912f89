"""Escape control and direction characters, so that log text cannot affect a terminal or a page."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

LINE_CHARS, SENTENCES_CHARS = 160, 2000
_CUT_WORD = re.compile(r"\s\S{0,15}\Z")
_NUMBER = re.compile(r"[-+]?[\d.,:]+([eE][-+]?\d+)?")
_WORD_JOINER = "\u2060"
_ACTING = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def escape_control(text: str) -> str:
    """Write control and direction characters as escapes.

    >>> print(escape_control("a\\x1b[31m\\u202eb"))
    a\\x1b[31m\\u202eb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in _ACTING else char for char in text
    )


def single_line(text: str, n_chars: int = LINE_CHARS) -> str:
    """The escaped text on one line, of at most `n_chars` characters.

    >>> single_line("a\\nb  c", 4)
    'a b…'
    """
    return truncate(escape_control(" ".join(text.split())), n_chars)


def truncate(text: str, n_chars: int) -> str:
    """The beginning of a longer text, up to a word's end if one is near, and a mark that there is more.

    >>> truncate("who set the drive offline", 20), truncate("a-name-without-any-words", 20)
    ('who set the drive…', 'a-name-without-any-…')
    """
    return text if len(text) <= n_chars else _CUT_WORD.sub("", text[:n_chars])[: n_chars - 1].rstrip() + "…"


def escape_csv_cell(text: str) -> str:
    """A cell of a CSV file: escaped for terminals, and no spreadsheet takes it for a formula.

    >>> [escape_csv_cell(text) for text in ("=1+1", "-4.5", "- none", "a=b", "@x")]
    ["'=1+1", '-4.5', "'- none", 'a=b', "'@x"]
    """
    text = escape_control(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) and not _NUMBER.fullmatch(text) else text


def csv_text(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as a CSV file whose texts act neither on a terminal nor in a spreadsheet; NULL becomes empty.

    >>> csv_text(["drive", "n"], [("=a", 1), (None, 2.5)])
    "drive,n\\n'=a,1\\n,2.5\\n"
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(escape_csv_cell, names))
    writer.writerows(map(_csv_cell, row) for row in rows)
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, int | float) or value is None:
        return "" if value is None else value
    return escape_csv_cell(str(value))


def escape_markdown(text: str, n_chars: int = SENTENCES_CHARS) -> str:
    """The text on one line as plain Markdown: no markup, and no address that becomes a link.

    Readers of Markdown look for addresses, emoji and icons in the plain text too, after escapes: a character without
    width keeps their parts apart.

    >>> escape_markdown("LTO-4"), escape_markdown("<b>*x*"), escape_markdown("1. _a_")
    ('LTO-4', '\\\\<b\\\\>\\\\*x\\\\*', '1\\\\. \\\\_a\\\\_')
    >>> ascii(escape_markdown("http://a.b www.a.b a@b.c"))
    "'http\\\\\\\\:\\\\u2060\\\\\\\\/\\\\\\\\/a.b www\\\\u2060.a.b a\\\\\\\\@\\\\u2060b.c'"
    """
    escaped = re.sub(r"([!-,/:-@\[-`{-~]|^[.-])", r"\\\1", single_line(text, n_chars))  # ASCII's punctuation acts
    escaped = re.sub(r"^(\d+)\.", r"\1\\.", escaped)
    return re.sub(r"(?i)([:@]|www(?=\.))", rf"\1{_WORD_JOINER}", escaped)


def did_you_mean(near: Sequence[str]) -> str:
    """A hint with the known names that are nearest to an unknown one; empty where none is near.

    >>> did_you_mean(["losses", "flushes"]), did_you_mean([])
    ('did you mean losses or flushes?', '')
    """
    return f"did you mean {' or '.join(near)}?" if near else ""


def short_host(host: str) -> str:
    """A host without its domain; an address stays unchanged. The macro of this name is the same in SQL.

    >>> short_host("dm8.example.org"), short_host("192.0.2.7"), short_host("2001:db8::7")
    ('dm8', '192.0.2.7', '2001:db8::7')
    """
    return host if re.fullmatch(r"[\d.]+|.*:.*", host) else host.split(".")[0]


def natural(name: str | None) -> tuple[list[tuple[int, str]], str]:
    """What names are sorted by: their numbers as numbers, so that `s5a` comes before `s10a`."""
    parts = re.findall(r"(\d+)|(\D+)", name or "")
    return [(int(digits[:18] or 0), letters) for digits, letters in parts], name or ""
