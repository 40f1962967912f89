"""Which columns of sar become which columns of ours: the activities that are read, and their headers.

An activity is known by a column no other has. Then all its columns must be known ones, the needed ones must be there,
and each only once; else the header is refused. Fields are found by their names, so order does not matter.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, NoReturn

from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.units import KIB
from pipelines.sources._shared.columns import DEVICE, HOST, NETWORK

SECTOR = 512
SHARE, MILLISECOND = -100, -1000  # negative: divide


class Field(NamedTuple):
    """A column of ours: the sum of those of sar's columns that are there, if the first one is."""

    target: str
    names: tuple[str, ...]
    unit: int = 1


class Activity(NamedTuple):
    """What one option of sar prints: the table it fills, its columns, and how its header is known."""

    table: str
    item: str  # the column that names the processor, disk or interface; '' if there is none
    signs: frozenset[str]  # any of these in a header: it is this activity, or pretends to be
    needs: tuple[tuple[str, ...], ...]  # one of each
    fields: tuple[Field, ...]
    others: frozenset[str] = frozenset()  # known columns that are not read
    is_open: bool = False  # newer versions keep adding columns
    older: tuple[tuple[str, ...], ...] = ()  # whole headers of versions that print less than is needed

    @property
    def known(self) -> frozenset[str]:
        return self.others | {name for field in self.fields for name in field.names} | {self.item}


class Layout(NamedTuple):
    """A header that is read: its columns in their order and the fields they give."""

    activity: Activity
    names: tuple[str, ...]
    fields: tuple[Field, ...]

    @property
    def values(self) -> list[str]:
        return [name for name in self.names if name != self.activity.item]

    @property
    def units(self) -> dict[str, int]:
        """Bytes per unit of a column."""
        return {name: field.unit for field in self.fields for name in field.names if field.unit > 1}


def words(text: str) -> frozenset[str]:
    """Names separated by blanks."""
    return frozenset(text.split())


def _fields(text: str, unit: int = 1) -> tuple[Field, ...]:
    """Fields written `ours=theirs` or `ours=theirs+theirs`, all of one unit."""
    pairs = [word.split("=") for word in text.split()]
    return tuple(Field(target, tuple(names.split("+")), unit) for target, names in pairs)


def _needs(text: str) -> tuple[tuple[str, ...], ...]:
    """Names of which each must be there; of those with a bar between them one."""
    return tuple(tuple(word.split("|")) for word in text.split())


