"""The log of CTA's frontend: when each file of a mount was asked for, ahead of the mount and by one mount policy."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from sample_data.cta.site import Site, moment, some
from sample_data.cta.taped import asked

LOOKS_S = 10  # a free drive looks for work so often


def log(site: Site) -> Iterator[tuple[str, str]]:
    """A file for each UTC day; none where the scenario has no policy."""
    texts: dict[str, list[tuple[datetime, str]]] = {}
    for at, line in _lines(site) if site.scenario.min_age_s else ():
        texts.setdefault(f"{at:%Y-%m-%d}", []).append((at, line))
    for day, lines in sorted(texts.items()):
        yield f"frontend/ctafe01-cta-frontend-{day}.log", "".join(line for _, line in sorted(lines))


def _lines(site: Site) -> Iterator[tuple[datetime, str]]:
    """The oldest request of a mount, its first file's, is as old as its policy asks for; the others came meanwhile.

    Nothing is asked for before the story begins; pools hold their restores back until a drive is near.
    """
    min_age_s, rng = site.scenario.min_age_s, Random(f"{site.scenario.seed} frontend")
    for number, mount in enumerate(site.taped.served, 1):
        oldest_s = min_age_s + some(rng, 0, LOOKS_S)
        for nth in range(1, len(mount.files) + 1):
            ahead_s = oldest_s if nth == 1 else some(rng, LOOKS_S, oldest_s)
            at = max(mount.at - timedelta(seconds=ahead_s), moment(site.begin))
            yield at, asked(at, 1000 * number + nth, mount.mode, mount.vo, min_age_s, mount.disk)


def truth_lines(site: Site) -> list[str]:
    """Requests to read and to write, and the least age of the policy by which all of them were given a mount."""
    if not site.scenario.min_age_s:
        return []
    numbers = Counter[str]()
    for mount in site.taped.served:
        numbers[mount.mode] += len(mount.files)
    lines = [f"n_{mode} = {n}" for mode, n in sorted(numbers.items())]
    return ["[requests]", f"min_age_s = {site.scenario.min_age_s}", *lines, ""]
