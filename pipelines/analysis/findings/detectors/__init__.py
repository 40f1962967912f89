"""Detectors register themselves by being there: every module of this folder marks those it defines.

A detector gets a rule, the rows of its metric, the site and the period, and yields a hit for each anomaly.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

import polars as pl

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import ContractError

Detector = Callable[[Rule, pl.DataFrame, Site, Period], Iterator[Hit]]
_MARKED: dict[str, Detector] = {}


def detector(method: str) -> Callable[[Detector], Detector]:
    """Mark a function as what the `method` of a rule names. Raises ContractError if another function has the name."""

    def mark(function: Detector) -> Detector:
        if method in _MARKED:
            raise ContractError(f"two detectors are called {method}", f"rename the detector in {function.__module__}")
        _MARKED[method] = function
        return function

    return mark


def all_detectors() -> dict[str, Detector]:
    """Every detector by method."""
    for info in iter_modules(__path__):
        import_module(f"{__name__}.{info.name}")
    return _MARKED
