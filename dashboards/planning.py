"""What models of the pages Plan learn from: days of the page's own snapshot."""

from dashboards import data
from dashboards.head import Page
from dashboards.site import read_site, site_path
from pipelines.analysis.forecast import History
from pipelines.answers.question import Answer
from pipelines.catalog.files import load_catalog


def history(page: Page, n_days: int) -> History:
    """The `n_days` days up to the last of the page's period. Each question is asked once per snapshot."""

    def asked(name: str, params: dict[str, str]) -> Answer:
        return data.ask(name, page.snapshot, params).answer

    return History(read_site(site_path()), load_catalog(), page.last, n_days, asked)
