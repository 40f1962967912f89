"""A failure as a sentence or two for whoever is called at night: the step, what it was about, what to do, and where."""

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.primitives.store_errors import known_error
from pipelines.primitives.text import escape_control

_CODE = Path(__file__).resolve().parents[1]
_MOST_CHARS = 1500
_MOST_NAMED = 4  # files with the same trouble; the others are counted
_NO_CLOCK = (
    "Files refused with no_clock can be read if an [[input]] of site.toml gives their time. The keys are `date`, or"
    " `start_at` and `interval_s`, or `date_order`. `tapescope init DIR --out FILE` shows which keys a file needs."
)


def summarize_failure(step: str, error: BaseException) -> str:
    """One escaped line of bounded length: step, error, hint, the file being read and the line of our code.

    >>> summarize_failure("build", ValueError("no\\nsuch day"))
    'build failed: ValueError: no such day'
    """
    own = known_error(error) or error
    hint = str(getattr(own, "hint", "") or "")
    parts = [f"{step} failed: {type(own).__name__}: {own}", *getattr(error, "__notes__", ()), hint, _place(error)]
    text = "; ".join(" ".join(part.split()) for part in parts if part)
    return escape_control(text if len(text) <= _MOST_CHARS else text[:_MOST_CHARS] + "…")


def is_stop(error: BaseException) -> bool:
    """Whether a signal ended the work. DuckDB makes an error of its own of what a signal's handler raises.

    >>> is_stop(KeyboardInterrupt()), is_stop(RuntimeError("Query interrupted")), is_stop(RuntimeError("no"))
    (True, True, False)
    """
    return not isinstance(error, Exception) or (type(error) is RuntimeError and str(error) == "Query interrupted")


def _place(error: BaseException) -> str:
    """The innermost line of our own code that the error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(_CODE)]
    if not own:
        return ""
    name = Path(own[-1].filename).resolve().relative_to(_CODE.parent).as_posix()
    return f"at {name} line {own[-1].lineno}"


def problem_lines(counts: Mapping[str, Any]) -> list[str]:
    """The problems and warnings in a step's counts, a line each; of many files with the same trouble the first.

    The last line is what can be done, where we know it.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for problem in [*counts.get("problems", []), *counts.get("warnings", [])]:
        alike.setdefault((problem["state"], escape_control(problem["reason"])), []).append(
            escape_control(problem["path"])
        )
    lines: list[str] = []
    for (state, reason), paths in alike.items():
        if len(paths) <= _MOST_NAMED:
            lines += [f"{state}: {path}: {reason}" for path in paths]
        else:
            more = (
                f"{', '.join(paths[:_MOST_NAMED])} and {len(paths) - _MOST_NAMED} more (`tapescope"
                " ask files` lists them)"
            )
            lines.append(f"{state}: {len(paths)} files: {reason}: {more}")
    return [*lines, _NO_CLOCK] if any(reason.startswith("no_clock") for _, reason in alike) else lines
