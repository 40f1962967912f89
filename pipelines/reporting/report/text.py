"""The report as plain text for a terminal or a mail, 100 columns wide."""

import textwrap
from collections.abc import Iterator
from itertools import accumulate

from pipelines.primitives.format import fixed, is_number, label, percent, quantity, table, unit
from pipelines.primitives.text import escape_control
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

WIDTH = 100
_BAR = 34
_LONG_BAR = 80


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
    width = max((len(name) for name, _ in section.facts), default=0)
    for name, value in section.facts:
        yield from _wrap(f"{name:{width}}  {value}", after=" " * (width + 2))
    for sentence in section.sentences:
        yield from _wrap(sentence)
    for figure in section.figures:
        yield from _figure(figure)
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


def _wrap(text: str, before: str = "", after: str = "") -> list[str]:
    return textwrap.wrap(
        escape_control(text), WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False
    ) or [""]


def _asked(title: str, question: str) -> list[str]:
    return ["", *_wrap(f"{title}  [{question}]")]


def _figure(figure: Figure) -> Iterator[str]:
    match figure:
        case Waterfall():
            return _waterfall(figure)
        case Stack():
            return _stack(figure)
        case Burndown():
            return _burndown(figure)
        case Tornado():
            return _tornado(figure)


def _waterfall(figure: Waterfall) -> Iterator[str]:
    yield from _asked(figure.title, figure.question)
    for bar, end in zip(figure.bars, accumulate(bar.share for bar in figure.bars), strict=True):
        begin = min(round((end - bar.share) * _BAR), _BAR - 1)
        length = max(min(round(end * _BAR), _BAR) - begin, 1)
        drawn = " " * begin + ("?" if bar.group.name == "unknown" else "█") * length
        amount = f"{fixed(bar.value, figure.unit):>8} {figure.unit}{percent(bar.share):>8}"
        yield f"  {escape_control(bar.name):<11}{amount}  {drawn:<{_BAR}}  {bar.meaning}"


def _stack(figure: Stack) -> Iterator[str]:
    yield from _asked(figure.title, figure.question)
    width = max((len(escape_control(name)) for name in figure.rows), default=0)
    for name, values in figure.rows.items():
        whole = sum(values) or 1.0
        ends = [round(end / whole * _LONG_BAR) for end in accumulate(values, initial=0.0)]
        bar = "".join(
            group.symbol * (stop - begin) for group, begin, stop in zip(figure.groups, ends, ends[1:], strict=False)
        )
        yield f"  {escape_control(name):<{width}}  {bar}"
    yield from _wrap(", ".join(f"{group.symbol} {group.words}" for group in figure.groups), "  ", "  ")


def _burndown(figure: Burndown) -> Iterator[str]:
    yield from _asked(figure.title, figure.question)
    for day, left in (figure.left[0], figure.left[-1]) if len(figure.left) > 1 else figure.left:
        length = round(left / figure.size * _LONG_BAR)
        yield f"  {day}  {'█' * length}{'·' * (_LONG_BAR - length)}"
    yield f"  {quantity(figure.left[-1][1], figure.unit)} left of {fixed(figure.size, figure.unit)}"


def _tornado(figure: Tornado) -> Iterator[str]:
    yield from _asked(figure.title, figure.question)
    ends = [end for _, low, high in figure.bars for end in (low, high)]
    least, width = min(ends), max(ends) - min(ends) or 1.0
    names = max(len(escape_control(name)) for name, _, _ in figure.bars)

    def place(value: float) -> int:
        return round((value - least) / width * (_BAR - 1))

    for name, low, high in figure.bars:
        bar = [" "] * _BAR
        bar[place(low) : place(high) + 1] = "█" * (place(high) - place(low) + 1)
        bar[place(figure.value)] = "|"
        ends_text = [fixed(end, figure.unit) for end in (low, high)]
        yield f"  {escape_control(name):<{names}}  {ends_text[0]:>8}  {''.join(bar)}  {ends_text[1]}"
    yield f"  | {quantity(figure.value, figure.unit)}"


def _table(shown: Table, zone: str) -> Iterator[str]:
    yield from _asked(shown.title, shown.question)
    if not shown.rows:
        yield "  no rows"
        return
    columns, cells = table(shown.columns, shown.rows, zone)
    heads = [label(column).split() for column in columns]
    tall = max(len(words) for words in heads)
    above = [[([""] * (tall - len(words)) + words)[level] for words in heads] for level in range(tall)]
    grid = [*above, [unit(column) for column in columns], *cells]
    widths = [max(len(row[place]) for row in grid) for place in range(len(columns))]
    right = [is_number(column) for column in columns]
    between = "  " if sum(widths) + 2 * len(widths) <= WIDTH else " "
    for level, row in enumerate(grid):
        padded = [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, right, strict=True)
        ]
        if level > tall or any(cell.strip() for cell in padded):
            yield from _fitted("  " + between.join(padded))
    if shown.note:
        yield f"  {shown.note}"


def _fitted(line: str) -> list[str]:
    """A row that is too long goes on below, for nothing may be cut off."""
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
    yield from _wrap(f"[{finding.severity}, {finding.state}] {finding.title}: {finding.entity}")
    yield from _wrap(f"{finding.price}; {finding.period}", "  ", "  ")
    yield from _wrap(finding.text, "  ", "  ")
    yield from _wrap(f"confidence: {finding.confidence}", "  ", "    ")
    if finding.is_repeat:
        yield "  what it means, and what to look at: as above"
    else:
        yield from _wrap(f"means: {finding.means}", "  ", "    ")
        yield from _wrap(f"look at: {finding.look_at}", "  ", "    ")
    for line in finding.evidence:
        yield from _wrap(" ".join(part for part in (line.place, line.at) if part), "  | ", "  | ")
        yield from _wrap(line.text, "  |   ", "  |   ")


def _query(query: Query) -> Iterator[str]:
    params = " ".join(f"{name}={value}" for name, value in query.params.items())
    yield from ["", *_wrap(f"{query.name} {params}".rstrip() + f": {query.title}")]
    yield from (f"    {line}" for line in query.sql.splitlines())
