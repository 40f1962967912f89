"""What was covered, before what it means: coverage, days without a log, clocks that do not agree."""

from pipelines.answers.question import OUTDATED, is_settled
from pipelines.primitives.format import counted, fixed, listed, percent, quantity
from pipelines.primitives.times import day_text, days_between, days_text, instant, left_out
from pipelines.reporting.report.model import Section
from pipelines.reporting.report.queries import Asker, Row
from pipelines.reporting.report.sections import section

# Above this share of hours without a log, nothing is reported about what the hours went on.
_MOST_UNSEEN = 0.5
_MOST_DAYS = 5
_MOST_NAMES = 5


def is_withheld(headline: Row) -> bool:
    """Whether too few logs were read to show the use of the hours."""
    available = headline.get("available_hours") or 0.0
    return not available or headline["unknown_hours"] > _MOST_UNSEEN * available


@section("coverage", order=0, page="about")
def header(asker: Asker) -> Section:
    """What this is about, and how much of it has logs."""
    site, build = asker.site, asker.only("checks")
    chosen = f"; {asker.chosen}" if asker.chosen else ""
    facts = [("period", f"{days_text(asker.first, asker.last)}, calendar days of {site.zone}{chosen}")]
    facts += [*_freshness(asker), *_rules(asker)]
    covered = [row for row in asker.ask("coverage").as_dicts() if row["level"] == "source"]
    facts += [(f"covered: {row['source']}", _coverage(row)) for row in covered]
    if not covered:
        facts.append(
            ("covered", "no log: the warehouse has no log lines for the period, and site.toml declares no log for it")
        )
    facts += [*_days_unseen(asker), *_clocks(asker)]
    facts += [("verdict", _verdict(asker)), *_withheld(asker)]
    if build:
        state = "" if build["is_committed"] else ", NOT committed: all numbers are from the previous build"
        outdated = f". {OUTDATED}" if asker.is_outdated() else ""
        facts.append(("data", f"build {build['build_id']}{state}, snapshot {asker.snapshot}{outdated}"))
    else:
        facts.append(("data", "nothing has been built yet"))
    return Section("What the logs cover", facts=facts)


def _freshness(asker: Asker) -> list[tuple[str, str]]:
    """Until when there are data, and how the last run ended: how old everything below is."""
    fresh = asker.only("freshness")
    if not fresh:
        return []
    until = fresh["until_at"]
    data = "no log line with a date was read" if until is None else f"until {instant(until, asker.site.zone)}"
    ended = fresh["ended_at"]
    run = "none" if ended is None else f"{fresh['name']}, ended {instant(ended, asker.site.zone)}, {fresh['outcome']}"
    failure = f": {fresh['failure']}" if fresh["failure"] else ""
    return [("data read", data), ("last run", run + failure)]


def _rules(asker: Asker) -> list[tuple[str, str]]:
    """Days without findings that are no all-clear: the rules did not run, or had too few logs."""
    rows = asker.ask("day_state").as_dicts()
    return [("rules", row["summary"]) for row in rows if row["is_outdated"] or row["state"] != "findings"]


def covering(asker: Asker) -> str:
    """The kinds of log that cover days of the period, with their hours; empty where none does."""
    return ", ".join(row["sources"] for row in asker.ask("day_state").as_dicts() if row["sources"])


def were_asked(asker: Asker) -> bool:
    """Whether the rules ran for some day of the period: without that, silence is no answer."""
    return any(row["state"] not in ("not_run", "not_covered") for row in asker.ask("day_state").as_dicts())


def unjudged(asker: Asker) -> list[str]:
    """Why verdicts do not hold, and silence is no all-clear: a sentence for each run of such days."""
    return [row["summary"] for row in asker.ask("day_state").as_dicts() if not is_settled(row)]


def _days_unseen(asker: Asker) -> list[tuple[str, str]]:
    """Days of a longer period of which the ledger knows nothing: they are in no sum, not even as unknown hours."""
    if asker.first is None or asker.last is None or asker.first >= asker.last:
        return []
    known = {row["day"] for row in asker.ask("drive_ledger").as_dicts()}
    days = days_between(asker.first, asker.last)
    unseen = [day for day in days if day not in known]
    named = listed([day_text(day) for day in unseen], _MOST_DAYS)
    return [("not covered", f"{left_out(unseen, len(days))}: {named}")] if unseen else []


def _coverage(row: Row) -> str:
    hosts = "" if row["n_hosts"] == 1 else f" of {row['n_hosts']} logs"
    if row["share"] is None:
        return f"{quantity(row['covered_hours'], 'h')}{hosts}; site.toml does not declare when such logs should exist"
    # 99.97 % must not be read as all of it
    share = "all" if row["missing_hours"] == 0 else f"{100 * row['share']:.2f} %"
    text = f"{fixed(row['covered_hours'], 'h')} of {quantity(row['expected_hours'], 'h')}{hosts} ({share})"
    short = f"; {quantity(row['missing_hours'], 'h')} missing" if row["missing_hours"] else ""
    text += f"{short} in {counted(row['n_short'], 'log')}" if short and hosts else short
    return text + (
        f"; the logs also cover {quantity(row['undeclared_hours'], 'h')} that site.toml does not declare"
        if row["undeclared_hours"]
        else ""
    )


def _verdict(asker: Asker) -> str:
    headline = asker.only("headline")
    if not headline.get("available_hours"):
        return "withheld: no log covers any drive in the period"
    unseen = (
        f"{fixed(headline['unknown_hours'], 'h')} of {fixed(headline['available_hours'], 'h')} drive-hours have no log"
    )
    return f"withheld: {unseen}" if is_withheld(headline) else f"given; {unseen}"


def _clocks(asker: Asker) -> list[tuple[str, str]]:
    """How far logs of different hosts may be laid side by side: each station by the best log of its clock."""
    best: dict[str, Row] = {}
    for row in asker.ask("clock_alignment").as_dicts():
        known = best.setdefault(row["station"], row)
        if known["skew_s"] is None and row["skew_s"] is not None:
            best[row["station"]] = row
    alike: dict[str, list[str]] = {}
    for station, row in best.items():
        alike.setdefault(row["summary"] + (f" (by {row['tool']})" if row["skew_s"] is not None else ""), []).append(
            station
        )
    return [("clocks", f"{listed(stations, _MOST_NAMES)}: {says}") for says, stations in sorted(alike.items())]


def _withheld(asker: Asker) -> list[tuple[str, str]]:
    """Rules that give no verdict, and neither an all-clear, by the log that is missing."""
    rules: dict[str, list[str]] = {}
    for row in asker.ask("withheld").as_dicts():
        if row["entity"] is None:
            seen = f"{fixed(row['covered_hours'], 'h')} of {quantity(row['expected_hours'], 'h')}"
            log = f"{row['source']} of {row['host']}: {seen} covered, {percent(row['needed'])} needed"
            rules.setdefault(log, []).append(row["rule"])
    return [("withheld", f"{log}; not evaluated: {', '.join(names)}") for log, names in rules.items()]
