"""The requirements ledger names every requirement, and nothing that is not there.

The ids are those of the five documents' requirements: M Fermilab, P PIC, N HPC2N, C CERN, E NASA; MA and PA audits;
X across documents.
"""

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pipelines.analysis import studies
from pipelines.analysis.studies.requirements import Requirement, ledger, summary
from pipelines.catalog.files import load_catalog
from pipelines.primitives.errors import ContractError

REPO = Path(__file__).resolve().parent.parent
COUNTS = {"M": 46, "P": 52, "N": 32, "C": 24, "E": 40}
AUDITS = {"MA": 5, "PA": 3, "X": 8}
IDS = [f"{letter}{number:02}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
IDS += [f"{letter}{number}" for letter, count in AUDITS.items() for number in range(1, count + 1)]
ENTRIES = ledger()


def test_every_requirement_has_an_entry() -> None:
    assert len(IDS) == 194 + 16
    assert sorted(entry.id for entry in ENTRIES) == sorted(IDS)


def test_what_entries_name_is_there() -> None:
    missing = {entry.id: names for entry in ENTRIES if (names := names_not_there(entry))}
    assert not missing


def names_not_there(entry: Requirement) -> list[str]:
    missing = [name for name in entry.test if not is_test(name)]
    catalog = load_catalog()
    for kind, known in (
        ("relation", catalog.relations),
        ("rule", catalog.rules),
        ("question", catalog.asked),
        ("study", studies.names()),
    ):
        missing += [f"{kind} {name}" for name in getattr(entry, kind) if name not in known]
    missing += [f"code {name}" for name in entry.code if not can_be_imported(name)]
    missing += [f"page {name}" for name in entry.page if not (REPO / "dashboards" / "parts" / f"{name}.py").exists()]
    return missing


def test_entries_say_what_they_mean() -> None:
    complaints = [f"{entry.id}: {complaint}" for entry in ENTRIES for complaint in unclear(entry)]
    assert not complaints, "\n" + "\n".join(complaints)


def unclear(entry: Requirement) -> Iterator[str]:
    if not entry.what or entry.what.endswith("."):
        yield "`what` is empty or ends with a full stop"
    if not entry.is_met and len(entry.open or entry.out) <= 5:
        yield "say why it is not met"
    if entry.is_met and not (entry.relation or entry.rule or entry.question or entry.code or entry.study):
        yield "say what meets it"


def test_a_study_has_a_line_of_what_it_shows() -> None:
    """A requirement that is met by a study has a figure, a check or a note there."""
    lines = {name: {line.id for line in studies.work_out(studies.find(name))} for name in studies.names()}
    lacking = [
        f"{entry.id} in {name}"
        for entry in ENTRIES
        for name in entry.study
        if entry.is_met and entry.id not in lines[name] and not shares_a_line(entry, lines[name])
    ]
    assert not lacking


def shares_a_line(entry: Requirement, ids: set[str]) -> bool:
    """Figures of adjacent rows have the first row's id: M11 to M15, P38 to P41."""
    first = {"M12": "M11", "M13": "M11", "M15": "M11", "P39": "P38", "P40": "P38", "P41": "P38"}.get(entry.id)
    return first in ids


def test_every_line_of_a_study_is_of_a_requirement() -> None:
    known = set(IDS)
    strange = {line.id for study in studies.every() for line in studies.work_out(study)} - known
    assert not strange


def test_summary_counts() -> None:
    made = summary(ENTRIES)
    whole = made.splitlines()[-1].split("|")
    assert [cell.strip() for cell in whole[1:3]] == ["all", "210"]
    assert sum(int(cell) for cell in whole[3:6]) == 210


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('M01 = { what = "w" }', "needs a test"),
        ('M01 = { what = "w", open = "a", out = "b" }', "needs a test, or either"),
        ('M01 = { what = "w", open = "a", nothing = "b" }', "nothing"),
        ("M01 =", "requirements.toml"),
    ],
)
def test_a_wrong_ledger_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "requirements.toml"
    path.write_text(text)
    with pytest.raises(ContractError, match=why):
        ledger(path)


def test_what_is_not_there_is_noticed() -> None:
    assert is_test("tests/test_requirements.py::test_what_is_not_there_is_noticed")
    assert not is_test("tests/test_requirements.py::test_nothing")
    assert not is_test("tests/gold/nothing/nothing.toml")
    assert can_be_imported("pipelines.analysis.models.service_time.Service.seek_left_over")
    assert not can_be_imported("pipelines.analysis.models.nothing") and not can_be_imported(
        "pipelines.primitives.units.nothing"
    )


def is_test(name: str) -> bool:
    """A test function, or a case file that one of the case harnesses runs."""
    path, _, function = name.partition("::")
    if path.endswith(".toml"):
        kind = path.split("/")[1]
        return kind in ("silver", "gold", "ops", "questions", "inputs", "rules") and (REPO / path).is_file()
    return function in functions(path)


@cache
def functions(path: str) -> set[str]:
    if not (REPO / path).is_file():
        return set()
    tree = ast.parse((REPO / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def can_be_imported(name: str) -> bool:
    """A module, or something in one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return cut > 1
    return False
