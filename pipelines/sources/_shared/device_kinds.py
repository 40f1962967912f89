"""The kind of a disk or an interface, as far as its name shows it, so that no byte is counted twice.

Names are those of Linux, Solaris, AIX, HP-UX, the BSD systems and macOS. A disk whose name shows no kind is `other`,
which no sum over disks counts; such an interface is a port.
"""

import re
from collections.abc import Callable

import polars as pl

_ARRAY = r"(?:cciss|ida|rd)[/!]c\d+d\d+"  # of controllers of HP, Compaq, Mylex
_SCSI = r"c\d+(?:t\d+|t[0-9A-F]+)?d\d+"  # Solaris and HP-UX
_BSD = r"(?:ada|ad|da|wd|vtbd|xbd|nvd|nda|mfid|mfisyspd|aacd|amrd|twed|mlxd|idad)\d+"
_LETTERED = r"(?:(?:[hsv]d|xvd|ub|dasd|fio)[a-z]+)"
_NUMBERED = rf"(?:(?:nvme\d+n|mmcblk|nbd|rbd|pmem)\d+|etherd/e\d+\.\d+|{_ARRAY})"
_DISKS = (  # the first that fits the whole name
    ("group", r"all"),
    ("loop", r"loop\d+(?:p\d+)?"),
    ("ram", r"z?ram\d+"),
    (
        "multipath",
        r"mpath\S*|dm-mpath\S+|emcpower[a-z]+\d*|hdiskpower\d+|power\d+|vpath\d+|sddlm[a-z]+\d*|nvme\d+c\d+n\d+(?:p\d+)?",
    ),
    ("partition", r"(?:ata|scsi|wwn|usb|nvme|ahci|virtio|md|dm)[-_]\S+-part\d+"),
    ("mapper", r"dm-\d+|mapper/\S+|drbd\d+|bcache\d+(?:p\d+)?|VxVM\S+|zd\d+(?:p\d+)?"),
    ("mapper", r"VolGroup\S*|vg[\w.]*-\S+|\S+-(?:lv|root|swap|home|data)[\w.]*"),
    ("md", r"md\d+(?:p\d+)?|md_d\d+(?:p\d+)?|md/\S+|mirror/\S+|ccd\d+|raid\d+"),
    ("tape", r"n?st\d+[alm]?|nosst\d+|rmt\d+(?:\.\d+)?|n?sa\d+|tape\S*"),
    ("cdrom", r"(?:sr|scd|cd|acd)\d+|cdrom\d*"),
    ("nfs", r"nfs\d*|\S+:/\S*"),
    ("disk", r"hdisk\d+|vdc0"),  # the latter of Solaris; Linux has no partition 0
    ("partition", rf"{_LETTERED}\d+|{_NUMBERED}p\d+|pmem\d+s\d+|(?:s?sd|dad|cmdk)\d+,[a-z]"),
    ("partition", rf"{_SCSI}s\d+|disk\d+(?:s|_p)\d+|(?:{_BSD})(?:[ps]\d+[a-h]?|[a-h])"),
    ("disk", rf"{_LETTERED}|{_NUMBERED}"),
    ("disk", rf"{_SCSI}|{_BSD}|(?:s?sd|dad|cmdk|blkdev|disk)\d+"),
)
_INTERFACES = (
    ("all", r"all|total"),
    ("loopback", r"lo\d*"),
    (
        "virtual",
        r"(?:veth|vnet|vmnet|tun|tap|ifb|dummy|wg|cali|flannel|sit|gre|ppp|vif|fwln|fwpr|ip6tnl|vxlan|macvtap|bonding_|epair"
        r"|gif|stf|pflog|pfsync)\S*|virbr\d+-\S*|\S+:\d+",
    ),
    ("vlan", r"\S+\.\d+|vlan\S*"),
    ("bond", r"bond\S*|(?:team|aggr|lagg)\d+"),
    ("bridge", r"br\d\S*|br-\S+|(?:bridge|xenbr|vmbr|lxcbr|fwbr)\d\S*|(?:virbr|ovs|docker|cni)\S*"),
)

# dev8-16: major and minor number. Every n-th minor of these majors is a disk, the others are its partitions.
_MINORS = {
    **dict.fromkeys([8, *range(65, 72), *range(128, 136)], 16),  # sd
    **dict.fromkeys([3, 22, 33, 34, 56, 57, 88, 89, 90, 91], 64),  # hd
    **dict.fromkeys([*range(72, 80), *range(104, 112)], 16),  # HP and Compaq arrays
    94: 4,  # dasd
    202: 16,  # xvd
}
# Majors assigned at boot (240 and more) are device-mapper on one host and virtio disks on the next. 259 holds NVMe
# disks as well as partitions of all sorts. Those names do not show a kind.
_MAJORS = {1: "ram", 7: "loop", 9: "md", 11: "cdrom", 120: "multipath"}
_BY_NUMBER = r"^dev(\d{1,9})-(\d{1,9})$"


def disk_kind(name: str, are_disks_numbered: bool = False) -> str:
    """The `kind` of `bronze.device_sample`; `name` is without /dev/.

    With `are_disks_numbered` a name such as dev8-1 is of Linux 2.4, which counts whole disks: it is the second, no
    partition.

    >>> [disk_kind(name) for name in ("sda", "sda1", "nvme0n1", "nvme0n1p2", "dm-3", "hdisk4", "c0t1d0", "foo")]
    ['disk', 'partition', 'disk', 'partition', 'mapper', 'disk', 'disk', 'other']
    >>> disk_kind("dev8-17"), disk_kind("dev8-17", are_disks_numbered=True), disk_kind("dev253-0")
    ('partition', 'disk', 'other')
    """
    if match := re.fullmatch(_BY_NUMBER, name):
        major, minor = int(match[1]), int(match[2])
        if major in _MINORS:
            return "disk" if are_disks_numbered or minor % _MINORS[major] == 0 else "partition"
        return _MAJORS.get(major, "other")
    return next((kind for kind, pattern in _DISKS if re.fullmatch(pattern, name)), "other")


def interface_kind(name: str) -> str:
    """The `kind` of `bronze.network_sample`.

    >>> [interface_kind(name) for name in ("eth0", "bond0", "bond0.12", "lo", "br-lan", "vmnet8", "en1")]
    ['port', 'bond', 'vlan', 'loopback', 'bridge', 'virtual', 'port']
    """
    return next((kind for kind, pattern in _INTERFACES if re.fullmatch(pattern, name)), "port")


def kinds_of(names: pl.Series, kind_of: Callable[[str], str]) -> pl.Series:
    """The kind of each name; each name is looked up once."""
    known = {name: kind_of(name) for name in names.unique().drop_nulls()}
    return names.replace_strict(known, default=None, return_dtype=pl.String).alias("kind")
