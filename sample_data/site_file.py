"""site.toml of the sample archive: the same for every seed, since the site does not change when its faults do."""

from datetime import UTC, datetime, timedelta

from sample_data.story import (
    DAY_FROM,
    DAY_TO,
    DRIVES,
    LOGGED,
    MISSPELT,
    OFFSET,
    SECOND,
    STAGER,
    STATIONS,
    VMSTAT_FROM,
    VMSTAT_TO,
    WEEK_FROM,
    ZONE,
)

_TOP = f"""\
# The site of the sample archive: eight migration stations, their drives and links, and the logs in logs/.
# Paths are relative to this file.
name = "migration stand"
zone = "{ZONE}"                 # time zone of log times that name no zone
warehouse = "var/warehouse"
duty_threshold_mb_s = 5.0                # average traffic above which a half-hour counts as active
expected_gap_s = 2.0                     # avoidable gap between two files that is normal at this site, in seconds
log_silence_s = 600                      # seconds; a longer pause of a log counts as not covered
# min_coverage = {{ long_gap = 0.9 }}      # coverage that a rule needs for a verdict, in place of the rule's own value
# change_log = "changes.csv"             # CSV of changes made on purpose (at, what, entities, note). Or per change:
# [[change]]
# at = 2010-03-08T14:00:00
# what = "blocksize 512 -> 1024 kB"
# entities = ["stkenmvr205a"]            # drives, stations, hosts, systems; without it, the whole site

"""


_COLLECT = """\
# What `tapescope collect` requests, and how often. It keeps the answers in var/spool; they need no [[input]].
# [[collect]]
# name = "hosts"
# prometheus = "http://prom:9090"        # or VictoriaMetrics; `command` and `journal`: see docs/guides/collecting.md
# every = "5m"
# since = "7d"                           # how far back the first request reaches
"""

_FACTS = """\
# Facts that no log shows: use any keys besides `of` and `from`. `tapescope ask configuration` lists
# them; `tapescope ask rates_by_fact fact=filesystem` compares the rates of hosts by a fact.
[[fact]]
of = "stkendm10a"
# from = 2010-03-01                      # first day on which the fact is true; without it, always
memory_gb = 8
processors = "one quad-core X3360"
arrays = "2 x 535 GB"

"""


def site_text() -> str:
    parts = [_TOP, "# Stations stage files between tapes; scanning stations only read back migrated files.\n"]
    for station in STATIONS:
        aliases = (
            f'aliases = ["{MISSPELT[1]}"]             # misspelt name that the log has for an hour\n'
            if station.name == MISSPELT[0]
            else ""
        )
        spool = "spool_gb = 1070.0                   # two arrays of 535 GB\n" if station.name in LOGGED else ""
        parts.append(f'[[station]]\nname = "{station.name}"\n{aliases}role = "{station.role}"\n{spool}\n')
    parts.append("# The station that recalls the tape of the tape-read tests; no link is declared for it.\n")
    parts.append(f'[[station]]\nname = "{STAGER}"\nrole = "stager"\n\n')
    parts.append(_FACTS)
    parts.append('# Drives: the name, its name in the log, and the host of its mover. `robot = "SL8500"` would name\n')
    parts.append(
        "# the drive's library; `from` would be its first day in service, and `to` its first day out of service.\n"
    )
    for drive in DRIVES:
        parts.append(
            f'[[drive]]\nname = "{drive.name}"\nlogname = "{drive.logname}"\nmover = "{drive.mover}"\n'
            f'mover_host = "{drive.mover_host}"\ngeneration = "{drive.generation}"\n\n'
        )
    parts.append('# Bonded pairs of 1 Gb/s, polled at the switch: the switch\'s "in" is traffic out of the station.\n')
    for station in STATIONS:
        parts.append(
            f'[[link]]\nname = "{station.link}"\nstation = "{station.name}"\n'
            'capacity_mb_s = 250.0\npolled = "switch"\n\n'
        )
    parts.append("# How much data to move, and from which day: `tapescope forecast campaign` shows the progress.\n")
    parts.append('[[campaign]]\nname = "LTO-2 to LTO-4"\nsize_tb = 1000.0\nfrom = 2010-03-10\nmode = "write"\n\n')
    parts.append("# The planned size of the archive: `tapescope forecast growth` compares it with the forecast.\n")
    parts.append("# [[plan]]\n# by = 2012-01-01\n# holdings_tb = 5000.0\n")
    parts.append(
        '# storage_group = "cms"                 # without it, the entire archive; `file_family` also works\n\n'
    )
    parts.append("# Logs, and the time each kind is expected to cover.\n")
    parts.append(_input("logs/mrtg/{link}.log*", "", WEEK_FROM, DAY_TO))
    parts.append(_input("logs/enstore/LOG-{date}*", 'system = "stken"\n', DAY_FROM, DAY_TO))
    parts.append(_input("logs/vmstat/{host}_{date}*", "", VMSTAT_FROM, VMSTAT_TO))
    parts.append(_COLLECT)
    return "\n".join("".join(parts).rstrip("\n").split("\n")) + "\n"


def _input(glob: str, more: str, begin: int, end: int) -> str:
    return f'[[input]]\nglob = "{glob}"\n{more}{expected(begin, end)}\n'


def expected(begin: int, end: int) -> str:
    """The line of an input that says which time it should cover."""
    return f"expect = {{ from = {_local(begin)}, to = {_local(end)} }}\n"


def _local(at: int) -> str:
    local = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at + OFFSET)
    hours = abs(OFFSET) // SECOND // 3600
    return f"{local:%Y-%m-%dT%H:%M:%S}-{hours:02d}:00"
