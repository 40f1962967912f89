"""The site that the pages are about, read again when its files change."""

import os
from functools import lru_cache
from pathlib import Path

from pipelines.config.site import Site, load_site, site_file


def site_path() -> Path:
    """Where the site is that the pages are about."""
    return Path(os.environ.get("TAPESCOPE_SITE", "")).absolute()


def read_site(path: str | Path) -> Site:
    """The site of a path, read again only after its file or its template has changed. Raises ConfigError."""
    file = site_file(Path(path))
    now = _state(file)
    found = _read(file, *now)
    return _read(file, *now, *_state(found.template)) if found.template else found


def _state(file: Path) -> tuple[int, ...]:
    try:
        now = file.stat()
    except OSError:
        return ()  # reading it says why
    return now.st_ino, now.st_mtime_ns, now.st_size


@lru_cache(maxsize=4)
def _read(file: Path, *_: int) -> Site:
    return load_site(file)
