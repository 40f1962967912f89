"""WLCG's tape metrics as the JSON its collector pulls (HEPTape TapeMetricsJSON): decimal units, remounts of the day."""

import json
from importlib import metadata
from pathlib import Path
from typing import Any

from pipelines.config.recipients import Wlcg
from pipelines.primitives.files import write_atomic
from pipelines.reporting.delivery.payload import Message, Row

# the metric's name there, and the column of the question `wlcg_tape`
_METRICS = {
    "usedsize": "used_bytes",
    "occupiedsize": "occupied_bytes",
    "readbytes24h": "read_bytes",
    "writebytes24h": "write_bytes",
    "avgtaperemounts": "avg_remounts",
    "totalmounts24h": "total_mounts",
    "uniquemounts24h": "unique_mounts",
}


def write(file: Path, settings: Wlcg, message: Message) -> str:
    """Write the file completely or not at all; returns its path. Raises OSError."""
    text = json.dumps(document(settings, message), indent=1, sort_keys=True) + "\n"
    write_atomic(file, text.encode())
    return str(file)


def document(settings: Wlcg, message: Message) -> dict[str, Any]:
    """The document as of the end of the report's last day. A metric that no log shows is left out, never 0."""
    at = int(message.ends_at.timestamp()) if message.ends_at else 0
    service = {
        "name": settings.name or message.site,
        "implementation": "tapescope",
        "implementationversion": metadata.version("tapescope"),
        "latestupdate": at,
        "storageshares": [_share(settings, row, at) for row in message.wlcg],
    }
    return {"storageservice": service}


def _share(settings: Wlcg, row: Row, at: int) -> dict[str, Any]:
    group = str(row["storage_group"])
    values = {name: row[column] for name, column in _METRICS.items() if row[column] is not None}
    return {"name": group, "vos": list(settings.vos.get(group, (group.lower(),))), "timestamp": at} | values
