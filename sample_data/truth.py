"""What a good reader of the archive must find: the planted faults with their cost, and sums of what happened.

Every figure comes from the simulation at microsecond resolution; a reader of the logs sees whole seconds.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from sample_data.facts import Day, Fault
from sample_data.mrtg import WEEK_BINS, Traffic, week_bins
from sample_data.pic import LABEL
from sample_data.plan import Plan
from sample_data.stations import drive_rate
from sample_data.story import (
    BIN_S,
    DAY_TO,
    DRIVES,
    GB,
    HOUR,
    MB,
    MINUTE,
    SECOND,
    STATIONS,
    VMSTAT_FROM,
    VMSTAT_TO,
    WEEK_FROM,
    Settings,
    drive_named,
)

THRESHOLD_MB_S = 5.0
LOW_DUTY = 0.5
UNBALANCED = 0.3  # share of what came in that did not go out
UNBALANCED_GB_DAY = 100


def find_faults(day: Day, traffic: dict[str, Traffic], plan: Plan, settings: Settings) -> list[Fault]:
    """One per expected finding."""
    return [
        *_long_gaps(day, settings),
        *_low_duties(traffic),
        *_unbalanced(traffic),
        *_vmstat_faults(plan, settings),
        *_transfer_failures(day, plan),
        *_mount_failures(day, plan),
        *_downs(day),
    ]


def _long_gaps(day: Day, settings: Settings) -> list[Fault]:
    quiet = round(settings.drive.quiet_gap_s * SECOND)
    limit = quiet + round(settings.fault.long_above_s * SECOND)
    faults = []
    for drive in DRIVES:
        gaps = [gap for gap in day.gaps if gap.drive == drive and gap.judged_us > limit]
        if not gaps:
            continue
        lost = sum(gap.judged_us - quiet for gap in gaps)
        lost_bytes = sum((gap.judged_us - quiet) / SECOND * gap.bytes_s for gap in gaps)
        ordered = sorted(gaps, key=lambda gap: gap.from_at)
        n_all = sum(gap.drive == drive for gap in day.gaps)
        fault = Fault(
            "long_gap",
            f"{drive.station}/{drive.name}",
            ordered[0].from_at,
            ordered[-1].to_at,
            f"{len(gaps)} of {n_all} gaps of the drive are too long, mostly because the client's next request is late",
            lost / HOUR,
            lost_bytes / GB,
            {"n_gaps": len(gaps), "n_all_gaps": n_all},
        )
        faults.append(fault)
    return faults


def duty(traffic: Traffic, way: str = "into") -> float:
    return sum(rate > THRESHOLD_MB_S * MB for rate in week_bins(traffic, way)) / WEEK_BINS


def _low_duties(traffic: dict[str, Traffic]) -> list[Fault]:
    migrating = [station.name for station in STATIONS if station.role == "migration"]
    active = {n: [rate for rate in week_bins(traffic[n]) if rate > THRESHOLD_MB_S * MB] for n in migrating}
    faults = []
    for name in migrating:
        share = len(active[name]) / WEEK_BINS
        if share >= LOW_DUTY:
            continue
        rates = active[name] or [rate for other in migrating if other != name for rate in active[other]]
        fault = Fault(
            "duty_low",
            name,
            WEEK_FROM,
            DAY_TO,
            f"the station's link was active in {len(active[name])} of {WEEK_BINS} half-hours of the week",
            (WEEK_BINS - len(active[name])) * BIN_S / 3600,
            (1 - share) * sum(rates) / len(rates) * 86400 / GB,
            {"duty": round(share, 4)},
        )
        faults.append(fault)
    return faults


def _unbalanced(traffic: dict[str, Traffic]) -> list[Fault]:
    """As the document's plots have it, one station takes in far more than it gives out, at the same duty."""
    faults = []
    for name in (station.name for station in STATIONS if station.role == "migration"):
        into, out = (sum(week_bins(traffic[name], way)) * BIN_S / 7 / GB for way in ("into", "out"))
        if into - out >= max(UNBALANCED_GB_DAY, UNBALANCED * into):
            note = f"{into:.0f} GB/day come into the station, {out:.0f} GB/day leave it"
            more = {"in_gb_day": round(into, 1), "out_gb_day": round(out, 1)}
            faults.append(Fault("unbalanced_station", name, WEEK_FROM, DAY_TO, note, more=more))
    return faults


def _vmstat_faults(plan: Plan, settings: Settings) -> list[Fault]:
    fault = settings.fault
    faults = []
    if plan.burst_station:
        shape = {
            "period_s": fault.burst_period_s,
            "amplitude_mb": fault.burst_mb,
            "mean_mb_s": round(fault.burst_mb / fault.burst_period_s, 1),
        }
        note = "the spool is written in bursts while a file arrives"
        faults.append(Fault("flush_burst", plan.burst_station, VMSTAT_FROM, VMSTAT_TO, note, more=shape))
    if plan.silent_station:
        begin = VMSTAT_TO - fault.silent_minutes * MINUTE
        note = "the vmstat log ends before the declared time"
        faults.append(Fault("source_silent", f"vmstat/{plan.silent_station}", begin, VMSTAT_TO, note))
    return faults


