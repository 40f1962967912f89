"""Can the clocks be trusted, and do logs agree? Clocks of stations against the movers' log; two logs of one thing."""

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Clocks",
    "order": 24,
    "needs": ["gold.clock_alignment", "gold.contradiction"],
    "lacking": "two logs of the same thing, such as those of movers and of stations, and `tapescope detect`",
}
CLOCKS = ["station", "tool", "watched", "direction", "skew_s", "skew_s_low", "skew_s_high", "summary"]
CONTRADICTIONS = ["kind", "entity", "n", "n_compared", "what", "reported", "bound", "summary"]


def draw(page: Page) -> None:
    """Draw the part."""
    nothing = "No station's clock could be compared with the movers' log in this period."
    components.show_part(page.ask("clock_alignment"), CLOCKS, lacking=nothing, wide={"summary": 290})
    nothing = "Nothing of this period was compared."
    components.show_part(page.ask("contradictions"), CONTRADICTIONS, lacking=nothing, wide={"summary": 300})
