"""What is wrong with the language of a text: banned words, sentences that are too long. The lists: `language.toml`."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
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


def folder_of(complaint: str) -> str:
    """Where a complaint is counted: the first two folders of its path, or the file.

    >>> folder_of("pipelines/cli/run.py:3: …"), folder_of("README.md:1: …"), folder_of("dags/README.md:1: …")
    ('pipelines/cli', 'README.md', 'dags')
    """
    folders = complaint.partition(":")[0].split("/")
    return "/".join(folders[:2] if len(folders) > 2 else folders[:1])


def beyond(complaints: Iterable[str], ceilings: dict[str, int]) -> list[str]:
    """The complaints of folders that have more than their ceiling."""
    by_folder = defaultdict(list)
    for one in complaints:
        by_folder[folder_of(one)].append(one)
    return [
        line
        for folder, found in sorted(by_folder.items())
        if len(found) > ceilings.get(folder, 0)
        for line in [f"{folder} has {len(found)}, and may have {ceilings.get(folder, 0)}:", *found]
    ]
