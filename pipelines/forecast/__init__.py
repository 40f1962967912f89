"""Forecasts: models calibrated on what the site's logs say. Numbers come from questions; models do the reckoning."""

from pipelines.forecast.buffers import Buffers, Family, buffers
from pipelines.forecast.campaigns import Progress, progress
from pipelines.forecast.drives import efficiency_by_size, size
from pipelines.forecast.fitting import Fitted, fit_site, mounts_of
from pipelines.forecast.growing import TWO_YEARS, Outlook, held, outlook, outlooks, written
from pipelines.forecast.history import MONTH_DAYS, WEEK_DAYS, History
from pipelines.forecast.nightly import RELATION, foresee
from pipelines.forecast.recalling import Foretold, foretell, laid_out, seek_models
from pipelines.forecast.scenarios import UNCHANGED, Scenario, described, ranked, scenario
from pipelines.forecast.whatif import MOST_ERROR, Answer, Record, judge, recorded, what_if

__all__ = [
    "MONTH_DAYS",
    "MOST_ERROR",
    "RELATION",
    "TWO_YEARS",
    "UNCHANGED",
    "WEEK_DAYS",
    "Answer",
    "Buffers",
    "Family",
    "Fitted",
    "Foretold",
    "History",
    "Outlook",
    "Progress",
    "Record",
    "Scenario",
    "buffers",
    "described",
    "efficiency_by_size",
    "fit_site",
    "foresee",
    "foretell",
    "held",
    "judge",
    "laid_out",
    "mounts_of",
    "outlook",
    "outlooks",
    "progress",
    "ranked",
    "recorded",
    "scenario",
    "seek_models",
    "size",
    "what_if",
    "written",
]
