"""The pages of the app and their parts: each module of views/ and parts/PAGE/ is one by being there.

A page's module declares `PAGE = {"title": …, "order": …, "group": …}`, a part's
`PART = {"title": …, "order": …, "needs": […], "lacking": …}` with a function `draw(page)`.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from pipelines.primitives.errors import ContractError

HERE = Path(__file__).parent
VIEWS, PARTS = HERE / "views", HERE / "parts"


@dataclass(frozen=True)
class View:
    """A page as its module declares it; its address is its name unless it declares one.

    A page of one thing, which only links lead to, is not `listed` in the side bar.
    """

    name: str
    title: str
    order: int
    address: str
    group: str = ""
    listed: bool = True


@dataclass(frozen=True)
class Part:
    """A tab of a page. It shows where any of the relations it needs has rows; `lacking` says which log would bring it.

    `filters` are the choices of the side bar that narrow it, `names` its own choices of one thing: a link can set both.
    A part that `compares` draws earlier days as well. `was` names parts that it replaced: links to them lead to it.
    """

    page: str
    name: str
    title: str
    order: int
    needs: tuple[str, ...] = ()
    lacking: str = ""
    filters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    compares: bool = False
    was: tuple[str, ...] = ()

    def draw(self, page: Any) -> None:
        """Draw the part for an open page."""
        import_module(f"dashboards.parts.{self.page}.{self.name}").draw(page)


@cache
def find_views(folder: Path = VIEWS) -> tuple[View, ...]:
    """All pages, the landing page first. Raises ContractError for a module that declares none, or the place of another.

    A page is a script that draws when it is imported: its declaration is read from its text.
    """
    views = [_declared(path, "PAGE", View, address=path.stem) for path in _modules(folder)]
    return _in_order(views, "views")


@cache
def find_parts(page: str, folder: Path = PARTS) -> tuple[Part, ...]:
    """The parts of a page, in their order. Raises ContractError as `find_views`."""
    parts = [_declared(path, "PART", Part, page=page) for path in _modules(folder / page)]
    return _in_order(parts, f"parts of {page}")


def in_groups(views: Iterable[View]) -> dict[str, list[View]]:
    """Pages by the group of the side bar they belong to, both in their order."""
    return {group: list(some) for group, some in groupby(views, lambda view: view.group)}


def _modules(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]


def _in_order(some: list[Any], what: str) -> tuple[Any, ...]:
    some.sort(key=lambda one: one.order)
    for one, other in pairwise(some):
        if one.order == other.order:
            raise ContractError(
                f"{what} {one.name} and {other.name} have the same order", "give one of them another `order`"
            )
    return tuple(some)


def _declared(path: Path, name: str, kind: type[Any], **usual: str) -> Any:
    """What the constant of a module declares it to be; lists become tuples."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == [name]:
            try:
                found = usual | {"name": path.stem} | ast.literal_eval(node.value)
                return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in found.items()})
            except (TypeError, ValueError) as error:
                raise ContractError(f"{path.name}: {name} must have a title and an order: {error}") from error
    raise ContractError(f"{path.name} declares no {name}", f'write {name} = {{"title": "…", "order": 100}}')
