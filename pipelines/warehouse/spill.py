"""Where DuckDB puts down rows that do not fit into memory: a folder for each session.

DuckDB gives these files the same names in every process. Two that share a folder overwrite each other's rows, and end
with a segmentation fault or wrong rows.
"""

import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path

_PREFIX = "spill-"
_LEFT = (f"{_PREFIX}*", "apart-*", "duckdb_temp_*")  # the last two as former releases named them
_IDLE_S = 86_400.0


def own_folder(temp_folder: Path) -> Path:
    """A folder that is not made yet: DuckDB makes it with the first file, and removes it at the end."""
    with suppress(OSError):  # a reader may lack the right, and need no file
        if temp_folder.parent.is_dir():
            temp_folder.mkdir(exist_ok=True)
    return temp_folder / f"{_PREFIX}{uuid.uuid4().hex}"


def sweep(temp_folder: Path) -> None:
    """Remove what killed processes left, to which no process has written for a day."""
    for pattern in _LEFT:
        for left in temp_folder.glob(pattern):
            with suppress(OSError):
                if time.time() - max(path.stat().st_mtime for path in (left, *left.glob("*"))) > _IDLE_S:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
