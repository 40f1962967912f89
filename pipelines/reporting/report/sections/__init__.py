"""The sections of the report, which register themselves by being there: modules of this folder mark those they make."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules

from pipelines.primitives.errors import ContractError
from pipelines.reporting import links
from pipelines.reporting.report.model import Section
from pipelines.reporting.report.queries import Asker

Maker = Callable[[Asker], Section]


@dataclass(frozen=True)
class _Marked:
    order: int
    id: str
    make: Maker
    page: str


_MARKED: dict[int, _Marked] = {}


def section(id: str, order: int, page: str) -> Callable[[Maker], Maker]:
    """Mark a function that makes a section: its id, its place among the others, and the page that shows the same.

    Raises ContractError where another section has the id or the place, or where the dashboard has no such page.
    """

    def mark(make: Maker) -> Maker:
        if page not in links.PAGES:
            raise ContractError(f"section {id}: there is no page {page!r}", f"known: {', '.join(links.PAGES)}")
        if order in _MARKED or id in (one.id for one in _MARKED.values()):
            raise ContractError(f"section {id}: another section has the same id or the order {order}", "choose another")
        _MARKED[order] = _Marked(order, id, make, page)
        return make

    return mark


def make_sections(asker: Asker) -> list[Section]:
    """Every section in its order, numbered from 0, the head."""
    for info in iter_modules(__path__):
        import_module(f"{__name__}.{info.name}")
    made = [_place(asker, marked) for _, marked in sorted(_MARKED.items())]
    return [replace(one, number=number) for number, one in enumerate(made)]


def _place(asker: Asker, marked: _Marked) -> Section:
    link = links.to_page(asker.site.deliver.dashboard_url, marked.page, asker.first, asker.last)
    return replace(marked.make(asker), id=marked.id, page=links.PAGES[marked.page], link=link)
