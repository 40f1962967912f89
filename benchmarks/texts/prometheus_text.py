"""Text of scrapes of node_exporter on a host with two disks, a minute apart, dated by a comment above each."""

from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Load

NAME, GLOB = "stager1_scrapes.prom", "{host}_{name}.prom"
REASON = "each row combines about twenty lines, each with its own name and labels"

STEP_S = 60
CPU = (("idle", 0.6), ("iowait", 0.1), ("nice", 0.0), ("system", 0.1), ("user", 0.2))
DISKS = (("sda", 0.1), ("sdb", 0.9))


def text(seed: int) -> Iterator[str]:
    """A scrape a piece."""
    load = Load(seed, "prometheus_text")
    counts: dict[str, float] = {}
    at = 0
    while True:
        lines = [f"# {FIRST_S + at}"]
        above = ""
        for name, labels, rise in _rises(load, at):
            if name != above:
                lines += [f"# HELP {name} As the kernel counts it.", f"# TYPE {name} counter"]
            series, above = f"{name}{{{labels}}}", name
            counts[series] = counts.get(series, 0.0) + rise
            lines.append(f"{series} {counts[series]:.10g}")
        yield "\n".join([*lines, "# EOF\n"])
        at += STEP_S


def _rises(load: Load, at: int) -> Iterator[tuple[str, str, float]]:
    mb_in, mb_out = load.at(at)
    for cpu in range(4):
        for mode, share in CPU:
            yield "node_cpu_seconds_total", f'cpu="{cpu}",mode="{mode}"', STEP_S * share
    for name, mb in (("read", mb_out), ("written", mb_in)):
        for disk, share in DISKS:
            yield f"node_disk_{name}_bytes_total", f'device="{disk}"', round(STEP_S * mb * share * 1e6)
    for name, mb in (("receive", mb_in), ("transmit", mb_out)):
        yield f"node_network_{name}_bytes_total", 'device="eth0"', round(STEP_S * mb * 1e6)
