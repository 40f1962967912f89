"""A survey as a site.toml with its evidence in comments."""

import json
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipelines.ingest.survey import Survey
from pipelines.primitives.text import LINE_CHARS, escape_control, single_line

NAMES_LINES = 6  # of names of files that lack the same

# Fields that an [[input]] may add for files whose text lacks them, in the words of site.toml; values are to be found.
STUBS = {
    "date": "# date = 2010-06-15                      # local day of the first row",
    "start_at": "# start_at = 2010-06-15T08:00:00Z         # time of the first row, UTC",
    "interval_s": "# interval_s = 1.0                       # seconds from row to row",
    "date_order": '# date_order = "dmy"                     # or "mdy": order of day and month in the dates',
}


def written(survey: Survey, folder: Path) -> str:
    """The text of a site.toml that loads unchanged in a given folder."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # TOML, not HTML: every value from a log passes `text` or `single_line`
        keep_trailing_newline=True,
    )
    environment.filters |= {"text": text, "line": single_line, "names": names, "files": file_names}
    environment.globals["stub"] = STUBS.__getitem__
    n_read = sum(survey.by_source.values())
    return environment.get_template("site.toml.j2").render(
        survey=survey, base=_base(survey.folder, folder), n_read=n_read, zone=next(iter(survey.zone.zones), "UTC")
    )


def _base(logs: Path, folder: Path) -> str:
    """What a pattern needs before the path below the logs' folder, to be read from another one.

    >>> _base(Path("/a/logs"), Path("/a")), _base(Path("/a"), Path("/a")), _base(Path("/b"), Path("/a"))
    ('logs/', '', '/b/')
    """
    path = os.path.relpath(logs.resolve(), folder.resolve())
    return "" if path == "." else f"{logs.resolve()}/" if path.startswith("..") else f"{path}/"


def text(value: str) -> str:
    """A TOML string.

    >>> print(text('a "b"'))
    "a \\"b\\""
    """
    return json.dumps(escape_control(value), ensure_ascii=False)


def file_names(paths: Sequence[str]) -> list[str]:
    """Names of files without their folders, as `names` lays them out."""
    return names([path.rpartition("/")[2] for path in paths])


def names(found: Sequence[str]) -> list[str]:
    """Names as a few lines of a comment: those after the last line are counted."""
    flat = [single_line(name).replace(" ", "\N{NO-BREAK SPACE}") for name in found]
    rows = textwrap.wrap(", ".join(flat), LINE_CHARS - 50, break_long_words=False, break_on_hyphens=False)
    if len(rows) <= NAMES_LINES:
        return rows
    shown = " ".join(rows[:NAMES_LINES]).count(", ")
    return [*rows[:NAMES_LINES], f"and {len(flat) - shown} more"]
