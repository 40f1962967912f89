"""The metrics of exporters, Telegraf and collectd that are kept: relation, column, unit, counter or gauge.

Counters are the kernel's own: bytes, seconds, requests since the host or the interface came up. Columns that no
relation has (`swap_total`, `read_s` of disks, `in_narrow`, …) are parts of one that `scrapes` works out.
"""

from pipelines.sources._shared.columns import DEVICE, DRIVE, HOST, NETWORK
from pipelines.sources._shared.metrics import BYTE, COUNT, CPU, KBYTE, MILLI, NUMBER, PERCENT, Metric

SECOND = "s"
SECTOR = "sector"  # of 512 bytes, whatever the disk has

EXPORTED = {
    "node_procs_running": Metric(HOST, "run_queue", COUNT, False),
    "node_procs_blocked": Metric(HOST, "blocked", COUNT, False),
    "node_load1": Metric(HOST, "load_1", NUMBER, False),
    "node_load5": Metric(HOST, "load_5", NUMBER, False),
    "node_load15": Metric(HOST, "load_15", NUMBER, False),
    "node_memory_MemFree_bytes": Metric(HOST, "free_bytes", BYTE, False),
    "node_memory_Buffers_bytes": Metric(HOST, "buffer_bytes", BYTE, False),
    "node_memory_Cached_bytes": Metric(HOST, "cache_bytes", BYTE, False),
    "node_memory_Inactive_bytes": Metric(HOST, "inactive_bytes", BYTE, False),
    "node_memory_Active_bytes": Metric(HOST, "active_bytes", BYTE, False),
    "node_memory_SwapTotal_bytes": Metric(HOST, "swap_total", BYTE, False),
    "node_memory_SwapFree_bytes": Metric(HOST, "swap_free", BYTE, False),
    "node_vmstat_pgpgin": Metric(HOST, "read_bytes_s", KBYTE),  # counted by the kernel in KiB
    "node_vmstat_pgpgout": Metric(HOST, "write_bytes_s", KBYTE),
    "node_intr_total": Metric(HOST, "interrupt_rate", COUNT),
    "node_context_switches_total": Metric(HOST, "switch_rate", COUNT),
    "node_cpu_seconds_total": Metric(HOST, CPU, SECOND),
    "node_disk_reads_completed_total": Metric(DEVICE, "read_request_rate", COUNT),
    "node_disk_writes_completed_total": Metric(DEVICE, "write_request_rate", COUNT),
    "node_disk_discards_completed_total": Metric(DEVICE, "discard_request_rate", COUNT),
    "node_disk_flush_requests_total": Metric(DEVICE, "flush_request_rate", COUNT),
    "node_disk_reads_merged_total": Metric(DEVICE, "read_merge_rate", COUNT),
    "node_disk_writes_merged_total": Metric(DEVICE, "write_merge_rate", COUNT),
    "node_disk_read_bytes_total": Metric(DEVICE, "read_bytes_s", BYTE),
    "node_disk_written_bytes_total": Metric(DEVICE, "write_bytes_s", BYTE),
    "node_disk_discarded_sectors_total": Metric(DEVICE, "discard_bytes_s", SECTOR),
    "node_disk_read_time_seconds_total": Metric(DEVICE, "read_s", SECOND),
    "node_disk_write_time_seconds_total": Metric(DEVICE, "write_s", SECOND),
    "node_disk_io_time_weighted_seconds_total": Metric(DEVICE, "queue", SECOND),
    "node_disk_io_time_seconds_total": Metric(DEVICE, "busy", SECOND),
    "node_network_receive_bytes_total": Metric(NETWORK, "in_bytes_s", BYTE),
    "node_network_transmit_bytes_total": Metric(NETWORK, "out_bytes_s", BYTE),
    "node_network_receive_packets_total": Metric(NETWORK, "in_packet_rate", COUNT),
    "node_network_transmit_packets_total": Metric(NETWORK, "out_packet_rate", COUNT),
    "node_tape_read_bytes_total": Metric(DRIVE, "read_bytes", BYTE),
    "node_tape_written_bytes_total": Metric(DRIVE, "write_bytes", BYTE),
    "node_tape_read_time_seconds_total": Metric(DRIVE, "read_s", SECOND),
    "node_tape_write_time_seconds_total": Metric(DRIVE, "write_s", SECOND),
    "node_tape_io_time_seconds_total": Metric(DRIVE, "io_s", SECOND),
    "node_tape_reads_completed_total": Metric(DRIVE, "n_read", COUNT),
    "node_tape_writes_completed_total": Metric(DRIVE, "n_write", COUNT),
    "node_tape_io_others_total": Metric(DRIVE, "n_other", COUNT),
    "node_tape_residual_total": Metric(DRIVE, "n_residual", COUNT),
    "ifHCInOctets": Metric(NETWORK, "in_bytes_s", BYTE),
    "ifHCOutOctets": Metric(NETWORK, "out_bytes_s", BYTE),
    "ifInOctets": Metric(NETWORK, "in_narrow", BYTE),
    "ifOutOctets": Metric(NETWORK, "out_narrow", BYTE),
    "node_network_speed_bytes": Metric(NETWORK, "capacity_bytes_s", BYTE, False),
    "ifHighSpeed": Metric(NETWORK, "capacity_mbit_s", NUMBER, False),
    "ifSpeed": Metric(NETWORK, "capacity_bit_s", NUMBER, False),
    "sysUpTime": Metric(NETWORK, "uptime", COUNT, False),
}
# Telegraf: measurement and field. Shares are of all processors together (cpu-total), of the interval before.
_TELEGRAF = {
    "cpu.usage_user": Metric(HOST, "cpu_user", PERCENT, False),
    "cpu.usage_nice": Metric(HOST, "cpu_nice", PERCENT, False),
    "cpu.usage_system": Metric(HOST, "cpu_system", PERCENT, False),
    "cpu.usage_irq": Metric(HOST, "cpu_system", PERCENT, False),
    "cpu.usage_softirq": Metric(HOST, "cpu_system", PERCENT, False),
    "cpu.usage_idle": Metric(HOST, "cpu_idle", PERCENT, False),
    "cpu.usage_iowait": Metric(HOST, "cpu_wait", PERCENT, False),
    "cpu.usage_steal": Metric(HOST, "cpu_stolen", PERCENT, False),
    "system.load1": Metric(HOST, "load_1", NUMBER, False),
    "system.load5": Metric(HOST, "load_5", NUMBER, False),
    "system.load15": Metric(HOST, "load_15", NUMBER, False),
    "system.n_cpus": Metric(HOST, "n_cpus", COUNT, False),
    "processes.running": Metric(HOST, "run_queue", COUNT, False),
    "processes.blocked": Metric(HOST, "blocked", COUNT, False),
    "mem.free": Metric(HOST, "free_bytes", BYTE, False),
    "mem.buffered": Metric(HOST, "buffer_bytes", BYTE, False),
    "mem.cached": Metric(HOST, "cache_bytes", BYTE, False),
    "mem.inactive": Metric(HOST, "inactive_bytes", BYTE, False),
    "mem.active": Metric(HOST, "active_bytes", BYTE, False),
    "swap.used": Metric(HOST, "swapped_bytes", BYTE, False),
    "swap.in": Metric(HOST, "swap_in_bytes_s", BYTE),
    "swap.out": Metric(HOST, "swap_out_bytes_s", BYTE),
    "kernel.interrupts": Metric(HOST, "interrupt_rate", COUNT),
    "kernel.context_switches": Metric(HOST, "switch_rate", COUNT),
    "diskio.reads": Metric(DEVICE, "read_request_rate", COUNT),
    "diskio.writes": Metric(DEVICE, "write_request_rate", COUNT),
    "diskio.merged_reads": Metric(DEVICE, "read_merge_rate", COUNT),
    "diskio.merged_writes": Metric(DEVICE, "write_merge_rate", COUNT),
    "diskio.read_bytes": Metric(DEVICE, "read_bytes_s", BYTE),
    "diskio.write_bytes": Metric(DEVICE, "write_bytes_s", BYTE),
    "diskio.read_time": Metric(DEVICE, "read_s", MILLI),
    "diskio.write_time": Metric(DEVICE, "write_s", MILLI),
    "diskio.weighted_io_time": Metric(DEVICE, "queue", MILLI),
    "diskio.io_time": Metric(DEVICE, "busy", MILLI),
    "net.bytes_recv": Metric(NETWORK, "in_bytes_s", BYTE),
    "net.bytes_sent": Metric(NETWORK, "out_bytes_s", BYTE),
    "net.packets_recv": Metric(NETWORK, "in_packet_rate", COUNT),
    "net.packets_sent": Metric(NETWORK, "out_packet_rate", COUNT),
    "interface.ifHCInOctets": Metric(NETWORK, "in_bytes_s", BYTE),
    "interface.ifHCOutOctets": Metric(NETWORK, "out_bytes_s", BYTE),
    "interface.ifInOctets": Metric(NETWORK, "in_narrow", BYTE),
    "interface.ifOutOctets": Metric(NETWORK, "out_narrow", BYTE),
    "interface.ifHighSpeed": Metric(NETWORK, "capacity_mbit_s", NUMBER, False),
    "interface.ifSpeed": Metric(NETWORK, "capacity_bit_s", NUMBER, False),
}
# collectd: type, instance and name of a value. The kernel counts processor time in hundredths of a second; disk_time
# rises so that its rate is the mean milliseconds of a request.
_COLLECTD_COUNTERS = {
    "cpu-user:value": Metric(HOST, "cpu_user", PERCENT),
    "cpu-nice:value": Metric(HOST, "cpu_nice", PERCENT),
    "cpu-system:value": Metric(HOST, "cpu_system", PERCENT),
    "cpu-interrupt:value": Metric(HOST, "cpu_system", PERCENT),
    "cpu-softirq:value": Metric(HOST, "cpu_system", PERCENT),
    "cpu-idle:value": Metric(HOST, "cpu_idle", PERCENT),
    "cpu-wait:value": Metric(HOST, "cpu_wait", PERCENT),
    "cpu-steal:value": Metric(HOST, "cpu_stolen", PERCENT),
    "contextswitch:value": Metric(HOST, "switch_rate", COUNT),
    "vmpage_io-memory:in": Metric(HOST, "read_bytes_s", KBYTE),
    "vmpage_io-memory:out": Metric(HOST, "write_bytes_s", KBYTE),
    "disk_octets:read": Metric(DEVICE, "read_bytes_s", BYTE),
    "disk_octets:write": Metric(DEVICE, "write_bytes_s", BYTE),
    "disk_ops:read": Metric(DEVICE, "read_request_rate", COUNT),
    "disk_ops:write": Metric(DEVICE, "write_request_rate", COUNT),
    "disk_merged:read": Metric(DEVICE, "read_merge_rate", COUNT),
    "disk_merged:write": Metric(DEVICE, "write_merge_rate", COUNT),
    "disk_time:read": Metric(DEVICE, "read_wait_s", MILLI),
    "disk_time:write": Metric(DEVICE, "write_wait_s", MILLI),
    "disk_io_time:io_time": Metric(DEVICE, "busy", MILLI),
    "disk_io_time:weighted_io_time": Metric(DEVICE, "queue", MILLI),
    "if_octets:rx": Metric(NETWORK, "in_bytes_s", BYTE),
    "if_octets:tx": Metric(NETWORK, "out_bytes_s", BYTE),
    "if_packets:rx": Metric(NETWORK, "in_packet_rate", COUNT),
    "if_packets:tx": Metric(NETWORK, "out_packet_rate", COUNT),
}
_COLLECTD = {
    **_COLLECTD_COUNTERS,
    # what StoreRates makes of a counter
    **{f"{name}@rate": metric._replace(is_counter=False) for name, metric in _COLLECTD_COUNTERS.items()},
    **{
        name.replace("cpu", "percent"): metric._replace(is_counter=False)
        for name, metric in _COLLECTD_COUNTERS.items()
        if name.startswith("cpu-")
    },
    "load:shortterm": Metric(HOST, "load_1", NUMBER, False),
    "load:midterm": Metric(HOST, "load_5", NUMBER, False),
    "load:longterm": Metric(HOST, "load_15", NUMBER, False),
    "memory-free:value": Metric(HOST, "free_bytes", BYTE, False),
    "memory-buffered:value": Metric(HOST, "buffer_bytes", BYTE, False),
    "memory-cached:value": Metric(HOST, "cache_bytes", BYTE, False),
    "swap-used:value": Metric(HOST, "swapped_bytes", BYTE, False),
    "ps_state-running:value": Metric(HOST, "run_queue", COUNT, False),
    "ps_state-blocked:value": Metric(HOST, "blocked", COUNT, False),
}
METRICS = EXPORTED | _TELEGRAF | _COLLECTD
FACTORS = {KBYTE: 1024, SECTOR: 512}
# 32-bit counters, for a switch without wider ones, and its uptime: it shows whether a counter wrapped or was reset.
NARROW = tuple(name for name, metric in METRICS.items() if metric.column in ("in_narrow", "out_narrow"))
UPTIME = "sysUpTime"

# Modes of a processor that make each share; guests are counted in user and nice already.
SHARES = {
    "cpu_user": ("user",),
    "cpu_nice": ("nice",),
    "cpu_system": ("system", "irq", "softirq", "interrupt"),
    "cpu_idle": ("idle",),
    "cpu_wait": ("iowait",),
    "cpu_stolen": ("steal",),
}
MODES = tuple(mode for modes in SHARES.values() for mode in modes)
NEEDED_MODES = ("user", "nice", "system", "idle")  # every system has these; without one the sum is not all of the time

# Series that must be on the same line, because no later step joins the pieces of such a row.
NEEDED = {
    "a host's processors": (HOST, tuple(f"{CPU} {mode}" for mode in NEEDED_MODES)),
    "a disk": (DEVICE, ("read_bytes_s", "write_bytes_s")),
    "a tape drive": (DRIVE, ("read_bytes", "write_bytes", "read_s", "write_s", "io_s")),
}
