"""The sections of the nightly report that are made of numbers: each rate has its basis, each number its question."""

from importlib import metadata

from pipelines.primitives.format import BASES, counted, fixed, percent, price, quantity
from pipelines.primitives.text import natural
from pipelines.primitives.times import days_text
from pipelines.reporting.links import TONIGHT
from pipelines.reporting.report.model import Bar, Figure, Group, Section, Stack, Waterfall
from pipelines.reporting.report.queries import Asker, Row
from pipelines.reporting.report.sections import section
from pipelines.reporting.report.sections.coverage import covering, is_withheld, were_asked


@section("summary", order=10, page=TONIGHT)
def one_sentence(asker: Asker) -> Section:
    """What moved, what that took, and the worst of it."""
    headline = asker.only("headline")
    when = days_text(asker.first, asker.last)
    if not headline.get("available_hours"):
        return Section("In one sentence", sentences=[_without_drives(asker, when)])
    available = f"{fixed(headline['available_hours'], 'h')} drive-hours"
    drives = counted(headline["n_drives"], "drive")
    if not headline["moved_tb"]:
        moved = f"No transfer was logged on {drives}, {when}"
    else:
        worked = headline["moving_data_hours"]
        hours = "for an unknown time (no log shows it)" if worked is None else f"in {fixed(worked, 'h')} of {available}"
        share = "" if worked is None else f" ({percent(worked / headline['available_hours'])})"
        moved = (
            f"{quantity(headline['moved_tb'], 'TB')} moved on {drives}, {when}"
            f" ({counted(headline['n_files'], 'file')}, {counted(headline['n_sessions'], 'mount')}):"
            f" data moved {hours}{share}"
        )
    return Section("In one sentence", sentences=[f"{moved}{_rates(headline)}; {_worst(asker, headline)}."])


def _without_drives(asker: Asker, when: str) -> str:
    """The sentence where no log covers a drive: what was read all the same, and what the rules made of it."""
    logs = covering(asker)
    if not logs:
        unseen = f"No log covers {when}" if asker.last else "No day has data"
        return f"{unseen}, so the period is not judged."
    ids = {row["finding_id"] for row in asker.ask("findings").as_dicts()}
    found = counted(len(ids), "finding") if were_asked(asker) else "the rules have not run"
    worst = f"; {_named_worst(asker)}" if asker.only("losses") else ""
    return f"No drive log covers {when}; logs read: {logs}{_by_pools(asker)}; {found}{worst}."


def _by_pools(asker: Asker) -> str:
    """What pools moved, where no drive's log shows it."""
    rows = [row for row in asker.ask("pool_use").as_dicts() if row["n_done"]]
    words = {"store": "to", "restore": "from"}
    moved = {name: sum(row["moved_gb"] for row in rows if row["operation"] == name) for name in words}
    parts = [f"{quantity(moved[name], 'GB')} {words[name]} tape" for name in words if moved[name]]
    return f"; according to the pools' records, the pools moved {' and '.join(parts)}" if parts else ""


def _rates(headline: Row) -> str:
    """The rates that are known; of the drive rate, how it was measured."""
    drive, overall, f = headline["drive_rate_mb_s"], headline["overall_rate_mb_s"], headline["f"]
    basis = BASES.get(headline["drive_rate_basis"], headline["drive_rate_basis"])
    parts = [] if drive is None else [f"drive rate {quantity(drive, 'MB/s')} ({basis})"]
    parts += [] if overall is None else [f"overall rate {quantity(overall, 'MB/s')}"]
    parts += [] if f is None else [f"efficiency {percent(f)}"]
    return "".join(f", {part}" for part in parts)


def _worst(asker: Asker, headline: Row) -> str:
    if is_withheld(headline):
        return "the use of the drive-hours is not judged, because most of them have no log"
    if asker.only("losses"):
        return _named_worst(asker)
    return "no finding has a recoverable loss in GB or hours" if were_asked(asker) else "the rules have not run"


def _named_worst(asker: Asker) -> str:
    worst = asker.only("losses")
    rule = asker.catalog.rules.get(worst["rule"])
    title = rule.title if rule else worst["rule"]
    n = worst["n_findings"]
    first = worst["entities"].split(", ")[0]
    where = first if n == 1 else f"{first} and {n - 1} more"
    return f"worst: {title[:1].lower()}{title[1:]} ({where}), {price(worst)}"


