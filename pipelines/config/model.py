"""What all tables of site.toml have in common."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A table of site.toml: keys it does not know are mistakes, and no number is infinite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
