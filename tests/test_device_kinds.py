"""The kinds of disks and interfaces by their names, on each system whose logs are read."""

import polars as pl
import pytest

from pipelines.sources._shared.device_kinds import disk_kind, interface_kind, kinds_of

DISKS = {  # by system
    "Linux": {
        "disk": "sda sdaa hda vdb xvdc nvme0n1 mmcblk0 cciss/c0d0 cciss!c1d0 ida/c0d1 dasda nbd1 rbd0 ubb fioa pmem0",
        "partition": "sda1 nvme0n1p1 cciss/c0d0p2 mmcblk0p1 dasda1 fioa2 nbd1p1 rbd0p1 ata-X_1-part2 wwn-0x5-part1",
        "mapper": "dm-3 mapper/a VolGroup00-LogVol01 vg_root-lv_home drbd0 bcache1 bcache1p1 zd16",
        "md": "md0 md127 md127p1 md_d0 md/spool",
        "multipath": "mpatha mpath12 mpathap1 emcpowera emcpowerb1 nvme0c0n1 sddlmaa dm-mpath-3",
        "ram": "ram1 zram0",
        "cdrom": "sr0 scd1",
        "loop": "loop7 loop7p1",
        "tape": "st0 nst3 nst3a tape0",
        "nfs": "nas1:/vol/x",
        "group": "all",
        "other": "fd0 spool 36005076801810 dev mmcblk0boot0",
    },
    "Linux by number": {
        "disk": "dev8-0 dev8-16 dev3-64 dev202-16 dev104-0",
        "partition": "dev8-1 dev8-17 dev3-1 dev104-1",
        "md": "dev9-0",
        "loop": "dev7-3",
        "ram": "dev1-0",
        "cdrom": "dev11-0",
        "other": "dev253-0 dev259-1 dev-1 dev8",
    },
    "Solaris": {
        "disk": "sd0 ssd12 dad1 cmdk0 vdc0 blkdev0 c0t0d0 c1d0 c4t60060E8005A1D0000030A1D000001234d0",
        "partition": "sd0,a ssd12,h c0t0d0s2 c1d0s7",
        "md": "md10",
        "tape": "st4",
        "nfs": "nfs1",
        "mapper": "VxVM1234",
    },
    "AIX": {"disk": "hdisk0 hdisk12", "multipath": "hdiskpower3 vpath0", "cdrom": "cd0", "tape": "rmt0 rmt0.1"},
    "HP-UX": {"disk": "c0t6d0 c10t0d1 disk12", "partition": "c0t6d0s2 disk12_p1"},
    "BSD": {
        "disk": "da0 ada1 ad4 wd0 sd1 nvd0 nda0 vtbd0 xbd0 mfid0 aacd0",
        "partition": "ada0p2 da0s1 da0s1a wd0a ad4s1",
        "md": "mirror/gm0 ccd0 raid0",
        "cdrom": "cd0 acd0",
        "tape": "sa0 nsa0",
        "other": "pass0 fd0 xpt0",
    },
    "macOS": {"disk": "disk0", "partition": "disk0s2"},
}
INTERFACES = {
    "Linux": {
        "port": "eth0 em1 p1p1 enp3s0f0 ens192 ib0 wlan0 bnep0",
        "loopback": "lo",
        "bond": "bond0 team1",
        "vlan": "eth0.12 bond0.100 vlan12 vlan.7 br0.5",
        "bridge": "br0 br-lan virbr0 docker0 docker_gwbridge xenbr0 vmbr1 lxcbr0 cni0 ovs-system fwbr100i0",
        "virtual": "veth12ab vnet3 vmnet8 tun0 tap100i0 dummy0 sit0 gre0 ip6tnl0 virbr0-nic vif1.0 eth0:1",
        "all": "all total",
    },
    "Solaris": {"port": "e1000g0 hme0 bge1 ce0 nxge2", "loopback": "lo0", "bond": "aggr1"},
    "AIX": {"port": "en0 et0 ent4", "loopback": "lo0"},
    "HP-UX": {"port": "lan0 lan900", "loopback": "lo0"},
    "BSD": {"port": "em0 igb1 bge0", "bond": "lagg0", "bridge": "bridge0", "virtual": "gif0 epair0a pflog0 tun0"},
}
_ROWS = [
    pytest.param(name, kind, id=f"{system}-{name}")
    for system, kinds in DISKS.items()
    for kind, names in kinds.items()
    for name in names.split()
]


@pytest.mark.parametrize(("name", "kind"), _ROWS)
def test_disks(name: str, kind: str) -> None:
    assert disk_kind(name) == kind


@pytest.mark.parametrize("system", INTERFACES)
def test_interfaces(system: str) -> None:
    expected = {name: kind for kind, names in INTERFACES[system].items() for name in names.split()}
    assert {name: interface_kind(name) for name in expected} == expected


def test_many_names_are_read_as_one_is() -> None:
    disks = [str(row.values[0]) for row in _ROWS]
    unusual = [
        "",
        "sda\n",
        "Sda",
        "sdä",
        "dev8-99999999999",
        "dev99999999999999999999-1",
        "all ",
        "c0t0d0s",
        "x:/",
        "md",
    ]
    ports = [name for kinds in INTERFACES.values() for names in kinds.values() for name in names.split()]
    names = pl.Series([*disks, *ports, *unusual])
    for kind_of in (disk_kind, interface_kind):
        for name, kind in zip(names, kinds_of(names, kind_of), strict=True):
            assert kind == kind_of(name), name


def test_disks_of_linux_2_4_are_numbered() -> None:
    assert [disk_kind(name, True) for name in ("dev3-0", "dev3-1", "dev8-2", "dev11-0")] == ["disk"] * 3 + ["cdrom"]
