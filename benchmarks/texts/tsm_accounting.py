"""Text of TSM's accounting file: a line per session."""

from collections.abc import Iterator
from random import Random

from benchmarks.texts._staging import local

NAME, GLOB = "dsmaccnt.log", "dsmaccnt.log"


def text(seed: int) -> Iterator[str]:
    """Sessions that archive or retrieve, in the order of their end."""
    rng = Random(f"{seed} tsm_accounting")
    at = 0
    while True:
        at += rng.randrange(5, 40)
        files = rng.randrange(1, 300)
        amount = files * rng.randrange(10**5, 8 * 10**6)
        moved = f"{files},{amount},0,0" if rng.random() < 0.4 else f"0,0,{files},{amount}"
        waits = f"{rng.randrange(20)},{rng.randrange(90)},{rng.randrange(60, 200)}"
        when = f"{local(at):%m/%d/%Y,%H:%M:%S}"
        yield (
            f"8,1,ADSM,{when},POOL_{rng.randrange(8)},,Linux x86-64,1,Tcp/Ip,1,{moved},0,0,0,0,{amount},"
            f"{rng.randrange(60, 4000)},{waits},4,0,0,0,0,8,1\n"
        )