@section("hours", order=20, page="time")
def waterfall(asker: Asker) -> Section:
    """From all drive-hours down to those in which data moved."""
    headline = asker.only("headline")
    title = "Where the drive-hours went"
    rows = asker.ask("ledger_waterfall").as_dicts()
    if not rows:
        lacking = (
            "The drive ledger has no hours in the period, because no log of drives was read for it. The ledger needs"
            " Enstore's LOG files, the log of CTA's tape daemon, cta-admin's answers about drives, TSM's table SUMMARY"
            " or activity log, a library's history of mounts, or the kernel's counters of tape drives."
        )
        return Section(title, sentences=[lacking])
    groups = _groups(asker)
    bars = [
        Bar(row["bucket"], groups[row["time_group"]], row["bucket_hours"], row["share"], row["bucket_words"])
        for row in rows
    ]
    available = headline["available_hours"]
    unseen = f"{quantity(headline['unknown_hours'], 'h')} ({percent(headline['unknown_hours'] / available)})"
    sentence = (
        f"{unseen} of {fixed(available, 'h')} drive-hours have no log. The parts below add up to all drive-hours"
        f"{_moving_part(rows)}."
    )
    drives = sorted(asker.ask("drives").as_dicts(), key=lambda row: natural(row["drive"]))
    per_drive = {row["drive"]: [row[f"{name}_hours"] or 0.0 for name in groups] for row in drives}
    figures: list[Figure] = [
        Waterfall("Drive-hours by use, and their share of all drive-hours", "ledger_waterfall", "h", bars),
        Stack("Each drive, hours", "drives", "h", list(groups.values()), per_drive),
    ]
    return Section(title, sentences=[sentence], figures=figures)


def _moving_part(rows: list[Row]) -> str:
    """In which part of the drive-hours data moved, as far as logs show it."""
    if any(row["time_group"] == "occupied" for row in rows):
        return "; no log shows how long data moved in the part “occupied”"
    return "; data moved only in the last of these parts" if rows[-1]["time_group"] == "moving_data" else ""


def _groups(asker: Asker) -> dict[str, Group]:
    """The groups of drive time by name, in the order of a drive's day."""
    return {
        row["time_group"]: Group(row["time_group"], row["group_words"], row["colour"], row["symbol"])
        for row in asker.ask("drive_time_buckets").as_dicts()
    }


@section("stations", order=40, page="stations")
def stations(asker: Asker) -> Section:
    """Which stations work, which wait, and how long they pause between files."""
    duty = asker.ask("duty_table").as_dicts()
    if duty:
        one = duty[0]
        unseen = [row["station"] for row in duty if not row["coverage"]]
        partly = [
            f"{row['station']} ({percent(row['coverage'])} covered)" for row in duty if 0 < row["coverage"] < 0.995
        ]
        sentences = [f"No traffic data: {', '.join(unseen)}."] if unseen else []
        sentences += [f"Partly covered: {', '.join(partly)}."] if partly else []
        scanning = [row["station"] for row in duty if row["duty_factor"] is None and row["role"] == "scanning"]
        if scanning:  # left out of duty, not unseen or idle
            only = "The duty factor is not computed for scanning stations, which only read tapes to check them"
            sentences.append(f"{only}: {', '.join(scanning)}.")
        if len(unseen) < len(duty):
            sentences.append(
                f"Duty factor, {days_text(one['first_day'], one['last_day'])}: share of half-hours in which the"
                f" station's links together carried more than {one['threshold_mb_s']:g} MB/s towards it. Further"
                f" columns use half and twice this threshold. `out` marks traffic away from the station. Active rates"
                f" are averages over the half-hours above the threshold."
            )
    else:
        stagers = ", ".join(station.name for station in asker.site.station if station.role == "stager")
        only = f"Duty factors are not computed for disk systems (role stager): {stagers}."
        sentences = [only if stagers else "site.toml declares no station, or the period is unknown."]
    names = "station role duty_factor duty_half duty_twice duty_factor_out active_in_mb_s active_out_mb_s coverage"
    gaps = "station n_gaps p50_s p95_s modal_s share_long lost_hours"
    links = "link direction covered_hours moved_gb avg_mb_s busiest_at busiest_mb_s max_mb_s max_share"
    tables = [
        asker.table("duty_table", "Duty", names.split(), lambda row: bool(row["coverage"]), by="station"),
        asker.table("gap_cost", "Gaps between files", gaps.split(), lambda row: bool(row["level"] == "station")),
        asker.table("link_traffic", "Links without a station", links.split(), _is_alone, by="link"),
    ]
    if tables[1].rows:
        sentences.append(
            "The gaps below are avoidable gaps: the time for file marks, checksums and tape motion, and the time"
            f" without a request, are left out. Gaps of {asker.site.expected_gap_s:g} s are normal at this site."
        )
    return Section("Stations", sentences=sentences, tables=[table for table in tables if table.rows])


def _is_alone(row: Row) -> bool:
    """A link of no station, so that no duty factor has its traffic."""
    return row["station"] is None


