"""What was read of each log, and what was refused? Lines by source, files, rejected lines with their reasons."""

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Files and lines",
    "order": 22,
}
LINES = ["source", "state", "n_files", "n_lines", "n_used", "n_skipped", "n_rejected", "n_records"]
FILES = ["path", "source", "state", "n_lines", "n_rejected", "first_at", "last_at", "reason", "note"]
REJECTS = ["path", "reason", "n_lines", "line_no", "text"]


def draw(page: Page) -> None:
    """Draw the part."""
    components.show_part(page.ask("lines_read"), LINES)
    components.show_part(page.ask("rejects"), REJECTS, lacking="No line was rejected.", wide={"path": 220, "text": 330})
    components.show_part(page.ask("files"), FILES, wide={"note": 300})
