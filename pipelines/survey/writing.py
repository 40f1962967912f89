"""A survey as a site.toml with its evidence in comments."""

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipelines.hostile import visible
from pipelines.survey import Survey

LINE_CHARS = 160


def written(survey: Survey) -> str:
    """The text of a site.toml that loads as it stands."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # TOML, not HTML: every value from a log passes `text` or `line`
        keep_trailing_newline=True,
    )
    environment.filters |= {"text": text, "line": line}
    n_read = sum(survey.by_source.values())
    return environment.get_template("site.toml.j2").render(survey=survey, n_read=n_read)


def text(value: str) -> str:
    """A TOML string.

    >>> print(text('a "b"'))
    "a \\"b\\""
    """
    return json.dumps(visible(value), ensure_ascii=False)


def line(value: str) -> str:
    """A piece of a comment: one line, printable, bounded."""
    flat = visible(" ".join(value.split()))
    return flat if len(flat) <= LINE_CHARS else flat[: LINE_CHARS - 1] + "…"
