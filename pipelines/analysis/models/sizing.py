"""How many drives are needed, how sure that is, and what it depends on; and the same formula asked the other way round.

    drives = sum over classes of traffic (rate x factor / efficiency) / drive speed / availability

Inputs: for each class of traffic its rate in MB/s, the factor for backlogs and peaks, and the efficiency of a drive
that serves it, in (0, 1]; for all of them the drive's speed in MB/s and the share of time it can be used. Each is a
value, or a value with the ends of its 90 % interval. Output: drives, as a number that is not rounded, with a 90 %
interval by simulation (each uncertain input drawn on its own, by halves of normal distributions of its logarithm, so
that a tenth of the draws are outside its ends), and what each input alone would change (a tornado).

The inverse questions, from n F / (tM + n tO + n F / S): file size for an efficiency, files a mount for a rate, chunk
to be written at once for an efficiency.

Limits: efficiencies are taken not to depend on how many drives there are; classes do not share drives better than
alone; no queueing. Source: tape sizing note of CERN, summary (C04, C13-C15, C20, C23, C24). MB = 10^6 bytes.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import scipy

from pipelines.analysis.models.service_time import Service
from pipelines.analysis.stats.bootstrap import Floats
from pipelines.primitives.estimate import Estimate

N_DRAWS = 4000
STREAM_MB_S = 50.0  # C11: beyond it a stream of the disks of 2005 was no longer a matter of more of them


def certain(value: float) -> Estimate:
    """A certain value.

    >>> certain(2.0)
    Estimate(value=2.0, low=2.0, high=2.0)
    """
    return Estimate(value, value, value)


ONE = certain(1.0)
LEAST_SHARE = 1e-6


def share(one: Estimate) -> Estimate:
    """Within (0, 1]: what compresses comes above its nameplate, and a stretched interval may leave it.

    >>> share(Estimate(0.7, -0.02, 1.3))
    Estimate(value=0.7, low=1e-06, high=1.0)
    """
    value = min(1.0, one.value)
    return Estimate(value, min(value, max(one.low, LEAST_SHARE)), max(value, min(1.0, one.high)))


@dataclass(frozen=True)
class Traffic:
    """One class of traffic: MB/s to serve, factor for backlog and peaks, efficiency of a drive that serves it."""

    name: str
    rate_mb_s: Estimate
    factor: Estimate = ONE
    efficiency: Estimate = ONE


@dataclass(frozen=True)
class Needed:
    """The answer: drives with their interval, of which class how many, and what each input alone does to the sum."""

    drives: Estimate
    of_class: dict[str, float]
    tornado: tuple[tuple[str, float, float], ...] = field(default=())  # input, drives at its low and high end

    @property
    def whole(self) -> int:
        """Whole drives that do it."""
        return math.ceil(self.drives.value - 1e-9)


def drives_needed(
    traffic: list[Traffic], speed_mb_s: Estimate, availability: Estimate = ONE, seed: int = 0, n_draws: int = N_DRAWS
) -> Needed:
    """Drives for all traffic. Raises ValueError for inputs that are not above 0, and shares above one.

    >>> t0 = Traffic("T0", certain(100.0), certain(2.0), certain(0.5))
    >>> drives_needed([t0], certain(40.0)).whole
    10
    """
    inputs = {f"{t.name}: {part}": getattr(t, part) for t in traffic for part in ("rate_mb_s", "factor", "efficiency")}
    inputs |= {"speed_mb_s": speed_mb_s, "availability": availability}
    for name, one in inputs.items():
        is_share = name.endswith(("efficiency", "availability"))
        if not 0 < one.low <= one.value <= one.high or (is_share and one.high > 1):
            raise ValueError(
                f"{name} must be above 0{' and at most 1' if is_share else ''}, and its value must be between the ends"
                " of its interval"
            )
    point = {name: np.array(one.value) for name, one in inputs.items()}
    rng = np.random.default_rng(seed)
    drawn = {name: _draws(one, rng, n_draws, name) for name, one in inputs.items()}
    value = float(_sum(point, traffic))
    low, high = np.quantile(_sum(drawn, traffic), [0.05, 0.95])

    def at(name: str, end: float) -> float:
        return float(_sum(point | {name: np.array(end)}, traffic))

    tornado = [(name, at(name, one.low), at(name, one.high)) for name, one in inputs.items() if one.low < one.high]
    tornado.sort(key=lambda row: -abs(row[2] - row[1]))
    whole = Estimate(value, min(value, float(low)), max(value, float(high)))
    return Needed(whole, {t.name: float(_sum(point, [t])) for t in traffic}, tuple(tornado))


def _draws(one: Estimate, rng: np.random.Generator, n_draws: int, name: str) -> Floats:
    """Half a normal of the logarithm on either side of the value: a twentieth of the draws is beyond each end."""
    side = rng.standard_normal(n_draws)
    reach = np.where(side < 0, math.log(one.value / one.low), math.log(one.high / one.value))
    reach /= scipy.special.ndtri(0.95)
    drawn = one.value * np.exp(side * reach)
    return np.minimum(drawn, 1.0) if name.endswith(("efficiency", "availability")) else drawn


def _sum(inputs: dict[str, Floats], traffic: list[Traffic]) -> Floats:
    needed = [
        inputs[f"{t.name}: rate_mb_s"] * inputs[f"{t.name}: factor"] / inputs[f"{t.name}: efficiency"] for t in traffic
    ]
    total: Floats = np.asarray(sum(needed)) / inputs["speed_mb_s"] / inputs["availability"]
    return total


def file_size_for_efficiency(service: Service, efficiency: float, n_files: float = math.inf) -> float:
    """MB a file must have for an efficiency, with `n_files` a mount: S (tM / n + tO + tS) e / (1 - e) (C15).

    >>> round(file_size_for_efficiency(Service(30.0), 0.5, 1))
    3732
    """
    _share(efficiency)
    if n_files < 1:
        raise ValueError("a mount needs at least one file")
    a_file = service.mount_s / n_files + service.file_s + service.seek_s
    return service.speed_mb_s * a_file * efficiency / (1 - efficiency)


def files_per_mount_for(service: Service, rate_mb_s: float, file_mb: float) -> float:
    """Files a mount must serve for an overall rate: tM / (F / rate - F / S - tO - tS).

    Raises ValueError where no number of files reaches it, naming the rate that endless mounts would have.

    >>> round(files_per_mount_for(Service(30.0), 20.107, 1000))
    10
    """
    spare = file_mb / rate_mb_s - file_mb / service.speed_mb_s - service.file_s - service.seek_s
    if spare <= 0:
        best = Service(service.speed_mb_s, 0, service.file_s, service.seek_s).time(1, file_mb).rate_mb_s
        raise ValueError(
            f"files of {file_mb:g} MB never reach {rate_mb_s:g} MB/s: they reach only {best:.1f} MB/s even if"
            " a mount takes no time"
        )
    return service.mount_s / spare


def chunk_for_efficiency(service: Service, efficiency: float, file_mb: float) -> float:
    """MB to be collected before a mount, for an efficiency with files of `file_mb` (N12, P48).

    Raises ValueError where what each file costs alone keeps it below.

    >>> service = Service(60.0)
    >>> round(chunk_for_efficiency(service, service.time(20_000 / 2755, 2755).efficiency, 2755))
    20000
    """
    _share(efficiency)
    spare = (1 / efficiency - 1) / service.speed_mb_s - (service.file_s + service.seek_s) / file_mb
    if spare <= 0:
        raise ValueError(
            f"files of {file_mb:g} MB never reach an efficiency of {efficiency:g}, however much data a mount moves"
        )
    return service.mount_s / spare


def capped(native_mb_s: float, stream_mb_s: float = STREAM_MB_S) -> float:
    """MB/s a drive comes to where one stream of its disks bears no more: the cautious cap of the note (C11).

    Above some 50 MB/s a stream what disks let through no longer grows with their number, so the note counts with 50
    for every drive to come.

    >>> capped(40.0), capped(120.0)
    (40.0, 50.0)
    """
    if native_mb_s <= 0 or stream_mb_s <= 0:
        raise ValueError("rates must be above 0")
    return min(native_mb_s, stream_mb_s)


def _share(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise ValueError("an efficiency must be between 0 and 1")
