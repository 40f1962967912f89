"""The sections of the report, which register themselves by being there: modules of this folder mark those they make."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules

from pipelines.primitives.errors import ContractError
from pipelines.reporting.report.model import Section
from pipelines.reporting.report.queries import Asker

Maker = Callable[[Asker], Section]


@dataclass(frozen=True)
class _Marked:
    order: int
    id: str
    make: Maker


_MARKED: dict[int, _Marked] = {}


def section(id: str, order: int) -> Callable[[Maker], Maker]:
    """Mark a function that makes a section: its id, and its place among the others.

    Raises ContractError where another section has the id or the place.
    """

    def mark(make: Maker) -> Maker:
        if order in _MARKED or id in (one.id for one in _MARKED.values()):
            raise ContractError(f"section {id}: another one has its id or the order {order}", "choose another")
        _MARKED[order] = _Marked(order, id, make)
        return make

    return mark


def make_sections(asker: Asker) -> list[Section]:
    """Every section in its order, numbered from 0, the head."""
    for info in iter_modules(__path__):
        import_module(f"{__name__}.{info.name}")
    made = [replace(marked.make(asker), id=marked.id) for _, marked in sorted(_MARKED.items())]
    return [replace(one, number=number) for number, one in enumerate(made)]
