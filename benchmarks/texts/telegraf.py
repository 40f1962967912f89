"""Text of Telegraf's file output every ten seconds, on a host with two disks."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Load

NAME, GLOB = "stager1_telegraf.lp", "{host}_{name}.lp"
REASON = "each row comes from a line with a dozen fields, which are found by name"

STEP_S = 10
DISKS = (("sda", 0.1), ("sdb", 0.9))


def text(seed: int) -> Iterator[str]:
    """A batch a piece."""
    load = Load(seed, "telegraf")
    counts: dict[str, int] = {}

    def counted(name: str, rise: float) -> int:
        counts[name] = counts.get(name, 0) + round(rise)
        return counts[name]

    at = 0
    while True:
        mb_in, mb_out = load.at(at)
        user = (mb_in + mb_out) / 10
        lines = [
            f"cpu,cpu=cpu-total,host=stager1 usage_user={user:.4f},usage_system=5,usage_idle={95 - user:.4f}",
            f"mem,host=stager1 free={8_000_000_000 - counts.get('rx', 0) % 1_000_000_000}i,cached=4000000000i",
            f"net,host=stager1,interface=eth0 bytes_recv={counted('rx', mb_in * 1e7)}i"
            f",bytes_sent={counted('tx', mb_out * 1e7)}i",
        ]
        for disk, share in DISKS:
            read, written = (counted(f"{disk} {way}", mb * share * 1e7) for way, mb in (("r", mb_out), ("w", mb_in)))
            busy = counted(f"{disk} t", STEP_S * share * (mb_in + mb_out) * 5)
            lines.append(
                f"diskio,host=stager1,name={disk} reads={read // 2**20}i,writes={written // 2**20}i,read_bytes={read}i"
                f",write_bytes={written}i,read_time={busy // 2}i,write_time={busy // 2}i,io_time={busy}i"
            )
        yield "".join(f"{line} {FIRST_S + at}000000000\n" for line in lines)
        at += STEP_S
