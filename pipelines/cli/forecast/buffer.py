"""The command that shows which reads would have been served by a disk buffer, per buffer size and file family."""

from collections.abc import Iterator
from typing import Any

import click

from pipelines.analysis.models.buffer import VERDICTS
from pipelines.cli.forecast.common import REASONS, Past, history_options, reasons
from pipelines.cli.lazy import forecast
from pipelines.cli.options import Finite, format_option
from pipelines.cli.output import Rows, print_parts
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import counted, no_estimate, percent

_LIMITS = (
    "Shares are bytes ÷ all bytes read; only 'reads share' is reads ÷ all reads. Values in brackets are 90 % intervals,"
    " which show how much the share varies from day to day. Logs do not show reads that existing buffers served, so"
    " each size is that of an additional buffer. The replay copies every recalled file into the buffer. At the start"
    " of the replay the buffer is empty, so the shares are lower bounds."
)


@click.command()
@click.option("--group", default="", help="One storage group; default: all.")
@click.option(
    "--family",
    "names",
    multiple=True,
    help="Show the table of buffer sizes for this file family, not for all files; can be given several times.",
)
@click.option("--size", "size_tb", type=Finite(min=0, min_open=True), help="A buffer size to evaluate, in TB.")
@history_options()
@format_option
def buffer(
    group: str,
    names: tuple[str, ...],
    size_tb: float | None,
    past: Past,
    form: str,
) -> None:
    """Show what a disk buffer in front of the tapes would serve.

    The tables show the share of the recalled data that buffers of several sizes would have served. They also show the
    size beyond which a larger buffer would serve hardly more data. The command replays the logged reads of drives and
    pools in order, first with one buffer for all files, then with one buffer for each file family.
    """
    everyone = forecast.buffers(past(), group)
    known = {one.name for found in everyone for one in found.families}
    if strange := sorted(set(names) - known):
        raise TapescopeError(
            f"no file of the family {strange[0]!r} was read", f"families that were read: {', '.join(sorted(known))}"
        )
    print_parts([*(part for found in everyone for part in _parts(found, names, size_tb)), _LIMITS], form)


def _parts(found: Any, names: tuple[str, ...], size_tb: float | None) -> Iterator[str | Rows]:
    cut = "; earlier reads were left out, because there are too many reads" if found.is_cut else ""
    yield f"Reads logged by the {found.witness} on {counted(found.n_days, 'day')}{cut}:"
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
            "One buffer for each family whose reads gain from a buffer, of the size in the column “flat from”"
            f" ({own[0]:g} TB in total), would have served {percent(own[1])} of the bytes. A single buffer of"
            f" {own[0]:g} TB for all families would have served {percent(own[2])} of the bytes."
        )


def _row(one: Any, size_tb: float | None) -> dict[str, Any]:
    reads, found = one.reads, one.found
    read_tb = float(reads.sizes.sum()) / 1e12
    row: dict[str, Any] = {"family": one.name, "n_reads": len(reads.sizes), "read_tb": read_tb}
    if isinstance(found, NoEstimate):
        row |= {"different_tb": read_tb, "again_share": 0.0, "flat_from_tb": None, "verdict": "cannot estimate"}
    else:
        row |= {"different_tb": found.set_tb, "again_share": found.again, "flat_from_tb": found.flat_tb}
        row |= _caught(reads, found.flat_tb, "caught_share") | {"verdict": VERDICTS[found.verdict]}
    return row | (_caught(reads, size_tb, f"caught_by_{size_tb:g}_tb_share") if size_tb else {}) | reasons(found)


def _caught(reads: Any, size_tb: float, name: str) -> dict[str, float | None]:
    """The share of bytes that a buffer would have served, with an interval if there is one."""
    found = reads.of_size(size_tb)
    plain = reads.caught_bytes(size_tb) / max(int(reads.sizes.sum()), 1)
    return found.columns(name) | ({name: plain} if isinstance(found, NoEstimate) else {})  # type: ignore[no-any-return]
