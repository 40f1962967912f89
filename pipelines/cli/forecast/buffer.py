"""The command that asks what a buffer before the tapes would have caught, by its size and by file family."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from pipelines.cli.forecast.common import history, history_options, said, table
from pipelines.cli.options import site_option

_WORDS = {
    "does not matter": "the size does not matter",
    "by chance": "no more than by chance: only the size of the set would do",
    "matters": "the size matters",
}
_LIMITS = """\
Shares are of the bytes read, in brackets 90 % intervals over days. Read were files which the buffers of those days did
not hold: a size is of one beside them, in which every file recalled is kept. Files last read before those days count
as new, so at least so much would have been caught."""


@click.command()
@click.option("--group", default="", help="One storage group; all of them if left out.")
@click.option("--family", "names", multiple=True, help="Show the sizes of this family's own buffer, as listed; repeat.")
@click.option("--size", "size_tb", type=click.FloatRange(min=0, min_open=True), help="A size to be judged, in TB.")
@site_option
@history_options
def buffer(
    group: str, names: tuple[str, ...], size_tb: float | None, site_path: Path, day: datetime | None, n_days: int
) -> None:
    """Tell what a buffer before the tapes would have caught, and from which size on a larger one brings nothing.

    By the reads of files that drives and pools logged, in their order; each file family with a buffer of its own too.
    """
    from pipelines.analysis.forecast import buffers
    from pipelines.primitives.errors import TapescopeError

    everyone = buffers(history(site_path, day, n_days), group)
    known = {one.name for found in everyone for one in found.families}
    if strange := sorted(set(names) - known):
        raise TapescopeError(f"no file of a family {strange[0]!r} was read", f"there are {', '.join(sorted(known))}")
    for found in everyone:
        _say(found, names, size_tb)
    click.echo(_LIMITS)


def _say(found: Any, names: tuple[str, ...], size_tb: float | None) -> None:
    from pipelines.analysis.models.calibration import Unknown
    from pipelines.primitives.text import escape_control

    cut = "; earlier ones are left out" if found.is_cut else ""
    click.echo(f"As {found.witness} saw it, {found.n_days} {'day' if found.n_days == 1 else 'days'} with reads{cut}:")
    everyone = [found.whole, *found.families]
    heads = ["family", "reads", "TB", "different", "read again", "flat from TB", "caught there", "verdict"]
    rows = [_row(one) for one in everyone]
    if size_tb:
        heads.append(f"caught by {size_tb:g} TB")
        rows = [(*row, _caught(one.reads, size_tb)) for row, one in zip(rows, everyone, strict=True)]
    table(heads, rows)
    for one in everyone:
        if isinstance(one.found, Unknown):
            click.echo(escape_control(f"{one.name}: {one.found.why}. Wanted: {one.found.wanted}."))
    for one in [one for one in found.families if one.name in names] if names else [found.whole]:
        _steps(one)
    if own := found.own():
        click.echo(
            f"A buffer for each family, of its size above, {own[0]:g} TB in all, would have caught {own[1]:.1%} of the"
            f" bytes; one of {own[0]:g} TB for all families {own[2]:.1%}."
        )


def _row(one: Any) -> tuple[str, ...]:
    from pipelines.analysis.models.calibration import Unknown

    reads, found = one.reads, one.found
    counted = (one.name, str(len(reads.sizes)), f"{float(reads.sizes.sum()) / 1e12:.2f}")
    if isinstance(found, Unknown):
        return (*counted, counted[-1], "nothing", "", "", "cannot be told")
    told = (f"{found.set_tb:.2f}", f"{found.again:.1%}", f"{found.flat_tb:g}", _caught(reads, found.flat_tb))
    return (*counted, *told, _WORDS[found.verdict])


def _caught(reads: Any, size_tb: float) -> str:
    """A share of the bytes, with its interval where there is one."""
    from pipelines.analysis.models.calibration import Unknown

    found = reads.of_size(size_tb)
    if isinstance(found, Unknown):
        return _share(reads.caught_bytes(size_tb) / max(int(reads.sizes.sum()), 1))
    return said(found, _share)


def _steps(one: Any) -> None:
    from pipelines.analysis.models.calibration import Unknown
    from pipelines.primitives.text import escape_control

    if isinstance(one.found, Unknown):
        return
    click.echo(escape_control(f"One buffer for {one.name}:"))
    rows = [(f"{step.size_tb:g}", f"{step.read_share:.1%}", f"{step.byte_share:.1%}") for step in one.found.steps]
    table(("TB", "reads caught", "bytes caught"), rows)


def _share(value: float) -> str:
    return f"{value:.1%}"
