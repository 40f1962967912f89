"""What site.toml plans the archive to hold: so much by a day, of all of it or of a part."""

import datetime as dt

from pydantic import BaseModel, ConfigDict, Field


class Plan(BaseModel):
    """Holdings planned for a day; what is left open is not asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    by: dt.date
    holdings_tb: float = Field(gt=0)
    storage_group: str = ""
    file_family: str = ""

    @property
    def name(self) -> str:
        """What it is called: of what, how much, by when."""
        of = ".".join(part for part in (self.storage_group, self.file_family) if part)
        return f"{of}{' ' if of else ''}{self.holdings_tb:g} TB by {self.by}"
