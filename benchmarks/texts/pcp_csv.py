"""Text of `pmrep -t 1 -o csv` on a host that stages files on a dozen disks."""

from collections.abc import Iterator

from benchmarks.texts._staging import DISKS, Load, local

NAME, GLOB = "stager1_pmrep.csv", "{host}_{name}.csv"
REASON = "each line has the values of all devices, so 1 MB gives 32,000 rows"

HOST = (
    "kernel.all.load-1 minute",
    *(f"kernel.all.cpu.{name}" for name in ("user", "nice", "sys", "intr", "idle", "wait.total", "steal")),
    *("kernel.all.runnable", "mem.util.free", "swap.used"),
)
OF_DISK = ("disk.dev.read", "disk.dev.write", "disk.dev.read_bytes", "disk.dev.write_bytes")
OF_LINK = ("network.interface.in.bytes-eth0", "network.interface.out.bytes-eth0")
COLUMNS = (*HOST, *(f"{metric}-{disk}" for metric in OF_DISK for disk in DISKS), *OF_LINK)
CPU_MS = 8000.0  # eight processors


def text(seed: int) -> Iterator[str]:
    """The header and a first row without rates, then a row a second."""
    load = Load(seed, "pcp_csv")
    yield "Time," + ",".join(f'"{name}"' for name in COLUMNS) + "\n"
    yield f"{local(0):%F %T},0.250,,,,,,,,2,163000,0" + "," * (len(COLUMNS) - len(HOST)) + "\n"
    at = 1
    while True:
        yield _row(load, at)
        at += 1


def _row(load: Load, at: int) -> str:
    mb_in, mb_out = load.at(at)
    noise = load.rng.random()
    flushed = 3 * mb_in if at % 3 == 0 else 0.0  # the spool is flushed every three seconds
    user, system, wait = 200 * noise, 8 * (mb_in + mb_out), 8 * flushed
    times = (user, 0.0, system, 0.1 * system, CPU_MS - user - 1.1 * system - wait, wait, 0.0)
    weights = [(0.7 + 0.6 * load.rng.random()) / len(DISKS) for _ in DISKS]
    read, written = [1024 * mb_out * weight for weight in weights], [1024 * flushed * weight for weight in weights]
    moved = [kib / 128 for kib in read], [kib / 128 for kib in written]
    values = [*times, int(4 * noise), 160_000 + 4 * int(8_750 * noise), 0, *moved[0], *moved[1], *read, *written]
    cells = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in values]
    return f"{local(at):%F %T},{mb_in / 20:.3f},{','.join(cells)},{mb_in * 1e6:.3f},{mb_out * 1e6:.3f}\n"
