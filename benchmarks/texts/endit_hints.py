"""Text of ENDIT's hint file, broken after each entry as `sed 's/},/},\\n/g'` does; volumes of some thousand files."""

from collections.abc import Iterator
from random import Random

NAME, GLOB = "SITE.json", "*.json"

FILES_A_VOLUME = 4000


def text(seed: int) -> Iterator[str]:
    """Entries of volume after volume, without the brace that ends them."""
    rng = Random(f"{seed} endit_hints")
    number = 0
    yield "{"
    while True:
        entries = (
            f'"0000{rng.getrandbits(128):032X}":{{"order":{order},"volid":"A{number:05d}"}},\n'
            for order in range(FILES_A_VOLUME)
        )
        yield "".join(entries)
        number += 1
