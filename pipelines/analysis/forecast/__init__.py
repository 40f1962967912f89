"""Forecasts: models calibrated on the site's logs. Numbers come from questions; models do the arithmetic."""

from pipelines.analysis.forecast.buffers import Buffers, buffers
from pipelines.analysis.forecast.campaigns import progress
from pipelines.analysis.forecast.costs import Fitted, fit_site
from pipelines.analysis.forecast.drives import efficiency_by_size, size
from pipelines.analysis.forecast.growth import Outlook, held, outlooks, written
from pipelines.analysis.forecast.history import MONTH_DAYS, WEEK_DAYS, History
from pipelines.analysis.forecast.mount_policies import MountAdvice, advise, judge_policies, policy_rows
from pipelines.analysis.forecast.nightly import RELATION, forecast_all
from pipelines.analysis.forecast.read_requests import ReadFile, ReadMount, RequestedReads, gathered
from pipelines.analysis.forecast.recall import drives_of_tape, estimate_recall, laid_out
from pipelines.analysis.forecast.scenarios import UNCHANGED, Scenario, described, ranked, scenario
from pipelines.analysis.forecast.whatif import MOST_ERROR, Record, WhatIf, judge, recorded, what_if
