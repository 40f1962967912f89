"""One line of a screen: its kind and its values. Nothing here depends on other lines."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pipelines.sources.amass_sysperf.cells import (
    GROUPS,
    Repairs,
    are_near,
    is_flags,
    is_like_number,
    number,
    repaired_flags,
    repaired_number,
    word,
)

HEADING = "JUKE DRIVE VOLFLAGS VOLUME VOLGRP KBYTES/SEC"
FOREIGN = re.compile(r"VOLGRP\s+READ\s+WRITE|CACHE\s+BLOCK\s+LIST", re.IGNORECASE)
_MOST_EDITS = 2  # a column more or less is at least three letters
_RULE = re.compile(r"[-=_*+| ]*")
_TITLE = re.compile(r"\bSYSPERF\b|^AMASS\b", re.IGNORECASE)
_BREAK = re.compile(r"\x1b\[\d*(?:;\d*)?[Hf]|\x1b\[[0-3]?J|\f|\r|\v")  # a place elsewhere on the screen: a new line
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|[\x00-\x08\x0e-\x1f\x7f]")
_PHRASE = re.compile(
    r"(?P<write>WRITE REQUESTS?)|(?P<read>READ REQUESTS?)"
    r"|(?P<groups>(?:(?:# ?OF|#|OF) )?(?:VOLUMES?|VOLS?)(?: GROUPS?)?)"
    r"|(?P<cache>CACHE BLOCKS)|(?P<fnodes>FNODES)|(?P<total>TOTAL)|(?P<free>FREE)|(?P<dirty>DIRTY)|(?P<number>\d+)"
)
_ORDER = re.compile(r"(?:sn)+|(?:ns)+|s+n+")  # labels and numbers by turns, or all labels first
UNREADABLE = -1  # a number that cannot be read; becomes NULL


@dataclass
class ScreenLine:
    """`kind` is blank, labels, numbers, heading, row, junk or unknown (a heading of columns we do not know).

    `slots` are the names the line announces, `values` its numbers; `subject` is what TOTAL, FREE and GROUPS belong to.
    """

    kind: str
    slots: list[str] = field(default_factory=list)
    values: list[int | None] = field(default_factory=list)
    subject: str = ""
    reason: str = "bad_syntax"
    repairs: Repairs = field(default_factory=Repairs)


@dataclass
class DriveRow:
    """One drive of the table; `reason` says why it cannot be read."""

    juke: int | None = None
    drive: int | None = None
    volflags: str | None = None
    volume: int | None = None
    volgrp: str | None = None
    printed_rate: int | None = None
    reason: str = ""
    repairs: Repairs = field(default_factory=Repairs)


def pieces(text: str) -> list[str]:
    """The lines of a screen in a line of a file: a terminal's orders to go elsewhere part them.

    >>> pieces("\\x1b[H\\x1b[2JWRITE  REQUESTS 6\\x1b[3;1HCACHE BLOCKS")
    ['WRITE REQUESTS 6', 'CACHE BLOCKS']
    >>> pieces("  ")
    ['']
    """
    parts = [" ".join(_CONTROL.sub(" ", part).split()) for part in _BREAK.split(text)]
    return [part for part in parts if part] or [""]


def read_line(flat: str, subject: str, is_ocr: bool) -> ScreenLine:
    """What a line is that is neither a clock nor known to be a row of the table."""
    if _RULE.fullmatch(flat) or _TITLE.search(flat):
        return ScreenLine("blank")
    words = flat.upper().split(" ")
    if "JUKE" in words or (is_ocr and are_near(_joined(flat), _joined(HEADING), _MOST_EDITS)):
        return _heading(flat, is_ocr)
    return _labels(flat, subject, is_ocr)


def _joined(flat: str) -> str:
    return flat.upper().replace(" ", "")


def _heading(flat: str, is_ocr: bool) -> ScreenLine:
    if flat.upper() == HEADING:
        return ScreenLine("heading")
    if is_ocr and are_near(_joined(flat), _joined(HEADING), _MOST_EDITS):
        line = ScreenLine("heading")
        line.repairs.add("heading", flat, HEADING)
        return line
    return ScreenLine("unknown")


def _labels(flat: str, subject: str, is_ocr: bool) -> ScreenLine:
    """A line of labels and numbers, of labels alone (their numbers are below), or of numbers alone."""
    line = ScreenLine("labels", subject=subject)
    read = _words(flat, line, is_ocr)
    if read is None:
        return ScreenLine("junk")
    shape = ""
    for kind, value in read:
        if kind == "number":
            line.values.append(None if value == UNREADABLE else value)
            shape += "n"
        elif kind in ("cache", "fnodes"):
            line.subject = kind
        else:
            slot = _slot(kind, line)
            if slot is None:
                return ScreenLine("junk")
            line.slots.append(slot)
            shape += "s"
    if "s" not in shape:
        line.kind = "numbers" if shape else "labels"
    elif "n" in shape and (not _ORDER.fullmatch(shape) or len(line.slots) != len(line.values)):
        return ScreenLine("junk", reason="wrong_width")
    return line


def _slot(kind: str, line: ScreenLine) -> str | None:
    if kind in ("write", "read"):
        line.subject = kind
        return f"{kind}_requests"
    subjects = ("write", "read") if kind == "groups" else ("cache", "fnodes")
    if line.subject not in subjects or (kind == "dirty" and line.subject == "fnodes"):
        return None
    return f"{line.subject}_{'vol_groups' if kind == 'groups' else kind}"


def _words(flat: str, line: ScreenLine, is_ocr: bool) -> list[tuple[str, int]] | None:
    """Phrases and numbers in their order; None where there is anything else."""
    repairs = line.repairs if is_ocr else None
    plain: list[str] = []
    n_numbers = 0
    for token in re.sub("[:=,](?= |$)", " ", flat).split():
        known = word(token, repairs)
        if known is None and repairs is not None and not any(sign.isalnum() for sign in token):
            repairs.notes.append(f"label: {token!r} left out")
        elif known is not None:
            plain.append(known)
        else:
            value = number(token)
            if value is None and repairs is not None and is_like_number(token, True):
                value = repaired_number(token, f"number {n_numbers}", repairs)
                plain.append("?" if value is None else str(value))
            elif value is None:
                return None
            else:
                plain.append(str(value))
            n_numbers += 1
    return _phrases(" ".join(plain))


def _phrases(text: str) -> list[tuple[str, int]] | None:
    found: list[tuple[str, int]] = []
    place = 0
    while place < len(text):
        if text[place] in " ":
            place += 1
        elif text[place] == "?":
            found.append(("number", UNREADABLE))
            place += 1
        elif match := _PHRASE.match(text, place):
            found.append((str(match.lastgroup), int(match[0]) if match.lastgroup == "number" else 0))
            place = match.end()
        else:
            return None
    return found


def read_row(flat: str, is_ocr: bool) -> DriveRow | None:
    """A row of the table; None where the line does not begin like one.

    A drive without a volume may have neither flags, volume nor rate; flags may be missing; so may the rate.
    """
    tokens = flat.split(" ")
    row = DriveRow()
    read = _reader(row, is_ocr)
    if len(tokens) < 2 or not all(len(token) <= 3 and is_like_number(token, is_ocr) for token in tokens[:2]):
        return None
    row.juke, row.drive = read("juke", tokens[0]), read("drive", tokens[1])
    rest = tokens[2:]
    if len(rest) == 4 or (rest and is_flags(rest[0])):
        row.volflags = _flags(rest[0], row, is_ocr)
        rest = rest[1:]
        widths = {0, 2, 3}
    else:
        # a damaged row without flags: either a flag was misread, or the rate is blank; nothing shows which
        widths = {0} if is_ocr else {0, 3}
    if len(rest) not in widths:
        row.reason = "wrong_width"
        return row
    cells = dict(zip(("volume", "volgrp", "printed_rate"), rest, strict=False))
    row.volume, row.printed_rate = (
        read(name, cells[name]) if name in cells else None for name in ("volume", "printed_rate")
    )
    row.volgrp = _group(cells["volgrp"], read) if "volgrp" in cells else None
    if row.juke is None or row.drive is None:
        row.reason = row.reason or "bad_number"
    return row


def _group(token: str, read: Callable[[str, str], int | None]) -> str | None:
    if token.upper() in GROUPS:
        return token.upper()
    value = read("volgrp", token)
    return None if value is None else str(value)


def _reader(row: DriveRow, is_ocr: bool) -> Callable[[str, str], int | None]:
    def read(name: str, token: str) -> int | None:
        if is_ocr:
            return repaired_number(token, name, row.repairs)
        value = number(token)
        if value is None:
            row.reason = "bad_number"
        return value

    return read


def _flags(token: str, row: DriveRow, is_ocr: bool) -> str | None:
    if is_ocr:
        return repaired_flags(token, row.repairs)
    if not is_flags(token):
        row.reason = "bad_syntax"
    return token.upper()
