"""The generated pages, written and held up to date, and the entry that `tapescope explain` prints."""

import difflib
import importlib
from pathlib import Path

from click import Group

from pipelines import sources
from pipelines.analysis.studies import requirements
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.files import FOLDER, load_catalog
from pipelines.primitives.errors import ContractError, QuestionRefused
from pipelines.primitives.text import did_you_mean
from pipelines.reporting import entries, reference

DOCS = FOLDER.parent / "docs"
_VALIDATION = DOCS / "validation.md"


def explain(catalog: Catalog, name: str) -> str:
    """Everything the catalogue says about a relation, rule, question, source or model, as Markdown.

    Raises QuestionRefused with the nearest names where there is none of that name.
    """
    pages: list[str] = []
    for relation in catalog.relations.values():
        if name in (relation.full_name, relation.name):
            pages.append(entries.relation(relation))
    if name in catalog.rules:
        pages.append(entries.rule(catalog.rules[name]))
    if name in catalog.asked:
        pages.append(entries.question(catalog.asked[name]))
    if name in sources.all_sources():
        pages.append(entries.source(name))
    if name in entries.model_names():
        pages.append(entries.model(name))
    if pages:
        return "\n".join(pages)
    known = [*catalog.relations, *catalog.rules, *catalog.asked, *sources.all_sources(), *entries.model_names()]
    if name in catalog.renamed:
        raise QuestionRefused(f"the question {name!r} is now called {catalog.renamed[name]!r}")
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = did_you_mean(near) or "`tapescope metrics`, `rules`, `questions` and `sources` list the names"
    raise QuestionRefused(f"there is no relation, rule, question, source or model {name!r}", hint)


def write_all(check: bool = False) -> list[str]:
    """Write the generated pages, and remove those of units that are gone; with `check` only name the stale ones."""
    folder = DOCS / "reference"
    pages = {folder / name: text for name, text in reference.pages(load_catalog(), _command_line()).items()}
    pages[_VALIDATION] = _with_ledger(_VALIDATION.read_text(encoding="utf-8"))
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    gone = [path for path in folder.rglob("*.md") if path not in pages]
    if not check:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], encoding="utf-8")
        for path in gone:
            path.unlink()
    return [str(path.relative_to(Path(FOLDER).parent)) for path in [*stale, *gone]]


def _command_line() -> Group:
    """The commands, by the name of the entry point: they are above this floor, and nothing here depends on them."""
    found = importlib.import_module("pipelines.cli").cli
    assert isinstance(found, Group)
    return found


def _with_ledger(text: str) -> str:
    """A page with the count of met requirements between its marks."""
    before, begin, rest = text.partition("<!-- requirements: made by `make docs` -->\n")
    _, end, after = rest.partition("<!-- /requirements -->")
    if not end:
        raise ContractError(f"{_VALIDATION.name} lacks the two marks that enclose the counts of requirements")
    return f"{before}{begin}\n{requirements.summary(requirements.ledger())}\n{end}{after}"


if __name__ == "__main__":
    for name in write_all():
        print(f"wrote {name}")
