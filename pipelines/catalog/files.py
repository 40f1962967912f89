"""The files of `schemas/`, read as contracts. The folder is the registry: nothing here names a relation.

SQL makes a relation whose file is `.sql`, Python fills one whose file is `.toml`.
"""

import hashlib
import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import LAYERS, TOPICS, Catalog, Check, Column, Question, Relation, Rule
from pipelines.catalog.handbook import Handbook
from pipelines.primitives.errors import ContractError


def files_of(folder: Path, *suffixes: str) -> list[Path]:
    """The files of a folder that end so, in order."""
    return sorted(path for path in folder.iterdir() if path.suffix in suffixes) if folder.is_dir() else []


def split_header(text: str) -> tuple[str, str]:
    """The TOML header in a file's leading comment, and the SQL after it."""
    found = re.match(r"\s*/\*(.*?)\*/\s*(.*)", text, re.DOTALL)
    return (found[1], found[2].strip().rstrip(";")) if found else ("", text.strip())


def read_header(path: Path) -> tuple[dict[str, Any], str]:
    """The header of a file of `schemas/`, and its SQL. Raises ContractError."""
    text = path.read_text(encoding="utf-8")
    head, sql = (text, "") if path.suffix == ".toml" else split_header(text)
    try:
        return tomllib.loads(head), sql
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{path}: the header is not valid TOML: {error}") from error


def former_names(head: dict[str, Any]) -> tuple[str, ...]:
    """Former names: `was = "old"`, or a list of them."""
    given = head.get("was", ())
    return (given,) if isinstance(given, str) else tuple(given)


FOLDER = Path(__file__).resolve().parents[2] / "schemas"


@lru_cache(maxsize=4)
def load_catalog(folder: Path = FOLDER) -> Catalog:
    """Read every contract, rule and question below `folder`. Raises ContractError naming the file."""
    digest = hashlib.sha256(macros().encode())
    relations: dict[str, Relation] = {}
    for layer in LAYERS:
        for path in files_of(folder / layer, ".toml", ".sql"):
            digest.update(path.name.encode() + path.read_bytes())
            relation = _relation(layer, path)
            relations[relation.full_name] = relation
    rules = _rules(folder)
    for path in files_of(folder / "rules", ".toml"):
        digest.update(path.name.encode() + path.read_bytes())
    questions, inputs = _questions(folder)
    return Catalog(relations, rules, questions, digest.hexdigest(), inputs)


@cache
def macros(zone: str = "") -> str:
    """SQL that makes the macros of `schemas/macros.sql`, and `rule_limit(rule, param)` with the numbers of all rules.

    They are quick for a site's `zone`, and give the same without. Each connection has macros of its own, and so has
    each cursor.
    """
    limits = "".join(
        f"\n    WHEN {sql_inspect.quote(f'{rule.name}.{name}')} THEN CAST({value} AS DOUBLE)"
        for rule in _rules(FOLDER).values()
        for name, value in rule.params.items()
        if type(value) in (int, float)
    )
    given = (FOLDER / "macros.sql").read_text(encoding="utf-8")
    known = f"WHEN zone = {sql_inspect.quote(zone)} THEN timezone({sql_inspect.quote(zone)}, given)"
    own = {
        "rule_limit(rule, param)": f"CASE rule || '.' || param{limits} END",
    }
    if zone:
        own["in_zone(given, zone)"] = f"CASE {known} ELSE timezone(zone, given) END"
        own["site_time(instant, zone)"] = "in_zone(make_timestamptz(epoch_us(instant)), zone)"  # a quarter quicker
    return given + "".join(f"\nCREATE OR REPLACE TEMP MACRO {head} AS {body};\n" for head, body in own.items())


@cache
def _rules(folder: Path) -> dict[str, Rule]:
    return {path.stem: _rule(path) for path in files_of(folder / "rules", ".toml")}


def _columns(path: Path, values: dict[str, dict[str, Any]]) -> tuple[Column, ...]:
    try:
        return tuple(Column(name, **column | {"was": former_names(column)}) for name, column in values.items())
    except TypeError as error:
        raise ContractError(
            f"{path}: a column needs the keys `type` and `doc`, and may have `unit`, `was` and `for_programs`: {error}"
        ) from error


def _relation(layer: str, path: Path) -> Relation:
    head, sql = read_header(path)
    try:
        columns = _columns(path, head.pop("columns"))
        checks = tuple(
            Check(check.pop("expectation"), check.pop("severity"), check) for check in head.pop("checks", [])
        )
        for key in ("lineage", "features", "replaces"):
            head[key] = tuple(head.get(key, ()))
        head["was"] = former_names(head)
        return Relation(layer=layer, name=path.stem, columns=columns, checks=checks, sql=sql, path=path, **head)
    except (KeyError, TypeError) as error:
        raise ContractError(f"{path}: a key of the header is missing or unknown: {error}") from error


def _rule(path: Path) -> Rule:
    head, _ = read_header(path)
    for key in ("by", "time", "evidence"):
        if key in head:
            head[key] = tuple(head[key])
    try:
        handbook = Handbook.of(head.pop("handbook", {}), head.get("params", {}))
        return Rule(name=path.stem, handbook=handbook, **head)
    except (TypeError, KeyError) as error:
        raise ContractError(f"{path}: a key of the rule is missing or unknown: {error}") from error


def _questions(folder: Path) -> tuple[dict[str, Question], dict[str, Question]]:
    """Questions by topic and name, and inputs of models by name."""
    file = folder / "questions" / "params.toml"
    shared = read_header(file)[0] if file.is_file() else {}
    listed = [_question(path, shared) for path in files_of(folder / "questions", ".sql")]
    inputs = {path.stem: _question(path, shared) for path in files_of(folder / "inputs", ".sql")}
    for question in listed:
        if question.topic not in TOPICS:
            raise ContractError(
                f"question {question.name} has the unknown topic {question.topic!r}",
                f"the topics are {', '.join(TOPICS)}",
            )
    listed.sort(key=lambda question: list(TOPICS).index(question.topic))
    questions = {question.name: question for question in listed}
    for question in (*listed, *inputs.values()):
        if taken := {*questions, *inputs} & set(question.was):
            raise ContractError(
                f"`was` of question {question.name} names {', '.join(sorted(taken))}, but that question still exists"
            )
    return questions, inputs


def _question(path: Path, shared: dict[str, dict[str, Any]]) -> Question:
    """A question's parameters are those it takes of the shared ones, in that order, and then its own."""
    head, sql = read_header(path)
    try:
        columns = _columns(path, head.pop("columns"))
        params = {name: shared[name] for name in head.pop("takes", [])} | head.pop("params", {})
        head["was"] = former_names(head)
        return Question(name=path.stem, columns=columns, sql=sql, params=params, **head)
    except (KeyError, TypeError) as error:
        raise ContractError(f"{path}: a key of the header is missing or unknown: {error}") from error
