"""Text of `sadf -d` of day after day of a host that stages files: activity below activity, every ten minutes."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from benchmarks.texts._staging import DISKS, FIRST_S, Load

NAME, GLOB = "stager1.sadf.csv", "{host}.sadf.csv"

STEP_S = 600
SAMPLES = 144
LINKS = (("lo", 0.0), ("eth0", 0.5), ("eth1", 0.5), ("bond0", 1.0))
Sample = tuple[float, float, float]  # MB/s in and out, noise


def _cpu(sample: Sample) -> list[str]:
    mb_in, mb_out, noise = sample
    user, system, wait = 3 * noise, 0.12 * (mb_in + mb_out), 0.1 * mb_in
    return [f"-1;{user:.2f};0.00;{system:.2f};{wait:.2f};0.00;{100 - user - system - wait:.2f}"]


def _switches(sample: Sample) -> list[str]:
    return [f"{3 * sample[2]:.2f};{300 + 30 * sample[1]:.2f}"]


def _blocks(sample: Sample) -> list[str]:
    mb_in, mb_out, _ = sample
    return [f"{8 * (mb_in + mb_out):.2f};{8 * mb_out:.2f};{8 * mb_in:.2f};{2000 * mb_out:.2f};{2000 * mb_in:.2f}"]


def _memory(sample: Sample) -> list[str]:
    free = 160_000 + 4 * int(8_750 * sample[2])
    return [f"{free};{8_174_000 - free};{100 - free / 81_740:.2f};61000;{7_000_000 - free};900000;7.31"]


def _queue(sample: Sample) -> list[str]:
    load = (sample[0] + sample[1]) / 40
    return [f"{int(load)};{240 + int(9 * sample[2])};{load:.2f};{0.9 * load:.2f};{0.8 * load:.2f}"]


def _disks(sample: Sample) -> list[str]:
    mb_in, mb_out, noise = sample
    rows = []
    for number, disk in enumerate(DISKS):
        share = (0.7 + 0.6 * (noise * (number + 3) % 1)) / len(DISKS)
        moved = 8 * share * (mb_in + mb_out)
        size = 256.0 if moved else 0.0
        wait = 3 + 9 * noise if moved else 0.0
        sectors = f"{2000 * mb_out * share:.2f};{2000 * mb_in * share:.2f}"
        rows.append(f"{disk};{moved:.2f};{sectors};{size:.2f};{moved * wait / 1000:.2f};{wait:.2f};0.40;{moved:.2f}")
    return rows


def _links(sample: Sample) -> list[str]:
    mb_in, mb_out, _ = sample
    return [
        f"{name};{690 * share * mb_in:.2f};{690 * share * mb_out:.2f};{977 * share * mb_in:.2f};"
        f"{977 * share * mb_out:.2f};0.00;0.00;0.00"
        for name, share in LINKS
    ]


ACTIVITIES: tuple[tuple[str, Callable[[Sample], list[str]]], ...] = (
    ("CPU;%user;%nice;%system;%iowait;%steal;%idle", _cpu),
    ("proc/s;cswch/s", _switches),
    ("tps;rtps;wtps;bread/s;bwrtn/s", _blocks),
    ("kbmemfree;kbmemused;%memused;kbbuffers;kbcached;kbcommit;%commit", _memory),
    ("runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15", _queue),
    ("DEV;tps;rd_sec/s;wr_sec/s;avgrq-sz;avgqu-sz;await;svctm;%util", _disks),
    ("IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s", _links),
)


def text(seed: int) -> Iterator[str]:
    """Pieces without end; each is one activity of one day."""
    load = Load(seed, "sar")
    at = FIRST_S
    while True:
        ends = [at + STEP_S * number for number in range(1, SAMPLES + 1)]
        samples = [(*load.at(end - FIRST_S), load.rng.random()) for end in ends]
        stamps = [f"{datetime.fromtimestamp(end, UTC):%F %T} UTC" for end in ends]
        for columns, rows in ACTIVITIES:
            lines = [f"# hostname;interval;timestamp;{columns}"]
            for stamp, sample in zip(stamps, samples, strict=True):
                lines += [f"stager1;{STEP_S};{stamp};{row}" for row in rows(sample)]
            yield "\n".join(lines) + "\n"
        at += SAMPLES * STEP_S
