"""What is wrong with the language of a text: banned words, sentences that are too long. The lists: `language.toml`."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from support import TESTS
from support.texts import Text

LISTS: dict[str, Any] = tomllib.loads((TESTS / "language.toml").read_text(encoding="utf-8"))
BANNED = {re.compile(one["pattern"], re.IGNORECASE): one["instead"] for one in LISTS["banned"]}
ALLOWED: list[dict[str, str]] = LISTS.get("allowed", [])
# A sentence ends at a full stop, and at a colon that a capital, a quotation or a value follows.
SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])\s+|(?<=:)\s+(?=[A-Z`{\"'(*])")


def banned_words(text: Text) -> Iterator[str]:
    """The banned words of a text, each with what to write in its place; what is allowed is left out."""
    plain = text.text
    for one in ALLOWED:
        if text.path.startswith(one.get("path", "")):
            plain = plain.replace(one["text"], "")
    for pattern, instead in BANNED.items():
        for found in pattern.finditer(plain):
            around = plain[max(0, found.start() - 40) : found.end() + 40]
            yield f"{text.path}:{text.line}: “{found[0]}” in “…{around}…” ({instead})"


def long_sentences(text: Text) -> Iterator[str]:
    """Sentences that a user reads and that have too many words."""
    allowed = any(one["text"] in text.text and text.path.startswith(one.get("path", "")) for one in ALLOWED)
    for sentence in SENTENCE.split(text.text) if text.is_shown and not allowed else ():
        n_words = sum("_" not in word for word in sentence.split())  # a list of names may be long
        if n_words > LISTS["max_words"]:
            yield f"{text.path}:{text.line}: {n_words} words: {sentence}"
