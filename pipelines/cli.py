"""The command line: parse arguments, call one step, print, choose the exit code."""

import json
import sys
import textwrap
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from pipelines import (
    answer_commands,
    buffer_command,
    catalogue_commands,
    dashboard_command,
    deliver_command,
    drill_command,
    endings,
    finding_commands,
    forecast_commands,
    growth_command,
    recommendation_commands,
    restore_command,
    sizing_commands,
    study_command,
    whatif_commands,
)
from pipelines.errors import NothingRead
from pipelines.options import Command, as_params, period, period_options, site_option

SEVERITIES = ("info", "warning", "critical")
FINDINGS_FOUND = 4
_MOST_NAMED = 4  # files with the same trouble; the others are counted
_NO_CLOCK = (
    "Files that are refused with no_clock can be read once an [[input]] of site.toml says when they were: `date`, or"
    " `start_at` and `interval_s`, or `date_order`. `tapescope init DIR --out FILE` writes down which each lacks."
)


def _json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")(command)


def _load(site_path: Path) -> Any:
    from pipelines import steps

    return steps.site_at(site_path)


def _say(counts: dict[str, Any], as_json: bool, sentence: str) -> None:
    from pipelines.hostile import visible

    if as_json:
        click.echo(json.dumps(counts, default=str))
        return
    click.echo(sentence)
    for line in _told([*counts.get("problems", []), *counts.get("warnings", [])]):
        click.echo(f"  {line}", err=True)
    if counts.get("unnamed"):
        click.echo(visible(counts["unnamed"]), err=True)


def _told(problems: list[dict[str, str]]) -> list[str]:
    """Problems a line each; of many files with the same trouble the first, and what can be done where we know it."""
    from pipelines.hostile import visible

    alike: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        alike.setdefault((problem["state"], visible(problem["reason"])), []).append(visible(problem["path"]))
    said: list[str] = []
    for (state, reason), paths in alike.items():
        if len(paths) <= _MOST_NAMED:
            said += [f"{state}: {path}: {reason}" for path in paths]
        else:
            more = f"{', '.join(paths[:_MOST_NAMED])} and {len(paths) - _MOST_NAMED} more: `tapescope ask files`"
            said.append(f"{state}: {len(paths)} files: {reason}: {more}")
    return [*said, _NO_CLOCK] if any(reason.startswith("no_clock") for _, reason in alike) else said


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tapescope")
def cli() -> None:
    """Where the time of an archive's tape drives goes, and why.

    Begin with `tapescope demo`, or write a site.toml and `tapescope run`.
    """


for _command in (
    *catalogue_commands.COMMANDS,
    *answer_commands.COMMANDS,
    dashboard_command.dashboard,
    deliver_command.deliver,
    drill_command.drill,
    finding_commands.finding,
    forecast_commands.forecast,
    recommendation_commands.recommendation,
    restore_command.restore,
    study_command.study,
):
    cli.add_command(_command)
for _command in (
    *sizing_commands.COMMANDS,
    *whatif_commands.COMMANDS,
    buffer_command.buffer,
    growth_command.growth,
):
    forecast_commands.forecast.add_command(_command)


@cli.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("var/demo"),
    show_default=True,
    help="Scratch folder; its site.toml stays there for every other command.",
)
@site_option
def demo(folder: Path, site_path: Path) -> None:
    """Run everything on the sample archive and show the headline findings."""
    from pipelines import steps

    site = steps.make_demo(folder)
    click.echo(f"The sample archive is in {folder}: synthetic logs of a migration stand and of PIC's tape read tests.")
    _run(site, None, None, as_json=False)
    _show_findings(site, None, None)
    called = sys.argv[0] if "/" in sys.argv[0] and not sys.argv[0].endswith(".py") else "tapescope"
    click.echo(f"\nFurther: {called} ask session_rates --site {folder}")
    click.echo(f"         {called} dashboard --site {folder}")


@cli.command()
@site_option
@period_options
@_json_option
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="Exit with 4 on findings at or above this severity.")
def run(site_path: Path, day_day: Any, from_day: Any, to_day: Any, as_json: bool, fail_on: str | None) -> None:
    """Ingest, build, detect, forecast and report: what the DAG nightly_report does."""
    found = _run(_load(site_path), *period(day_day, from_day, to_day), as_json=as_json)
    _exit_on(found, fail_on)


def _run(site: Any, first: date | None, last: date | None, as_json: bool) -> list[dict[str, Any]]:
    """All steps in order. Where one fails the report is written all the same, and says so."""
    from pipelines import steps

    problems: list[str] = []
    findings: list[dict[str, Any]] = []
    failure: Exception | None = None
    step = "ingest"
    try:
        read = _ingest(site, None, False)
        problems += _told([*read["problems"], *read["warnings"]])
        _say(read, as_json, _ingest_sentence(read))
        step = "build"
        built = _build(site, False)
        _say(built, as_json, _build_sentence(built))
        step = "detect"
        found = steps.detect(site, first, last)
        findings = found.findings
        _say(found.as_dict(), as_json, "\n".join([_detect_sentence(found), *found.not_run]))
        step = "forecast"
        foretold = steps.forecast(site, last).as_dict()
        _say(foretold, as_json, forecast_commands.step_sentence(foretold))
        failure = _nothing_read(site, read)
    except Exception as error:
        failure = error
        problems.insert(0, steps.told(step, error))
    try:
        written = steps.report(site, first, last, problems=problems)
    except Exception as error:
        if failure is None:
            raise
        click.echo(steps.told("report", error), err=True)
    else:
        _say({"report": written}, as_json, f"Report: {written['html']} (also .txt and .json)")
    if failure is not None:
        raise failure
    return findings


