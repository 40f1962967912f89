"""What the catalogue holds about one relation, rule, question, source or model, as Markdown.

The reference makes a page of each entry; `tapescope explain` prints it.
"""

import importlib
import inspect
import pkgutil

from pipelines import sources
from pipelines.analysis import models
from pipelines.catalog.contracts import Check, Column, Question, Relation, Rule
from pipelines.config import technology

_TECHNOLOGY = "technology"


def _columns(columns: tuple[Column, ...]) -> str:
    rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.doc} |" for c in columns]
    return "\n".join(["| column | type | unit | meaning |", "|---|---|---|---|", *rows]) + "\n"


def relation(relation: Relation) -> str:
    """Grain, reason, inputs, columns and checks."""
    lines = [f"# {relation.full_name}: {relation.title}\n", f"{relation.grain[0].upper()}{relation.grain[1:]}."]
    lines.append(f"{relation.why}\n")
    if relation.inputs:
        lines.append(f"Computed from {', '.join(f'`{name}`' for name in relation.inputs)}.\n")
    lines.append(_columns(relation.columns))
    if relation.checks:
        lines += ["Checks:", *(f"- {_check(item)}" for item in relation.checks), ""]
    return "\n".join(lines)


def _check(item: Check) -> str:
    return f"{item.severity}: {item.sentence} (`{item.expectation}`)"


def rule(rule: Rule) -> str:
    """Its entry in the handbook, then how it is defined."""
    where = " where " + ", ".join(f"{key} = {value}" for key, value in rule.where.items()) if rule.where else ""
    known = sources.all_sources()
    rests_on = ", ".join(f"`{name}`" if name in known else f"logs of {name}" for name in rule.sources)
    params = [f"| `{key}` | {value} |" for key, value in rule.params.items()]
    return "\n".join(
        [
            f"# rule {rule.name}: {rule.title}\n",
            *(f"## {heading}\n\n{text}\n" for heading, text in rule.entry),
            "## Definition\n",
            f"Severity {rule.severity}. The rule judges `{rule.value}` of `{rule.metric}`"
            f" for each {', '.join(rule.by)}{where},"
            f" with the method `{rule.method}`. It needs these logs: {rests_on or 'all that site.toml declares'}."
            f" Page: {rule.page}.\n",
            "\n".join(["| parameter | value |", "|---|---|", *params]) + "\n",
        ]
    )


def question(question: Question) -> str:
    """Reason, parameters and columns."""
    lines = [
        f"# {'question' if question.topic else 'input'} {question.name}: {question.title}\n",
        f"{question.why}\n",
        *([f"If there are no rows: {question.if_empty}\n"] if question.if_empty else []),
    ]
    for name, param in question.params.items():
        default = f" (default `{param['default']}`)" if param.get("default") else ""
        lines.append(f"- `{name}={param['type']}`: {param['doc']}{default}")
    return "\n".join([*lines, "", _columns(question.columns)])


def source(stem: str) -> str:
    """What it fills, how a large file is read, and its own account of the format."""
    source = sources.all_sources()[stem]
    tables = ", ".join(f"`bronze.{table}`" for table in source.TABLES)
    is_cut = getattr(source, "CAN_BE_CUT", False)
    large = "Several processes read a large file." if is_cut else "One process reads each file, however large it is."
    text = (source.__doc__ or "").strip()
    return f"# source {stem}: {source.TITLE}\n\nIt fills {tables}. {large}\n\n```text\n{text}\n```\n"


def model_names() -> list[str]:
    """The models there are: the modules of the folder, and the table of drives that they start from."""
    return sorted([*(module.name for module in pkgutil.iter_modules(models.__path__)), _TECHNOLOGY])


def _is_own(module: str, thing: object) -> bool:
    """Whether it is of a module, or of a part of it."""
    return f"{getattr(thing, '__module__', '')}.".startswith(f"{module}.")


def model(name: str) -> str:
    """A model is explained by its own words: what goes in, what comes out, units, limits, source."""
    module = technology if name == _TECHNOLOGY else importlib.import_module(f"{models.__name__}.{name}")
    lines = [f"# model {name}\n", f"```text\n{inspect.getdoc(module)}\n```\n"]
    for part, thing in vars(module).items():
        if part.startswith("_") or not callable(thing) or not _is_own(module.__name__, thing):
            continue
        text = (inspect.getdoc(thing) or "").split("\n>>>")[0].strip()
        shape = f"{part}{inspect.signature(thing)}" if inspect.isfunction(thing) else part
        lines.append(f"- `{shape}`: {' '.join(text.split())}")
    return "\n".join(lines) + "\n"
