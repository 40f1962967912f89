"""The command that asks what a buffer before the tapes would have caught, by its size and by file family."""

from collections.abc import Iterator
from typing import Any

import click

from pipelines.cli.forecast.common import REASONS, Past, history_options, reasons
from pipelines.cli.options import format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import counted, no_estimate, percent

_WORDS = {
    "does not matter": "the size does not matter",
    "by chance": "no more than by chance: only a buffer for the complete data set would help",
    "matters": "the size matters",
}
_LIMITS = (
    "Shares are of the bytes read, in brackets 90 % intervals over days. The reads are of files that the buffers of"
    " those days did not hold: a size is that of a further buffer, in which every file recalled is kept. Files last"
    " read before those days count as new, so a buffer would have caught at least this much."
)


@click.command()
@click.option("--group", default="", help="One storage group; default: all.")
@click.option("--family", "names", multiple=True, help="Show the sizes of this family's own buffer, as listed; repeat.")
@click.option(
    "--size", "size_tb", type=click.FloatRange(min=0, min_open=True), help="A buffer size to evaluate, in TB."
)
@history_options()
@format_option
def buffer(
    group: str,
    names: tuple[str, ...],
    size_tb: float | None,
    past: Past,
    form: str,
) -> None:
    """Show what a buffer in front of the tapes would have caught, and the size beyond which a larger one gains nothing.

    It replays the reads that drives and pools logged, in their order, also with one buffer per file family.
    """
    from pipelines.analysis.forecast import buffers

    everyone = buffers(past(), group)
    known = {one.name for found in everyone for one in found.families}
    if strange := sorted(set(names) - known):
        raise TapescopeError(f"no file of a family {strange[0]!r} was read", f"there are {', '.join(sorted(known))}")
    print_parts([*(part for found in everyone for part in _parts(found, names, size_tb)), _LIMITS], form)


def _parts(found: Any, names: tuple[str, ...], size_tb: float | None) -> Iterator[str | Rows]:
    cut = "; earlier days are left out" if found.is_cut else ""
    yield f"As the {found.witness} logged it, {counted(found.n_days, 'day')} with reads{cut}:"
    everyone = [found.whole, *found.families]
    yield Rows(f"{found.witness}_families", [_row(one, size_tb) for one in everyone], REASONS)
    for one in everyone:
        if isinstance(one.found, NoEstimate):
            yield f"{one.name}: {no_estimate(one.found)}."
    for one in [one for one in found.families if one.name in names] if names else [found.whole]:
        if not isinstance(one.found, NoEstimate):
            yield f"One buffer for {one.name}:"
            steps = [
                {"size_tb": step.size_tb, "reads_share": step.read_share, "bytes_share": step.byte_share}
                for step in one.found.steps
            ]
            yield Rows(f"{found.witness}_sizes_{one.name}", steps)
    if own := found.own():
        yield (
            f"One buffer per family, each of its size above, {own[0]:g} TB in total, would have caught"
            f" {percent(own[1])} of the bytes; one of {own[0]:g} TB for all families {percent(own[2])}."
        )


def _row(one: Any, size_tb: float | None) -> dict[str, Any]:
    reads, found = one.reads, one.found
    read_tb = float(reads.sizes.sum()) / 1e12
    row: dict[str, Any] = {"family": one.name, "n_reads": len(reads.sizes), "read_tb": read_tb}
    if isinstance(found, NoEstimate):
        row |= {"different_tb": read_tb, "again_share": 0.0, "flat_from_tb": None, "verdict": "cannot estimate"}
    else:
        row |= {"different_tb": found.set_tb, "again_share": found.again, "flat_from_tb": found.flat_tb}
        row |= _caught(reads, found.flat_tb, "caught_share") | {"verdict": _WORDS[found.verdict]}
    return row | (_caught(reads, size_tb, f"caught_by_{size_tb:g}_tb_share") if size_tb else {}) | reasons(found)


def _caught(reads: Any, size_tb: float, name: str) -> dict[str, float | None]:
    """A share of the bytes, with its interval where there is one."""
    found = reads.of_size(size_tb)
    plain = reads.caught_bytes(size_tb) / max(int(reads.sizes.sum()), 1)
    return found.columns(name) | ({name: plain} if isinstance(found, NoEstimate) else {})  # type: ignore[no-any-return]