def _nothing_read(site: Any, read: dict[str, Any]) -> NothingRead | None:
    """What is wrong if no input fits a file, or no file could be read; files that have not changed were read before."""
    if not read["files"]:
        patterns = ", ".join(item.glob for item in site.input) or "there is no [[input]]"
        hint = "correct the `glob` of the [[input]] entries; `tapescope init DIR` writes them from a folder of logs"
        return NothingRead(f"nothing was read: no file fits an input of site.toml ({patterns})", hint)
    if not any(read[state] for state in ("loaded", "unchanged", "withdrawn")):
        return NothingRead(
            f"nothing was read: none of {read['files']} files could be", "see why: `tapescope ask files`"
        )
    return None


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it.  [default: site.toml in FOLDER]")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(folder: Path, out: Path | None, force: bool) -> None:
    """Write a commented site.toml from a folder of logs: hosts, drives, links, zone, inputs, each with its evidence."""
    from pipelines import steps
    from pipelines.console import print_survey, reading_bar

    out = out or folder / "site.toml"
    with reading_bar(steps.bytes_below(folder), "looking at") as advance:
        found = steps.init(folder, out, force, advance)
    print_survey(found, str(out))


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@site_option
@_json_option
@click.option("--again", is_flag=True, help="Also read files that were withdrawn with `forget`.")
def ingest(paths: tuple[Path, ...], site_path: Path, as_json: bool, again: bool) -> None:
    """Read the logs that site.toml names, or the files and folders given, where they are new or have changed."""
    counts = _ingest(_load(site_path), list(paths) or None, again)
    _say(counts, as_json, _ingest_sentence(counts))


def _ingest(site: Any, paths: list[Path] | None, again: bool) -> dict[str, Any]:
    from pipelines import steps
    from pipelines.console import reading_bar

    with reading_bar(steps.bytes_to_read(site, paths), "reading") as advance:
        return steps.ingest(site, paths, again, advance).as_dict()


def _ingest_sentence(counts: dict[str, Any]) -> str:
    states = ", ".join(f"{counts[name]} {name}" for name in ("unchanged", "failed", "unknown"))
    lines = " + ".join(f"{counts[f'n_{name}']:,} {name}" for name in ("used", "skipped", "rejected"))
    return (
        f"Read {counts['loaded']} of {counts['files']} files ({states}): {counts['n_lines']:,} lines = {lines};"
        f" {counts['n_records']:,} records."
    )


@cli.command()
@site_option
@_json_option
@click.option("--full", is_flag=True, help="Make all days again, not only those that changed.")
def build(site_path: Path, as_json: bool, full: bool) -> None:
    """Make events and metrics of what changed; commit only if no critical check fails."""
    counts = _build(_load(site_path), full)
    _say(counts, as_json, _build_sentence(counts))


def _build(site: Any, full: bool) -> dict[str, Any]:
    from pipelines import steps
    from pipelines.console import step_spinner

    with step_spinner("building") as name_it:
        return steps.build(site, full, name_it).as_dict()


def _build_sentence(counts: dict[str, Any]) -> str:
    days = counts["days"]
    span = f"{len(days)} days from {days[0]} to {days[-1]}" if days else "nothing had changed"
    return (
        f"Built ({'everything' if counts['is_full'] else 'what changed'}; {span}): {counts['n_rows']:,} rows,"
        f" {counts['n_checks']} checks, {counts['n_warnings']} warnings."
    )


@cli.command()
@site_option
@period_options
@_json_option
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="Exit with 4 on findings at or above this severity.")
def detect(site_path: Path, day_day: Any, from_day: Any, to_day: Any, as_json: bool, fail_on: str | None) -> None:
    """Apply the rules to a period (default: the last day with data)."""
    from pipelines import steps

    site = _load(site_path)
    found = steps.detect(site, *period(day_day, from_day, to_day))
    _say(found.as_dict(), as_json, _detect_sentence(found))
    if not as_json:
        _show_findings(site, found.first_day, found.last_day)
    _exit_on(found.findings, fail_on)


def _detect_sentence(found: Any) -> str:
    """What the rules found, and why their silence is no all-clear."""
    from pipelines.ask import NO_DATA

    counts, n = found.as_dict(), len(found.findings)
    if counts["last_day"] == str(NO_DATA):
        return "No day with data yet: no rule was applied."
    listed = ", ".join(f"{counts[name]} {name}" for name in reversed(SEVERITIES) if counts.get(name))
    unsaid = f" Too little was seen for {counts['withheld']} rules: `ask withheld`." if counts["withheld"] else ""
    doubts = "".join(f"\n{doubt}" for doubt in found.doubts)
    return f"{n} findings for {counts['last_day']}" + (f" ({listed})." if listed else ".") + unsaid + doubts