@section("drives", order=50, page="drives")
def drives(asker: Asker) -> Section:
    """The rates of drives and their hours."""
    rates = "drive generation n_sessions n_files moved_gb drive_rate_mb_s drive_rate_basis overall_rate_mb_s f"
    hours = ["drive", *(f"{name}_hours" for name in _groups(asker))]
    dead = (
        "drive dead_hours share filemark_hours checksum_hours database_hours no_request_hours request_hours"
        " position_hours start_hours"
    )
    slow = (
        "drive volume station mode requested_at n_files volume_gb drive_rate_mb_s drive_rate_basis overall_rate_mb_s f"
    )
    tables = [
        asker.table("drives", "Rates of drives", rates.split(), by="drive"),
        asker.table("drives", "Hours of drives", hours, by="drive"),
        asker.table("dead_time", "Dead time between files, including time without a request", dead.split(), _is_whole),
        asker.table(
            "session_rates",
            "The slowest mount of each drive among mounts of at least 50 GB",
            slow.split(),
            most=16,
            slowest="drive",
            min_gb="50",
        ),
    ]
    moved = ["changed_at", "what", "entities", "measure", "mode", "generation", "before", "after", "summary"]
    changes = asker.table("changes", "Recent changes and their effect", moved, _is_read, 20)
    tables += [changes] if changes.rows else []
    sentences = [
        "Drive rate is bytes ÷ time in which the drive moved them. Overall rate is bytes ÷ wall-clock time from mount"
        " request to end of dismount, for completely logged mounts. f is overall rate ÷ drive rate. Only bytes, files"
        " and times within the period count, even if the mount began before the period. The basis of a drive rate names"
        " how its time was measured. call: inside the drive calls. block: in the loop over blocks, with checksums and"
        " waits for the buffer. counter: by the kernel's counters. encp: the client's time, which includes file marks"
        " and waits for data, so the rate is too low where drives waited. estimate: length of a TSM session less its"
        " waits for media, client and network."
    ]
    if not asker.ask("drives").rows:
        sentences = ["No log or list of mounts shows the hours of a drive in the period."]
        tables = [table for table in tables if table.rows]
    return Section("Drives", sentences=sentences, tables=tables)


def _is_whole(row: Row) -> bool:
    """Of the whole period, not of an hour."""
    return row["hour_at"] is None


def _is_read(row: Row) -> bool:
    return row["changed_at"] is not None


@section("quality", order=90, page="about")
def data_quality(asker: Asker) -> Section:
    """What was lost, missing or doubtful on the way in."""
    lines = "source state n_files n_lines n_used n_skipped n_rejected n_records"
    coverage = "source host expected_hours covered_hours"
    checks = "relation expectation severity n_failing detail"
    rejected = [column.name for column in asker.catalog.questions["rejects"].columns]
    tables = [
        asker.table("coverage", "Logs with missing hours or without declared hours", coverage.split(), _is_short),
        asker.table("lines_read", "Number of log lines in the files that have data of the period", lines.split()),
        asker.table("files", "Files not loaded", ["path", "state", "reason"], lambda row: row["state"] != "loaded", 20),
        asker.table("rejects", "Lines that could not be read, in files of any period", rejected, most=12),
        asker.table("impossible_dates", "Files with impossible dates", ["path", "source", "summary"], most=20),
        asker.table(
            "contradictions", "Impossible values", ["entity", "n", "what", "summary"], lambda row: row["n"], 12
        ),
        asker.table(
            "changes",
            "Entries of the change log that could not be read",
            ["what", "summary", "place"],
            lambda row: not _is_read(row),
            12,
        ),
        asker.table("checks", "Failed checks", checks.split(), _is_unmet, 20),
    ]
    nothing = [f"{table.title[:1].lower()}{table.title[1:]}" for table in tables if not table.rows]
    sentences = [f"These tables are empty and left out: {'; '.join(nothing)}."] if nothing else []
    names = [f"host name {alias} is read as {s.name}" for s in asker.site.station for alias in s.aliases]
    notes = [f"Corrected names: {', '.join(names)}."] if names else []
    return Section("Data quality", sentences=sentences, tables=[table for table in tables if table.rows], notes=notes)


def _is_short(row: Row) -> bool:
    return row["level"] == "host" and (row["expected_hours"] is None or row["covered_hours"] < row["expected_hours"])


def _is_unmet(row: Row) -> bool:
    """A check that was not met; a build that checked nothing has a row without an outcome."""
    return row["outcome"] not in (None, "passed")


@section("reproduce", order=100, page="sql")
def reproduce(asker: Asker) -> Section:
    """What it takes to get the same numbers again. Must be the last one made: it lists what was asked."""
    table = asker.table("files", "Files used for the numbers", ["path", "source", "sha256"], most=200)
    build = asker.only("checks")
    facts = [
        ("tapescope", _version()),
        ("build", str(build.get("build_id", "none"))),
        ("snapshot", "none" if asker.snapshot is None else str(asker.snapshot)),
        ("contracts, SQL and rules", asker.catalog.fingerprint),
        ("period", f"first_day={asker.first} last_day={asker.last}"),
    ]
    note = (
        "`tapescope ask NAME first_day=… last_day=…` answers a question again. The SQL below runs unchanged in any "
        "DuckDB client. AT (VERSION => snapshot) reads a table in the state that this report used, as long"
        " as the snapshot is kept."
    )
    queries = list(asker.queries.values())
    return Section("Reproduce", facts=facts, tables=[table], notes=[note], queries=queries)


def _version() -> str:
    try:
        return metadata.version("tapescope")
    except metadata.PackageNotFoundError:
        return "no version number: tapescope is not installed, it runs from its source code"
