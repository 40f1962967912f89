"""Draw texts that a user reads, for a judge who did not write them: `draw_texts [N] [SEED] [FOLDER …]`.

A user reads values where the text has their names in braces.
"""

import random
import re
import sys
from pathlib import Path

from support.texts import all_texts

REPO = Path(__file__).parents[2]
NAMED = re.compile(r"(\w+) = \{ type = ")  # people read the text of a column next to its name


def column_name(path: str, line: int) -> str:
    """The column that the text describes, or nothing."""
    found = NAMED.match((REPO / path).read_text(encoding="utf-8").splitlines()[line - 1])
    return f" column {found[1]}" if found else ""


def main(n_texts: int = 60, seed: int | None = None, *folders: str) -> None:
    """Print `n_texts` texts drawn at random with their places, and the seed that draws them again."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    shown = sorted(
        {
            (text.named or text.text, f"{text.path}:{text.line}{column_name(text.path, text.line)}")
            for text in all_texts(*folders)
            if text.is_shown
        }
    )
    print(f"{n_texts} of {len(shown)} texts, seed {seed}")
    for number, (text, place) in enumerate(random.Random(seed).sample(shown, n_texts), 1):
        print(f"\n{number}. {place}\n   {text}")


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
