"""MRTG configuration (`mrtg.cfg`): what is polled for each log, in what unit, and how much the link can carry.

    WorkDir: /var/www/mrtg
    Options[_]: growright, bits
    Target[switch-a_2]: 2:public@switch-a:::::2
    MaxBytes[switch-a_2]: 125000000
    PageTop[switch-a_2]: <h1>Stage host</h1>
     <p>a line that begins with a blank goes on with the one before</p>

Described in MRTG's reference (mrtg-reference). Keywords and targets are case-insensitive. `Keyword[_]` is the default
of the targets below; `[^]` and `[$]` go before and after a target's value. There is one row per setting, since the
settings of a target may be anywhere in the file; a Target gives a row for each thing it adds up. Silver joins the
settings of a target. Settings for the look of pages are skipped. `Include:` is noted; the file it names is read only if
an input matches it.

Communities and passwords are secrets: they are not kept, nor are the lines that could hold them (programs, SNMP
options); of a rejected line only the keyword is kept.
"""

import re
from typing import Any

import polars as pl

from pipelines.primitives.clock import naive_utc
from pipelines.sources._shared.contract import schema_of
from pipelines.sources._shared.stamps import EPOCH
from pipelines.sources.mrtg_cfg.targets import Member, members, polled_side
from pipelines.sources.protocol import Carry, Claim, Origin, Parsed, Reject

TITLE = "MRTG configuration"
VERSION = 1
TABLE = "mrtg_cfg"
TABLES = (TABLE,)
SPEAKS_FOR = "links"
IS_WHOLE = True
HAS_SECRETS = True  # the text of lines that did not even reach `parse` is not kept either

_SETTING = re.compile(r"([A-Za-z][\w.*-]*)\s*+(?:\[([^\]]*)\]\s*+)?:\s*(.*)", re.DOTALL)
_NUMBERS = {"maxbytes", "maxbytes1", "maxbytes2", "absmax", "factor", "kilo"}
_TEXTS = {"workdir", "logdir", "directory", "logformat", "include", "title"}
_LEGENDS = {"ylegend", "shortlegend"}
_KEPT = _NUMBERS | _TEXTS | _LEGENDS | {"target", "options", "interval", "setenv"}
# keywords that only say how pages look and how MRTG runs, or that may hold a community
_LOOKS = re.compile(
    r"addhead|background|bodytag|clonedirectory|colours|conversioncode|defaultfont|enableipv6|"
    r"enablesnmpv3|expscale|extension|forks|htmldir|icondir|imagedir|imagehtml|ipv4only|kmg|language|"
    r"legend[1-5io]|libadd|loadmibs|logo|maxage|mibs|no_?\w+|nodetach|nospacechar|pagefoot|pagetop|"
    r"pathadd|pngtitle|refresh|routername|routeruptime|rrd\w+|runasdaemon|secondmean|sendtograph|singlerequest|"
    r"snmpoptions|suppress|thresh\w+|timestr\w+|timezone|unscaled|usecompactsnmp|userrdtool|weekformat|withpeak|"
    r"writeexpires|[xy]scale|[xy]size|[xy]zoom|xyzoom|yticsfactor"
)
_CAPACITY_OF_NONE = 536_870_911  # 2^32 / 8: the speed that SNMP version 1 gives for any port of 4.3 Gb/s or more
_START: Carry = {"keyword": None, "target": None, "setting_line": 0}


def recognise(head: list[str]) -> Claim:
    """Lines `Keyword[target]: value` of MRTG's keywords, one of which only MRTG has."""
    lines = [line for line in head if line.strip()]
    own = [line for line in lines if not line.startswith((" ", "\t", "#"))]
    settings = [match for line in own if (match := _SETTING.fullmatch(line)) and _is_known(match[1])]
    telling = {match[1].lower() for match in settings} & {"target", "workdir", "maxbytes", "logdir", "pagetop"}
    only_comments = lines and not own
    if not settings:
        if only_comments and any("cfgmaker" in line or "Multi Router Traffic Grapher" in line for line in lines):
            return Claim(True, 0.8, "a comment that names cfgmaker or MRTG, without settings")
        return Claim(False, 0.0, "no line is a setting of MRTG")
    likeness = len(settings) / len(own)
    if likeness < 0.6 or not telling:
        why = "fewer than 6 of 10 lines are settings of MRTG, or no setting is specific to MRTG"
        return Claim(False, likeness / 2, why)
    return Claim(True, likeness, f"{len(settings)} settings of MRTG")


def _is_known(keyword: str) -> bool:
    return keyword.lower() in _KEPT or _LOOKS.fullmatch(keyword.lower()) is not None or "*" in keyword


