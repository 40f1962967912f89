"""The command that sends the report."""

from pathlib import Path
from typing import Any

import click

from pipelines.cli.lazy import steps
from pipelines.cli.options import period, period_options, site_option
from pipelines.primitives.text import escape_control

_NOBODY = """\
No recipients: site.toml has no [deliver] section. For example:
  [deliver]
  folder = "/srv/www/tapescope"
  mail = { host = "mail.example.org", from = "tapescope@example.org", to = ["tape-ops@example.org"] }"""


@click.command()
@site_option
@period_options
@click.option(
    "--again", is_flag=True, help="Send the report again to recipients that already have the report of this day."
)
def deliver(site_path: Path, day_day: Any, from_day: Any, to_day: Any, again: bool) -> None:
    """Write the report and send it. The recipients are in site.toml's [deliver].

    The report goes by mail, into a folder, to a webhook, to Alertmanager, into a Prometheus text file, or as WLCG tape
    metrics. User name, password and tokens come from TAPESCOPE_SMTP_USER, TAPESCOPE_SMTP_PASSWORD,
    TAPESCOPE_WEBHOOK_TOKEN and TAPESCOPE_ALERTMANAGER_TOKEN, never from site.toml.
    """
    done = steps.deliver(steps.site_at(site_path), *period(day_day, from_day, to_day), again=again)
    click.echo(f"Report: {done['report']['html']} (also .txt and .json)\n{ways_text(done['ways'])}")


def ways_text(ways: list[dict[str, str]]) -> str:
    """The result of each delivery, one per line."""
    lines = [escape_control(f"{way['way']:12} {way['state']:8} {way['where']}") for way in ways]
    return "\n".join(lines) or _NOBODY
