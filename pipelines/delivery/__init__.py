"""The finished report on its way to people and programs: mail, folder, webhook, Alertmanager, Prometheus, WLCG.

Each way is tried whatever became of the others. What was delivered is noted beside the report, so that a step that is
run again sends nobody the same thing twice.
"""

from pipelines.delivery.collect import collect
from pipelines.delivery.dispatch import Delivered, deliver
from pipelines.delivery.secret import NAMES as SECRETS
from pipelines.delivery.warning import warn

__all__ = ["SECRETS", "Delivered", "collect", "deliver", "warn"]
