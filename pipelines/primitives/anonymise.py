"""Lines of logs without the names in them, so that they can be shown to others: replaced alike, their shape kept.

What is not known to be harmless is replaced: a word is kept only if it is of a vocabulary given, a number only if it is
a time, a decimal or short. Names are replaced by letters for letters and digits for digits, the same name always by
the same, with a salt that is not kept: nothing leads back.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Set

# In this order: what is kept or replaced as a whole before its words are looked at.
_KEY = r'(?P<key>"[A-Za-z_][A-Za-z_.\- ]*\\?"(?=\s*:)|(?<![\w/.-])[A-Za-z_][A-Za-z_.]*(?==))'
_TIME = (
    r"(?P<time>\b\d{4}-\d\d-\d\d(?:T(?=\d\d:))?|(?<![\d:])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?![\d:])"
    r"|(?<![\w.])(?:\d{9,11}\.\d+|(?:9[5-9]|1\d\d|2[0-2]\d)\d{13})(?![\w.]))"  # s with decimals, or us, since 1970
)
_IP4 = r"(?P<ip4>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))"
_IP6 = r"(?P<ip6>(?<![\w:])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}(?![\w:]))"
_PATH = r"(?P<path>(?:\b[A-Za-z][\w+.\-]*://|(?<![\w/<])/(?=[^\s/]))[^\s\"'<>,;(){}\[\]]+)"
_DECIMAL = r"(?P<decimal>(?<![\w.])-?\d{1,7}(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d{1,3})(?![\w.]))"
_DOTTED = r"(?P<dotted>(?<![\w.])[A-Za-z0-9][\w\-]*(?:\.[\w\-]*[A-Za-z][\w\-]*)+(?![\w]))"
_WORD = r"(?P<word>[^\W_]+)"
_PARTS = re.compile("|".join((_KEY, _TIME, _IP4, _IP6, _PATH, _DECIMAL, _DOTTED, _WORD)))
_TOKEN = re.compile(r"[^\W_]+")
_SCHEME = re.compile(r"^[A-Za-z][\w+.\-]*://")
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}", re.IGNORECASE)
_SHORT = 4  # digits of a number that is no id
_SUFFIX = re.compile(r"\.(?:log|txt|root|tar|gz|dat|json)$")


class Anonymiser:
    """Replaces names in lines, the same name alike in all of them.

    `kept` are words, in lower case, that are no names; `names` are known to be some, whatever the vocabulary has.

    >>> line = Anonymiser({"tape", "mounted"}, {"tape7"}, salt=b"x").line('tape V12345 mounted by ann, "files": 12')
    >>> line.startswith("tape ") and line.endswith('"files": 12') and "V12345" not in line and "ann" not in line
    True
    """

    def __init__(self, kept: Set[str], names: Set[str] = frozenset(), salt: bytes | None = None) -> None:
        self._kept = kept - {name.lower() for name in names}
        self._salt = salt or secrets.token_bytes(16)
        self._instead: dict[str, str] = {}
        self._taken: set[str] = set()

    def line(self, text: str) -> str:
        """A line with its names replaced, of the same length but for addresses."""
        return _PARTS.sub(self._part, text)

    def _part(self, found: re.Match[str]) -> str:
        text = found.group()
        match found.lastgroup:
            case "key" | "time" | "decimal":
                return text
            case "ip4":
                return self._known(text, lambda n: f"198.{18 + n // 65536 % 2}.{n // 256 % 256}.{n % 256}")
            case "ip6":
                return (
                    self._known(text, lambda n: f"2001:db8::{n % 65536:x}") if re.search(r"[0-9a-fA-F]", text) else text
                )
            case "path":
                scheme = _SCHEME.match(text)
                suffix = _SUFFIX.search(text)
                begin, end = scheme.end() if scheme else 0, suffix.start() if suffix else len(text)
                return text[:begin] + self._all(text[begin:end]) + text[end:]
            case "dotted":
                words = _TOKEN.findall(text)
                return text if all(self._is_kept(word) for word in words) else self._all(text)
        return text if self._is_kept(text) else self._name(text)

    def _is_kept(self, word: str) -> bool:
        if word.isdigit():
            return len(word) <= _SHORT
        return word.lower() in self._kept

    def _all(self, text: str) -> str:
        """Every word of it replaced, whatever the vocabulary has."""
        return _TOKEN.sub(lambda found: self._name(found.group()), text)

    def _name(self, word: str) -> str:
        """Another word of the same shape; upper and lower case of a name stay the same name."""
        instead = self._known(word.lower(), lambda n: _shaped(word.lower(), n))
        if len(instead) != len(word):
            return instead
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, instead, strict=True))

    def _known(self, name: str, make: Callable[[int], str]) -> str:
        """The replacement of a name; no two names get the same while there are others left."""
        if name not in self._instead:
            for turn in range(100):
                digest = hashlib.blake2b(f"{turn} {name}".encode(), key=self._salt, digest_size=32).digest()
                made = make(int.from_bytes(digest, "big"))
                if made not in self._taken and made != name:
                    break
            self._taken.add(made)
            self._instead[name] = made
        return self._instead[name]


def _shaped(word: str, number: int) -> str:
    """Letters for letters and digits for digits, those of hexadecimal words among a to f; a leading 0 stays.

    >>> _shaped("007", 12345)[0], len(_shaped("v12", 99)), _shaped("v12", 99)[0].isalpha()
    ('0', 3, True)
    """
    letters = "abcdef" if _HEX.fullmatch(word) else "abcdefghijklmnopqrstuvwxyz"
    made = []
    for place, char in enumerate(word):
        if char.isdigit():
            number, digit = divmod(number, 9)
            made.append("0" if char == "0" and place == 0 else str(digit + 1))
        else:
            number, digit = divmod(number, len(letters))
            made.append(letters[digit])
    return "".join(made)
