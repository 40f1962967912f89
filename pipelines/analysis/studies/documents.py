"""The content of a case study's file: the document's published tables, and how ours works each figure out again.

`sample_data/studies/<name>/study.toml`:

    title = "…"                      # what the study is about
    document = "…"                   # author, title, year
    letter = "P"                     # with which the ids of its requirements begin

    [[table]]                        # figures as printed, retyped
    name = "tape_test"
    title = "…"
    place = "…"                      # where in the document
    columns = ["test", "files", "drive [MB/s]"]     # the first one names the row
    rows = [["1", 278, 83.4]]        # "" where nothing is printed
    is_ours = true                   # not the document's: what the given rows need besides

    [[given]]                        # rows from which our relations are made
    relation = "silver.session"
    each = "tape_test"               # a row for each of that table's, called `row`; may be left out
    count = 30                       # how many of each, numbered `i` from 0; may be a formula
    columns = { session_id = "=row.test", mode = "read" }       # "=" begins a formula
    file = "sysperf.txt"             # instead: a log as printed, next to this file; columns then say its origin

    [[figure]]                       # a figure, as printed and by ours
    id = "P38"
    what = "…"
    place = "…"
    printed = "0.87"                 # "@column" is that of `row`; without it the document leaves the figure open
    unit = "MB/s"
    each = "tape_test"
    is_approximate = true            # it is made of figures printed with "~"
    ours = "one_row(relation('gold.mount'), session_id=row.test).f"
    open = "…"                       # in place of `ours`: why it cannot be computed yet

    [[check]]                        # a rule's verdict on printed figures
    id = "P15"
    what = "…"
    place = "…"
    finds = "contradictions.above('movers', 11.71, 9, 'drives')"

    [[note]]                         # a mark that is in the wording and not in the numbers
    id = "M13"
    what = "…"
    place = "…"

What a formula may contain is in `pipelines.analysis.studies.formula`.
"""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pipelines.primitives.errors import ContractError

FOLDER = Path(__file__).resolve().parents[3] / "sample_data" / "studies"


@dataclass(frozen=True)
class Table:
    """Published figures, retyped; the first column names the row."""

    name: str
    title: str
    place: str
    columns: tuple[str, ...]  # as printed above the figures: a name, and its unit in brackets
    rows: tuple[tuple[Any, ...], ...]
    is_ours: bool = False  # what the given rows need besides; the document does not print it

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.partition(" [")[0] for column in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(column.partition(" [")[2].rstrip("]") for column in self.columns)

    def __iter__(self) -> Any:
        return iter([SimpleNamespace(**dict(zip(self.names, row, strict=True))) for row in self.rows])

    def __getitem__(self, key: str) -> SimpleNamespace:
        found: list[SimpleNamespace] = [row for row in self if getattr(row, self.names[0]) == key]
        if len(found) != 1:
            raise ContractError(f"table {self.name} has {len(found)} rows named {key!r}, but must have exactly one")
        return found[0]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Given:
    """Rows from which our relations are made."""

    columns: dict[str, Any]
    relation: str = ""
    each: str = ""
    count: int | str = 1
    file: str = ""  # a log as the document prints it, read by its source


@dataclass(frozen=True)
class Figure:
    """A figure as printed, and how ours works it out."""

    id: str
    what: str
    place: str = ""
    printed: str = ""
    unit: str = ""
    each: str = ""
    is_approximate: bool = False
    ours: str = ""
    open: str = ""
    model: str = ""  # whose result `ours` is, of a measurement that is printed: where they differ, it does not fit


@dataclass(frozen=True)
class Check:
    """A rule's verdict on printed figures."""

    id: str
    what: str
    finds: str
    place: str = ""
    each: str = ""
    model: str = ""  # the same of a rule: what it finds is that this model does not fit


@dataclass(frozen=True)
class Note:
    """A mark that is in the document's wording and not in its numbers."""

    id: str
    what: str
    place: str = ""


@dataclass(frozen=True, eq=False)  # one of a name: results computed from it are cached
class Study:
    """A document's published figures and how ours works them out."""

    name: str
    title: str
    document: str
    letter: str
    table: tuple[Table, ...] = ()
    given: tuple[Given, ...] = ()
    figure: tuple[Figure, ...] = ()
    check: tuple[Check, ...] = ()
    note: tuple[Note, ...] = ()
    path: Path = Path()

    @property
    def published(self) -> list[Table]:
        """The tables that the document prints."""
        return [table for table in self.table if not table.is_ours]


_PARTS: dict[str, type] = {"table": Table, "given": Given, "figure": Figure, "check": Check, "note": Note}


def names(folder: Path = FOLDER) -> list[str]:
    """The case studies there are, by name."""
    return sorted(path.parent.name for path in folder.glob("*/study.toml"))


@lru_cache(maxsize=16)
def load(name: str, folder: Path = FOLDER) -> Study:
    """A case study by name. Raises ContractError where its file is not as described above."""
    path = folder / name / "study.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = {key: tuple(_part(kind, entry) for entry in content.get(key, [])) for key, kind in _PARTS.items()}
        study = Study(name=name, path=path, **content | parts)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise ContractError(f"{path}: {error}") from error
    for figure in study.figure:
        if bool(figure.ours) == bool(figure.open):
            raise ContractError(f"{path}: {figure.id} {figure.what}: give either `ours` or `open`")
    return study


def _part(kind: type, entry: dict[str, Any]) -> Any:
    if kind is Table:
        entry["columns"] = tuple(entry["columns"])
        entry["rows"] = tuple(tuple(row) for row in entry["rows"])
        if strange := [row for row in entry["rows"] if len(row) != len(entry["columns"])]:
            raise TypeError(
                f"table {entry['name']} has a row whose number of values differs from the header: {strange[0]}"
            )
    return kind(**entry)
