"""Values that cannot be: the impossible, what disagrees with itself, benchmarks that measured something else."""

from typing import NamedTuple

ROUNDING = 0.05  # figures for people are printed to two digits
# What a figure is wrong by when its unit was mistaken.
_SLIPS = {
    8.0: "bits and bytes confused",
    1000.0: "unit wrong by a factor of 1000",
    1024.0: "unit wrong by a factor of 1024",
    1024 / 1000: "binary and decimal units mixed",
    (1024 / 1000) ** 2: "MiB and MB mixed",
    (1024 / 1000) ** 3: "GiB and GB mixed",
}


class Contradiction(NamedTuple):
    """A stated figure, the value it should have or the most it can be, and why it is impossible."""

    what: str
    stated: float
    expected: float
    why: str


def disagree(what: str, stated: float, computed: float, tolerance: float = ROUNDING) -> Contradiction | None:
    """A stated figure that differs from the one computed by more than `tolerance`, a share of the computed one.

    Names the slip of a unit where one explains the factor to 1 %. Both in one unit. G5.

    >>> disagree("duties in all", 2.4, 0.6 + 0.6 + 0.8 + 0.4)
    >>> disagree("segment of 1 GB over four, bytes", 256e3, 256e6).why
    'stated 2.56e+05, computed 2.56e+08: unit wrong by a factor of 1000'
    >>> disagree("TB in 12 days at 84.01 MB/s", 41.3, 84.01e6 * 12 * 86400 / 1e12).why
    'stated 41.3, computed 87.1'
    """
    if computed == stated or (computed != 0 and abs(stated - computed) <= tolerance * abs(computed)):
        return None
    return Contradiction(
        what, stated, computed, f"stated {stated:.3g}, computed {computed:.3g}{_slip(stated, computed)}"
    )


def _slip(stated: float, computed: float) -> str:
    if stated <= 0 or computed <= 0:
        return ""
    factor = max(stated / computed, computed / stated)
    near = [(abs(factor / known - 1), slip) for known, slip in _SLIPS.items() if abs(factor / known - 1) <= 0.01]
    return f": {min(near)[1]}" if near else ""


def above(what: str, stated: float, most: float, because: str, tolerance: float = 0.0) -> Contradiction | None:
    """A figure above what is possible: a rate above the nameplate, more drives than there are, duty above 1.

    `tolerance` is a share of `most`: compression, or how much clocks and counters may err.

    >>> above("movers in use", 11.71, 9, "drives of the test").why
    '11.7 exceeds the maximum of 9 drives of the test'
    >>> above("drive rate", 83.4, 120.0, "MB/s of the nameplate")
    """
    if stated <= most * (1 + tolerance):
        return None
    return Contradiction(what, stated, most, f"{stated:.3g} exceeds the maximum of {most:.3g} {because}")


def above_one(what: str, share: float) -> Contradiction | None:
    """A share, duty or efficiency above 1.

    >>> above_one("f = drive/overall", 83.4 / 72.6).why
    '1.15 exceeds the maximum of 1 for a share'
    """
    return above(what, share, 1.0, "for a share", 1e-9)


def outside(what: str, stated: float, low: float, high: float) -> Contradiction | None:
    """A headline outside the range its own parts span (MA1).

    >>> outside("80 MB/s against the stations' plots", 80.0, 85.0, 135.0).why
    '80 is outside the possible range 85 to 135'
    >>> outside("rate of a drive with a seek", 33.0, 30.9, 35.4)
    """
    if low <= stated <= high:
        return None
    return Contradiction(
        what,
        stated,
        low if stated < low else high,
        f"{stated:.3g} is outside the possible range {low:.3g} to {high:.3g}",
    )


def unbalanced(
    what: str, came_in: float, went_out: float, stored: float, tolerance: float = 0.1
) -> Contradiction | None:
    """What came in must go out or be stored; `stored` is the most there is room for; all in one unit (MA2, D8).

    >>> unbalanced("station dm8, TB a day", 4.86 * 0.8, 2.94 * 0.8, 1.07).expected
    3.422
    >>> unbalanced("station dm7", 4.0, 3.9, 1.0)
    """
    possible = went_out + stored
    if abs(came_in - went_out) <= stored + tolerance * max(came_in, went_out):
        return None
    expected = round(possible, 12) if came_in > went_out else went_out - stored
    return Contradiction(
        what, came_in, expected, f"{came_in:.3g} came in, {went_out:.3g} went out, and only {stored:.3g} can be stored"
    )


def fits_memory(what: str, file_bytes: float, n_files: int, memory_bytes: float) -> Contradiction | None:
    """A benchmark whose working set fits the memory measured the cache.

    Source: the rule "transfer more than memory" of the EOS/ECS tuning (E14, 512 MB there), N31.

    >>> fits_memory("1 GB file on 36 GB of memory", 1e9, 1, 36e9).why
    'a working set of 1e+09 bytes fits in the memory of 3.6e+10 bytes, so the test measured the cache'
    >>> fits_memory("the same with 100 files", 1e9, 100, 36e9)
    """
    working_set = file_bytes * n_files
    if working_set > memory_bytes:
        return None
    why = f"a working set of {working_set:.3g} bytes fits in the memory of {memory_bytes:.3g} bytes"
    why += ", so the test measured the cache"
    return Contradiction(what, working_set, memory_bytes, why)
