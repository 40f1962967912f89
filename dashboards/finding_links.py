"""From a finding to the page that shows it, narrowed to what it is about."""

from dashboards import state
from dashboards.pages import find_parts, find_views
from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import load_catalog
from pipelines.primitives.errors import ContractError


def show(rule: str, entity: str | None) -> None:
    """A link to the page that the rule names; its filters are the parts of the entity it judges.

    A rule that an older release had leads nowhere. Raises ContractError where there is no such page.
    """
    known = load_catalog().rules.get(rule)
    if known is None:
        return
    about = known.about(entity or "")
    state.link(known.page, title_of(known), station=about.get("station"), drive=about.get("drive"))


def title_of(rule: Rule) -> str:
    """The page and the part that a rule names, in words. Raises ContractError where there is none."""
    name, _, part = rule.page.partition("/")
    titles = {view.name: view.title for view in find_views()}
    parts = {one.name: one.title for one in find_parts(name)}
    if name not in titles or (part and part not in parts):
        raise ContractError(
            f"rule {rule.name} names a page that does not exist: {rule.page}", f"known: {', '.join(sorted(titles))}"
        )
    return f"{titles[name]} · {parts[part]}" if part else titles[name]
