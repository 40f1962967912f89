"""What a finding cost on each of its last nights: as a small drawing, and as characters where nothing can be drawn."""

from collections.abc import Sequence

from markupsafe import Markup

from pipelines.reporting.report.model import Night

_LEVELS = "▁▂▃▄▅▆▇█"
_QUIET, _UNKNOWN = "·", "?"
_STEP, _HEIGHT = 5, 22  # px a night, and of the highest bar


def in_words(nights: Sequence[Night]) -> str:
    """What a drawing shows, for those who do not see it.

    >>> in_words([Night("fired", 2.0), Night("quiet", 0.0), Night("withheld", 0.0)])
    'last 3 nights: 1 with the finding, 1 without, 1 not judged'
    """
    numbers = [sum(night.outcome == name for night in nights) for name in ("fired", "quiet")]
    unknown = len(nights) - sum(numbers)
    more = f", {unknown} not judged" if unknown else ""
    return f"last {len(nights)} nights: {numbers[0]} with the finding, {numbers[1]} without{more}"


def in_characters(nights: Sequence[Night]) -> str:
    """A character a night: a bar where it fired, a dot where it did not, a question mark where nothing is known.

    >>> in_characters([Night("not_run", 0.0), Night("quiet", 0.0), Night("fired", 1.0), Night("fired", 4.0)])
    '?·▂█'
    """
    most = max((night.size for night in nights), default=0.0) or 1.0
    signs = {"quiet": _QUIET, "fired": ""}
    return "".join(
        signs.get(night.outcome, _UNKNOWN) or _LEVELS[max(round(night.size / most * 8), 1) - 1] for night in nights
    )


def drawn(nights: Sequence[Night]) -> Markup:
    """The same as SVG: bars in the colour of the text, a low line where it did not fire, nothing where unknown."""
    most = max((night.size for night in nights), default=0.0) or 1.0
    bars = []
    for place, night in enumerate(nights):
        height = max(night.size / most * _HEIGHT, 2.0) if night.outcome == "fired" else 1.0
        if night.outcome in ("fired", "quiet"):
            bars.append(f'<rect x="{place * _STEP}" y="{_HEIGHT - height:.1f}" width="4" height="{height:.1f}"/>')
    size = f'width="{len(nights) * _STEP}" height="{_HEIGHT}"'
    return Markup('<svg class="trend" role="img" aria-label="{}" {}><title>{}</title>{}</svg>').format(
        in_words(nights), Markup(size), in_words(nights), Markup("".join(bars))
    )
