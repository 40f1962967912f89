"""Text from logs, made safe to show: what acts, rather than shows, is written out."""

import unicodedata

LINE_CHARS = 160
_ACTING = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(text: str) -> str:
    """Control and direction characters as escapes: a log line must not steer a terminal or a page.

    >>> print(visible("a\\x1b[31m\\u202eb"))
    a\\x1b[31m\\u202eb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in _ACTING else char for char in text
    )


def one_line(text: str, n_chars: int = LINE_CHARS) -> str:
    """The same on one line, of at most so many characters.

    >>> one_line("a\\nb  c", 4)
    'a b…'
    """
    return shortened(visible(" ".join(text.split())), n_chars)


def shortened(text: str, n_chars: int) -> str:
    """The beginning of a longer text, and a mark that there is more."""
    return text if len(text) <= n_chars else text[: n_chars - 1].rstrip() + "…"
