"""Recalls foretold: files of a tape the site knows, by motions of its own mounts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import numpy as np

from pipelines.ask import ask
from pipelines.catalog import Catalog
from pipelines.config import Site
from pipelines.errors import TapescopeError
from pipelines.methods.bootstrap import Estimate
from pipelines.models import seeking, technology
from pipelines.models.seeking import Files, Recall, SeekModel
from pipelines.models.service_time import Service


@dataclass(frozen=True)
class Foretold:
    """A recall in three orders, the whole tape beside it, and what the seek model rests on."""

    generation: str
    model: SeekModel
    n_lacking: int
    orders: dict[str, Recall]
    whole_s: float
    share: float
    break_even: Estimate  # of picks as they come
    break_even_in_order: Estimate


def seek_models(site: Site, catalog: Catalog, last_day: date | None = None, n_days: int = 28) -> dict[str, SeekModel]:
    """The posterior of each generation that has a serpentine geometry and motions."""
    params = {"n_days": str(n_days)} | ({"last_day": str(last_day)} if last_day else {})
    rows = ask(site, catalog, "tape_moves", params).as_dicts()
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


def foretell(
    site: Site, catalog: Catalog, volume: str, numbers: Sequence[int], service: Service, generation: str | None = None
) -> Foretold:
    """Time to read files of a tape in one mount. Raises TapescopeError for a tape or a file nobody knows."""
    rows = ask(site, catalog, "tape_contents", {"volume": volume}).as_dicts()
    if not rows:
        raise TapescopeError(
            f"no file of a tape {volume!r} is known", "`tapescope sql` on silver.volume_file lists tapes"
        )
    if len({row["system"] for row in rows}) > 1:
        raise TapescopeError(f"two systems have a tape {volume!r}", "ask in a site of one system")
    name = generation or rows[0]["generation"] or ""
    sold = technology.known(name)
    if sold is None:
        raise TapescopeError(f"nobody says what drives {volume!r} is for", "give --generation, e.g. LTO-4")
    try:
        model = seek_models(site, catalog).get(sold.name) or SeekModel(seeking.geometry(sold))
    except ValueError as error:
        raise TapescopeError(str(error), "give another --generation") from error
    tape = Files(*(np.array([row[key] for row in rows]) for key in ("file_number", "begin_gb", "end_gb")))
    place = {int(number): at for at, number in enumerate(tape.number)}
    if strange := [number for number in numbers if number not in place]:
        raise TapescopeError(f"{volume} has no file {strange[0]} that is known", f"its files go up to {max(place)}")
    listed = tape.pick(np.array([place[number] for number in numbers]))
    return Foretold(
        sold.name,
        model,
        int(rows[0]["n_lacking"]),
        seeking.recall(model, service, listed),
        service.mount_s + len(tape) * service.file_s + tape.moved_mb / service.speed_mb_s,
        len(listed) / len(tape),
        seeking.modelled_break_even(model, service, tape, in_order=False),
        seeking.modelled_break_even(model, service, tape, in_order=True),
    )
