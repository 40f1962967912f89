"""Runs tasks in fresh processes, several times over, and keeps the medians.

The repetitions of all tasks take turns, so that a busy minute of the machine falls on all of them alike.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.inputs import MB

REPO = Path(__file__).resolve().parent.parent
CORES = 2  # that pages are measured on, however many there are


@dataclass(frozen=True)
class Task:
    """One line of the table."""

    name: str  # of benchmarks.tasks
    title: str
    path: Path
    repetitions: int


@dataclass(frozen=True)
class Result:
    """What a task came to: medians of its repetitions, the peak of the worst one."""

    task: Task
    seconds: float
    slowest: float
    fastest: float
    cpu_s: float
    n_bytes: int
    n_rows: int
    peak_bytes: int
    facts: dict[str, Any]

    @property
    def mb_s(self) -> float:
        return self.n_bytes / MB / self.seconds

    @property
    def rows_s(self) -> float:
        return self.n_rows / self.seconds


@dataclass(frozen=True)
class PageResult:
    """A page about a period of an archive: milliseconds in its answers, and the question that took longest."""

    archive: str
    title: str
    period: str
    n_questions: int
    median_ms: float
    p95_ms: float
    slowest: str
    slowest_ms: float


def measure(tasks: Sequence[Task], progress: Callable[[str], None]) -> list[Result]:
    """Every task as often as it asks for, in turns."""
    facts: dict[Task, list[dict[str, Any]]] = {task: [] for task in tasks}
    for turn in range(max((task.repetitions for task in tasks), default=0)):
        for task in tasks:
            if turn < task.repetitions:
                progress(f"{task.title}, {turn + 1} of {task.repetitions}")
                facts[task].append(_run(task))
    return [_result(task, found) for task, found in facts.items()]


def _run(task: Task) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.tasks", task.name, str(task.path)]
    done = subprocess.run(command, cwd=REPO, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _result(task: Task, found: list[dict[str, Any]]) -> Result:
    seconds = [facts["seconds"] for facts in found]
    return Result(
        task=task,
        seconds=median(seconds),
        slowest=max(seconds),
        fastest=min(seconds),
        cpu_s=median(facts["cpu_s"] for facts in found),
        n_bytes=found[0]["bytes"],
        n_rows=found[0]["rows"],
        peak_bytes=max(facts["peak_bytes"] for facts in found),
        facts=found[0],
    )
