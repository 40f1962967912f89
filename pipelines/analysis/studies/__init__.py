"""Case studies: the documents the project started from, their published figures next to those that tapescope computes.

A study is data (`sample_data/studies/<name>/study.toml`); here is what works it out and judges it. Everything ours
says comes from the product's own relations, questions, models and methods; the judgement is a rule's
(`methods.printed`, `methods.contradictions`), never the study's own word.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from pipelines.analysis.stats.contradictions import Contradiction, disagree
from pipelines.analysis.stats.printed_figures import agreement, difference, read
from pipelines.analysis.studies.documents import Check, Figure, Study, Table, load, names
from pipelines.analysis.studies.formula import evaluate
from pipelines.analysis.studies.rows import Rows
from pipelines.catalog.contracts import Column
from pipelines.primitives.errors import ContractError, QuestionRefused

VERDICTS = {
    "matches": "the computed figure agrees with the printed digits, or a check of the document finds nothing wrong",
    "rounded": "the figures agree only if the printed one was truncated, or rounded to fewer digits than printed",
    "wrong": "the printed figure contradicts other figures of the document, or the data from which it was computed",
    "misfit": "a model's figure differs from the measured one in the document, but the document is not wrong",
    "derived": "the document does not give this figure; tapescope computes it",
    "noted": "a contradiction in the wording of the document; a reader found it, because no computed check can",
    "unresolved": "tapescope cannot compute the figure yet",
}
COLUMNS = (
    Column("id", "VARCHAR", "id of the requirement (docs/validation.md) to which the figure belongs"),
    Column("what", "VARCHAR", "name of the figure or check"),
    Column("unit", "VARCHAR", "unit of the printed figure and of the computed figure"),
    Column("printed", "VARCHAR", "the figure as the document prints it"),
    Column("ours", "DOUBLE", "the same figure, computed by tapescope"),
    Column(
        "difference", "DOUBLE", "computed minus printed figure; for a printed range, the distance outside the range"
    ),
    Column("verdict", "VARCHAR", "; ".join(f"{key}: {meaning}" for key, meaning in VERDICTS.items())),
    Column("why", "VARCHAR", "what is wrong, or why the figure is not computed"),
    Column("place", "VARCHAR", "place in the document"),
    Column("how", "VARCHAR", "formula that computes the figure, or rule that checks it"),
)


@dataclass(frozen=True)
class Line:
    """A figure of a document next to ours, or a rule's verdict on some; its verdict is a key of VERDICTS."""

    id: str
    what: str
    verdict: str
    unit: str = ""
    printed: str = ""
    ours: float | None = None
    difference: float | None = None
    why: str = ""
    place: str = ""
    how: str = ""

    def cells(self) -> tuple[Any, ...]:
        """Its values in the order of COLUMNS."""
        return tuple(getattr(self, column.name) for column in COLUMNS)


def find(name: str) -> Study:
    """The case study of that name, or the only one whose name begins so. Raises QuestionRefused."""
    fitting = [known for known in names() if known.startswith(name)]
    if name not in fitting and len(fitting) != 1:
        raise QuestionRefused(f"there is no case study {name!r}", f"case studies: {', '.join(names())}")
    return load(name if name in fitting else fitting[0])


def table(study: Study, name: str) -> Table:
    """A published table of a study, by name. Raises QuestionRefused."""
    for one in study.table:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in study.table)
    raise QuestionRefused(f"{study.name} has no table {name!r}", f"its tables: {known}")


def every() -> list[Study]:
    """All case studies, by name."""
    return [load(name) for name in names()]


@lru_cache(maxsize=16)
def work_out(study: Study) -> tuple[Line, ...]:
    """Every figure of a document next to ours, then the rules' verdicts on its figures, then what readers noted.

    Raises ContractError where the study's file asks for what there is not.
    """
    with closing(Rows(study)) as rows:
        known = rows.known | {"relation": rows.relation, "question": rows.question}
        lines = [line for figure in study.figure for line in _figures(figure, known)]
        lines += [line for check in study.check for line in _checks(check, known)]
    return (*lines, *(Line(note.id, note.what, "noted", place=note.place) for note in study.note))


def _each(each: str, known: dict[str, Any]) -> Iterator[tuple[dict[str, Any], SimpleNamespace | None]]:
    if not each:
        yield known, None
        return
    for row in known[each]:
        yield known | {"row": row}, row


def _figures(figure: Figure, known: dict[str, Any]) -> Iterator[Line]:
    for names_known, row in _each(figure.each, known):
        printed = figure.printed
        if printed.startswith("@"):
            printed = str(getattr(row, printed[1:]))
            if not printed:
                continue  # the document prints nothing in this row
        what = figure.what.format(row=row)
        if figure.open:
            yield Line(figure.id, what, "unresolved", figure.unit, printed, why=figure.open, place=figure.place)
            continue
        ours = evaluate(figure.ours, names_known)
        if not isinstance(ours, int | float):
            raise ContractError(f"{figure.id} {what}: the formula {figure.ours} does not give a number: {ours!r}")
        yield _judged(figure, what, printed, float(ours))


def _judged(figure: Figure, what: str, printed: str, ours: float) -> Line:
    context: dict[str, Any] = {"unit": figure.unit, "printed": printed, "place": figure.place, "how": figure.ours}
    if not printed:
        return Line(figure.id, what, "derived", ours=ours, **context)
    verdict, off = agreement(printed, ours, figure.is_approximate), difference(printed, ours)
    if verdict == "wrong" and figure.model:
        why = f"{figure.model} gives {ours:.3g}, but {printed} was measured"
        return Line(figure.id, what, "misfit", ours=ours, difference=off, why=why, **context)
    found = disagree(what, float(read(printed).low), ours) if verdict == "wrong" else None
    why = (
        found.why
        if found
        else "the printed figure is truncated, or rounded more than its digits show"
        if verdict == "rounded"
        else ""
    )
    return Line(figure.id, what, verdict, ours=ours, difference=off, why=why, **context)


def _checks(check: Check, known: dict[str, Any]) -> Iterator[Line]:
    for names_known, row in _each(check.each, known):
        found = evaluate(check.finds, names_known)
        if not isinstance(found, Contradiction | None):
            raise ContractError(f"{check.id} {check.what}: {check.finds} is not a rule that finds contradictions")
        verdict, why = ("wrong", found.why) if found else ("matches", "")
        if found and check.model:
            verdict, why = "misfit", f"{check.model} does not fit: {found.why}"
        yield Line(check.id, check.what.format(row=row), verdict, why=why, place=check.place, how=check.finds)
