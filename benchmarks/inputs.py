"""The files that are measured: made from a seed, of a given size, and kept by size for the next run."""

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import debuglog_text, vmstat_text

MB = 1_000_000
SEED = 1
VERSION = 1  # of the texts: raise it when a generator changes, or a kept file of before is measured
ENSTORE, VMSTAT = "enstore_log", "vmstat"
SITE = """\
name = "benchmark"
zone = "America/Chicago"
warehouse = "warehouse"

[[input]]
glob = "{glob}"
"""
_GLOBS = {ENSTORE: "DEBUGLOG-{date}", VMSTAT: "{host}_{name}.txt"}
_NAMES = {ENSTORE: "DEBUGLOG-2010-03-10", VMSTAT: "stager1_1s.txt"}
_TEXTS: dict[str, Callable[[int], Iterator[str]]] = {ENSTORE: debuglog_text.text, VMSTAT: vmstat_text.text}


def make(folder: Path, stem: str, mb: float) -> Path:
    """The file of a source in a folder of its own with a site.toml that names it."""
    place = folder / f"{stem}-{mb:g}MB-v{VERSION}"
    path = place / _NAMES[stem]
    if path.exists():
        return path
    place.mkdir(parents=True, exist_ok=True)
    (place / "site.toml").write_text(SITE.format(glob=_GLOBS[stem]))
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        for piece in _TEXTS[stem](SEED):
            file.write(piece.encode())
            if file.tell() >= mb * MB:
                break
    unfinished.rename(path)
    return path
