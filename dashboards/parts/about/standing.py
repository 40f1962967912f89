"""What is good and bad about it, and how does it compare with archives that published their figures?"""

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Strengths and limits",
    "order": 14,
}


def draw(page: Page) -> None:
    """Draw the part."""
    balance = page.ask("pros_and_cons")
    components.show_part(
        balance, balance.names, lacking="Too few logs were read to judge strengths and limits.", wide={"summary": 400}
    )
    others = page.ask("beside_others")
    components.show_part(others, others.names)
