"""Forecasts: models calibrated on what the site's logs say. Numbers come from questions; models do the reckoning."""

from pipelines.analysis.forecast.buffers import Buffers, buffers
from pipelines.analysis.forecast.campaigns import progress
from pipelines.analysis.forecast.costs import Fitted, fit_site
from pipelines.analysis.forecast.drives import efficiency_by_size, size
from pipelines.analysis.forecast.growth import Outlook, held, outlooks, written
from pipelines.analysis.forecast.history import MONTH_DAYS, WEEK_DAYS, History
from pipelines.analysis.forecast.nightly import RELATION, forecast_all
from pipelines.analysis.forecast.recall import estimate_recall, laid_out
from pipelines.analysis.forecast.scenarios import UNCHANGED, Scenario, described, ranked, scenario
from pipelines.analysis.forecast.whatif import MOST_ERROR, Record, WhatIf, judge, recorded, what_if

__all__ = [
    "MONTH_DAYS",
    "MOST_ERROR",
    "RELATION",
    "UNCHANGED",
    "WEEK_DAYS",
    "Buffers",
    "Fitted",
    "History",
    "Outlook",
    "Record",
    "Scenario",
    "WhatIf",
    "buffers",
    "described",
    "efficiency_by_size",
    "estimate_recall",
    "fit_site",
    "forecast_all",
    "held",
    "judge",
    "laid_out",
    "outlooks",
    "progress",
    "ranked",
    "recorded",
    "scenario",
    "size",
    "what_if",
    "written",
]
