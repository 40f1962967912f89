"""Copies of the code with a change, for processes that a test starts: they find it first where PYTHONPATH names it."""

import shutil
from pathlib import Path

from support import REPO


def copied_code(folder: Path) -> Path:
    """The packages that tasks import, and the contracts and samples that these read."""
    for name in ("pipelines", "schemas", "sample_data"):
        shutil.copytree(REPO / name, folder / name, ignore=shutil.ignore_patterns("captured", "logs"))
    return folder


def eager_code(folder: Path, part_rows: int) -> Path:
    """The same code, which makes a build of any size in parts of about `part_rows` rows of bronze."""
    module = copied_code(folder) / "pipelines" / "build" / "apart.py"
    text = module.read_text()
    limits = (("PART_ROWS", "4_000_000", part_rows), ("PAYING_ROWS", "1_000_000", 0), ("PART_DAYS", "30", 1))
    for name, old, new in limits:
        assert f"{name} = {old}" in text
        text = text.replace(f"{name} = {old}", f"{name} = {new}")
    module.write_text(text)
    return folder
