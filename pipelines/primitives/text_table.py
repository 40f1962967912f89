"""Rows as aligned columns of plain text, as the command line, the report and mail show them."""

import io
from collections.abc import Iterable, Sequence

from rich.align import VerticalAlignMethod
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipelines.primitives.text import escape_control

ANY_WIDTH = 1_000_000  # nothing is cut off


def text_table(
    rows: Iterable[Sequence[str]], right: Sequence[bool], heads: Sequence[str] = (), between: int = 2
) -> Table:
    """A table without lines; `right` are the columns set to the right. Cells are escaped, and never markup."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, between, 0, 0), show_header=bool(heads))
    vertical: VerticalAlignMethod = "bottom" if heads else "top"
    for head, is_right in zip(heads or [""] * len(right), right, strict=True):
        table.add_column(Text(head), justify="right" if is_right else "left", vertical=vertical, no_wrap=True)
    # one text for each column: one for each cell takes three times as long
    if columns := ["\n".join(map(escape_control, column)) for column in zip(*rows, strict=True)]:
        table.add_row(*map(Text, columns))
    return table


def plain_lines(table: Table) -> list[str]:
    """The lines of a table, without colours and without spaces at their ends.

    >>> plain_lines(text_table([["LTO4_101", "75.0"]], [False, True], ["drive", "rate\\nMB/s"]))
    ['          rate', 'drive     MB/s', 'LTO4_101  75.0']
    """
    console = Console(file=io.StringIO(), width=ANY_WIDTH, color_system=None, legacy_windows=False)
    return ["".join(segment.text for segment in line).rstrip() for line in console.render_lines(table, pad=False)]
