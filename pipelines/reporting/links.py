"""Addresses of the dashboard's pages, for what is read outside of it; empty where site.toml names no dashboard."""

from datetime import date
from urllib.parse import quote, urlencode

# By address: what the side bar calls the page. The landing page has the site's own address.
TONIGHT = ""
PAGES = {
    TONIGHT: "Tonight",
    "time": "Time",
    "drives": "Drives",
    "tapes": "Tapes and recalls",
    "stations": "Stations and network",
    "pools": "Pools and requests",
    "changes": "Changes",
    "plan": "Plan",
    "sql": "SQL",
    "about": "About",
}


def to_page(dashboard: str, address: str, first: date | None, last: date | None) -> str:
    """A page for a period of site days.

    >>> to_page("https://tape.example.org/", "drives", date(2010, 3, 9), date(2010, 3, 10))
    'https://tape.example.org/drives?from=2010-03-09&to=2010-03-10'
    >>> to_page("", "drives", None, None)
    ''
    """
    days = urlencode({"from": first, "to": last}) if first and last else ""
    return f"{dashboard.rstrip('/')}/{address}{'?' if days else ''}{days}" if dashboard else ""


def to_finding(dashboard: str, finding_id: str) -> str:
    """The page of one finding, on whatever night it fired.

    >>> to_finding("https://tape.example.org/ts", "d3dab78ba6b7")
    'https://tape.example.org/ts/finding?id=d3dab78ba6b7'
    """
    return f"{dashboard.rstrip('/')}/finding?id={quote(finding_id, safe='')}" if dashboard else ""
