"""What models learn from: some days of a site, and the one way to ask about them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from pipelines.answers.question import Answer, ask
from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site

MONTH_DAYS = 28
WEEK_DAYS = 7
LEAST_COVERED = 0.5  # of the hours that logs cover on a usual day: logs often reach an hour into the next day
Row = dict[str, Any]


def well_covered(days: list[Row]) -> list[Row]:
    """Days without those of which logs cover little: what moved on these is known to have moved, and no day's work.

    A row is a day with its `covered_hours`.
    """
    usual = float(np.median([row["covered_hours"] for row in days])) if days else 0.0
    return [row for row in days if row["covered_hours"] >= LEAST_COVERED * usual]


@dataclass(frozen=True)
class History:
    """A number of site days that end with `last_day`; the last day with data where none is named.

    Asked through `ask` by whoever has a connection open or remembers answers; else on a connection for each question.
    """

    site: Site
    catalog: Catalog
    last_day: date | None = None
    n_days: int = MONTH_DAYS
    ask: Callable[[str, dict[str, str]], Answer] | None = None

    def rows(self, question: str, **params: str) -> list[Row]:
        """The answer about these days as rows by column name. Raises QuestionRefused."""
        return self.answer(question, **params).as_dicts()

    def answer(self, question: str, **params: str) -> Answer:
        """The answer about these days, as far as the question has parameters for them. Raises QuestionRefused."""
        days = {"n_days": str(self.n_days)} | ({} if self.last_day is None else {"last_day": str(self.last_day)})
        given = {name: value for name, value in days.items() if name in self.catalog.asked[question].params}
        asked = self.ask or partial(ask, self.site, self.catalog)
        return asked(question, given | params)
