"""Text of an MRTG log, newest first, as long as asked.

rateup's own log never grows: 2,536 lines of 300 s, 1800 s, 7200 s and 86400 s, 100 KB. Here all rows are of ten
seconds, as if it kept those of a link polled that often. The text ends four years back, at some 500 MB: no log's rows
are older.
"""

from collections.abc import Iterator

from benchmarks.texts._staging import Load

NAME, GLOB = "stager1-bond0.log", "{link}.log"

LAST_S = 1_268_222_402
STEP_S = 10
SPAN_S = 4 * 365 * 86_400


def text(seed: int) -> Iterator[str]:
    """The raw counters and the last poll, then older and older rows."""
    load = Load(seed, "mrtg_log")
    yield f"{LAST_S} 61520431234 9931204411\n{LAST_S} 5120331 81202 5120331 81202\n"
    at = 0
    newest = LAST_S // STEP_S * STEP_S
    while at < SPAN_S:
        mb_in, mb_out = load.at(at)
        into, out = 9000 + int(1e6 * mb_in), 4000 + int(1e6 * mb_out)
        more = load.rng.random()
        yield f"{newest - at} {into} {out} {into + int(3e6 * more)} {out + int(2e6 * more)}\n"
        at += STEP_S
