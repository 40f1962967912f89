"""The requirements ledger: what of the five documents ours can reproduce, and what shows it.

`sample_data/studies/requirements.toml` has an entry an id. Its keys:

    what = "…"                       # in a few words
    test = ["tests/x.py::name"]      # tests that hold its figures, or cases: "tests/gold/x/y.toml"
    relation, rule, question = […]   # of the catalogue
    code = ["pipelines.x.y"]         # model, method, source or other code
    page = ["time/gaps"]             # part of a page of the dashboard
    study = ["…"]                    # case studies with a line of this id
    note = "…"                       # what the entry means by it
    open = "…"                       # why it is not met (yet); what is there already may be next to it
    out = "…"                        # why it is out of scope

Met is an entry with a test and without `open` or `out`.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.analysis.studies.documents import FOLDER
from pipelines.primitives.errors import ContractError

DOCUMENTS = {
    "M": "Fermilab migration stations",
    "P": "PIC STEP'09",
    "N": "HPC2N tape pools",
    "C": "CERN sizing note",
    "E": "NASA EOS archive",
    "A": "errors within a document",
    "X": "comparisons between documents",
}


@dataclass(frozen=True)
class Requirement:
    """An entry of the ledger."""

    id: str
    what: str
    test: list[str] = field(default_factory=list)
    relation: list[str] = field(default_factory=list)
    rule: list[str] = field(default_factory=list)
    question: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    page: list[str] = field(default_factory=list)
    study: list[str] = field(default_factory=list)
    note: str = ""
    open: str = ""
    out: str = ""

    @property
    def group(self) -> str:
        """The document it is of, as a key of DOCUMENTS."""
        return "A" if self.id[1] == "A" else self.id[0]

    @property
    def is_met(self) -> bool:
        return bool(self.test) and not self.open and not self.out


def ledger(path: Path = FOLDER / "requirements.toml") -> list[Requirement]:
    """All entries. Raises ContractError for an entry that says neither what shows it nor why nothing does."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        found = [Requirement(id=name, **entry) for name, entry in entries.items()]
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise ContractError(f"{path}: {error}") from error
    for entry in found:
        if not (entry.test or entry.open or entry.out) or (entry.open and entry.out):
            raise ContractError(f"{path}: {entry.id} needs a test, or either `open` or `out`")
    return found


def summary(entries: list[Requirement]) -> str:
    """How many are met, as a Markdown table."""
    lines = ["| document | requirements | met | open | out of scope |", "|---|---|---|---|---|"]
    groups = {name: [entry for entry in entries if entry.group == key] for key, name in DOCUMENTS.items()}
    for name, group in (groups | {"all": entries}).items():
        met, out = sum(entry.is_met for entry in group), sum(bool(entry.out) for entry in group)
        lines.append(f"| {name} | {len(group)} | {met} | {len(group) - met - out} | {out} |")
    return "\n".join(lines) + "\n"
