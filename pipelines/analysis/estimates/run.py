"""All estimates of a period, made and written."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Protocol

from pipelines.analysis.estimates import changes, clocks, contradictions, drives_and_tapes, pools
from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.primitives.clock import Period
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.tables import replace_day


class Estimate(Protocol):
    """What a module of this package offers."""

    RELATION: str
    WINDOW_DAYS: int

    def rows(self, connection: Connection, period: Period) -> Iterator[dict[str, Any]]:
        """The rows of the day that ends the period, without `day` and `first_day`."""
        ...


ESTIMATES: tuple[Estimate, ...] = (changes, clocks, contradictions, drives_and_tapes, pools)


def estimate(connection: Connection, site: Site, catalog: Catalog, last: date) -> None:
    """Make every estimate of the site days that end with `last`, in place of those made for that day before."""
    for each in ESTIMATES:
        period = Period(last - timedelta(days=each.WINDOW_DAYS - 1), last, site.zone)
        days = {"day": last, "first_day": period.first}
        replace_day(
            connection, catalog.relations[each.RELATION], last, [days | row for row in each.rows(connection, period)]
        )