# `-u` counts interrupts in %system and guests in %user and %nice; `-u ALL` prints all of them apart.
CPU = Activity(
    HOST,
    "CPU",
    words("%user %usr %idle %iowait"),
    _needs("%user|%usr %system|%sys %idle"),
    _fields(
        "cpu_user=%user cpu_user=%usr+%guest cpu_nice=%nice+%gnice cpu_system=%system cpu_system=%sys+%irq+%soft"
        " cpu_wait=%iowait cpu_stolen=%steal cpu_guest=%guest+%gnice cpu_idle=%idle",
        SHARE,
    ),
)
IO = Activity(
    HOST,
    "",
    words("rtps wtps bread/s bwrtn/s"),
    _needs("tps bread/s bwrtn/s"),
    _fields("read_bytes_s=bread/s write_bytes_s=bwrtn/s", SECTOR),
    words("tps rtps wtps dtps bdscd/s"),
)
QUEUE = Activity(
    HOST,
    "",
    words("runq-sz ldavg-1 ldavg-5 ldavg-15"),
    _needs("runq-sz ldavg-1 ldavg-5"),
    _fields("run_queue=runq-sz load_1=ldavg-1 load_5=ldavg-5 load_15=ldavg-15 blocked=blocked"),
    words("plist-sz"),
)
MEMORY = Activity(
    HOST,
    "",
    words("kbmemfree kbmemused kbbuffers kbcached"),
    _needs("kbmemfree kbbuffers kbcached"),
    _fields(
        "free_bytes=kbmemfree buffer_bytes=kbbuffers cache_bytes=kbcached active_bytes=kbactive inactive_bytes=kbinact"
        " swapped_bytes=kbswpused",
        KIB,
    ),
    is_open=True,
)
SWAP = Activity(
    HOST,
    "",
    words("kbswpfree kbswpused"),
    _needs("kbswpused"),
    _fields("swapped_bytes=kbswpused", KIB),
    words("kbswpfree %swpused kbswpcad %swpcad"),
)
SWITCH = Activity(HOST, "", words("cswch/s"), _needs("cswch/s"), _fields("switch_rate=cswch/s"), words("proc/s"))
DISK = Activity(
    DEVICE,
    "DEV",
    words("DEV rd_sec/s wr_sec/s rkB/s wkB/s avgrq-sz areq-sz await"),
    _needs("DEV tps rkB/s|rd_sec/s wkB/s|wr_sec/s await %util"),
    (
        *_fields("request_rate=tps queue=aqu-sz queue=avgqu-sz"),
        *_fields("read_bytes_s=rkB/s write_bytes_s=wkB/s discard_bytes_s=dkB/s", KIB),
        *_fields("read_bytes_s=rd_sec/s write_bytes_s=wr_sec/s moved_bytes_s=sect/s discard_bytes_s=dc_sec/s", SECTOR),
        *_fields("wait_s=await service_s=svctm", MILLISECOND),
        *_fields("busy=%util", SHARE),
    ),
    words("avgrq-sz areq-sz"),
    older=(("DEV", "tps", "rd_sec/s", "wr_sec/s"), ("DEV", "tps", "sect/s")),  # before 5.1.3, and before 4.1
)
INTERFACE = Activity(
    NETWORK,
    "IFACE",
    words("rxpck/s txpck/s rxkB/s txkB/s rxbyt/s txbyt/s"),
    _needs("IFACE rxpck/s txpck/s rxkB/s|rxbyt/s txkB/s|txbyt/s"),
    (
        *_fields("in_bytes_s=rxkB/s out_bytes_s=txkB/s", KIB),
        *_fields("in_bytes_s=rxbyt/s out_bytes_s=txbyt/s in_packet_rate=rxpck/s out_packet_rate=txpck/s"),
        *_fields("busy=%ifutil", SHARE),
    ),
    words("rxcmp/s txcmp/s rxmcst/s"),
)
# Solaris, AIX and HP-UX show the requests in the queue and those in service separately.
UNIX_CPU = Activity(
    HOST,
    "cpu",
    words("%usr %sys %wio %idle"),
    _needs("%usr %sys %wio %idle"),
    _fields("cpu_user=%usr cpu_system=%sys cpu_wait=%wio cpu_idle=%idle", SHARE),
    words("physc %entc"),
)
UNIX_DISK = Activity(
    DEVICE,
    "device",
    words("device r+w/s blks/s Kbs/s avserv"),
    _needs("device %busy r+w/s blks/s|Kbs/s avwait avserv"),
    (
        Field("request_rate", ("r+w/s",)),
        *_fields("moved_bytes_s=blks/s", SECTOR),
        *_fields("moved_bytes_s=Kbs/s", KIB),
        *_fields("queue=avque"),
        *_fields("wait_s=avwait+avserv service_s=avserv", MILLISECOND),
        *_fields("busy=%busy", SHARE),
    ),
)
LINUX = (CPU, IO, QUEUE, MEMORY, SWAP, SWITCH, DISK, INTERFACE)
UNIX = (UNIX_CPU, UNIX_DISK)


@cache
def read_header(names: tuple[str, ...], activities: tuple[Activity, ...] = LINUX) -> Layout | None:
    """The layout of a header's names; None if it is of an activity that is not read.

    Raises UnreadableFile where it begins like one that is read and is not as we know it.
    """
    activity = next((known for known in activities if known.signs & set(names)), None)
    if activity is None:
        return None
    if names in activity.older:
        return Layout(activity, names, _present(activity.fields, names))
    if len(set(names)) < len(names):
        _refuse(names, "a column name appears twice")
    unknown = [name for name in names if name not in activity.known]
    if unknown and not activity.is_open:
        _refuse(names, f"{unknown[0]} is unknown")
    for choice in activity.needs:
        if not set(choice) & set(names):
            _refuse(names, f"{' or '.join(choice)} is missing")
    return Layout(activity, names, _present(activity.fields, names))


def lay_out(activity: Activity, names: tuple[str, ...]) -> Layout | None:
    """The layout of values that come with their names, complete or not; None if none of them is read."""
    fields = _present(activity.fields, names)
    return Layout(activity, names, fields) if fields else None


def _present(fields: Sequence[Field], names: Sequence[str]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for field in fields:
        if field.names[0] in names and field.target not in found:
            found[field.target] = field._replace(names=tuple(name for name in field.names if name in names))
    return tuple(found.values())


def _refuse(names: Sequence[str], why: str) -> NoReturn:
    raise UnreadableFile(
        f"the columns of a sar header are not known ({why}): {' '.join(names)[:120]}",
        "keep files as sar or sadf wrote them; please report versions that print other columns",
    )
