"""The inner part of the SQL desk: what to start from, what there is to ask of, running it, the link that says it."""

import io
import re
import threading
import time
from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import altair as alt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import streamlit as st

from dashboards import data
from dashboards.site import read_site, site_path
from pipelines.answers import adhoc
from pipelines.catalog.contracts import Question
from pipelines.catalog.files import load_catalog
from pipelines.primitives.text import escape_csv_cell

# The ten questions operators ask first, in the order of an investigation.
TEN = (
    *("hours_by_group", "whole_tape_reads", "gaps_and_spool", "remount_cost", "slow_drive_or_tape"),
    *("unbalanced_stations", "overhead_and_speed", "sizes_and_families", "disks_at_once", "before_after"),
)
FOLDER = "queries"  # next to site.toml: the site's own statements, NAME.sql
MAX_SAVED = 200
MAX_SAVED_BYTES = 20_000
MAX_LINK = 6_000  # characters; browsers and proxies cut longer ones
MEMORY = "1GB"
AT_ONCE = 2  # statements that run at the same time, whoever asks
ROWS = (100, 1_000, 10_000, 100_000)
CHARTS = ("none", "line", "bars", "points")
SHOWN_ROWS, SHOWN_CHARS = 2_000, 500
DRAWN_ROWS = 5_000
Default = TypeVar("Default")


@dataclass(frozen=True)
class Asked:
    """A statement, its limits and its chart, as the URL gives them."""

    sql: str
    rows: int
    seconds: int
    snapshot: int | None = None  # the newest if none is named
    chart: str = "none"
    x: str = ""
    y: str = ""


@dataclass(frozen=True)
class Ran:
    """The result: a table, or a message with a hint."""

    asked: Asked
    found: adhoc.Found | None
    took_s: float
    message: str = ""
    hint: str = ""


def from_url(params: dict[str, str]) -> Asked | None:
    """What a link asks for; nonsense in it is left out."""
    if not params.get("sql"):
        return None
    chart = params.get("chart", "none")
    return Asked(
        params["sql"],
        rows=_number(params.get("rows", ""), ROWS, ROWS[1]),
        seconds=_number(params.get("seconds", ""), range(1, 61), 30),
        snapshot=_number(params.get("snapshot", ""), range(2**31), None),
        chart=chart if chart in CHARTS else "none",
        x=params.get("x", ""),
        y=params.get("y", ""),
    )


def question_of(params: dict[str, str]) -> str:
    """The beginning that a link asks for (`start`, the name of a question); empty if it asks for none that exists.

    >>> question_of({"start": "headline"}), question_of({"start": "nonsense"})
    ('question headline', '')
    """
    name = params.get("start", "")
    return f"question {name}" if name in load_catalog().questions else ""


def _number(text: str, allowed: Container[int], default: Default) -> int | Default:
    number = int(text) if re.fullmatch(r"\d{1,9}", text) else -1
    return number if number in allowed else default


def as_url(asked: Asked) -> dict[str, str]:
    """The parameters of a link that says it again; none where it would be too long."""
    asked_for = {name: str(value) for name, value in asdict(asked).items() if value not in (None, "", "none")}
    return asked_for if len(urlencode(asked_for)) <= MAX_LINK else {}


def keep(key: str, default: Any, options: Sequence[Any]) -> None:
    """A widget's state: what it has, else the default, else the first of its options."""
    choices = (st.session_state.get(key), default, options[0])
    st.session_state[key] = next(choice for choice in choices if choice in options)


def run(asked: Asked) -> Ran:
    """Run a statement through the guard that `tapescope sql` uses. A failure is reported in the result."""
    begin = time.monotonic()
    if not _turns().acquire(timeout=asked.seconds):
        return Ran(asked, None, asked.seconds, "other statements are still running", "try again in a moment")
    try:
        with data.refusing():
            site = read_site(site_path())
            found = adhoc.run(site, asked.sql, asked.seconds, MEMORY, asked.rows, asked.snapshot, plain=True)
    except data.NoAnswer as problem:
        return Ran(asked, None, time.monotonic() - begin, str(problem), problem.hint)
    finally:
        _turns().release()
    return Ran(asked, found, time.monotonic() - begin)


@st.cache_resource
def _turns() -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(AT_ONCE)


