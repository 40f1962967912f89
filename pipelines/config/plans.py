"""What site.toml plans the archive to hold: so much by a day, of all of it or of a part."""

import datetime as dt

from pydantic import Field

from pipelines.config.model import Model


class Plan(Model):
    """Holdings planned for a day; what is left open is not asked for."""

    by: dt.date
    holdings_tb: float = Field(gt=0)
    storage_group: str = ""
    file_family: str = ""

    @property
    def name(self) -> str:
        """What it is called: of what, how much, by when."""
        of = ".".join(part for part in (self.storage_group, self.file_family) if part)
        return f"{of}{' ' if of else ''}{self.holdings_tb:g} TB by {self.by}"
