"""The sizing formula fitted to the site's own mounts, for each kind of drive and each direction."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from pipelines.analysis.forecast.history import History, Row
from pipelines.analysis.models.calibration import Calibration, fit
from pipelines.analysis.models.service_time import Mounts
from pipelines.primitives.errors import TapescopeError


@dataclass(frozen=True)
class Fitted:
    """One kind of drive in one direction: its mounts and the costs fitted to them."""

    generation: str
    mode: str
    mounts: Mounts
    found: Calibration


def fit_site(history: History) -> list[Fitted]:
    """Every kind of drive that served mounts. Raises TapescopeError where there is none."""
    rows = history.rows("mounts_served")
    if not rows:
        raise TapescopeError(
            "no mount was logged from request to dismount on these days",
            "choose other days with --days or --day, or see `tapescope ask coverage`",
        )
    return [
        Fitted(generation or "unknown", mode, (mounts := mounts_of(list(group))), fit(mounts))
        for (generation, mode), group in groupby(rows, key=lambda row: (row["generation"], row["mode"]))
    ]


def mounts_of(rows: list[Row]) -> Mounts:
    """Rows of `mounts_served` of one kind as arrays."""

    def column(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([row[name] for row in rows], dtype=float)

    has_gaps = all(row["between_s"] is not None for row in rows)

    return Mounts(
        column("n_files"),
        column("volume_gb") * 1000,
        column("wall_s"),
        column("moving_s"),
        column("position_s"),
        column("days_since"),
        column("between_s") if has_gaps else None,
    )
