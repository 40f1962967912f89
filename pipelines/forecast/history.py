"""What models learn from: some days of a site, and the one way to ask about them."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from pipelines.ask import answer, ask
from pipelines.catalog import Catalog
from pipelines.config import Site
from pipelines.warehouse import Connection

MONTH_DAYS = 28
WEEK_DAYS = 7
Row = dict[str, Any]


@dataclass(frozen=True)
class History:
    """So many site days that end with `last_day`; the last day with data where none is named.

    Asked on `connection` where one is open; it must not be in a transaction.
    """

    site: Site
    catalog: Catalog
    last_day: date | None = None
    n_days: int = MONTH_DAYS
    connection: Connection | None = None

    def rows(self, question: str) -> list[Row]:
        """The answer about these days; a question that has no `n_days` is asked without. Raises QuestionRefused."""
        params = {} if self.last_day is None else {"last_day": str(self.last_day)}
        if "n_days" in self.catalog.questions[question].params:
            params["n_days"] = str(self.n_days)
        if self.connection is not None:
            return answer(self.connection, self.catalog, question, params).as_dicts()
        return ask(self.site, self.catalog, question, params).as_dicts()
