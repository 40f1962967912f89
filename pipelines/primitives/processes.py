"""Processes that work for one other: spawned, for a fork of a process in which Polars or DuckDB has threads may hang.

One whose parent was killed ends by itself, and so does one that lost its place to another after a kill.
"""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from types import ModuleType


def n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spawned(n: int) -> ProcessPoolExecutor:
    """At most `n` processes, which share the cores. Submit to it within `bare_main`."""
    return ProcessPoolExecutor(n, get_context("spawn"), _begin, (max(1, n_cores() // n),))


@contextmanager
def bare_main() -> Iterator[None]:
    """A spawned process runs its parent's main script first, which it does not need and a script may not bear.

    Streamlit makes the dashboard's script the main one, and that would start again in each process.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _begin(threads: int) -> None:
    """What a process does first.

    It is given no more than a pipe holds: to hand more to one that is killed meanwhile would wait for ever.
    """
    os.environ["POLARS_MAX_THREADS"] = str(threads)  # read when the first frame is worked on
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed cannot end its processes."""
    if parent := parent_process():
        parent.join()
        os._exit(1)
