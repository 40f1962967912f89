"""The catalogue as Markdown: the data dictionary, metric, rule and question pages, and `explain`."""

import difflib
import importlib
import inspect
import pkgutil
from pathlib import Path

from pipelines import sources
from pipelines.analysis import models
from pipelines.analysis.studies import requirements
from pipelines.catalog.contracts import FOLDER, TOPICS, Catalog, Check, Column, Question, Relation, Rule, load_catalog
from pipelines.config import technology
from pipelines.primitives.errors import ContractError, QuestionRefused

_TECHNOLOGY = "technology"
_README = FOLDER.parent / "README.md"
_LAYERS = {
    "site": "The contents of `site.toml`, as tables.",
    "ops": "What was read, what was checked, and what no log covers.",
    "bronze": "What the logs contain: one row per record, in bytes, seconds and UTC.",
    "silver": "Events and samples in the same terms for every system they come from.",
    "gold": "Metrics and findings.",
}


def explain(catalog: Catalog, name: str) -> str:
    """Everything the catalogue says about a relation, rule, question, source or model, as Markdown.

    Raises QuestionRefused with the nearest names where there is none of that name.
    """
    pages: list[str] = []
    for relation in catalog.relations.values():
        if name in (relation.full_name, relation.name):
            pages.append(_relation(relation))
    if name in catalog.rules:
        pages.append(_rule(catalog.rules[name]))
    if name in catalog.asked:
        pages.append(_question(catalog.asked[name]))
    if name in sources.all_sources():
        pages.append(_source(name))
    if name in model_names():
        pages.append(_model(name))
    if pages:
        return "\n".join(pages)
    known = [*catalog.relations, *catalog.rules, *catalog.asked, *sources.all_sources(), *model_names()]
    if name in catalog.renamed:
        raise QuestionRefused(f"the question {name!r} is now {catalog.renamed[name]!r}")
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `tapescope metrics`, `rules`, `questions`, `sources`"
    raise QuestionRefused(f"nothing has the name {name!r}", hint)


def write_all(check: bool = False) -> list[str]:
    """Write the generated pages; with `check` only name those that are not up to date."""
    catalog = load_catalog()
    pages = {FOLDER / "README.md": dictionary(catalog), _README: _with_ledger(_README.read_text(encoding="utf-8"))}
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if not check:
        for path in stale:
            path.write_text(pages[path], encoding="utf-8")
    return [str(path.relative_to(Path(FOLDER).parent)) for path in stale]


def _with_ledger(text: str) -> str:
    """A page with the count of met requirements between its marks."""
    before, begin, rest = text.partition("<!-- requirements: made by `make docs` -->\n")
    _, end, after = rest.partition("<!-- /requirements -->")
    if not end:
        raise ContractError(f"{_README.name} lacks the marks between which the requirements are counted")
    return f"{before}{begin}\n{requirements.summary(requirements.ledger())}\n{end}{after}"


def dictionary(catalog: Catalog) -> str:
    """The data dictionary: every relation, rule, question and source with all its columns."""
    parts = [
        "# Data dictionary\n",
        "`make docs` writes this page from the headers in this folder; edit those, not this page.",
        "Times are UTC, MB = 10^6 bytes, and a site day is a calendar day in the site's time zone.\n",
    ]
    for layer, why in _LAYERS.items():
        parts.append(f"## {layer}\n\n{why}\n")
        parts += [_relation(relation) for relation in catalog.layer(layer)]
    parts.append("## Rules\n")
    parts += [_rule(rule) for rule in catalog.rules.values()]
    for topic, questions in catalog.by_topic().items():
        parts.append(f"## Questions about {topic}\n\n{TOPICS[topic]}.\n")
        parts += [_question(question) for question in questions]
    parts.append(
        "## Inputs of models and methods\n\nForecasts, estimates, findings and exports use these. Only code asks "
        "them, so `tapescope questions` does not list them.\n"
    )
    parts += [_question(question) for question in catalog.inputs.values()]
    parts.append("## Sources\n")
    parts += [_source(stem) for stem in sources.all_sources()]
    parts.append("## Models\n")
    parts += [_model(name) for name in model_names()]
    return "\n".join(parts).rstrip() + "\n"


def _columns(columns: tuple[Column, ...]) -> str:
    rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.doc} |" for c in columns]
    return "\n".join(["| column | type | unit | meaning |", "|---|---|---|---|", *rows]) + "\n"


def _relation(relation: Relation) -> str:
    lines = [f"### {relation.full_name}: {relation.title}\n", f"{relation.grain[0].upper()}{relation.grain[1:]}."]
    lines.append(f"{relation.why}\n")
    if relation.inputs:
        lines.append(f"Made from {', '.join(f'`{name}`' for name in relation.inputs)}.\n")
    lines.append(_columns(relation.columns))
    if relation.checks:
        lines += ["Checks:", *(f"- {_check(item)}" for item in relation.checks), ""]
    return "\n".join(lines)


def _check(item: Check) -> str:
    text = ", ".join(f"{key} = {value}" for key, value in item.kwargs.items())
    return f"{item.severity}: `{item.expectation}` ({text})"


def _rule(rule: Rule) -> str:
    params = ", ".join(f"{key} = {value}" for key, value in rule.params.items())
    where = ", ".join(f"{key} = {value}" for key, value in rule.where.items())
    return "\n".join(
        [
            f"### rule {rule.name}: {rule.title}\n",
            f"Severity {rule.severity}. Looks at `{rule.value}` of `{rule.metric}` by {', '.join(rule.by)}"
            + (f" where {where}" if where else "")
            + f", method `{rule.method}` with {params}.\n",
            f"Means: {rule.means}\n",
            f"Look at: {rule.look_at}\n",
        ]
    )


def _question(question: Question) -> str:
    lines = [
        f"### {'question' if question.topic else 'input'} {question.name}: {question.title}\n",
        f"{question.why}\n",
    ]
    for name, param in question.params.items():
        default = f" (default {param['default']})" if param.get("default") else ""
        lines.append(f"- `{name}={param['type']}`: {param['doc']}{default}")
    return "\n".join([*lines, "", _columns(question.columns)])


def _source(stem: str) -> str:
    source = sources.all_sources()[stem]
    tables = ", ".join(f"`bronze.{table}`" for table in source.TABLES)
    text = (source.__doc__ or "").strip()
    return f"### source {stem}: {source.TITLE}\n\nFills {tables}.\n\n```text\n{text}\n```\n"


def model_names() -> list[str]:
    """The models there are: the modules of the folder, and the table of drives that they start from."""
    return sorted([*(module.name for module in pkgutil.iter_modules(models.__path__)), _TECHNOLOGY])


def _is_own(module: str, thing: object) -> bool:
    """Whether it is of a module, or of a part of it."""
    return f"{getattr(thing, '__module__', '')}.".startswith(f"{module}.")


def _model(name: str) -> str:
    """A model is explained by its own words: what goes in, what comes out, units, limits, source."""
    module = technology if name == _TECHNOLOGY else importlib.import_module(f"{models.__name__}.{name}")
    lines = [f"### model {name}\n", f"```text\n{inspect.getdoc(module)}\n```\n"]
    for part, thing in vars(module).items():
        if part.startswith("_") or not callable(thing) or not _is_own(module.__name__, thing):
            continue
        text = (inspect.getdoc(thing) or "").split("\n>>>")[0].strip()
        shape = f"{part}{inspect.signature(thing)}" if inspect.isfunction(thing) else part
        lines.append(f"- `{shape}`: {' '.join(text.split())}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in write_all():
        print(f"wrote {name}")
