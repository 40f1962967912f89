"""The files that are measured: made from a seed, of a given size, and kept by size for the next run."""

import re
from pathlib import Path

from benchmarks.texts import all_texts

MB = 1_000_000
SEED = 1
VERSION = 3  # of the texts: raise it when a generator changes, or a kept file of before is measured
ENSTORE, VMSTAT, IOSTAT, CTA = "enstore_log", "vmstat", "iostat", "cta_taped"
MANY, N_MANY = "-many", 10  # after a source's name: ten logs of this many hosts or days, together of the size
JSON = "-json"  # after a source's name: its log as JSON
SITE = """\
name = "benchmark"
zone = "America/Chicago"
warehouse = "warehouse"

[[input]]
glob = "{glob}"
{origin}"""


def make(folder: Path, stem: str, mb: float) -> Path:
    """The file of a source, as text or with `-json` as JSON, in a folder of its own with a site.toml that names it."""
    place = folder / f"{stem}-{mb:g}MB-v{VERSION}"
    text = all_texts()[stem.removesuffix(JSON)]
    pieces = getattr(text, "json_text") if stem.endswith(JSON) else text.text  # noqa: B009 - of some texts alone
    path = place / text.NAME
    if path.exists():
        return path
    place.mkdir(parents=True, exist_ok=True)
    (place / "site.toml").write_text(SITE.format(glob=text.GLOB, origin=getattr(text, "ORIGIN", "")))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        for piece in pieces(SEED):
            file.write(piece.encode())
            if file.tell() >= mb * MB:
                break
    unfinished.rename(path)
    return path


def make_many(folder: Path, stem: str, mb: float) -> Path:
    """Ten different logs of a source, with a site.toml that names them; returns the folder of the logs."""
    place = folder / f"{stem}{MANY}-{mb:g}MB-v{VERSION}" / "logs"
    if place.exists():
        return place
    text, unfinished = all_texts()[stem], place.with_name("unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    for n in range(N_MANY):
        with (unfinished / _name(text.NAME, n)).open("wb") as file:
            for piece in text.text(SEED + n):
                file.write(piece.encode())
                if file.tell() >= mb * MB / N_MANY:
                    break
    glob = f"logs/{text.GLOB}"
    (place.parent / "site.toml").write_text(SITE.format(glob=glob, origin=getattr(text, "ORIGIN", "")))
    unfinished.rename(place)
    return place


def _name(name: str, n: int) -> str:
    """The name of the n-th log, of a host or a day of its own.

    >>> _name("stager1_1s.txt", 2), _name("DEBUGLOG-2010-03-10", 2)
    ('stager3_1s.txt', 'DEBUGLOG-2010-03-12')
    """
    return re.sub(r"stager1|\d\d$", lambda found: f"stager{n + 1}" if found[0] == "stager1" else str(10 + n), name)
