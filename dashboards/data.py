"""The only way from the pages to the warehouse: questions of the catalogue, answered once per snapshot."""

import os
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from pipelines.ask import Answer, ask
from pipelines.catalog import Column, load_catalog
from pipelines.config import load_site

# Ends of names that repeat the unit, which a label shows in brackets.
_ENDS = ("_gb_day", "_mb_s", "_hours", "_gb", "_s")


class NoAnswer(Exception):
    """A question cannot be answered; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def newest(name: str) -> Answer:
    """The answer from the newest snapshot, not a remembered one: ask the rest of its snapshot. Raises NoAnswer."""
    return _ask(_site_path(), name, {}, None)


def answer(name: str, snapshot: int, params: dict[str, str]) -> Answer:
    """The answer from a snapshot; each is worked out once. Raises NoAnswer."""
    return _remembered(_site_path(), name, tuple(sorted(params.items())), snapshot)


@st.cache_data(max_entries=500, show_spinner=False)
def _remembered(path: str, name: str, params: tuple[tuple[str, str], ...], snapshot: int) -> Answer:
    return _ask(path, name, dict(params), snapshot)


def _ask(path: str, name: str, params: dict[str, str], snapshot: int | None) -> Answer:
    try:
        return ask(load_site(Path(path)), load_catalog(), name, params, snapshot)
    except Exception as error:
        # tapescope's own errors say what to do; any other is a fault and must be seen as one
        if not hasattr(error, "hint"):
            raise
        raise NoAnswer(str(error), error.hint) from error


def _site_path() -> str:
    return str(Path(os.environ.get("TAPESCOPE_SITE", "")).absolute())


def title(name: str) -> str:
    return load_catalog().questions[name].title


def why(name: str) -> str:
    return load_catalog().questions[name].why


def label(column: Column) -> str:
    """A column's name for people, with its unit: `lost_gb_day` is `lost [GB/day]`."""
    end = next((end for end in _ENDS if column.unit not in ("", "1") and column.name.endswith(end)), "")
    words = column.name.removesuffix(end).removeprefix("n_").replace("_", " ")
    unit = {"": "", "1": " [%]" if column.name.startswith("share") else ""}.get(column.unit, f" [{column.unit}]")
    return words + unit


def shown(column: Column, value: Any, with_unit: bool = True) -> str:
    """A value for people, with its unit unless that stands beside it."""
    if value is None:
        return "not known"
    if column.name.startswith("share"):
        return f"{100 * value:.1f}{' %' if with_unit else ''}"
    unit = f" {column.unit}" if with_unit and column.unit not in ("", "1") else ""
    return f"{value:,.1f}{unit}" if isinstance(value, float) else f"{value:,}{unit}"


def frame(found: Answer) -> pl.DataFrame:
    """The rows as a frame, its columns named as in the catalogue."""
    names = [column.name for column in found.columns]
    return pl.DataFrame(found.rows, schema=names, orient="row", infer_schema_length=None)


def column_config(found: Answer) -> dict[str, Any]:
    """Labels, units and tooltips of a table, from the catalogue."""
    config: dict[str, Any] = {}
    for column in found.columns:
        if column.type in ("DOUBLE", "BIGINT"):
            form = "percent" if column.name.startswith("share") else "%.1f" if column.type == "DOUBLE" else "localized"
            config[column.name] = st.column_config.NumberColumn(label(column), help=column.doc, format=form)
        else:
            config[column.name] = st.column_config.Column(label(column), help=column.doc)
    return config
