"""The report as plain text for a terminal or a mail, 100 columns wide."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import accumulate, zip_longest

from pipelines.primitives.format import decimals_apart, fixed, is_number, label, percent, quantity, table, unit
from pipelines.primitives.text import escape_control
from pipelines.primitives.text_table import plain_lines, text_table
from pipelines.reporting.report.model import (
    Burndown,
    Figure,
    Finding,
    Loss,
    Query,
    Report,
    Section,
    Stack,
    Table,
    Tornado,
    Waterfall,
)
from pipelines.reporting.report.trend import in_characters, in_words

WIDTH = 100
_BAR = 34
_LONG_BAR = 80
_LEAST = 8  # a column of texts is not made narrower
_INTERVAL = re.compile(r"\S \(\S+ to \S+\)$")
_BREAKS = r" (?=\()", r" (?=\(|to )"  # where an interval may be broken, if lines are too long


def print_report(report: Report) -> str:
    """The whole report."""
    lines = [report.title, "=" * len(report.title)]
    for problem in report.problems:
        lines += _wrap(f"PROBLEM: {problem}")
    for section in report.sections:
        lines += ["", *_section(section, report.zone)]
    return "\n".join(escape_control(line).rstrip() for line in lines) + "\n"


def _section(section: Section, zone: str) -> Iterator[str]:
    heading = f"{section.number}. {section.title}"
    yield f"{heading} {'-' * max(WIDTH - len(heading) - 1, 0)}"
    if section.link:
        yield f"{section.page} on the dashboard: {section.link}"
    yield from _facts(section.facts)
    for sentence in section.sentences:
        yield from _wrap(sentence)
    for figure in section.figures:
        yield from _asked(figure.title, figure.question)
        yield from print_figure(figure)
    for shown in section.tables:
        yield from _table(shown, zone)
    for place, loss in enumerate(section.losses, start=1):
        yield from _loss(place, loss)
    for finding in section.findings:
        yield from _finding(finding)
    for note in section.notes:
        yield from ["", *_wrap(note)]
    for query in section.queries:
        yield from _query(query)


def _facts(facts: list[tuple[str, str]]) -> Iterator[str]:
    """Names, and next to them their values in as many lines as they need."""
    names = [escape_control(name) for name, _ in facts]
    begin = max(map(len, names), default=0) + 2
    for name, (_, value) in zip(names, facts, strict=True):
        yield from _wrap(value, name.ljust(begin), " " * begin)


def _wrap(text: str, before: str = "", after: str = "") -> list[str]:
    return textwrap.wrap(
        escape_control(text), WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False
    ) or [""]


def _asked(title: str, question: str) -> list[str]:
    return ["", *_wrap(f"{title}  [{question}]")]


def _rows(rows: Iterable[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """Rows without a heading, a little to the right."""
    return (f"  {line}" for line in plain_lines(text_table(rows, right)))


@singledispatch
def print_figure(figure: Figure) -> Iterator[str]:
    """The lines of a figure, below its title; a function for each kind."""
    raise NotImplementedError(type(figure).__name__)


@print_figure.register
def _(figure: Waterfall) -> Iterator[str]:
    rows = []
    for bar, end in zip(figure.bars, accumulate(bar.share for bar in figure.bars), strict=True):
        begin = min(round((end - bar.share) * _BAR), _BAR - 1)
        length = max(min(round(end * _BAR), _BAR) - begin, 1)
        drawn = " " * begin + ("?" if bar.group.name == "unknown" else "█") * length
        rows.append([bar.name, quantity(bar.value, figure.unit), percent(bar.share), drawn, bar.meaning])
    return _rows(rows, [False, True, True, False, False])


@print_figure.register
def _(figure: Stack) -> Iterator[str]:
    rows = []
    for name, values in figure.rows.items():
        whole = sum(values) or 1.0
        ends = [round(end / whole * _LONG_BAR) for end in accumulate(values, initial=0.0)]
        bar = "".join(
            group.symbol * (stop - begin) for group, begin, stop in zip(figure.groups, ends, ends[1:], strict=False)
        )
        rows.append([name, bar])
    yield from _rows(rows, [False, False])
    # a symbol and its words stay on one line
    names = ", ".join(f"{group.symbol} {group.words}".replace(" ", "\N{NO-BREAK SPACE}") for group in figure.groups)
    yield from (line.replace("\N{NO-BREAK SPACE}", " ") for line in _wrap(names, "  ", "  "))


@print_figure.register
def _(figure: Burndown) -> Iterator[str]:
    for day, left in (figure.left[0], figure.left[-1]) if len(figure.left) > 1 else figure.left:
        length = round(left / figure.size * _LONG_BAR)
        yield f"  {day}  {'█' * length}{'·' * (_LONG_BAR - length)}"
    yield f"  {quantity(figure.left[-1][1], figure.unit)} left of {fixed(figure.size, figure.unit)}"


@print_figure.register
def _(figure: Tornado) -> Iterator[str]:
    ends = [end for _, low, high in figure.bars for end in (low, high)]
    least, width = min(ends), max(ends) - min(ends) or 1.0
    n = decimals_apart(least, max(ends), figure.unit)

    def place(value: float) -> int:
        return round((value - least) / width * (_BAR - 1))

    rows = []
    for name, low, high in figure.bars:
        bar = [" "] * _BAR
        bar[place(low) : place(high) + 1] = "█" * (place(high) - place(low) + 1)
        bar[place(figure.value)] = "|"
        rows.append([name, f"{low:,.{n}f}", "".join(bar), f"{high:,.{n}f}"])
    yield from _rows(rows, [False, True, False, False])
    yield f"  | {quantity(figure.value, figure.unit)}"


def _table(shown: Table, zone: str) -> Iterator[str]:
    yield from _asked(shown.title, shown.question)
    if not shown.rows:
        yield "  no rows"
        return
    columns, cells = table(shown.columns, shown.rows, zone)
    units = [unit(column) for column in columns]
    heads = ["\n".join(label(column).split()) for column in columns]
    if any(units):
        heads = [f"{head}\n{shown_unit}" for head, shown_unit in zip(heads, units, strict=True)]
    right = [is_number(column) for column in columns]
    lines = plain_lines(text_table(cells, right, heads))
    if _excess(lines) > 0:
        lines = plain_lines(text_table(cells, right, heads, between=1))
    whole = cells
    for where in _BREAKS:
        if _excess(lines) > 0:
            cells = _intervals_below(whole, where)
            lines = plain_lines(text_table(cells, right, heads, between=1))
    if _excess(lines) > 0:
        lines = plain_lines(text_table(_folded(cells, right, _excess(lines)), right, heads, between=1))
    for line in lines:
        yield from _fitted(f"  {line}")
    if shown.note:
        yield f"  {shown.note}"


def _excess(lines: Sequence[str]) -> int:
    """By how many characters the longest line is too long for a table."""
    return max(map(len, lines)) - (WIDTH - 2)


def _intervals_below(cells: list[list[str]], where: str) -> list[list[str]]:
    """Rows in which the interval of a value, such as `2.0 (1.6 to 4.7)`, is below the value."""
    parts = ([re.split(where, cell) if _INTERVAL.search(cell) else [cell] for cell in row] for row in cells)
    return [list(line) for row in parts for line in zip_longest(*row, fillvalue="")]


def _folded(cells: list[list[str]], right: Sequence[bool], excess: int) -> list[list[str]]:
    """Rows whose text in the widest column goes on in the rows below, so that the other columns keep their places."""
    widths = [0 if is_right else max(len(row[n]) for row in cells) for n, is_right in enumerate(right)]
    widest = widths.index(max(widths))
    width = widths[widest] - excess
    if width < _LEAST:
        return cells
    # a name loses its end, but a checksum stays on one line, because it may be copied
    may_break = 3 * width >= 2 * widths[widest]
    rows: list[list[str]] = []
    for row in cells:
        parts = textwrap.wrap(row[widest], width, break_long_words=may_break, break_on_hyphens=False) or [""]
        blank = [""] * len(row)
        rows += [
            [*(row if place == 0 else blank)[:widest], part, *(row if place == 0 else blank)[widest + 1 :]]
            for place, part in enumerate(parts)
        ]
    return rows


def _fitted(line: str) -> list[str]:
    """A row that is too long goes on below, because nothing may be cut off."""
    return (
        [line.rstrip()]
        if len(line.rstrip()) <= WIDTH
        else textwrap.wrap(line, WIDTH, subsequent_indent="      ", drop_whitespace=False, break_on_hyphens=False)
    )


def _loss(place: int, loss: Loss) -> Iterator[str]:
    yield from _wrap(f"{place}. {loss.title}: {loss.price} ({loss.period})", "", "   ")
    yield from _wrap(f"where: {loss.where}", "   ", "          ")
    yield from _wrap(f"do: {loss.action}", "   ", "       ")


def _finding(finding: Finding) -> Iterator[str]:
    yield ""
    yield from _wrap(f"{finding.sign} {finding.severity_word}, {finding.since}", "", "  ")
    yield from _wrap(f"{finding.title}: {finding.entity}", "  ", "  ")
    yield from _wrap(f"{finding.price}; {finding.period}", "  ", "  ")
    yield from _wrap(finding.text, "  ", "  ")
    yield from _wrap(f"confidence: {finding.confidence}", "  ", "    ")
    for other in finding.others:
        yield from _wrap(f"also {other}", "  ", "    ")
    if finding.trend:
        yield f"  {in_characters(finding.trend)}  {in_words(finding.trend)}"
    if finding.is_repeat:
        yield "  meaning and what to do: same as for the previous finding, which has the same rule"
    else:
        if finding.steps:
            yield "  what to do:"
        for step in finding.steps:
            yield from _wrap(f"- {step}", "  ", "    ")
        yield from _wrap(f"means: {finding.means}", "  ", "    ")
        if finding.handbook:
            yield f"  handbook: tapescope explain {finding.rule}"
    if finding.link:
        yield f"  page: {finding.link}"
    for line in finding.evidence:
        yield from _wrap(" ".join(part for part in (line.place, line.at) if part), "  | ", "  | ")
        yield from _wrap(line.text, "  |   ", "  |   ")


def _query(query: Query) -> Iterator[str]:
    params = " ".join(f"{name}={value}" for name, value in query.params.items())
    yield from ["", *_wrap(f"{query.name} {params}".rstrip() + f": {query.title}")]
    yield from (f"    {line}" for line in query.sql.splitlines())
