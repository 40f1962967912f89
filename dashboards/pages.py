"""The pages of the app: each module of views/ declares its title and its place, and is a page by being there."""

import ast
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from pipelines.primitives.errors import ContractError

VIEWS = Path(__file__).parent / "views"


@dataclass(frozen=True)
class View:
    """A page as its module declares it: `PAGE = {"title": …, "order": …}`, and `address` where that is not its name.

    A page of one thing, which only links lead to, is not `listed` in the side bar.
    """

    name: str
    title: str
    order: int
    address: str
    listed: bool = True


@cache
def find_views(folder: Path = VIEWS) -> tuple[View, ...]:
    """All pages, the landing page first. Raises ContractError for a module that declares none, or the place of another.

    A module is a script that draws when it is imported: its declaration is read from its text.
    """
    views = sorted((_view(path) for path in folder.glob("*.py")), key=lambda view: view.order)
    for one, other in pairwise(views):
        if one.order == other.order:
            raise ContractError(f"views {one.name} and {other.name} have one order", "choose another number")
    return tuple(views)


def _view(path: Path) -> View:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["PAGE"]:
            try:
                return View(**{"name": path.stem, "address": path.stem} | ast.literal_eval(node.value))
            except (TypeError, ValueError) as error:
                raise ContractError(f"views/{path.name}: its PAGE needs title and order: {error}") from error
    raise ContractError(f"views/{path.name} declares no PAGE", 'write PAGE = {"title": "…", "order": 100}')
