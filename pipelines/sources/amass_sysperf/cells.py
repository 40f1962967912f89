"""Words and numbers of a screen: read as printed, or, in the damaged mode, repaired with a note of what was done."""

import re
from dataclasses import dataclass, field

# What a reader of print takes for a digit, and the digits it takes for the letters of VOLFLAGS.
_DIGITS = str.maketrans("OoQlIi|!SsBZz", "0001111155822")
_LETTERS = str.maketrans("041l|!", "OAIIII")
_NUMBER = re.compile(r"\d+|\d{1,3}(?:[.,]\d{3})+")
_FLAGS = re.compile(r"[A-Z]{1,4}")
KNOWN_FLAGS = {"A", "I", "O", "AO", "OA", "IO", "OI"}
GROUPS = {"SP", "CL", "MV"}  # space pool, cleaning, media verification
WORDS = (
    *("WRITE", "READ", "REQUESTS", "REQUEST", "VOLUMES", "VOLUME", "VOLS", "VOL", "GROUPS", "GROUP"),
    *("CACHE", "BLOCKS", "FNODES", "TOTAL", "FREE", "DIRTY", "OF", "#", "#OF"),
)
_MOST_DIGITS = 15  # longer than any count or rate


@dataclass
class Repairs:
    """What was done to the cells of one line or screen, in the words of the `repairs` columns."""

    notes: list[str] = field(default_factory=list)

    def add(self, name: str, raw: str, read: str) -> None:
        self.notes.append(f"{name}: {raw!r} read as {read}")

    def give_up(self, name: str, raw: str) -> None:
        self.notes.append(f"{name}: {raw!r} unreadable")

    def text(self) -> str | None:
        return "; ".join(self.notes) or None


def number(token: str) -> int | None:
    """A count as printed; thousands may be parted by commas or points.

    >>> number("9420"), number("9,420"), number("9.420"), number("94.2"), number("9A")
    (9420, 9420, 9420, None, None)
    """
    if len(token) > _MOST_DIGITS or not token.isascii() or not _NUMBER.fullmatch(token):
        return None
    return int(re.sub("[.,]", "", token))


def repaired_number(token: str, name: str, repairs: Repairs) -> int | None:
    """A count of a damaged screen; None if it is unreadable. No count begins with a zero: then a digit is lost.

    >>> done = Repairs()
    >>> repaired_number("94Z0", "printed_rate", done), repaired_number("02", "volume", done), done.text()
    (9420, None, "printed_rate: '94Z0' read as 9420; volume: '02' unreadable")
    """
    plain = token.translate(_DIGITS)
    read = number(plain)
    if read is None or (len(plain) > 1 and plain.startswith("0")):
        repairs.give_up(name, token)
        return None
    if plain != token:
        repairs.add(name, token, str(read))
    return read


def is_like_number(token: str, is_ocr: bool) -> bool:
    """Meant as a number: it has a digit, or in damaged print is all of letters that digits are taken for."""
    return any(sign.isdigit() for sign in token) or (is_ocr and token.translate(_DIGITS).isdigit())


def repaired_flags(token: str, repairs: Repairs) -> str | None:
    """VOLFLAGS of a damaged screen, None where the letters stay unknown ones.

    >>> done = Repairs()
    >>> repaired_flags("A", done), repaired_flags("4", done), repaired_flags("72", done), done.text()
    ('A', 'A', None, "volflags: '4' read as A; volflags: '72' unreadable")
    """
    if token in KNOWN_FLAGS:
        return token
    read = token.upper().translate(_LETTERS)
    if read in KNOWN_FLAGS:
        repairs.add("volflags", token, read)
        return read
    repairs.give_up("volflags", token)
    return None


def is_flags(token: str) -> bool:
    """Letters as VOLFLAGS has them; the special volume groups have none."""
    return _FLAGS.fullmatch(token.upper()) is not None and token.upper() not in GROUPS


def word(token: str, repairs: Repairs | None) -> str | None:
    """The word of a label; with `repairs` also one that is cut, or wrong in one letter.

    >>> done = Repairs()
    >>> word("Free", None), word("Fre", None), word("Fre", done), word("WR1TE", done), word("Tape", done), done.text()
    ('FREE', None, 'FREE', 'WRITE', None, "label: 'Fre' read as FREE; label: 'WR1TE' read as WRITE")
    """
    plain = token.upper()
    if plain in WORDS:
        return plain
    if repairs is None or len(plain) < 3:
        return None
    near = [known for known in WORDS if len(known) > 3 and (known.startswith(plain) or are_near(plain, known, 1))]
    if not near:
        return None
    repairs.add("label", token, near[0])
    return near[0]


def are_near(one: str, other: str, most: int) -> bool:
    """Does at most this number of edits turn one text into the other?

    An edit changes the length by one at most, and two at most of the letters that only one of the texts has.
    """
    may_be = abs(len(one) - len(other)) <= most and len(set(one) ^ set(other)) <= 2 * most
    return may_be and edits(one, other) <= most


def edits(one: str, other: str) -> int:
    """Letters to insert, drop or change to make one text the other.

    >>> edits("VOLGRRP", "VOLGRP"), edits("KBYTES/SE", "KBYTES/SEC"), edits("", "AB")
    (1, 1, 2)
    """
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, before = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b)))
    return row[-1]
