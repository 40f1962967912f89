"""The SELECTs of `schemas/inputs` that estimates and findings are made from, asked on a connection to the lake."""

import re
from functools import cache
from typing import Any

import polars as pl

from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import load_catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.warehouse.connection import LAKE, Connection


def ask_input(connection: Connection, name: str, /, **params: Any) -> pl.DataFrame:
    """What an input gives; all its parameters must be given. The lake need not be the default catalogue."""
    return execute(connection, _sql(name), params).pl()


@cache
def _sql(name: str) -> str:
    sql = load_catalog().inputs[name].sql
    tables = "|".join(map(re.escape, sql_inspect.tables(sql)))
    return re.sub(rf"\b({tables})\b", rf"{LAKE}.\1", sql)
