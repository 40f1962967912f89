"""What is it made of on a day? Drives, blocks, facts of site.toml, and what changed since the days to compare with."""

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Configuration",
    "order": 12,
    "needs": ["site.drive", "site.fact"],
    "lacking": "drives ([[drive]]) and facts ([[fact]]) in site.toml",
    "compares": True,
}


def draw(page: Page) -> None:
    """Draw the part."""
    inventory = page.ask("drive_inventory")
    components.show_part(inventory, inventory.names, lacking="site.toml declares no drive.")
    made_of = page.ask("configuration")
    components.show_part(
        made_of, made_of.names, lacking="site.toml has no [[fact]]: what hosts, drives, pools and disks are made of."
    )
    if page.before:
        changed = page.ask("configuration_changes", first_day=page.before[1])
        components.show_part(
            changed, changed.names, lacking=f"No fact of site.toml changed from {page.before[1]} to {page.last}."
        )
    blocks = page.ask("tape_blocks")
    known = [row for row in blocks.rows if row["tape_block_kb"] is not None]
    if known:
        components.show_part(blocks, blocks.names, known)
