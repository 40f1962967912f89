"""From a finding to the page that shows it, narrowed to what it is about."""

from dashboards import state
from dashboards.pages import Part, find_parts, find_views
from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import load_catalog
from pipelines.primitives.errors import ContractError

# The choice of a page that each column of an entity's name sets.
CHOICES = {"station": "station", "drive": "drive", "storage_group": "group", "volume": "tape", "host": "host"}


def show(rule: str, entity: str | None) -> None:
    """A link to the page that the rule names; the parts of the entity it judges set the choices that the page has.

    A rule that an older release had leads nowhere. Raises ContractError where there is no such page.
    """
    known = load_catalog().rules.get(rule)
    if known is None:
        return
    part = _part(known)
    has = {*part.filters, *part.names}
    about = known.about(entity or "").items()
    state.link(known.page, title_of(known), **{CHOICES[name]: text for name, text in about if CHOICES.get(name) in has})


def title_of(rule: Rule) -> str:
    """The page and the part that a rule names, in words. Raises ContractError where there is none."""
    part = _part(rule)
    title = next(view.title for view in find_views() if view.name == part.page)
    return f"{title} · {part.title}" if "/" in rule.page else title


def _part(rule: Rule) -> Part:
    """The part that a rule names, or the first one of its page. Raises ContractError where there is none."""
    page, _, name = rule.page.partition("/")
    part = next((one for one in find_parts(page) if name in ("", one.name)), None)
    if part is None:
        titles = sorted(view.name for view in find_views())
        raise ContractError(
            f"rule {rule.name} names a page that does not exist: {rule.page}", f"known: {', '.join(titles)}"
        )
    return part
