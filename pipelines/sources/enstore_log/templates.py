"""What a message must look like to become a row, as data: one Template per kind of message.

A template is tried on lines whose message starts with its literal, so a regular expression meets only lines that are
meant for it; one that it does not match is then a reject and not merely another line.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from pipelines.sources._shared.contract import schema_of

# A ticket is a printed dictionary: its keys are searched one by one, because it may be cut at any place.
TRUNCATED = r"\(trunc\. \d+\)$"

NUMBER = r"(-?\d[\d.]*(?:[eE][-+]?\d+)?)"
STATUS = r"\(?['\"]?(?P<error>[^'\",()]*)"

_GROUP = re.compile(r"\(\?P<(\w+)>")

# Sizes and counts; an error counter may be -1 (unknown), marks are spaced backwards.
_NEVER_NEGATIVE = frozenset({"bytes", "total_bytes", "n_blocks", "header_bytes", "trailer_bytes", "file_bytes"})


@dataclass(frozen=True)
class Template:
    """One kind of message.

    `start` and `needs` are literals that make a line one of this kind, `excludes` make it none; `pattern` is then the
    shape that what follows `start` must have, its named groups are columns, its first group takes part in every match.
    `keys` are columns searched anywhere in the message and NULL where missing; `must_have` names the one without which
    only a truncated message is accepted.
    """

    table: str
    kind: str
    start: str
    pattern: str = ""
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    severity: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    must_have: str = ""
    is_bare: bool = False  # the line has no host, process and name

    @property
    def literal(self) -> str:
        """The text that every line of this kind contains: two blanks part the server's name from the message."""
        return (" " if self.is_bare else "  ") + self.start

    def fits(self) -> pl.Expr:
        """Is the message of this kind, readable or not?"""
        message = pl.col("message")
        tests = [message.str.starts_with(self.start)]
        tests += [message.str.contains(need, literal=True) for need in self.needs]
        tests += [~message.str.contains(word, literal=True) for word in self.excludes]
        if self.is_bare:
            tests.append(pl.col("severity").is_null())
        if self.severity:
            tests.append(pl.col("severity") == self.severity)
        return pl.all_horizontal(tests)


@dataclass(frozen=True)
class LogTable:
    """One bronze table of the log: its templates, and what makes its columns of what they yield.

    `numbers` are those that `finish` needs and that are no columns of the table.
    """

    table: str
    templates: tuple[Template, ...]
    finish: Callable[[pl.DataFrame], pl.DataFrame] = lambda rows: rows
    numbers: tuple[str, ...] = ()

    @cached_property
    def types(self) -> dict[str, pl.DataType]:
        """What the templates yield: the columns of the table by their types, our own numbers, and texts."""
        known = {**schema_of(self.table), **dict.fromkeys(self.numbers, pl.Float64())}
        yielded = [(*_GROUP.findall(each.pattern), *each.keys, *each.fixed) for each in self.templates]
        return {name: known.get(name, pl.String()) for names in yielded for name in names}


def classify(rows: pl.DataFrame, templates: Sequence[Template]) -> pl.Series:
    """The number of the template each row belongs to; NULL for none."""
    numbers = [pl.when(t.fits()).then(pl.lit(n, pl.Int16)) for n, t in enumerate(templates)]
    return rows.select(template=pl.coalesce(numbers)).to_series()


def extract(rows: pl.DataFrame, template: Template) -> pl.DataFrame:
    """The rows of one template with its columns as text; `is_mismatched` where a message does not have its shape.

    `label` adds the values that a template gives to all its rows. Series, not expressions: there are dozens of
    templates to a chunk, and each expression costs more than its few rows.
    """
    message = rows["message"]
    found: list[pl.Series] = []
    is_mismatched = pl.repeat(False, rows.height, eager=True)
    if template.pattern:
        found = (
            message.str.extract_groups(f"^{re.escape(template.start)}{template.pattern}").struct.unnest().get_columns()
        )
        is_mismatched = found[0].is_null()
    if template.keys:
        keys = rows.select(
            pl.col("message").str.extract(pattern).alias(name) for name, pattern in template.keys.items()
        )
        found += keys.get_columns()
        if template.must_have:
            is_mismatched = keys[template.must_have].is_null() & ~message.str.contains(TRUNCATED)
    return rows.hstack([*found, is_mismatched.alias("is_mismatched")])


def label(rows: pl.DataFrame, templates: Sequence[Template]) -> pl.DataFrame:
    """Rows of several templates with their kind, the values each fixes, and the `reason` of rows that do not fit."""
    number = rows["template"]
    columns = [pl.Series("kind", [template.kind for template in templates], pl.String).gather(number)]
    for name in {name for template in templates for name in template.fixed}:
        values = pl.Series(name, [template.fixed.get(name) for template in templates], pl.String).gather(number)
        columns.append(rows[name].fill_null(values) if name in rows.columns else values)
    return rows.with_columns(*columns, reason=pl.when("is_mismatched").then(pl.lit("bad_syntax"))).drop("is_mismatched")


def cast(rows: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Texts as numbers; a row with other text (also `nan` and `inf`) gets a `reason`."""
    values = {name: _value(name, dtype) for name, dtype in types.items() if dtype != pl.String()}
    if not values:
        return rows
    numbers = rows.select(**values)
    n_filled = pl.sum_horizontal(pl.all().is_not_null())
    is_bad = rows.select(list(values)).select(n_filled).to_series() > numbers.select(n_filled).to_series()
    reason = pl.coalesce("reason", pl.when(is_bad).then(pl.lit("bad_number")))
    return rows.with_columns(*numbers, reason=reason)


def _value(name: str, dtype: pl.DataType) -> pl.Expr:
    value = pl.col(name).cast(dtype, strict=False)
    if dtype.is_float():
        return pl.when(value.is_finite()).then(value)
    return pl.when(value >= 0).then(value) if name in _NEVER_NEGATIVE else value
