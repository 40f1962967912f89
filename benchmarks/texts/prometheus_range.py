"""Text of `/api/v1/query?query={__name__=~"node_.+"}[1h]` of one host with two disks, an answer an hour."""

import json
from collections.abc import Iterator

from benchmarks.texts._staging import FIRST_S, Load

NAME, GLOB = "stager1_prometheus.json", "{host}_{name}.json"
REASON = "each row combines a dozen samples, each from another series"

STEP_S = 15
CPU = (("user", 0.2), ("nice", 0.0), ("system", 0.1), ("iowait", 0.1), ("idle", 0.6))


def text(seed: int) -> Iterator[str]:
    """An answer a piece; counters go on from one to the next."""
    load = Load(seed, "prometheus_range")
    counts: dict[str, float] = {}
    at = 0
    while True:
        series: dict[str, list[list[float | str]]] = {}
        for _ in range(3600 // STEP_S):
            for name, rise in _rises(load, at):
                counts[name] = counts.get(name, 0.0) + rise
                series.setdefault(name, []).append([FIRST_S + at, repr(counts[name])])
            at += STEP_S
        result = [{"metric": json.loads(name), "values": values} for name, values in series.items()]
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        yield json.dumps(answer, separators=(",", ":")) + "\n"


def _rises(load: Load, at: int) -> Iterator[tuple[str, float]]:
    mb_in, mb_out = load.at(at)
    for mode, share in CPU:
        yield _named("node_cpu_seconds_total", cpu="0", mode=mode), STEP_S * share
    for disk, share in (("sda", 0.1), ("sdb", 0.9)):
        yield _named("node_disk_read_bytes_total", device=disk), round(STEP_S * mb_out * share * 1e6)
        yield _named("node_disk_written_bytes_total", device=disk), round(STEP_S * mb_in * share * 1e6)
        yield _named("node_disk_io_time_seconds_total", device=disk), STEP_S * share * (mb_in + mb_out) / 200
    yield _named("node_network_receive_bytes_total", device="eth0"), round(STEP_S * mb_in * 1e6)
    yield _named("node_network_transmit_bytes_total", device="eth0"), round(STEP_S * mb_out * 1e6)


def _named(name: str, **labels: str) -> str:
    return json.dumps({"__name__": name, "instance": "stager1:9100", "job": "node", **labels})