def _transfer_failures(day: Day, plan: Plan) -> list[Fault]:
    if not plan.transfer_failures:
        return []
    sessions = [session for session in day.sessions if session.drive.name == plan.transfer_failures]
    failed = [transfer for session in sessions for transfer in session.transfers if transfer.failed]
    tries = sum(transfer.complete - transfer.request for transfer in failed)
    # each ends its mount: the tape is taken out, and put in again for the files that are left
    remounts = sum(
        (cut.dismounted - cut.transfers[-1].complete) + (again.loaded - again.load_requested)
        for cut, again in pairwise(sorted(sessions, key=lambda session: session.load_requested))
        if cut.transfers[-1].failed
    )
    lost = (tries + remounts) / HOUR
    note = f"{len(failed)} file reads failed with READ_ERROR"
    begin, end = failed[0].complete, failed[-1].complete
    more = {"n_failures": len(failed)}
    return [Fault("transfer_failures", plan.transfer_failures, begin, end, note, lost, more=more)]


def _mount_failures(day: Day, plan: Plan) -> list[Fault]:
    failed = day.mount_failures
    if not failed:
        return []
    lost = sum(failure.failed - failure.load_requested for failure in failed) / HOUR
    note = f"{len(failed)} mounts by the robot failed"
    begin, end = failed[0].failed, failed[-1].failed
    return [Fault("mount_failures", plan.mount_failures, begin, end, note, lost, more={"n_failures": len(failed)})]


def _downs(day: Day) -> list[Fault]:
    faults = []
    for down in day.downs:
        lasted = down.to_at - down.from_at
        lost = lasted / SECOND * drive_rate(day, down.drive) / GB
        note = "the mover was offline until it was restarted"
        faults.append(Fault("drive_down", down.drive.name, down.from_at, down.to_at, note, lasted / HOUR, lost))
    return faults


def truth_text(day: Day, faults: list[Fault], traffic: dict[str, Traffic], settings: Settings) -> str:
    """truth.toml."""
    lines = [
        "# The planted faults of this archive, written by sample_data/generate.py from its own parameters.",
        "# Times are UTC. lost_hours: hours that drives or stations lost. lost_gb_day: GB not moved in a day.",
        "",
    ]
    for fault in faults:
        lines += ["[[fault]]", *pairs(_fault_values(fault)), ""]
    lines += ["[facts]", *pairs(_totals(day)), ""]
    for drive in DRIVES:
        lines += [f"[facts.drive.{drive.name}]", *pairs(_drive_values(day, drive.name)), ""]
    for name, values in _pic_values(day, settings).items():
        lines += [f"[facts.pic.{name}]", *pairs(values), ""]
    for station in STATIONS:
        shares = {
            "role": station.role,
            "in": round(duty(traffic[station.name]), 4),
            "out": round(duty(traffic[station.name], "out"), 4),
        }
        lines += [f"[facts.duty.{station.name}]", *pairs(shares), ""]
    return "\n".join(lines)


def _fault_values(fault: Fault) -> dict[str, Any]:
    costs = {"lost_hours": fault.lost_hours, "lost_gb_day": fault.lost_gb_day}
    return {
        "rule": fault.rule,
        "entity": fault.entity,
        "started_at": moment(fault.started_at),
        "ended_at": moment(fault.ended_at),
        **{name: round(value, 4) for name, value in costs.items() if value is not None},
        **fault.more,
        "note": fault.note,
    }


def _totals(day: Day) -> dict[str, Any]:
    transfers = day.transfers()
    done = [transfer for transfer in transfers if not transfer.failed]
    return {
        "transfers": len(done),
        "failed_transfers": len(transfers) - len(done),
        "sessions": len(day.sessions),
        "failed_mounts": len(day.mount_failures),
        "bytes": sum(transfer.tape_bytes for transfer in done),
    }


def _drive_values(day: Day, name: str) -> dict[str, Any]:
    drive = drive_named(name)
    sessions = [session for session in day.sessions if session.drive == drive]
    done = [transfer for session in sessions for transfer in session.transfers if not transfer.failed]
    return {
        "sessions": len(sessions),
        "transfers": len(done),
        "bytes": sum(transfer.tape_bytes for transfer in done),
        "transfer_s": round(sum(transfer.end - transfer.start for transfer in done) / SECOND, 3),
        "call_s": round(sum(transfer.call_s for transfer in done), 3),
        "drive_mb_s": round(drive_rate(day, drive) / MB, 3),
    }


def _pic_values(day: Day, settings: Settings) -> dict[str, dict[str, Any]]:
    """What the simulated tests came to, in the order of their start."""
    sessions = [session for session in day.sessions if session.volume.label == LABEL]
    tests = {}
    for (name, test), session in zip(settings.pic.items(), sessions, strict=True):
        total = sum(transfer.tape_bytes for transfer in session.transfers)
        wall_s = (session.dismounted - session.load_requested) / SECOND
        rate = total / sum(transfer.call_s for transfer in session.transfers)
        tests[name] = {
            "drive": test.drive,
            "files": len(session.transfers),
            "bytes": total,
            "drive_mb_s": round(rate / MB, 3),
            "overall_mb_s": round(total / wall_s / MB, 3),
            "f": round(total / wall_s / rate, 4),
            "wall_s": round(wall_s, 3),
        }
    return tests


def moment(at: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)


def pairs(values: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in values.items()]


def _value(value: Any) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
