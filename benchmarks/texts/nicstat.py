"""Text of `nicstat -p 1` on a host with a bond of two ports."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Load

NAME, GLOB = "stager1_nicstat.txt", "{host}_{name}.txt"

INTERFACES = (("lo", 0.0), ("eth0", 0.5), ("eth1", 0.5), ("bond0", 1.0))


def text(seed: int) -> Iterator[str]:
    """Pieces of a run that does not end; each is a sample."""
    load = Load(seed, "nicstat")
    at = 0
    while True:
        mb_in, mb_out = load.at(at)
        yield "".join([_row(load, FIRST_S + at, name, mb_in * share, mb_out * share) for name, share in INTERFACES])
        at += 1


def _row(load: Load, at: int, name: str, mb_in: float, mb_out: float) -> str:
    noise = load.rng.random()
    into, out = 1000 * mb_in + 4 * noise, 1000 * mb_out + 2 * noise
    used = min(100.0, (into + out) / 1221)
    return f"{at}:{name}:{into:.2f}:{out:.2f}:{into / 1.4:.2f}:{out / 1.4 + 1:.2f}:{used:.2f}:0.00\n"
