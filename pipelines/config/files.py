"""Which files there are, which [[input]] names each, and what site.toml and their paths say of them."""

import os
import re
import stat
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipelines.config.collect import Spool
from pipelines.config.inputs import Input
from pipelines.config.site import FILE_NAME, Site
from pipelines.sources.protocol import Origin, tidy_origin

Named = tuple[Path, Input | None, dict[str, str]]  # a file, the [[input]] that found it, and its placeholders
_ANSWER = re.compile(r"(20\d\d-\d\d-\d\dT\d{6}\.\d{6})Z\.txt")  # as `Spool.write` of ingest/collect names it
_EARLIEST, _LATEST = date(1980, 1, 1), date(2100, 1, 1)  # a year outside is a slip, as it is in the lines of a log


def site_files(site: Site, paths: list[Path] | None = None) -> list[Named]:
    """The files that site.toml names; or those given, which no [[input]] found.

    Of given folders that is everything below them, but for site.toml and what is made next to it.
    """
    if paths is None:
        return list(find_inputs(site))
    given = {path for path in paths if not os.path.isdir(path)}
    return [(path, None, {}) for path in expand(paths) if path in given or not is_own(site, path)]


def find_inputs(site: Site) -> list[tuple[Path, Input, dict[str, str]]]:
    """Every file an [[input]] of the site names, each once, in the order of the inputs, with its placeholders."""
    found: dict[Path, tuple[Path, Input, dict[str, str]]] = {}
    made = (site.warehouse_path, site.reports_path)  # not all of var: a site may keep logs below it
    for item in site.input:
        base = item.base(site.root)
        for path in sorted(base.glob(_wide(item.pattern))):
            values = item.match(path.relative_to(base).as_posix())
            own = any(map(path.is_relative_to, made)) or path == site.root / FILE_NAME
            if values is not None and not own and not os.path.isdir(path):
                found.setdefault(path, (path, item, values))
    return list(found.values())


def _wide(pattern: str) -> str:
    """A pattern without placeholders, as pathlib reads it; a bracket is an ordinary character.

    >>> _wide("logs/{host}_{date}*[1].txt")
    'logs/*_*[[]1].txt'
    """
    return re.sub(r"\*?(\{\w+\}\*?)+", "*", pattern).replace("[", "[[]")


def input_for(site: Site, path: Path) -> tuple[Input | None, dict[str, str]]:
    """The first [[input]] whose pattern fits a path, and the placeholders in it."""
    resolved = Path(os.path.realpath(path))  # unlike Path.resolve it bears a link that leads to itself
    for item in site.input:
        base = item.base(site.root)
        if resolved.is_relative_to(base):
            values = item.match(resolved.relative_to(base).as_posix())
            if values is not None:
                return item, values
    return None, {}


def expand(paths: list[Path]) -> list[Path]:
    """Files as they are, folders as everything below them that is not a folder that can be listed.

    So pipes, links to nothing and folders without rights are among them: `not_a_file` says what each is.
    """
    found: list[Path] = []
    for path in paths:
        found += sorted(below(path)) if os.path.isdir(path) else [path]
    return found


def logs_below(folder: Path) -> list[Path]:
    """What `expand` finds in a folder, without a site.toml and what is made next to it."""
    own = folder / "var"
    return [path for path in expand([folder]) if path.name != FILE_NAME and not path.is_relative_to(own)]


def below(folder: Path, hidden: bool = True) -> Iterator[Path]:
    """Everything below a folder that is not a folder; links to folders are not followed, but named."""
    closed: list[Path] = []
    for at, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if hidden or not name.startswith("."))
        yield from (Path(at, name) for name in sorted(files) if hidden or not name.startswith("."))
        yield from (path for name in folders if os.path.islink(path := Path(at, name)))
    yield from closed


def not_a_file(path: Path) -> str:
    """What a path leads to that is no regular file, and must not be opened: a pipe would wait for ever; else nothing.

    >>> not_a_file(Path("/nowhere/at/all"))
    'not there'
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if os.path.islink(path):
            return "a symbolic link whose target cannot be reached"
        return "not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return (
            "a symbolic link to a folder, which is not followed"
            if os.path.islink(path)
            else "a folder that cannot be listed"
        )
    return next((name for is_one, name in _KINDS if is_one(mode)), "not a regular file")


_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def is_own(site: Site, path: Path) -> bool:
    """site.toml, or made next to it."""
    own = (site.warehouse_path.resolve(), (site.root / "var").resolve())
    return path.name == FILE_NAME or any(_real(path).is_relative_to(folder) for folder in own)


def look_at(path: Path) -> os.stat_result | None:
    """What a regular file is on disk now; None of anything else. One look serves all who ask about size or time."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def origin_of(
    site: Site | None, path: Path, item: Input | None, values: dict[str, str], status: os.stat_result | None = None
) -> Origin:
    """What site.toml, the path and its status on disk say of a file; without an [[input]] its name must do."""
    known: dict[str, Any] = {
        "path": path.name,
        "place": "/".join(path.parts[-3:]),
        "zone": site.zone if site else "UTC",
        "system": site.name if site else path.name.split(".")[0],
    }
    if status:
        known["modified_at"] = datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None)
    if item is None:
        if found := re.search(r"(\d{4})[-.]?(\d\d)[-.]?(\d\d)", path.name):
            values = {"date": "-".join(found.groups())} | values
    else:
        fields = {name: getattr(item, name) for name in ("system", "host", "link", "drive", "zone", "date")}
        fields |= {name: getattr(item, name) for name in ("start_at", "interval_s", "date_order")}
        fields["columns"] = tuple(sorted(item.columns.items()))
        known |= {name: value for name, value in fields.items() if value}
    known |= {name: value for name, value in values.items() if value}
    if isinstance(item, Spool) and (found := _ANSWER.fullmatch(path.name)):
        # an answer's time is in its name; its kind must be in the name of its entry where site.toml does not
        known["start_at"] = datetime.strptime(found[1], "%Y-%m-%dT%H%M%S.%f")
        known |= {name: path.parent.name for name in ("host", "drive") if not known.get(name)}
    if isinstance(known.get("date"), str):
        known["date"] = _day_of_name(known.pop("date"))
        known = {name: value for name, value in known.items() if value is not None}
    return tidy_origin({name: _text(value) if isinstance(value, str) else value for name, value in known.items()})


def _day_of_name(text: str) -> date | None:
    """The day that digits of a name say; none where they are no day, or one that sources would not read in a line."""
    try:
        day = date.fromisoformat(text.replace(".", "-"))  # dCache writes billing-2011.10.03
    except ValueError:
        return None
    return day if _EARLIEST <= day < _LATEST else None


def stored_path(site: Site, path: Path) -> str:
    """A path as `ops.file` keeps it: relative to site.toml where it is below."""
    return _text(os.fspath(_real(path)).removeprefix(os.path.join(site.root, "")))


def _real(path: Path) -> Path:
    """A file by its real name; what is not a file keeps its own, because where it leads is not what there is."""
    is_file = os.path.isfile(path)
    real = os.path.realpath(path if is_file else path.parent)
    return Path(real) if is_file else Path(real, path.name)


def _text(path: Path | str) -> str:
    """A path as text; bytes of a name that are not UTF-8 become escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
