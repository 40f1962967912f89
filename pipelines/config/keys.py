"""Every key of site.toml, from its models, with the texts of `keys.toml`."""

import datetime as dt
import tomllib
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pipelines.config.site import Site
from pipelines.primitives.errors import ContractError

_FILE = Path(__file__).with_suffix(".toml")
_TOP = "site"  # the keys before the first table
_NOT_OURS = {"root"}  # filled in when the file is read
_WORDS = {str: "text", bool: "yes or no", int: "whole number", float: "number", dt.date: "day", dt.datetime: "instant"}
_BOUNDS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
_SPANS = {"every", "since", "late", "timeout"}  # written with a unit, held in seconds
_UNITS = {
    "_mb_s": "MB/s",
    "_gb": "GB",
    "_tb": "TB",
    "_kb": "KiB",
    "_mb": "MiB",
    "_days": "days",
    "_hours": "h",
    "_s": "s",
}


@dataclass(frozen=True)
class Key:
    """A key of site.toml: what may be written, and what holds without it."""

    name: str
    kind: str
    unit: str
    default: str  # `needed` where there is none
    doc: str


@dataclass(frozen=True)
class Group:
    """The keys of one table, and the tables inside it."""

    name: str
    written: str  # how its head is written; empty for the keys before the first table
    about: str
    keys: tuple[Key, ...]
    within: tuple["Group", ...]


def groups() -> list[Group]:
    """The tables of site.toml, the keys before the first one at the head. Raises ContractError where a text lacks."""
    texts = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    top = _group(_TOP, "", Site, texts)
    if texts:
        raise ContractError(f"{_FILE.name} describes tables that site.toml does not have: {', '.join(texts)}")
    return [Group(top.name, top.written, top.about, top.keys, ()), *top.within]


def _group(name: str, written: str, model: type[BaseModel], texts: dict[str, dict[str, str]]) -> Group:
    docs = texts.pop(name, {})
    about = docs.pop("about", "")
    keys: list[Key] = []
    within: list[Group] = []
    for field_name, field in model.model_fields.items():
        key = field.alias or field_name
        if key in _NOT_OURS:
            continue
        inner, is_list = _table(field.annotation)
        if inner and name == _TOP:
            within.append(_group(key, f"[[{key}]]" if is_list else f"[{key}]", inner, texts))
            continue
        if key not in docs:
            raise ContractError(f"{_FILE.name} lacks a text for {key} of [{name}]")
        keys.append(_key(key, field, docs.pop(key), inner))
        if inner:
            within.append(_group(key, f"{key} = {{ … }}", inner, texts))
    if docs or not about:
        raise ContractError(
            f"{_FILE.name}: [{name}] must have `about`, and only keys of site.toml; other keys:"
            f" {', '.join(docs) or 'none'}"
        )
    return Group(name, written, about, tuple(keys), tuple(within))


def _table(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The model that a field holds, and whether it holds several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    is_list = get_origin(annotation) is tuple
    for part in get_args(annotation):
        if found := _table(part)[0]:
            return found, is_list
    return None, False


def _key(name: str, field: FieldInfo, doc: str, inner: type[BaseModel] | None) -> Key:
    kind = "table" if inner else "number with a unit, such as `5m`" if name in _SPANS else _kind(field.annotation)
    bounds = [
        f"{words} {getattr(one, sign)}"
        for one in field.metadata
        for sign, words in _BOUNDS.items()
        if hasattr(one, sign)
    ]
    if bounds and name not in _SPANS:
        kind += f", {' and '.join(bounds)}"
    ends = [end for end in _UNITS if name.endswith(end)]
    default = (
        "needed" if field.is_required() else _default(field.get_default(call_default_factory=True), name in _SPANS)
    )
    return Key(name, kind, _UNITS[max(ends, key=len)] if ends else "", default, doc)


def _kind(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(parts[0])
    if origin is Literal:
        return ", ".join(f"`{part}`" for part in parts if part)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_kind(part) for part in parts if part is not type(None)))
    if origin is tuple:
        return f"list of: {_kind(parts[0])}"
    if origin is dict:
        return f"table of: {_kind(parts[1])}"
    return _WORDS.get(annotation, "text")


def _default(value: Any, is_span: bool) -> str:
    if value in (None, "", (), {}) or isinstance(value, BaseModel):
        return ""
    if is_span:
        return f"`{value}s`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
