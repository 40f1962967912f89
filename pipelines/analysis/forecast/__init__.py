"""Forecasts: models calibrated on what the site's logs say. Numbers come from questions; models do the reckoning."""

from pipelines.analysis.forecast.buffers import Buffers, Family, buffers
from pipelines.analysis.forecast.campaigns import Progress, progress
from pipelines.analysis.forecast.costs import Fitted, fit_site, mounts_of
from pipelines.analysis.forecast.drives import efficiency_by_size, size
from pipelines.analysis.forecast.growth import TWO_YEARS, Outlook, held, outlook, outlooks, written
from pipelines.analysis.forecast.history import MONTH_DAYS, WEEK_DAYS, History
from pipelines.analysis.forecast.nightly import RELATION, foresee
from pipelines.analysis.forecast.recall import Foretold, foretell, laid_out, seek_models
from pipelines.analysis.forecast.scenarios import UNCHANGED, Scenario, described, ranked, scenario
from pipelines.analysis.forecast.whatif import MOST_ERROR, Answer, Record, judge, recorded, what_if

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
