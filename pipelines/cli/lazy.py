"""Modules that are imported when a command first uses them: `--help` needs neither Polars nor DuckDB."""

from importlib import import_module
from typing import TYPE_CHECKING, Any


class _Later:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, part: str) -> Any:
        return getattr(import_module(self._name), part)


if TYPE_CHECKING:
    from pipelines import steps as steps
    from pipelines.analysis import forecast as forecast
    from pipelines.analysis import studies as studies
    from pipelines.analysis.forecast import recommendations as recommendations
    from pipelines.analysis.models import calibration as calibration
    from pipelines.analysis.models import service_time as service_time
    from pipelines.analysis.models import simulation as simulation
    from pipelines.analysis.models import sizing as sizing
    from pipelines.catalog import contracts as contracts
    from pipelines.catalog import files as files
    from pipelines.config import technology as technology
else:
    calibration = _Later("pipelines.analysis.models.calibration")
    contracts = _Later("pipelines.catalog.contracts")
    files = _Later("pipelines.catalog.files")
    forecast = _Later("pipelines.analysis.forecast")
    recommendations = _Later("pipelines.analysis.forecast.recommendations")
    service_time = _Later("pipelines.analysis.models.service_time")
    simulation = _Later("pipelines.analysis.models.simulation")
    sizing = _Later("pipelines.analysis.models.sizing")
    steps = _Later("pipelines.steps")
    studies = _Later("pipelines.analysis.studies")
    technology = _Later("pipelines.config.technology")
