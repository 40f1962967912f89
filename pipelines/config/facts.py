"""Facts of the site by date: what hosts, drives, pools and disks are made of and how they are set, as `[[fact]]` says.

A fact holds from its day on until another day changes it; an empty word withdraws it.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby, pairwise

from pydantic import BaseModel, ConfigDict, Field, model_validator

Value = str | bool | int | float

# entity, name, value, number, since_day, until_day
Row = Sequence[str | float | date | None]


class Fact(BaseModel):
    """What is so of some things from a day on; any key besides `of` and `from` names a fact."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Value] = Field(init=False)

    of: str | tuple[str, ...]
    begin: date | None = Field(default=None, alias="from")

    @model_validator(mode="after")
    def _is_complete(self) -> "Fact":
        if not self.entities or not all(self.entities):
            raise ValueError("`of` must name the host, drive, pool, disk or other thing that the fact describes")
        if not self.__pydantic_extra__:
            raise ValueError("give a fact, such as memory_gb = 8 or raid = 'RAID-5'")
        for name, value in self.__pydantic_extra__.items():
            if not re.fullmatch(r"[A-Za-z]\w{0,59}", name):
                raise ValueError(f"{name!r} is not a valid name of a fact: use at most 60 letters, digits and _")
            if len(str(value)) > 200:
                raise ValueError(f"the value of {name} is longer than 200 characters")
        return self

    @property
    def entities(self) -> tuple[str, ...]:
        return (self.of,) if isinstance(self.of, str) else self.of


def repeated(facts: Iterable[Fact]) -> list[str]:
    """Facts with two values for one entity and day."""
    values: dict[tuple[str, str, date | None], Value] = {}
    twice: set[str] = set()
    for entity, name, value, begin in _stated(facts):
        if values.setdefault((entity, name, begin), value) != value:
            twice.add(f"{name} of {entity!r} has two different values{f' for {begin}' if begin else ''}")
    return sorted(twice)


def rows(facts: Iterable[Fact]) -> list[Row]:
    """The rows of site.fact.

    >>> was = {"of": "array", "raid": "RAID-5"}
    >>> raid = [Fact.model_validate(one) for one in (was, was | {"from": "1997-08-01", "raid": "RAID-3"})]
    >>> [(value, str(since), str(until)) for _, _, value, _, since, until in rows(raid)]
    [('RAID-5', 'None', '1997-08-01'), ('RAID-3', '1997-08-01', 'None')]
    """
    stated = sorted(_stated(facts), key=lambda one: (one[0], one[1], one[3] or date.min))
    found: list[Row] = []
    for (entity, name), same in groupby(stated, key=lambda one: one[:2]):
        steps: list[tuple[Value, date | None]] = []
        for _, _, value, begin in same:
            if not steps or value != steps[-1][0]:  # a repeated value is not a step
                steps.append((value, begin))
        for (value, since), (_, until) in pairwise([*steps, ("", None)]):
            if value != "":
                shown = ("no", "yes")[value] if isinstance(value, bool) else f"{value}"
                number = None if isinstance(value, bool | str) else float(value)
                found.append((entity, name, shown, number, since, until))
    return found


def _stated(facts: Iterable[Fact]) -> Iterable[tuple[str, str, Value, date | None]]:
    for fact in facts:
        for entity in fact.entities:
            for name, value in fact.__pydantic_extra__.items():
                yield entity, name, value, fact.begin
