"""The report's files put where others look for them, each completely or not at all."""

from pathlib import Path

from pipelines.primitives.files import write_atomic
from pipelines.reporting.delivery.payload import Message


def copy(folder: Path, message: Message) -> str:
    """Copy all forms of the report; returns the folder. Raises OSError."""
    for path in message.files.values():
        write_atomic(folder / path.name, path.read_bytes())
    return str(folder)
