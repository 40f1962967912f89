"""Abbreviations of time zones next to the stamps of a log, and whether they are those of a zone."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

# CST is Chicago, Havana and Shanghai: such a word means more to a person than to a program. UTC and GMT are no such
# words.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        "ACDT ACST ADT AEDT AEST AKDT AKST ART AST AWST BRST BRT BST CAT CDT CEST CET CLST CLT CST EAT EDT EEST EET EST"
        " HKT HST ICT IST JST KST MDT MSD MSK MST NDT NST NZDT NZST PDT PHT PKT PST SAST SGT WAT WEST WET WIB",
    )
)
# Zones of tape archives; any other can be written by hand.
CANDIDATES = (
    "America/Chicago",
    "America/New_York",
    "America/Denver",
    "America/Los_Angeles",
    "America/Vancouver",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Zurich",
    "Europe/Berlin",
    "Europe/Paris",
    "Europe/Madrid",
    "Europe/Rome",
    "Europe/Amsterdam",
    "Europe/Stockholm",
    "Europe/Copenhagen",
    "Europe/Prague",
    "Europe/Helsinki",
    "Europe/Moscow",
    "Asia/Tokyo",
    "Asia/Seoul",
    "Asia/Shanghai",
    "Asia/Taipei",
    "Asia/Kolkata",
    "Australia/Sydney",
    "UTC",
)
_AFTER_TIME = re.compile(r"\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AaPp][Mm])? ([A-Z]{2,5})\b")
_AT_END = re.compile(r"(?:id|wa|st|gu) +([A-Z]{2,5}) *$")  # of the header vmstat -t prints
_MOST_CHARS = 2_000  # of a line
_YEARS = (1990, 2000, 2010, 2020, 2025)


def zone_words(lines: Iterable[str]) -> Counter[str]:
    """Words for zones next to clock times, and in how many lines each occurs.

    >>> zone_words(["zzz ***Tue Apr 12 20:49:26 JST 2011", " us sy id wa st                 EST", "08:00:00 AM CPU"])
    Counter({'JST': 1, 'EST': 1})
    """
    found: Counter[str] = Counter()
    for line in lines:
        start = line[:_MOST_CHARS]
        found.update({*_AFTER_TIME.findall(start), *_AT_END.findall(start)} & _WORDS)
    return found


@cache
def words_of_zone(zone: str) -> frozenset[str]:
    """What a zone calls its time, in winter and in summer.

    >>> sorted(words_of_zone("Europe/Berlin"))
    ['CEST', 'CET']
    """
    here = ZoneInfo(zone)
    days = [datetime(year, month, 1, 12, tzinfo=here) for year in _YEARS for month in (1, 7)]
    return frozenset(day.tzname() or "" for day in days)


def zones_with(words: Iterable[str]) -> list[str]:
    """The candidates whose time has all of these names.

    >>> zones_with(["EST"]), zones_with(["CST", "CDT"])
    (['America/New_York'], ['America/Chicago', 'Asia/Shanghai'])
    """
    return [name for name in CANDIDATES if set(words) <= words_of_zone(name)]


def disagreement(lines: Iterable[str], zone: str, glob: str = "") -> str:
    """Where words next to stamps do not belong to the zone the stamps are read in: that, and what to set; else ''.

    A zone that has numbers for names, as America/Sao_Paulo, is not judged.

    >>> disagreement(["2011-04-12 20:49:26 JST"], "UTC", "jp/*.log").split(" (")[1].split(",")[1]
    ' set zone = "Asia/Tokyo" in the [[input]] with glob = "jp/*.log"'
    >>> disagreement(["2011-04-12 20:49:26 CDT"], "America/Chicago")
    ''
    """
    known = words_of_zone(zone)
    if any(not word.isalpha() for word in known):
        return ""
    others = sorted(set(zone_words(lines)) - known)
    words = " and ".join(others)
    if not others:
        return ""
    zones = zones_with(others)
    value = f'zone = "{zones[0]}"' if len(zones) == 1 else "zone"
    entry = f'the [[input]] with glob = "{glob}"' if glob else "the [[input]] of the file"
    return (
        f"the time stamps name the zone {words}, but the rows are read as times in {zone}"
        f" (to change this, set {value} in {entry}, or in one above it for this file alone)"
    )
