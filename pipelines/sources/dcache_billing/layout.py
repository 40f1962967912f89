"""Layouts of billing lines: the file's own header says in which order a line gives what.

    ## storage-info-message $date$ [$cellType$:$cellName$:$type$] [$pnfsid$,$filesize$] [$path$] … {$rc$:"$message$"}

The layout is a setting of the billing service, so a header that names what we do not know refuses the file.
"""

import re
from dataclasses import dataclass
from functools import cache

from pipelines.primitives.errors import UnreadableFile

STORAGE = "storage-info-message"
_CLASS = "$if(storage)$$storage.storageClass$@$storage.hsm$$else$<Unknown>$endif$"
_INTEGER, _CELL = r"-?\d+", r"[^\]\s]*?"
# placeholder → name of the group and what it may hold
_PARTS = {
    _CLASS: ("storage_class", r"\S+"),
    "$storage$": ("storage_class", r"\S+"),
    "$cellType$": ("", r"[\w-]+"),
    "$cellName$": ("cell", _CELL),
    "$cellName.cell$": ("cell", _CELL),
    "$cellName.cellName$": ("cell", _CELL),
    "$cellName.domain$": ("domain", _CELL),
    "$type$": ("operation", r"\w+"),
    "$pnfsid$": ("pnfsid", r"[0-9A-Fa-f]+|Unknown|<Unknown>"),
    "$filesize$": ("bytes", _INTEGER),
    "$path$": ("path", r".*"),
    "$transferTime$": ("transfer_ms", _INTEGER),
    "$queuingTime$": ("queue_ms", _INTEGER),
    "$rc$": ("error_code", _INTEGER),
    "$message$": ("error", r".*"),
    "$transaction$": ("transaction", r"\S*"),
    "$session$": ("transaction", r"\S*"),
    "$locations$": ("uri", r"\S*"),
}
_BLANKS = {r"$\t$": r"\t", r"$\ $": " "}  # as templates write them
_OTHER_CLASS = re.compile(r"\$if\(storage\)\$\$storage\.storageClass\$@\$storage\.hsm\$(?:\$else\$[^$]*)?\$endif\$")
_UNREAD = "$subject."  # who asked for it
_NEEDED = {"date", "cell", "operation", "pnfsid", "bytes", "storage_class", "transfer_ms", "queue_ms", "error_code"}
_PLACEHOLDER = re.compile(re.escape(_CLASS) + r"|\$if\(.*?\$endif\$|\$date(?:; ?format=\"[^\"]*\")?\$|\$[^$]+\$")
# letters of Java's date patterns → strptime, and the digits they match
_DATE_PARTS = {
    "yyyy": ("%Y", r"\d{4}"),
    "MM": ("%m", r"\d\d"),
    "dd": ("%d", r"\d\d"),
    "HH": ("%H", r"\d\d"),
    "mm": ("%M", r"\d\d"),
    "ss": ("%S", r"\d\d"),
    "SSS": ("%3f", r"\d{3}"),
    "Z": ("%z", r"[+-]\d{4}"),
    "XXX": ("%:z", r"[+-]\d\d:\d\d"),
}
_DATE_TOKEN = re.compile(r"'[^']*'|([A-Za-z])\1*|.")
DEFAULT_DATE = "MM.dd HH:mm:ss"
DEFAULT = (
    f"$date$ [$cellType$:$cellName$:$type$] [$pnfsid$,$filesize$] [$path$] {_CLASS} $transferTime$ $queuingTime$"
    ' {$rc$:"$message$"}'
)
# Lines of all kinds in their default layouts begin so; the kinds are those dCache knows.
TAPE = ("store", "restore")
KINDS = ("transfer", "request", "remove", "hit", "warning", *TAPE)
PREFIX = rf"^[0-9]{{2}}\.[0-9]{{2}} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}} \[[^\]]*:({'|'.join(KINDS)})\] "


@dataclass(frozen=True)
class Layout:
    """A pattern with named groups, and how its date is written."""

    pattern: str
    date_form: str
    has_year: bool
    has_zone: bool
    may_go_on: bool  # its last field is the message, of which the line may have the beginning only


@cache
def storage_layout(text: str) -> Layout:
    """The layout of tape records under a header's text. Raises UnreadableFile for what it does not know."""
    pattern, date_pattern = _compiled(text, is_strict=True)
    form = "".join(_DATE_PARTS.get(token, (token.strip("'"),))[0] for token in _date_tokens(date_pattern))
    if text == DEFAULT:
        # before the path was written there was none
        pattern = pattern.replace(r" \[(?P<path>.*)\]", r"(?: \[(?P<path>.*)\])?")
    lacking = _NEEDED - set(re.findall(r"\(\?P<(\w+)>", pattern))
    if lacking:
        raise _unknown(text, f"the header lacks {', '.join(sorted(lacking))}")
    return Layout(f"^{pattern}$", form, "%Y" in form, "%z" in form or "%:z" in form, pattern.endswith(")?"))


@cache
def other_pattern(text: str) -> str:
    """What a line of another message, whose content we skip, looks like."""
    return f"^{_compiled(text, is_strict=False)[0]}$"


def _date_tokens(pattern: str) -> list[str]:
    return [match[0] for match in _DATE_TOKEN.finditer(pattern)]


def _compiled(text: str, is_strict: bool) -> tuple[str, str]:
    """A header as a regular expression, and the pattern of its date."""
    pattern, place, date_pattern, names = "", 0, DEFAULT_DATE, set()
    for match in _PLACEHOLDER.finditer(text):
        pattern += _literal(text[place : match.start()])
        place = match.end()
        if match[0].startswith("$date"):
            date_pattern = match[0].split('"')[1] if '"' in match[0] else DEFAULT_DATE
            name, holds = "date", _date_regex(date_pattern, text, is_strict)
        elif match[0] in _PARTS:
            name, holds = _PARTS[match[0]]
        elif match[0] in _BLANKS:
            name, holds = "", _BLANKS[match[0]]
        elif _OTHER_CLASS.fullmatch(match[0]):
            name, holds = _PARTS[_CLASS]
        elif is_strict and not match[0].startswith(_UNREAD):
            raise _unknown(text, f"the placeholder {match[0]} is not known")
        else:
            name, holds = "", r".*?"
        is_named = is_strict and name and name not in names
        names.add(name)
        pattern += f"(?P<{name}>{holds})" if is_named else f"(?:{holds})"
    end = _literal(text[place:])
    if end and text[:place].endswith("$message$"):  # which may go on in the next line
        return pattern.removesuffix(".*)") + f".*?)(?:{end})?", date_pattern
    return pattern + end, date_pattern


def _literal(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def _date_regex(pattern: str, text: str, is_strict: bool) -> str:
    regex = ""
    for token in _date_tokens(pattern):
        if token in _DATE_PARTS:
            regex += _DATE_PARTS[token][1]
        elif token[0].isalpha() and is_strict:
            raise _unknown(text, f"{token} in the format of the date is not known")
        else:
            regex += ".+?" if token[0].isalpha() else re.escape(token.strip("'"))
    return regex


def _unknown(text: str, why: str) -> UnreadableFile:
    return UnreadableFile(
        f"the header of {STORAGE} is not known ({why}): {text[:200]}",
        "use dCache's default format, or its placeholders in another order",
    )
