"""From a finding to the page that shows it, narrowed to what it is about."""

from dashboards import state
from dashboards.pages import View, find_views
from pipelines.catalog.contracts import Rule, load_catalog
from pipelines.primitives.errors import ContractError


def show(rule: str, entity: str | None) -> None:
    """A link to the page that the rule names; its filters are the parts of the entity it judges.

    A rule that an older release had leads nowhere. Raises ContractError where there is no such page.
    """
    known = load_catalog().rules.get(rule)
    if known is None:
        return
    about = dict(zip(known.by, (entity or "").split("/"), strict=False))
    view = page_of(known)
    state.link(view.name, view.title, station=about.get("station"), drive=about.get("drive"))


def page_of(rule: Rule) -> View:
    """The page that a rule names. Raises ContractError where there is none."""
    views = {view.name: view for view in find_views()}
    if rule.page not in views:
        raise ContractError(f"rule {rule.name}: there is no page {rule.page}", f"known: {', '.join(sorted(views))}")
    return views[rule.page]
