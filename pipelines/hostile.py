"""Text from logs, made safe to show: what acts, rather than shows, is written out."""

import unicodedata

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
