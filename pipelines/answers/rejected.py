"""Lines that no source understood, whole where their file is still there, with or without the names in them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from pipelines import sources
from pipelines.answers import excerpts
from pipelines.config.site import Site
from pipelines.primitives.anonymise import Anonymiser
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.inputs import ask_input

LINE_CHARS = 4000
# Of plain English what messages of programs are made of, besides the words the sources look for.
_COMMON = """a an and are as at be been but by can cannot could did do does done error errors failed failure for found
from had has have if in into invalid is it its missing new no not now of off old on only or out over received request
sent set so such than that the then there this to too true false null none unable unexpected unknown until up down
used using value wait waiting warning was were when which while will with within without yes
jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun utc gmt cet cest est edt cst cdt pst pdt
http https root file info debug notice critical fatal"""
_NAMES = f"""
SELECT DISTINCT unnest([storage_group, file_family, station, mover_host, drive, volume]) FROM {LAKE}.silver.transfer
"""


@dataclass(frozen=True)
class Rejected:
    """A line, where it is, why it was not understood, and how many of its file were not for that reason."""

    source: str
    path: str
    line_no: int
    reason: str
    n_lines: int
    text: str  # with a mark where its end was cut


def rejected(connection: Connection, site: Site, source: str | None, most: int, anonymise: bool) -> Iterator[Rejected]:
    """The first `most` lines of each file and reason; anonymised, also their files' names."""
    hide = Anonymiser(vocabulary(), names_of(connection, site)) if anonymise else None
    rows = ask_input(connection, "rejected_lines", source=source, most=most).rows(named=True)
    for path, group in groupby(rows, lambda row: str(row["path"])):
        of_file = list(group)
        whole = excerpts.read_lines(connection, site, path, [row["line_no"] for row in of_file], LINE_CHARS)
        texts = whole if isinstance(whole, dict) else {}
        for row in of_file:
            text = texts.get(row["line_no"]) or excerpts.kept(row["text"])
            shown, place = (hide.line(text), hide.line(f"/{path}")[1:]) if hide else (text, path)
            yield Rejected(row["source"], place, row["line_no"], row["reason"], row["n_lines"], shown)


def names_of(connection: Connection, site: Site) -> set[str]:
    """What site.toml and the warehouse know to be names, cut into words."""
    known = [name for (name,) in connection.execute(_NAMES).fetchall() if name]
    known += [site.name, *(link.name for link in site.link)]
    for drive in site.drive:
        known += [drive.name, drive.logname, drive.mover, drive.mover_host]
    for station in site.station:
        known += [station.name, *station.aliases]
    return {word for name in known if name for word in re.findall(r"[^\W_]+", name)}


@cache
def vocabulary() -> frozenset[str]:
    """Words that are no names: those in the patterns and names of columns of the sources, and plain English."""
    words = set(_COMMON.split())
    for path in Path(sources.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(_docstring(node)) for node in ast.walk(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                words |= {word.lower() for word in re.findall(r"[A-Za-z]{2,}", node.value)}
    return frozenset(words)


def _docstring(node: ast.AST) -> ast.expr | None:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    return first.value if isinstance(first, ast.Expr) else None
