"""Which files there are, and what site.toml and their paths say of them."""

import os
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipelines.config import FILE_NAME, Input, Site
from pipelines.records import Origin, tidy_origin


def expand(paths: list[Path]) -> list[Path]:
    """Files as they are, folders as all files below them."""
    found: list[Path] = []
    for path in paths:
        found += sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return found


def logs_in(site: Site, paths: list[Path]) -> list[Path]:
    """As `expand`, without what lies in given folders but is no log: site.toml and all that is made beside it.

    A file given by its own name is taken as it is.
    """
    own = [site.warehouse_path.resolve(), (site.root / "var").resolve()]
    given = {path for path in paths if not path.is_dir()}
    return [
        path
        for path in expand(paths)
        if path in given or not (path.name == FILE_NAME or any(path.resolve().is_relative_to(folder) for folder in own))
    ]


def origin_of(site: Site | None, path: Path, item: Input | None, values: dict[str, str]) -> Origin:
    """What site.toml and the path say of a file; without an [[input]] its name must do."""
    known: dict[str, Any] = {"path": path.name, "zone": site.zone if site else "UTC"}
    known["system"] = site.name if site else ""
    if path.exists():
        known["modified_at"] = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(tzinfo=None)
    if item is None:
        known["host"] = path.name.split(".")[0]
        if found := re.search(r"(\d{4})-?(\d\d)-?(\d\d)", path.name):
            values = {"date": "-".join(found.groups())} | values
    else:
        fields = {name: getattr(item, name) for name in ("system", "host", "link", "zone", "date")}
        fields |= {name: getattr(item, name) for name in ("start_at", "interval_s", "date_order")}
        known |= {name: value for name, value in fields.items() if value}
    known |= {name: value for name, value in values.items() if value}
    if isinstance(known.get("date"), str):
        try:
            known["date"] = date.fromisoformat(known["date"])
        except ValueError:
            del known["date"]
    return tidy_origin({name: _text(value) if isinstance(value, str) else value for name, value in known.items()})


def shown(site: Site, path: Path) -> str:
    """A path as `ops.file` keeps it: relative to site.toml where it lies below."""
    resolved = path.resolve()
    return _text(resolved.relative_to(site.root) if resolved.is_relative_to(site.root) else resolved)


def _text(path: Path | str) -> str:
    """A path as text; bytes of a name that are not UTF-8 stand as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