def beginnings() -> dict[str, str]:
    """Titles of what one can start from: the ten questions, the site's own statements, other questions by topic."""
    questions = load_catalog().questions
    titles = {f"question {name}": f"{place}. {questions[name].title}" for place, name in enumerate(TEN, start=1)}
    titles |= {f"saved {path.stem}": f"Own: {path.stem}" for path in _saved()}
    return titles | {
        f"question {name}": f"{question.topic.capitalize()}: {question.title}"
        for name, question in questions.items()
        if name not in TEN
    }


def beginning(key: str) -> str:
    """The statement of one of the choices. Raises OSError and ValueError for a file that cannot be read."""
    kind, _, name = key.partition(" ")
    if kind == "question":
        return spelled_out(load_catalog().questions[name], _usual_days())
    path = next(path for path in _saved() if path.stem == name)
    if path.stat().st_size > MAX_SAVED_BYTES:
        raise ValueError(f"{path.name} is larger than {MAX_SAVED_BYTES:,} bytes")
    return path.read_text(encoding="utf-8")


def _saved() -> list[Path]:
    folder = site_path()
    folder = (folder if folder.is_dir() else folder.parent) / FOLDER
    return sorted(path for path in folder.glob("*.sql") if path.is_file())[:MAX_SAVED]


def _usual_days() -> dict[str, str]:
    """The day that pages open on, for questions that want days."""
    try:
        day = str(data.last_day(data.newest_snapshot()))
    except data.NoAnswer:
        day = "2000-01-01"
    return {"first_day": day, "last_day": day}


def spelled_out(question: Question, days: dict[str, str]) -> str:
    """A question's SQL with values for its parameters: its defaults, and days where it has none."""

    def literal(match: re.Match[str]) -> str:
        name = match[1]
        param = question.params[name]
        value = str(param.get("default", days.get(name, days["last_day"] if param["type"] == "DATE" else "")))
        text = "'" + value.replace("'", "''") + "'"
        return {"DATE": f"DATE {text}", "VARCHAR": text}.get(param["type"], value or "NULL")

    return f"-- {question.title}\n-- {question.why}\n" + re.sub(r"\$([a-z]\w*)", literal, question.sql)


def dictionary(words: str) -> list[dict[str, str]]:
    """Relations, or the columns where all words of a search occur, with units and meaning from the catalogue."""
    terms = words.lower().split()
    relations = load_catalog().relations.values()
    if not terms:
        return [{"relation": one.full_name, "title": one.title, "a row is": one.grain} for one in relations]
    return [
        {"relation": one.full_name, "column": column.name, "unit": column.unit, "type": column.type, "what": column.doc}
        for one in relations
        for column in one.columns
        if all(word in f"{one.full_name} {one.title} {column.name} {column.doc}".lower() for word in terms)
    ]


def as_csv(found: adhoc.Found) -> bytes:
    """All rows; texts of logs act neither on a terminal nor in a spreadsheet. Parquet holds them as they are."""
    table = found.named()
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            texts = [None if text is None else escape_csv_cell(text) for text in table[place].to_pylist()]
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
    out = io.BytesIO()
    pa.csv.write_csv(table.rename_columns([escape_csv_cell(name) for name in table.column_names]), out)
    return out.getvalue()


def as_parquet(found: adhoc.Found) -> bytes:
    out = io.BytesIO()
    pa.parquet.write_table(found.named(), out)
    return out.getvalue()


def measures(table: pa.Table) -> list[str]:
    """Columns that can be measured along y."""
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return [field.name for field in table.schema if any(fits(field.type) for fits in kinds)]


def drawn(table: pa.Table, chart: str, x: str, y: str) -> alt.Chart:
    """Two columns of the first rows. Names and texts of any kind are drawn, and named nothing the drawer acts upon."""
    rows = table.slice(0, DRAWN_ROWS).select([x, y]).rename_columns(["x", "y"])
    kind = rows.schema.field("x").type
    scale = "T" if pa.types.is_temporal(kind) else "Q" if x in measures(table) and chart != "bars" else "N"
    rows = rows.set_column(1, "y", rows["y"].cast(pa.float64()))
    base = alt.Chart(rows.to_pandas())
    mark = {"line": base.mark_line(), "bars": base.mark_bar(), "points": base.mark_circle()}[chart]
    tooltip = [alt.Tooltip(f"x:{scale}", title="x"), alt.Tooltip("y:Q", title="y")]
    picture: Any = mark.encode(
        x=alt.X(f"x:{scale}", title=x[:60], sort=None), y=alt.Y("y:Q", title=y[:60]), tooltip=tooltip
    ).properties(height=360, description=f"{y[:60]} by {x[:60]}: the numbers are in the table above")
    return picture  # type: ignore[no-any-return]
