"""What Prometheus keeps of the tape servers: raw samples of node_exporter, an answer an hour."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from sample_data import planted
from sample_data.cta.site import Site
from sample_data.story import HOUR, SECOND

MODES = ("idle", "user", "nice", "system", "iowait")


def answers(site: Site) -> Iterator[tuple[str, str]]:
    """A file per tape server, each line an answer of an hour to `query={instance=...}[1h]`."""
    step = site.scenario.host_step_s
    for host in site.servers:
        rng = Random(f"{site.scenario.seed} prometheus {host}")
        into, out = (_moved(site, host, is_read) for is_read in (False, True))
        full = [
            span
            for number, fault in site.struck.of(planted.SaturatedHost)
            if site.struck.entity[number] == host
            for span in site.struck.hours(fault, fault.hours, number)
        ]
        counts = {mode: 1e6 * rng.random() for mode in MODES}
        n_in, n_out, lines = rng.randrange(10**13), rng.randrange(10**13), []
        for hour in range(site.struck.from_at, site.struck.to_at, HOUR):
            series: dict[str, list[list[Any]]] = {}
            for at in range(hour // SECOND, (hour + HOUR) // SECOND, step):
                received, sent = into.pop(at // step, 0), out.pop(at // step, 0)
                n_in, n_out = n_in + received, n_out + sent
                is_full = any(begin <= at * SECOND < end for begin, end in full)
                for mode, share in _shares(rng, (received + sent) / step / 1e6, is_full).items():
                    counts[mode] += share * step
                    _add(series, host, "node_cpu_seconds_total", at, round(counts[mode], 2), cpu="0", mode=mode)
                _add(series, host, "node_network_receive_bytes_total", at, n_in, device="bond0")
                _add(series, host, "node_network_transmit_bytes_total", at, n_out, device="bond0")
            result = [{"metric": json.loads(labels), "values": values} for labels, values in series.items()]
            answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            lines.append(json.dumps(answer, separators=(",", ":")) + "\n")
        yield f"prometheus/{host}_hours.json", "".join(lines)


def _add(series: dict[str, list[list[Any]]], host: str, name: str, at: int, value: float, **labels: str) -> None:
    named = json.dumps({"__name__": name, "instance": f"{host}.example.org:9100", "job": "node", **labels})
    series.setdefault(named, []).append([at, str(value)])


def _moved(site: Site, host: str, is_read: bool) -> dict[int, int]:
    """Bytes by the number of the step in which they passed, evenly over each file's time."""
    step = site.scenario.host_step_s
    found: dict[int, float] = {}
    for server, was_read, begin, end, n_bytes in site.taped.moved:
        if server == host and was_read == is_read:
            for number in range(int(begin // step), int(end // step) + 1):
                inside = min(end, (number + 1) * step) - max(begin, number * step)
                found[number] = found.get(number, 0.0) + n_bytes * inside / (end - begin)
    return {number: int(n_bytes) for number, n_bytes in found.items()}


def _shares(rng: Random, mb_s: float, is_full: bool) -> dict[str, float]:
    """How the processors' time was spent; the more is moved, the busier they are."""
    if is_full:
        idle = 0.005 + 0.02 * rng.random()
        return {"idle": idle, "user": 0.3, "nice": 0.0, "system": 0.69 - idle, "iowait": 0.01}
    system, user = min(0.4, 0.01 + mb_s / 4000 + 0.01 * rng.random()), min(0.2, 0.01 + mb_s / 8000)
    return {"idle": 0.99 - system - user, "user": user, "nice": 0.0, "system": system, "iowait": 0.01}
