"""The finished report on its way to people and programs: mail, folder, webhook, Alertmanager, Prometheus, WLCG.

Each way is tried, even if others fail. Deliveries are recorded next to the report, so that a step that is
run again, or twice at once, sends no person the report of a day twice.
"""

from pipelines.reporting.delivery.credentials import NAMES as SECRETS
from pipelines.reporting.delivery.failure_notice import recovered, warn
from pipelines.reporting.delivery.payload import collect
from pipelines.reporting.delivery.send import deliver
