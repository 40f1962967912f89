"""What drives and what tapes contribute to the rates of large files, each with the other's taken out."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pipelines.analysis.stats import two_way
from pipelines.primitives.clock import Period
from pipelines.primitives.estimate import NoEstimate
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

RELATION = "gold.drive_tape_effect"
WINDOW_DAYS = 35
N_RESAMPLES = 99
_ALIKE = ["system", "mode", "generation", "drive_rate_basis"]


def rows(connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
    """Each drive and tape that moved large files, among those alike in system, mode, technology and basis."""
    rates = ask_input(connection, "drive_tape_rates", first_day=period.first, last_day=period.last)
    for key, kind in rates.group_by(_ALIKE, maintain_order=True):
        names = (kind["drive"].to_numpy().astype(str), kind["volume"].to_numpy().astype(str))
        found = two_way.fit(kind["rate_mb_s"].to_numpy(), *names, n_resamples=N_RESAMPLES)
        for side, effects in (("drive", found.drives), ("volume", found.tapes)):
            own = kind.group_by(side).agg(pl.len().alias("n"), pl.col("rate_mb_s").median())
            plain = {name: (n, rate) for name, n, rate in own.iter_rows()}
            for effect in effects:
                yield (
                    dict(zip(_ALIKE, key, strict=True))
                    | {
                        "is_drive": side == "drive",
                        "n_files": plain[effect.name][0],
                        "rate_mb_s": plain[effect.name][1],
                    }
                    | _columns(effect)
                )


def _columns(effect: two_way.Effect) -> dict[str, Any]:
    return effect.ratio.columns("ratio") | {
        "name": effect.name,
        "n_others": effect.n_cells,
        "n_shared": effect.n_shared,
        "group_no": effect.group + 1,
        "reason_missing": effect.ratio.reason if isinstance(effect.ratio, NoEstimate) else None,
    }
