"""The SELECTs of `schemas/inputs` that estimates and findings are made from, asked on a connection to the lake."""

from typing import Any

import polars as pl

from pipelines.catalog.files import load_catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.warehouse.connection import Connection


def ask_input(connection: Connection, name: str, /, **params: Any) -> pl.DataFrame:
    """What an input gives; all its parameters must be given."""
    return execute(connection, load_catalog().inputs[name].sql, params).pl()
