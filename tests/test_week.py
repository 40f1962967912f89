"""Days made up for are as timely ones, in whatever order: the steps of `nightly_report` without Airflow around them.

`make test-airflow` does the same with a real Airflow, whose tasks are killed meanwhile.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config.site import Site
from support.archive import differences
from support.week import WEEK, arrive, reports, site_rows, timely, week_site

pytestmark = pytest.mark.usefixtures("plain_store")

DAYS = WEEK[-3:]  # on the last one the server log is silent


def make_up_for(site: Site, days: Sequence[date]) -> None:
    for day in days:
        steps.detect(site, day, day)
        steps.forecast(site, day)
        steps.deliver(site, day, day)


def test_days_made_up_for_are_as_timely_ones(tmp_path: Path) -> None:
    punctual, late = week_site(tmp_path / "punctual"), week_site(tmp_path / "late")
    timely(punctual, DAYS)
    for day in DAYS:
        arrive(late, day)
    steps.ingest(late)
    steps.build(late)
    make_up_for(late, DAYS[::-1])
    assert differences(site_rows(punctual), site_rows(late)) == []
    assert reports(punctual, life=False) == reports(late, life=False)
    make_up_for(late, DAYS)
    assert differences(site_rows(punctual), site_rows(late)) == []
    assert reports(punctual) == reports(late), "made in their order, they know what was new"
    assert "withheld: no log covers any drive" in "\n".join(reports(late)[f"report-{DAYS[-1]}"])
