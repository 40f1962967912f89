"""The pool that parts of a page are narrowed to, where any are known."""

from dashboards import fields
from dashboards.head import Page
from pipelines.primitives.text import natural


def choose(page: Page) -> str:
    """A choice of the side bar; empty for all pools."""
    pools = {row["pool"] for name in ("pool_use", "pool_traffic") for row in page.ask(name).rows if row["pool"]}
    return fields.choose("pool", "Pool", ["", *sorted(pools, key=natural)], {"": "all"})
