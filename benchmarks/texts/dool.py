"""Text of `dstat -tcdngymlp --output` once a second on a host that stages files."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST, Load, local

NAME, GLOB = "stager1_dstat.csv", "{host}_{name}.csv"

DISKS = ("sda", "sdb", "sdc", "sdd")
HEADER = (
    '"Dstat 0.7.3 CSV output"\n'
    '"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"\n'
    '"Host:","stager1",,,,"User:","root"\n'
    f'"Cmdline:","dstat -tcdngymlp -D {",".join(DISKS)} -N eth0 --output stager1_dstat.csv 1",,,,"Date:",'
    f'"{FIRST:%d %b %Y %H:%M:%S} CST"\n\n'
    '"system","total cpu usage",,,,,,'
    + "".join(f'"dsk/{disk}",,' for disk in DISKS)
    + '"net/eth0",,"paging",,"system",,"memory usage",,,,"load avg",,,"procs",,\n'
    '"time","usr","sys","idl","wai","hiq","siq",'
    + '"read","writ",' * len(DISKS)
    + '"recv","send","in","out","int","csw","used","buff","cach","free","1m","5m","15m","run","blk","new"\n'
)
MEMORY = 8_370_000_000.0


def text(seed: int) -> Iterator[str]:
    """Pieces of a run that does not end; the first is the preamble, each other a row."""
    load = Load(seed, "dool")
    yield HEADER
    at = 0
    while True:
        yield _row(load, at)
        at += 1


def _row(load: Load, at: int) -> str:
    mb_in, mb_out = load.at(at)
    noise = load.rng.random()
    flushed = 3 * mb_in if at % 3 == 0 else 0.0  # the spool is flushed every three seconds
    user, system, wait = 3 * noise, 0.12 * (mb_in + mb_out), 0.1 * flushed
    hard, soft = 0.1 * noise, 0.01 * mb_in
    idle = 100 - user - system - wait - hard - soft
    share = 1e6 / len(DISKS)
    disks = ",".join(f"{mb_out * share * noise:.3f},{flushed * share:.3f}" for _ in DISKS)
    free = 2e8 + 4096 * int(9000 * noise)
    busy = (mb_in + mb_out) / 40
    return (
        f"{local(at):%d-%m %H:%M:%S},{user:.3f},{system:.3f},{idle:.3f},{wait:.3f},{hard:.3f},{soft:.3f},{disks},"
        f"{mb_in * 1e6:.3f},{mb_out * 1e6:.3f},0,0,{1000 + 55 * mb_in:.3f},{300 + 30 * mb_out:.3f},"
        f"{9e8:.1f},{6.2e7:.1f},{MEMORY - free - 9.62e8:.1f},{free:.1f},"
        f"{busy:.3f},{0.9 * busy:.3f},{0.8 * busy:.3f},{int(busy)}.0,{int(busy / 2)}.0,{noise:.3f}\n"
    )
