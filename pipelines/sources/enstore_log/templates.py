"""What a message must look like to become a row, as data: one Template per kind of message.

A template is tried on lines whose message starts with its literal, so a regular expression meets only lines that are
meant for it; one that it does not match is then a reject and not merely another line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

# A ticket is a printed dictionary: its keys are searched one by one, for it may be cut at any place.
TRUNCATED = r"\(trunc\. \d+\)$"

# Sizes and counts; an error counter may be -1 (unknown), marks are spaced backwards.
_NEVER_NEGATIVE = frozenset({"bytes", "total_bytes", "n_blocks", "header_bytes", "trailer_bytes", "file_bytes"})


@dataclass(frozen=True)
class Template:
    """One kind of message.

    `start` and `needs` are literals that make a line one of this kind; `pattern` is then the shape it must have, its
    named groups are columns, its first group takes part in every match. `keys` are columns searched anywhere in the
    message and NULL where missing; `must_have` names the one without which only a truncated message is accepted.
    """

    table: str
    kind: str
    start: str
    pattern: str = ""
    needs: tuple[str, ...] = ()
    severity: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    must_have: str = ""

    @property
    def literal(self) -> str:
        """What stands in a line of this kind: two blanks part the server's name from the message."""
        return "  " + self.start

    def fits(self) -> pl.Expr:
        """Is the message of this kind, readable or not?"""
        message = pl.col("message")
        tests = [message.str.starts_with(self.start)]
        tests += [message.str.contains(need, literal=True) for need in self.needs]
        if self.severity:
            tests.append(pl.col("severity") == self.severity)
        return pl.all_horizontal(tests)


def classify(rows: pl.DataFrame, templates: Sequence[Template]) -> pl.Series:
    """The number of the template each row belongs to; NULL for none."""
    numbers = [pl.when(t.fits()).then(pl.lit(n, pl.Int16)) for n, t in enumerate(templates)]
    return rows.select(template=pl.coalesce(numbers)).to_series()


def extract(rows: pl.DataFrame, template: Template) -> pl.DataFrame:
    """The rows of one template with its columns as text, and `reason` where a message has not its shape."""
    message = pl.col("message")
    columns = [message.str.extract(pattern).alias(name) for name, pattern in template.keys.items()]
    columns += [pl.lit(value).alias(name) for name, value in template.fixed.items()]
    misses = pl.lit(False)
    if template.pattern:
        rows = rows.with_columns(groups=message.str.extract_groups(template.pattern))
        columns.append(pl.col("groups").struct.unnest())
        misses = pl.col("groups").struct[0].is_null()
    if template.must_have:
        rows = rows.with_columns(must_have=message.str.extract(template.keys[template.must_have]))
        misses = pl.col("must_have").is_null() & ~message.str.contains(TRUNCATED)
    reason = pl.when(misses).then(pl.lit("bad_syntax"))
    return rows.with_columns(*columns, kind=pl.lit(template.kind), reason=reason).drop(
        "groups", "must_have", strict=False
    )


def cast(rows: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Texts as numbers; a row of which one is none (`nan` and `inf` are none either) gets a `reason`."""
    values = {name: _value(name, wanted) for name, wanted in types.items() if wanted != pl.String()}
    if not values:
        return rows
    numbers = rows.select(**values)
    n_filled = pl.sum_horizontal(pl.all().is_not_null())
    is_bad = rows.select(list(values)).select(n_filled).to_series() > numbers.select(n_filled).to_series()
    reason = pl.coalesce("reason", pl.when(is_bad).then(pl.lit("bad_number")))
    return rows.with_columns(*numbers, reason=reason)


def _value(name: str, wanted: pl.DataType) -> pl.Expr:
    value = pl.col(name).cast(wanted, strict=False)
    if wanted.is_float():
        return pl.when(value.is_finite()).then(value)
    return pl.when(value >= 0).then(value) if name in _NEVER_NEGATIVE else value
