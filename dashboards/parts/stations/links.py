"""Are links full? Their load hour by hour against what they can carry, and bytes from hop to hop."""

from dashboards import components, link_loads, words
from dashboards.head import Page

PART = {
    "title": "Links",
    "order": 30,
    "needs": ["silver.link_sample"],
    "lacking": "MRTG's logs, LibreNMS' rrd files, or interface counters",
    "filters": ["station"],
}


def draw(page: Page) -> None:
    """Draw the part."""
    station = page.chosen["station"]
    link_loads.show(page, page.ask("link_loads", station=station))
    hops = page.ask("flow_hops", station=station)
    moved = [row for row in hops.rows if row["moved_gb"] is not None]
    if moved:
        components.show_part(
            hops,
            hops.names,
            words.in_order(moved, "station"),
            text="Bytes at each hop of a station: links, disks and tapes",
        )
