"""The value of `Target[…]:`, without the communities in it.

    2:public@switch-a                        interface 2 of a device
    -#Gi1/0/12:public@switch-a:161::::2      by name, in and out exchanged, SNMP version 2
    ifHCInOctets.3&ifHCOutOctets.3:c@h       two counters by name or number
    1:c@switch-a + 2:c@switch-a              a sum: the members of a bond
    `/usr/local/bin/count-bytes eth0`        a program that prints the two values

Form: key:community@host[:port[:timeout[:retries[:backoff[:version]]]]]. A community may hold ':' and '@'; the last '@'
of the member ends it. A value that is not understood completely is refused, so that no part of a community is taken for
a host.
"""

import re
from dataclasses import dataclass, replace

# Bounded, and no character fits two alternatives: a long line would cost the square of its length, or worse.
_KEY = r"(?:\\.|[^\s:@+*()`\\]){1,255}+"
_COMMUNITY = r"(?:\\.|[^\s@\\]|@(?=[^\s:@]{0,255}@)){0,255}"
_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:@&+*/()`\[\]]+)"
_MEMBER = re.compile(
    rf"(?<![^\s(+*/&-])(?P<turned>-?)(?P<key>{_KEY}):{_COMMUNITY}@(?P<host>{_HOST})(?P<rest>(?::[\w.]*){{0,7}})"
)
_SCRIPT = re.compile(r"(?P<turned>-?)`(?:\\.|[^`\\])*`")
_ARITHMETIC = re.compile(r"[\s()+*/&.\d-]*")
_KINDS = {"/": "address", "\\": "description", "#": "name", "!": "mac", "%": "type"}
_OCTETS = re.compile(
    r"if(?:HC)?(?:In|Out)Octets|(?:^|\.)(?:1\.3\.6\.1\.2\.1\.2\.2\.1\.1[06]|1\.3\.6\.1\.2\.1\.31\.1\.1\.1\.(?:6|10))\."
)
# a host names its ports like this, a switch like that
_HOST_PORT = re.compile(r"(?:eth|bond|em|ib|team|en[opsx])\d\w*|lo\d?|bge\d+|nxge\d+|ixgbe?\d+", re.IGNORECASE)
_SWITCH_PORT = re.compile(
    r"(?:fast|gigabit|tengig|tengigabit|hundredgig|\w*)ethernet\s*\d.*|(?:fa|gi|te|ge|xe|po|port)[\s-]*\d[\d/.:]*|"
    r"port-channel\s*\d+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Member:
    """One thing a target adds up: an interface of a device, a pair of counters, or a program."""

    kind: str  # index, address, description, name, mac, type, oid or script
    interface: str | None = None
    in_oid: str | None = None
    out_oid: str | None = None
    host: str | None = None
    snmp_version: str | None = None
    is_turned: bool = False
    measures: str | None = None  # octets, other, or None where unknown
    polled: str | None = None  # switch or host, as far as the interface's name shows it


def members(value: str) -> tuple[list[Member], str] | None:
    """The members of a target's value and the arithmetic between them without blanks; None if it is not understood."""
    found = [Member("script", is_turned=bool(match["turned"])) for match in _SCRIPT.finditer(value)]
    left = _SCRIPT.sub(" ", value)
    found += [_member(match) for match in _MEMBER.finditer(left)]
    left = _MEMBER.sub(" ", left)
    if not _ARITHMETIC.fullmatch(left):
        return None
    return found, re.sub(r"[\s()]", "", left)


def _member(match: re.Match[str]) -> Member:
    key, host = match["key"], match["host"].strip("[]").lower()
    options = match["rest"].split(":")[1:]
    version = re.match(r"[123]", options[4]) if len(options) > 4 else None
    member = Member("index", host=host, snmp_version=version[0] if version else None, is_turned=bool(match["turned"]))
    if key.isdigit():
        return replace(member, interface=key, measures="octets")
    if key[0] in _KINDS:
        name = re.sub(r"\\(.)", r"\1", key[1:])
        return replace(member, kind=_KINDS[key[0]], interface=name, measures="octets", polled=polled_side(name))
    first, _, second = key.partition("&")
    measures = "octets" if all(_OCTETS.search(f"{oid}.") for oid in (first, second or first)) else "other"
    return replace(member, kind="oid", in_oid=first, out_oid=second or None, measures=measures)


def polled_side(port: str) -> str | None:
    """Whose port this is, by its name.

    >>> polled_side("GigabitEthernet1/0/3"), polled_side("bond0"), polled_side("uplink")
    ('switch', 'host', None)
    """
    if _HOST_PORT.fullmatch(port.strip()):
        return "host"
    return "switch" if _SWITCH_PORT.fullmatch(port.strip()) else None