def _show_findings(site: Any, first: date | None, last: date | None) -> None:
    from pipelines import steps
    from pipelines.console import priced
    from pipelines.hostile import visible

    for finding in steps.ask(site, "findings", as_params(first, last)).as_dicts():
        click.secho(f"\n{finding['severity'].upper():9}{finding['rule']}{priced(finding)}", bold=True)
        click.echo(textwrap.fill(visible(finding["text"]), 100, initial_indent=" " * 9, subsequent_indent=" " * 9))


def _exit_on(found: list[dict[str, Any]], fail_on: str | None) -> None:
    standing = [one for one in found if one["state"] not in ("acknowledged", "muted")]
    if fail_on and any(SEVERITIES.index(one["severity"]) >= SEVERITIES.index(fail_on) for one in standing):
        sys.exit(FINDINGS_FOUND)


@cli.command()
@site_option
@period_options
@_json_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write to; default var/reports beside site.toml."
)
def report(site_path: Path, day_day: Any, from_day: Any, to_day: Any, as_json: bool, out: Path | None) -> None:
    """Write the nightly report as HTML, text and JSON."""
    from pipelines import steps

    written = steps.report(_load(site_path), *period(day_day, from_day, to_day), out)
    _say(written, as_json, "\n".join(str(path) for path in written.values()))


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@site_option
@click.option("--verbose", "-v", is_flag=True, help="Also what every source says of a file, the nearest first.")
def recognise(paths: tuple[Path, ...], site_path: Path, verbose: bool) -> None:
    """Say which source reads a file, or which comes nearest and what it misses."""
    from pipelines import steps
    from pipelines.hostile import visible

    said = steps.recognise(list(paths))
    for one in said:
        click.echo(f"{visible(str(one.path))}: {one.source or 'unknown'}: {visible(one.why)}")
        for name, why in one.claims.items() if verbose else ():
            click.echo(f"    {name}: {visible(why)}")
    if len(said) > 1:
        n_known = sum(one.source is not None for one in said)
        click.echo(f"{n_known} of {len(said)} files are of a known kind; --verbose says what every source misses")


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@site_option
@click.option("--source", help="Read it as this source, whatever its first lines look like.")
@click.option("--rejects", is_flag=True, help="Print the rejected lines instead of the records.")
def parse(file: Path, site_path: Path, source: str | None, rejects: bool) -> None:
    """Print a file's records as JSON lines, without a database; the counts end standard error."""
    from pipelines import steps

    site = _load(site_path) if (site_path / "site.toml").exists() or site_path.is_file() else None
    counts = steps.parse(site, file, source, rejects, lambda row: click.echo(json.dumps(row, default=_instant)))
    click.echo(json.dumps(counts), err=True)
    if counts["rejected"] and not counts["records"]:
        sys.exit(NothingRead.exit_code)


def _instant(value: Any) -> str:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


@cli.command()
@click.argument("file")
@site_option
@_json_option
def forget(file: str, site_path: Path, as_json: bool) -> None:
    """Withdraw a file (path or file_id) and take its rows out of everything built."""
    from pipelines import steps

    site = _load(site_path)
    parts = steps.forget(site, file)
    built = _build(site, False)
    _say({"forgotten": parts} | built, as_json, f"Withdrawn: {', '.join(parts)}. {_build_sentence(built)}")


@cli.command()
@site_option
@_json_option
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def maintain(site_path: Path, as_json: bool, dry_run: bool) -> None:
    """Drop facts older than site.toml keeps them; merge small files, expire old snapshots, remove what nobody needs."""
    from pipelines import steps

    counts = steps.maintain(_load(site_path), dry_run).as_dict()
    _say(counts, as_json, _maintain_sentences(counts))


def _maintain_sentences(counts: dict[str, Any]) -> str:
    would = "Would have dropped" if counts["dry_run"] else "Dropped"
    days = ", ".join(f"{counts[f'{layer}_days_dropped']} days of {layer}" for layer in ("gold", "silver", "bronze"))
    facts = f"{would} {days}: {counts['rows_dropped']:,} rows; metrics are kept from {counts['kept_from']}."
    if counts["waits_for_build"]:
        facts = "No facts dropped: SQL or site.toml have changed since the last build; run `tapescope build` first."
    elif not counts["rows_dropped"]:
        facts = "No facts are too old."
    n_gone = counts["files_removed"] + counts["orphans_removed"]
    return (
        f"{facts}\n{counts['files_before']:,} files merged into {counts['files_after']:,},"
        f" {counts['snapshots_expired']:,} snapshots expired,"
        f" {n_gone:,} files removed ({counts['orphans_removed']:,} of killed writers):"
        f" {counts['bytes_given_back'] / 1e6:,.1f} MB given back."
    )


def main() -> None:
    """The command `tapescope`: every failure becomes a message, a hint and an exit code."""
    endings.run(cli)


if __name__ == "__main__":
    main()
