"""Text of `nmon -f -s 10` on Linux, on a host that stages files on a dozen disks."""

from collections.abc import Iterator

from benchmarks.texts._staging import DISKS, FIRST, Load, local

NAME, GLOB = "stager1.nmon", "{host}.nmon"
REASON = "each line has the values of all devices, so 1 MB gives 20,000 rows"

STEP_S = 10
_DISKS = ",".join(DISKS)
HEADER = f"""\
AAA,progname,nmon
AAA,command,nmon -f -s {STEP_S} -c 999999
AAA,version,14i
AAA,disks_per_line,150
AAA,host,stager1
AAA,user,root
AAA,OS,Linux,2.6.18-194.el5,#1 SMP,x86_64
AAA,time,{FIRST:%H:%M.%S}
AAA,date,{FIRST:%d-%b-%Y}
AAA,interval,{STEP_S}
AAA,snapshots,999999
AAA,cpus,8
CPU_ALL,CPU Total stager1,User%,Sys%,Wait%,Idle%,Busy,CPUs
MEM,Memory MB stager1,memtotal,hightotal,lowtotal,swaptotal,memfree,highfree,lowfree,swapfree,memshared,cached,active,\
bigfree,buffers,swapcached,inactive
VM,Paging and Virtual Memory,nr_dirty,nr_writeback,nr_unstable,pgpgin,pgpgout
PROC,Processes stager1,Runnable,Swap-in,pswitch,syscall,read,write,fork,exec,sem,msg
NET,Network I/O stager1,lo-read-KB/s,bond0-read-KB/s,lo-write-KB/s,bond0-write-KB/s,
NETPACKET,Network Packets stager1,lo-read/s,bond0-read/s,lo-write/s,bond0-write/s,
JFSFILE,JFS Filespace %Used stager1,/,/stage7
DISKBUSY,Disk %Busy stager1,{_DISKS}
DISKREAD,Disk Read KB/s stager1,{_DISKS}
DISKWRITE,Disk Write KB/s stager1,{_DISKS}
DISKXFER,Disk transfers per second stager1,{_DISKS}
DISKBSIZE,Disk Block Size stager1,{_DISKS}
"""


def text(seed: int) -> Iterator[str]:
    """The AAA lines and headers, then a snapshot a piece; it ends at the number nmon has digits for."""
    load = Load(seed, "nmon")
    yield HEADER.replace(f"{FIRST:%d-%b-%Y}", f"{FIRST:%d-%b-%Y}".upper())
    for number in range(1, 1_000_000):
        yield _snapshot(load, number)


def _snapshot(load: Load, number: int) -> str:
    at = number * STEP_S
    mb_in, mb_out = load.at(at)
    noise = load.rng.random()
    shot = f"T{number:04d}"
    user, system, wait = 3 * noise, 0.12 * (mb_in + mb_out), 0.1 * mb_in
    free = 160 + 40 * noise
    weights = [0.7 + 0.6 * load.rng.random() for _ in DISKS]
    read = [weight * mb_out * 1024 / len(DISKS) for weight in weights]
    written = [weight * mb_in * 1024 / len(DISKS) for weight in weights]
    moved = [(one + other) / 256 for one, other in zip(read, written, strict=True)]
    return (
        f"ZZZZ,{shot},{local(at):%H:%M:%S},{f'{local(at):%d-%b-%Y}'.upper()}\n"
        f"CPU_ALL,{shot},{user:.1f},{system:.1f},{wait:.1f},{100 - user - system - wait:.1f},,8\n"
        f"MEM,{shot},7982.0,-0.0,-0.0,4096.0,{free:.1f},-0.0,-0.0,4000.0,0.0,{6800 - free:.1f},1024.0,-1.0,61.0,0.0,"
        "2048.0\n"
        f"VM,{shot},{int(200 * mb_in)},0,0,{int(1000 * mb_out)},{int(1000 * mb_in)}\n"
        f"PROC,{shot},{int(4 * noise)},{int(2 * noise)},{300 + 30 * mb_out:.1f},-1.0,-1.0,-1.0,{3 * noise:.1f},-1.0,"
        "-1.0,-1.0\n"
        f"NET,{shot},0.0,{mb_in * 977:.1f},0.0,{mb_out * 977:.1f},\n"
        f"NETPACKET,{shot},0.0,{mb_in * 690:.1f},0.0,{mb_out * 690:.1f},\n"
        f"JFSFILE,{shot},41.2,{50 + 20 * noise:.1f}\n"
        f"DISKBUSY,{shot},{_list([min(100.0, 0.4 * one) for one in moved])}\n"
        f"DISKREAD,{shot},{_list(read)}\nDISKWRITE,{shot},{_list(written)}\nDISKXFER,{shot},{_list(moved)}\n"
        f"DISKBSIZE,{shot},{_list([256.0 if one else 0.0 for one in moved])}\n"
    )


def _list(values: list[float]) -> str:
    return ",".join([f"{value:.1f}" for value in values])
