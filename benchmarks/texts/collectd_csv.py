"""The bytes of one disk as collectd's plugin csv counts them every ten seconds."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Load

NAME, GLOB = "stager1/disk-sda/disk_octets-2009-11-02", "{host}/**/*"
REASON = "real files are small: each has one series of one day, 8,640 lines"

STEP_S = 10


def text(seed: int) -> Iterator[str]:
    """The header, then a line a piece."""
    load = Load(seed, "collectd_csv")
    read = written = at = 0
    yield "epoch,read,write\n"
    while True:
        mb_in, mb_out = load.at(at)
        read, written = read + round(mb_out * 1e6 * STEP_S), written + round(mb_in * 1e6 * STEP_S)
        yield f"{FIRST_S + at}.716,{read},{written}\n"
        at += STEP_S
