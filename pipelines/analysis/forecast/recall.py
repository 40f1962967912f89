"""Recall estimates: files of a tape the site knows, by motions of its own mounts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from pipelines.analysis.forecast.history import History, Row
from pipelines.analysis.models import recall_order, seeking
from pipelines.analysis.models.recall_order import Files, Recall
from pipelines.analysis.models.seeking import SeekModel, Serpentine
from pipelines.analysis.models.service_time import Service
from pipelines.config import technology
from pipelines.config.technology import Technology
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate


@dataclass(frozen=True)
class Foretold:
    """A recall in three orders, with its files together, and of the whole tape; and the basis of the model."""

    generation: str
    model: SeekModel
    n_lacking: int
    orders: dict[str, Recall]
    whole_s: float
    share: float
    break_even: Estimate  # of picks as they come
    break_even_in_order: Estimate


def seek_models(history: History) -> dict[str, SeekModel]:
    """The posterior of each generation that has a serpentine geometry and motions."""
    rows = history.rows("tape_moves")
    found = {}
    for name, group in groupby(rows, key=lambda row: row["generation"]):
        moves = list(group)
        sold = technology.known(name)
        if sold is None or not sold.length_m:
            continue
        begin, end, took = (
            np.array([r[key] for r in moves], dtype=float) for key in ("from_gb", "to_gb", "position_s")
        )
        mount = np.array([row["session_id"] for row in moves])
        found[sold.name] = seeking.learn(seeking.geometry(sold), begin, end, took, mount)
    return found


def drives_of_tape(history: History, volume: str) -> str:
    """The kind of the last drive in which a tape was mounted, nothing where none is known. Raises TapescopeError."""
    return str(_contents(history, volume)[0]["generation"] or "")


def _contents(history: History, volume: str) -> list[Row]:
    rows = history.rows("tape_contents", volume=volume)
    if not rows:
        raise TapescopeError(
            f"no file of tape {volume!r} is known",
            'list known tapes: `tapescope sql "SELECT DISTINCT volume FROM silver.volume_file"`',
        )
    if len({row["system"] for row in rows}) > 1:
        raise TapescopeError(
            f"two systems have a tape {volume!r}", "use a site.toml that declares only one of the systems"
        )
    return rows


def estimate_recall(
    history: History, volume: str, numbers: Sequence[int], service: Service, generation: str | None = None
) -> Foretold:
    """Time to read files of a tape in one mount. Raises TapescopeError for a tape or a file that is not known."""
    rows = _contents(history, volume)
    name = generation or rows[0]["generation"] or ""
    sold = technology.known(name)
    if sold is None:
        unknown = f"for tape {volume!r} is not known" if not generation else f"{generation!r} is not known"
        raise TapescopeError(f"the drive generation {unknown}", "give --generation, e.g. LTO-4")
    try:
        tape = _geometry(sold, rows)
        model = replace(seek_models(history).get(sold.name) or SeekModel(tape), tape=tape)
    except ValueError as error:
        raise TapescopeError(str(error), "give another --generation") from error
    files = Files(*(np.array([row[key] for row in rows]) for key in ("file_number", "begin_gb", "end_gb")))
    place = {int(number): at for at, number in enumerate(files.number)}
    if strange := [number for number in numbers if number not in place]:
        raise TapescopeError(
            f"tape {volume} has no known file {strange[0]}", f"the last known file of this tape has number {max(place)}"
        )
    listed = files.pick(np.array([place[number] for number in numbers]))
    return Foretold(
        sold.name,
        model,
        int(rows[0]["n_lacking"]),
        recall_order.recall(model, service, listed),
        service.mount_s + len(files) * service.file_s + files.moved_mb / service.speed_mb_s,
        len(listed) / len(files),
        recall_order.break_even(model, service, files, in_order=False),
        recall_order.break_even(model, service, files, in_order=True),
    )


def _geometry(sold: Technology, rows: list[Row]) -> Serpentine:
    """The serpentine of a tape with these files. A tape of compressible data holds more than it is sold for."""
    return seeking.geometry(sold, max(sold.capacity_gb, rows[-1]["end_gb"]))


def laid_out(rows: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Answers of `tape_contents` as pieces of wraps, with the metres at which each begins and ends.

    None where the technology is not known, or its table has no tracks and length.
    """
    sold = technology.known(rows[0]["generation"] or "") if rows else None
    if sold is None or not (sold.wraps and sold.bands and sold.length_m):
        return None
    tape = _geometry(sold, rows)
    found = []
    for row in rows:
        wraps = range(int(row["begin_gb"] // tape.wrap_gb), int(row["end_gb"] // tape.wrap_gb) + 1)
        for wrap in wraps:
            ends = (max(row["begin_gb"], wrap * tape.wrap_gb), min(row["end_gb"], (wrap + 1) * tape.wrap_gb))
            along = [(gb / tape.wrap_gb - wrap) * tape.length_m for gb in ends]
            if along[1] > along[0]:
                metres = along if wrap % 2 == 0 else [tape.length_m - at for at in along]
                found.append({"file_number": row["file_number"], "wrap": wrap, "from_m": metres[0], "to_m": metres[1]})
    return found
