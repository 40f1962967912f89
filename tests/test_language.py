"""Plain English: no word that `language.toml` bans, short sentences where a user reads them, and no misspelling."""

import pytest
from codespell_lib import main as codespell

from support import REPO
from support.language import ALLOWED, LISTS, banned_words, long_sentences
from support.texts import FOLDERS, NOT_PROSE, Text, all_texts, texts_of


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return list(all_texts())


def test_no_banned_word_is_used(texts: list[Text]) -> None:
    found = [line for text in texts for line in banned_words(text)]
    assert not found, "\n" + "\n".join(found)


def test_sentences_are_short(texts: list[Text]) -> None:
    found = [line for text in texts for line in long_sentences(text)]
    assert not found, "\n" + "\n".join(found)


def test_every_allowance_is_needed(texts: list[Text]) -> None:
    """An allowed text that is not in the tree any more is taken off the list."""
    stale = [
        one
        for one in ALLOWED
        if not any(text.path.startswith(one.get("path", "")) and one["text"] in text.text for text in texts)
    ]
    assert not stale


def test_spelling(capfd: pytest.CaptureFixture[str]) -> None:
    """Codespell knows no misspelling in the tree; captured logs and worked cases are left out."""
    names = {
        path
        for folder in FOLDERS
        for path in (REPO / folder).rglob("*")
        if path.suffix in {".py", ".sql", ".toml", ".md"}
    }
    prose = sorted(str(path) for path in names if not NOT_PROSE.match(path.relative_to(REPO).as_posix()))
    documents = [str(path) for path in REPO.glob("*.md")]
    assert len(prose) > 500
    n_found = codespell("--ignore-words-list", ",".join(LISTS["spelling"]["ignore"]), *prose, *documents)
    assert n_found == 0, capfd.readouterr().out


PYTHON = '''"""The odd one."""
SQL = "SELECT a FROM b WHERE nobody told"
NAME = "a_name"  # what the log says
print(f"{NAME} was seen by nobody")
'''
HEADER = """/*
title = "What the rows tell of it"
[columns]
a = { doc = "begin of the hour" }
*/
SELECT 1 -- told by none
"""

OF_LOGS = """TITLES = {"what the log told": "what nobody reads"}
if line.startswith("said by the log") or "no file was seen" in error:
    raise ValueError("the odd one")
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pipelines/sources/a.py", OF_LOGS, [("nobody", 1), ("odd", 3)]),
        ("a.py", PYTHON, [("odd", 1), ("seen", 4), ("nobody", 4), ("what the log says", 3)]),
        ("a.sql", HEADER, [("tell", 2), ("begin of", 4), ("told", 6)]),
        ("a.md", "A line.\n\n```\nsaid here\n```\n\n| a mend of it | b |\n", [("mend", 7)]),
        ("a.md", "| one word told | `said by the log` |\n", [("told", 1)]),
        ("a.html", "<p>{{ a }} was\ntold by {% if b %}</p><b>nobody at all</b>", [("told", 1), ("nobody", 2)]),
    ],
)
def test_banned_words_are_found(name: str, text: str, expected: list[tuple[str, int]]) -> None:
    found = sorted(line for one in texts_of(name, text) for line in banned_words(one))
    assert found == sorted(found) and len(found) == len(expected)
    for word, line in expected:
        assert any(one.startswith(f"{name}:{line}: ") and f"“{word}”" in one for one in found), (word, found)


def test_a_long_sentence_is_found() -> None:
    long, short = "word " * 36, "Word " + "word " * 33 + "end. "
    assert len(list(long_sentences(Text("a.md", 1, "document", short + long)))) == 1
    assert not list(long_sentences(Text("a.py", 1, "comment", long)))