def parse(lines: pl.DataFrame, origin: Origin, carry: Carry | None) -> Parsed:
    """One row per setting that bears on a log; a configuration is small, so its lines are gone through one by one."""
    state = {**_START, **(carry or {})}
    rows: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    n_used = 0
    for line_no, text in lines.select("line_no", "text").iter_rows():
        found, shown = _line(line_no, text, state)
        if shown is not None:
            rejects.append((line_no, shown, "bad_syntax"))
        elif found:
            n_used += 1
            rows += found
    table = pl.DataFrame(rows, schema=schema_of(TABLE)).with_columns(
        written_at=pl.lit(naive_utc(origin.modified_at or EPOCH), pl.Datetime("us"))
    )
    return Parsed.of(
        lines,
        n_used,
        rejects,
        tables={TABLE: table},
        carry=state,
    )


def _line(line_no: int, text: str, state: Carry) -> tuple[list[dict[str, Any]], str | None]:
    """Rows of one line, and what may be shown of it if it is rejected."""
    if not text.strip() or text.lstrip().startswith("#"):
        return [], None
    if text[0] in " \t":
        if state["keyword"] is None:
            return [], "(a continuation line without a setting before it)"
        value = text.strip()
    else:
        match = _SETTING.fullmatch(text)
        if match is None or not _is_known(match[1]):
            state["keyword"] = ""
            return [], "(not a setting)" if match is None else "(a setting that MRTG does not have)"
        target = match[2].strip().lower() if match[2] is not None else None
        state.update(keyword=match[1].lower(), target=target, setting_line=line_no)
        value = match[3].strip()
    if state["keyword"] not in _KEPT:
        return [], None
    read = _rows(state["keyword"], value)
    if read is None:
        return [], f"{state['keyword']}[{state['target']}]: (not understood)"
    base = {"line_no": line_no, "setting_line": state["setting_line"], "target": state["target"]}
    return [{**base, "keyword": state["keyword"], **row} for row in read], None


def _rows(keyword: str, value: str) -> list[dict[str, Any]] | None:
    """A setting's value, as the columns it fills; None if it cannot be read."""
    if keyword == "target":
        return _target(value)
    if keyword in _NUMBERS:
        return _number(keyword, value)
    if keyword == "interval":
        seconds = _interval(value)
        return None if seconds is None else [{"number": seconds}]
    if keyword == "options":
        words = sorted({word for word in re.split(r"[\s,]+", value.lower()) if word})
        return [{"value": ",".join(words)}]
    if keyword == "setenv":
        found = re.search(r'MRTG_INT_DESCR="([^"]*)"', value)
        return [{"value": found[1], "polled": polled_side(found[1])}] if found else []
    if keyword in _LEGENDS:
        return [{"value": _harmless(value), "unit": unit_of(value)}]
    return [{"value": _harmless(value)}]


def _target(value: str) -> list[dict[str, Any]] | None:
    read = members(value)
    if read is None:
        return None
    found, arithmetic = read
    note = "arithmetic" if arithmetic.strip("+&") else None
    return [_member_row(member, note) for member in found] or [{"note": note}]


def _member_row(member: Member, note: str | None) -> dict[str, Any]:
    row = {name: value for name, value in vars(member).items() if name not in ("kind", "host")}
    return {**row, "member_kind": member.kind, "polled_host": member.host, "note": note}


def _number(keyword: str, value: str) -> list[dict[str, Any]] | None:
    try:
        number = float(value.replace("_", "x"))
    except ValueError:
        return None
    if not 0 <= number < float("inf"):
        return None
    is_false = keyword.startswith("maxbytes") and number == _CAPACITY_OF_NONE
    return [{"number": number, "note": "capacity_unknown" if is_false else None}]


def _interval(value: str) -> float | None:
    """Seconds of an interval in minutes, or minutes:seconds.

    >>> _interval("5"), _interval("1:30"), _interval("x")
    (300.0, 90.0, None)
    """
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(?::(\d\d?))?", value)
    return float(found[1]) * 60 + float(found[2] or 0) if found else None


def _harmless(value: str) -> str:
    """Text without words that hold an @, as communities are written with one."""
    return " ".join(word for word in value.split() if "@" not in word)


def unit_of(legend: str) -> str | None:
    """bytes/s or bits/s where a legend says so, `other` where it says something else.

    >>> unit_of("Bytes/s"), unit_of("b/s"), unit_of("Bits per Second"), unit_of("pkts/s"), unit_of("&nbsp;")
    ('bytes/s', 'bits/s', 'bits/s', 'other', None)
    """
    text = re.sub(r"&\w+;|\s+", " ", legend).strip()
    if not text:
        return None
    if re.fullmatch(r"(?:(?i:[kmg]?bytes?|octets?)|B)\s*(?:/\s*s(?:ec)?|(?i:per second)|ps)\.?", text):
        return "bytes/s"
    if re.fullmatch(r"(?:(?i:bits?)|b)\s*(?:/\s*s(?:ec)?|(?i:per second)|ps)\.?|Bps", text):
        return "bytes/s" if text == "Bps" else "bits/s"
    return "other"
