"""The cost of a long line: what recognises or parses one must take time in proportion to its length, in any shape.

A pattern whose repeats share characters takes the square of it, or worse: 32 kB then cost 20 s, in every file.
"""

import random
import time
from contextlib import suppress
from datetime import date, datetime

import pytest

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import all_sources
from pipelines.sources.blocks import frame_of
from pipelines.sources.packing import head_of
from pipelines.sources.protocol import Origin
from support.fuzzing import seeds

SHAPES = (
    " ",
    "0",
    "a",
    "A ",
    "ab12",
    "x: ",
    "a=",
    "1,",
    "-",
    ".",
    "[",
    "()",
    "a-",
    "a/",
    '"',
    "'",
    "\uff11",
    "20 a",
    "\\",
)
SHORT, LONG = 4_000, 64_000  # characters
MOST_LINES = 30
PAUSE_S = 1.0  # of the machine; the square of LONG costs far more
ORIGIN = Origin(
    path="f",
    host="h",
    link="l",
    zone="America/Chicago",
    date=date(2010, 11, 7),
    start_at=datetime(2010, 11, 7, 5),
    interval_s=1.0,
    date_order="mdy",
    modified_at=datetime(2010, 11, 8),
)


def files(stem: str, size: int) -> list[list[str]]:
    """The first lines of a clean case and, below, some of them drawn out to `size` characters at any place."""
    chance = random.Random(stem)
    case = next(path for path in seeds(stem) if path.stem.startswith("clean") and path.suffix != ".xz")
    head = [line[:1000] for line in head_of(case.read_bytes(), case.name)[:MOST_LINES] if line.strip()]
    made = []
    for some in (SHAPES[i : i + 4] for i in range(0, len(SHAPES), 4)):
        drawn = [shape * (size // len(shape)) + "x" for shape in some]
        for shape in some:
            line = chance.choice(head)
            place = chance.randrange(len(line) + 1)
            drawn.append(line[:place] + shape * (size // len(shape)) + chance.choice(("", "x", line[place:])))
        made.append([*head, *drawn])
    return made


def cost(stem: str, size: int) -> float:
    """Seconds of CPU to recognise and parse files with lines of this length; nothing but a refusal may be raised."""
    source, spent = all_sources()[stem], 0.0
    for texts in files(stem, size):
        lines = frame_of("\n".join(texts).encode())
        begin = time.process_time()
        source.recognise(texts)
        with suppress(UnreadableFile):
            source.parse(lines, Origin(**{**vars(ORIGIN), "head": tuple(texts)}), None)
        spent += time.process_time() - begin
    return spent


@pytest.mark.parametrize("stem", sorted(all_sources()))
def test_the_cost_of_a_long_line_grows_with_its_length(stem: str) -> None:
    most = PAUSE_S + 2 * (LONG / SHORT) * cost(stem, SHORT)
    assert cost(stem, LONG) < most or cost(stem, LONG) < most, "twice: a busy machine is no square"


@pytest.mark.parametrize("begin", ["", "20 ", "Transfer a -> ", "user@h", "Target[a]: 1:", "x = "])
def test_recognition_of_a_long_line_is_quick(begin: str) -> None:
    spent = time.process_time()
    for shape in ("a", " ", " -> ", "\\", "9"):
        for source in all_sources().values():
            source.recognise([begin + shape * (LONG // len(shape))])
    assert time.process_time() - spent < 3 * PAUSE_S
