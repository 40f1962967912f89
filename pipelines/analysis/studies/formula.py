"""Formulas of case studies: which of our own functions works a figure out, and from which published ones.

A formula is an expression in Python's notation, and of that only: numbers, texts, lists, + - * / % **, comparisons, a
call, a public attribute, `table["row"].column`, and `sum(… for row in table if …)`. It knows the modules of
`pipelines.analysis.models` and `pipelines.analysis.stats` and `published` by their names, the study's tables by theirs,
`relation(name)` and `question(name, param=…)` for rows of ours, `one_row(rows, column=value)` for the one that fits,
`array`, `at`, and `sum min max len abs`.
"""

import ast
import operator
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any

import numpy as np

from pipelines.analysis import models, stats
from pipelines.analysis.studies import published
from pipelines.primitives.errors import ContractError

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@cache
def library() -> dict[str, Any]:
    """Names every formula knows."""
    modules = {
        found.name: import_module(f"{package.__name__}.{found.name}")
        for package in (models, stats)
        for found in iter_modules(package.__path__)
    }
    builtins = {"sum": sum, "min": min, "max": max, "len": len, "abs": abs}
    return builtins | modules | {"published": published, "array": np.array, "at": at, "one_row": one_row}


def at(begin: datetime, seconds: float) -> datetime:
    """An instant a number of seconds after another."""
    return begin + timedelta(seconds=seconds)


def one_row(rows: list[SimpleNamespace], **where: Any) -> SimpleNamespace:
    """The one row that fits. Raises ContractError for none or several."""
    found = [row for row in rows if all(getattr(row, name) == value for name, value in where.items())]
    if len(found) != 1:
        raise ContractError(f"{len(found)} rows match {where}, but exactly one must")
    return found[0]


def evaluate(text: str, known: dict[str, Any]) -> Any:
    """The value of a formula, with `known` in addition to the library's names. Raises ContractError naming the
    formula."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, library() | known)
    except (SyntaxError, TypeError, ValueError, KeyError, AttributeError, ZeroDivisionError, ContractError) as error:
        raise ContractError(f"formula {text!r}: {error}") from error


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return known[node.id]
        case ast.List() | ast.Tuple():
            return [_value(item, known) for item in node.elts]
        case ast.Attribute():
            if node.attr.startswith("_"):
                raise ValueError(f"a formula must not use the private name {node.attr}")
            return getattr(_value(node.value, known), node.attr)
        case ast.Subscript():
            return _value(node.value, known)[_value(node.slice, known)]
        case ast.UnaryOp():
            return _OPERATORS[type(node.op)](_value(node.operand, known))
        case ast.BinOp():
            return _OPERATORS[type(node.op)](_value(node.left, known), _value(node.right, known))
        case ast.Compare(ops=[compared], comparators=[right]):
            return _OPERATORS[type(compared)](_value(node.left, known), _value(right, known))
        case ast.Call():
            given = [_value(item, known) for item in node.args]
            named = {str(item.arg): _value(item.value, known) for item in node.keywords}
            return _value(node.func, known)(*given, **named)
        case ast.GeneratorExp(generators=[loop]) | ast.ListComp(generators=[loop]):
            return list(_loop(node.elt, loop, known))
    raise ValueError(f"a formula must not contain {type(node).__name__}")


def _loop(item: ast.expr, loop: ast.comprehension, known: dict[str, Any]) -> Iterator[Any]:
    if not isinstance(loop.target, ast.Name):
        raise ValueError("a loop must have exactly one variable")
    for value in _value(loop.iter, known):
        inner = known | {loop.target.id: value}
        if all(_value(test, inner) for test in loop.ifs):
            yield _value(item, inner)
