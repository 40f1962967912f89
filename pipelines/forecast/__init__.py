"""Forecasts: models calibrated on what the site's logs say. Numbers come from questions; models do the reckoning."""

from pipelines.forecast.campaigns import Progress, progress
from pipelines.forecast.fitting import Fitted, fit_site, mounts_of
from pipelines.forecast.recalling import Foretold, foretell, seek_models
from pipelines.forecast.whatif import Answer, what_if

__all__ = [
    "Answer",
    "Fitted",
    "Foretold",
    "Progress",
    "fit_site",
    "foretell",
    "mounts_of",
    "progress",
    "seek_models",
    "what_if",
]
