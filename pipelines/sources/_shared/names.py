"""Names taken from a path where `site.toml` gives none."""

from pathlib import PurePath

_SUFFIXES = {
    *(".gz", ".zst", ".bz2", ".xz", ".log", ".old", ".txt", ".out", ".csv", ".nmon", ".prom"),
    *(".scsi_tape", ".sg_logs"),  # as the documents of these sources name their files
}


def stem_of(path: str) -> str:
    """The file's name without the endings of logs and of compression; dots of host names stay.

    >>> stem_of("mrtg/gw.example.org_2.log.gz")
    'gw.example.org_2'
    >>> stem_of("mrtg/gw.log.0"), stem_of("mrtg/gw.log.12.gz"), stem_of("mrtg/gw.2")
    ('gw', 'gw', 'gw.2')
    >>> stem_of("tps1.example.org.scsi_tape"), stem_of("tps1.sg_logs.gz")
    ('tps1.example.org', 'tps1')
    >>> stem_of("")
    'unknown'
    """
    name = PurePath(path.replace("\\", "/")).name
    while (ending := PurePath(name).suffix) in _SUFFIXES or _is_rotation(name):
        name = name[: -len(ending)]
    return name or "unknown"


def _is_rotation(name: str) -> bool:
    """A number after the ending of a log: `x.log.0` is what `x.log` was before."""
    path = PurePath(name)
    return path.suffix[1:].isdigit() and PurePath(path.stem).suffix in _SUFFIXES
