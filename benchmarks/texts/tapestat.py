"""Text of `tapestat -t 10` on a host with four drives."""

from collections.abc import Iterator

from benchmarks.texts._staging import Load, local

NAME, GLOB = "stager1_tapestat.txt", "{host}_{name}.txt"
REASON = "real files are small: with one line per drive every ten seconds, four drives give 3 MB a day"

STEP_S, N_DRIVES = 10, 4
HEAD = "Tape:     r/s     w/s   kB_read/s   kB_wrtn/s  %Rd  %Wr  %Oa    Rs/s    Ot/s"


def text(seed: int) -> Iterator[str]:
    """Pieces of a run that does not end; each is a report."""
    load = Load(seed, "tapestat")
    at = 0
    yield f"Linux 5.14.0-70.el9.x86_64 (stager1) \t{local(0):%Y-%m-%d} \t_x86_64_\t(16 CPU)\n\n"
    while True:
        rows = [_row(drive, *load.at(at)) for drive in range(N_DRIVES)]
        yield "\n".join([f"{local(at):%Y-%m-%d %H:%M:%S}", HEAD, *rows, "\n"])
        at += STEP_S


def _row(drive: int, mb_in: float, mb_out: float) -> str:
    read, written = (mb_in, 0.0) if drive % 2 else (0.0, mb_out)
    waited = (4 * read / 5, 4 * written / 5, (read + written) * 0.9)
    cells = [f"{1000 * mb:11.0f}" for mb in (read, written)] + [f"{share:4.0f}" for share in waited]
    return f"st{drive:<4}{4 * read:8.0f}{4 * written:8.0f} {' '.join(cells)}       0       0"
