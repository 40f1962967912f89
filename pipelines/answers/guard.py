"""Which SQL anybody may run: one SELECT over the warehouse's own tables, judged from DuckDB's parsed tree.

What is not understood is refused. The guard only decides, in the confined process that runs what it lets through: some
texts hold DuckDB's parser for seconds, and neither files nor settings can be reached there should something slip by.
"""

import difflib
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from pipelines.answers import pivot
from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import LAYERS
from pipelines.catalog.files import macros
from pipelines.primitives.errors import QuestionRefused
from pipelines.primitives.text import did_you_mean

CORRECT = "correct the SQL at the place shown"
MAX_CHARACTERS = 20_000  # DuckDB's parser takes quadratic time for some texts
LAKE_NAMES = ("", "lake")
TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})
STANDARD_VIEWS = frozenset({"tables", "columns", "schemata"})  # of information_schema

# Expressions and clauses, as DuckDB's serialised tree names them.
_CLASS = re.compile(
    "BETWEEN|CASE|CAST|COLLATE|COLUMN_REF|COMPARISON|CONJUNCTION|CONSTANT|DEFAULT|FUNCTION|LAMBDA|LAMBDA_REF|OPERATOR"
    "|POSITIONAL_REFERENCE|STAR|SUBQUERY|TYPE|WINDOW"
)
_NODE = re.compile(
    "SELECT_NODE|SET_OPERATION_NODE|RECURSIVE_CTE_NODE|CTE_NODE|BASE_TABLE|SUBQUERY|JOIN|EMPTY|EXPRESSION_LIST"
    "|COLUMN_DATA|TABLE_FUNCTION|PIVOT|SHOW_REF|(ORDER|LIMIT|LIMIT_PERCENT|DISTINCT)_MODIFIER"
    "|ORDER_DEFAULT|ASCENDING|DESCENDING|[A-Z]+_TYPE_INFO"
)

# DuckDB marks functions that act or report on the process as volatile; these of them only make up a value or raise, or
# hold for their statement, whose cursor ends with it.
_HARMLESS = ("error", "gen_random_uuid", "random", "setseed", "uuid", "uuidv4", "uuidv7")
# Not marked, yet they show settings, run or plan a text as SQL, or trust bytes they are given.
_REFUSED = (
    "combine",
    "current_query",
    "current_setting",
    "finalize",
    "getenv",
    "getvariable",
    "json_deserialize_sql",
    "json_serialize_plan",
    "json_serialize_sql",
    "pg_sleep",
    "txid_current",
    "variant_bytes_to_variant",
)
_SYNTAX = ("unnest", "overlay")  # calls in the tree that DuckDB does not list as functions
# What SHOW lists natively holds DuckLake's own tables and nothing of ours: they are in schemas of their own.
_TABLES_SQL = (
    'SELECT table_schema AS "schema", table_name AS "name" FROM information_schema.tables'
    f" WHERE table_catalog = 'lake' AND table_schema IN {LAYERS}"
)
_LISTINGS = {
    "tables": _TABLES_SQL,
    "__show_tables_expanded": _TABLES_SQL,
    "schemas": f'SELECT schema_name AS "name" FROM information_schema.schemata WHERE schema_name IN {LAYERS}',
}

# Possessive (*+): a text of many comments must not be tried in every way.
_EXPLAIN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*+EXPLAIN\s+(ANALYZE\s+)?(?=\w|\()", re.IGNORECASE | re.DOTALL)


# DuckDB folds the case of ASCII alone; Python would also take the sign of the kelvin for a k.
_LOWER = {ord(letter): letter.lower() for letter in string.ascii_uppercase}


@dataclass(frozen=True)
class Allowed:
    """A statement that may run, and the tables it names with their schema."""

    sql: str
    tables: tuple[str, ...]
    listing: str = ""  # what runs in place of a SHOW

    @property
    def runs(self) -> str:
        return self.listing or self.sql


def check(sql: str, known: Iterable[str] = ()) -> Allowed:
    """The one statement to run. Raises QuestionRefused saying what is not allowed; `known` tables serve its hints."""
    if len(sql) > MAX_CHARACTERS:
        raise QuestionRefused(f"the SQL text is longer than {MAX_CHARACTERS} characters", "shorten it")
    prefix, query = _split_explain(_only_statement(sql))
    try:
        tree = sql_inspect.parse(query)
        if tree.get("error") and (pinned := pivot.with_values(query)):
            tree = sql_inspect.parse(pinned)
    except RecursionError:
        raise QuestionRefused("the statement is nested too deeply", "split it into named parts with WITH") from None
    except duckdb.Error as error:
        raise QuestionRefused(first_lines(error), CORRECT) from None
    if tree.get("error") or len(tree.get("statements", ())) != 1:
        raise QuestionRefused("only a SELECT is run here", "the warehouse is read-only: use SELECT")
    if listing := _listing(tree["statements"][0]["node"]):
        return Allowed(query, (), listing)
    guard = _Guard(tuple(known))
    for node, names in _scoped(tree):
        guard.judge(node, names)
    return Allowed(prefix + query, tuple(sorted(guard.tables)))


def _listing(node: dict[str, Any]) -> str:
    """The SELECT that answers SHOW TABLES, SHOW ALL TABLES, SHOW SCHEMAS or SHOW TABLES FROM a layer; else nothing."""
    shown = node.get("from_table") or {}
    if shown.get("type") != "SHOW_REF" or shown.get("query"):
        return ""
    if shown["show_type"] == "SHOW_FROM":
        layer = _lower(shown["schema_name"])
        within = _lower(shown["catalog_name"]) in LAKE_NAMES and layer in LAYERS
        return f"{_TABLES_SQL} AND table_schema = {sql_inspect.quote(layer)} ORDER BY ALL" if within else ""
    sql = _LISTINGS.get(_lower(shown["table_name"]).strip('"'), "")
    return f"{sql} ORDER BY ALL" if sql else ""


def unknown_table(error: Exception, name: str, known: Iterable[str]) -> QuestionRefused:
    """A table that the warehouse lacks, with the nearest it has."""
    return QuestionRefused(first_lines(error), near(name, known))


def other_release(connection: duckdb.DuckDBPyConnection) -> QuestionRefused:
    """The warehouse lacks what this release has: a build makes it. The current schema's database is the lake."""
    tables = "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() LIMIT 1"
    what = "another release of tapescope built the warehouse, so tables or columns are missing in it"
    if not connection.execute(tables).fetchall():
        what = "the warehouse has no tables yet: the first run has just begun, or was stopped"
    return QuestionRefused(what, "run `tapescope run` first")


def near(name: str, known: Iterable[str]) -> str:
    """A hint with the known names nearest to one that is not known, or with the way to list them."""
    by_tail = [full for full in known if full.rpartition(".")[2] == name.rpartition(".")[2]]
    found = by_tail or difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return did_you_mean(found) or "information_schema.tables lists the tables"


def first_lines(error: Exception) -> str:
    """DuckDB's message without its long tail; a stack trace names files of the host."""
    text = str(error).partition("Stack Trace:")[0]
    return "\n".join(line for line in text.splitlines()[:6] if line.strip())


def _only_statement(sql: str) -> str:
    try:
        sql.encode()
        statements = duckdb.extract_statements(sql)
    except UnicodeEncodeError:
        raise QuestionRefused("the SQL text is not UTF-8", "write it in UTF-8, or without accents") from None
    except duckdb.Error as error:
        raise QuestionRefused(first_lines(error), CORRECT) from None
    kinds = [one.type for one in statements]
    if kinds[-1:] == [duckdb.StatementType.SELECT] and not any(one.query for one in statements) and pivot.is_in(sql):
        return sql.strip().rstrip(";")  # PIVOT ON without IN: DuckDB makes an ENUM of its values first
    if len(statements) != 1:
        raise QuestionRefused(
            f"only one SQL statement can run at a time, and this text has {len(statements)}", "write one SELECT"
        )
    if statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        kind = statements[0].type.name.replace("_", " ")
        raise QuestionRefused(f"the SQL statement {kind} is not allowed here", "the warehouse is read-only: use SELECT")
    return statements[0].query


def _split_explain(query: str) -> tuple[str, str]:
    """EXPLAIN is put back by us, so that nothing between it and its SELECT goes unseen."""
    found = _EXPLAIN.match(query)
    if not found:
        return "", query
    return ("EXPLAIN ANALYZE " if found[1] else "EXPLAIN "), query[found.end() :]


@cache
def _functions() -> frozenset[str]:
    """DuckDB's own scalar functions, aggregates and macros, less those that do more than compute a value."""
    with duckdb.connect(":memory:") as fresh:
        rows = fresh.execute(
            "SELECT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')"
            " AND NOT starts_with(function_name, '__internal') GROUP BY 1"
            " HAVING NOT bool_or(coalesce(has_side_effects, false) OR coalesce(stability = 'VOLATILE', false))"
        ).fetchall()
    ours = re.findall(r"MACRO (\w+)\(", macros())
    return (frozenset(name for (name,) in rows) | {*_HARMLESS, *_SYNTAX, *ours}) - {*_REFUSED}


def _scoped(tree: dict[str, Any]) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Every object of the tree with the names of the CTEs it can see."""
    stack: list[tuple[Any, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, names = stack.pop()
        if isinstance(node, list):
            stack.extend((item, names) for item in node)
        elif isinstance(node, dict):
            for cte in (node.get("cte_map") or {}).get("map", ()):
                name, query = _lower(cte["key"]), cte["value"]
                recursive = query["query"]["node"]["type"] == "RECURSIVE_CTE_NODE"
                stack.append((query, names | {name} if recursive else names))
                names |= {name}
            yield node, names
            stack.extend((value, names) for key, value in node.items() if key != "cte_map")


def _lower(name: Any) -> str:
    return str(name).translate(_LOWER)


class _Guard:
    """Judges nodes one by one and remembers the tables it met."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self.known = known
        self.tables: set[str] = set()

    def judge(self, node: dict[str, Any], names: frozenset[str]) -> None:
        kind = node.get("type")
        if "class" in node:
            self._expression(node, str(node["class"]))
        elif isinstance(kind, str) and not _NODE.fullmatch(kind):
            raise QuestionRefused(f"the SQL construct {kind} is not supported here", "use a plain SELECT")
        elif kind == "BASE_TABLE":
            self._table(node, names)
        elif kind == "TABLE_FUNCTION":
            self._table_function(node["function"])
        elif kind == "SHOW_REF" and (node["table_name"] or node["show_type"] not in ("DESCRIBE", "SUMMARY")):
            raise QuestionRefused("SHOW is not allowed here", "use SELECT * FROM information_schema.tables")

    def _expression(self, node: dict[str, Any], kind: str) -> None:
        if kind == "PARAMETER":
            raise QuestionRefused("SQL parameters are not supported here", "write the value into the SQL")
        if not _CLASS.fullmatch(kind) or node.get("export_state"):
            raise QuestionRefused(f"the SQL construct {kind} is not supported here", "use a plain SELECT")
        name = _lower(node.get("function_name", ""))
        if name and name not in _functions() and name not in TABLE_FUNCTIONS:
            nearest = difflib.get_close_matches(name, _functions(), n=2)
            hint = did_you_mean(nearest) or "only functions that compute a value are allowed"
            raise QuestionRefused(f"the SQL function {name} is not allowed here", hint)

    def _table_function(self, function: dict[str, Any]) -> None:
        name = _lower(function.get("function_name", ""))
        if function.get("class") != "FUNCTION" or name not in TABLE_FUNCTIONS:
            raise QuestionRefused(
                f"{name or 'this'} is not allowed as a table", f"select from tables of {', '.join(LAYERS)}, or range()"
            )

    def _table(self, node: dict[str, Any], names: frozenset[str]) -> None:
        catalog, schema, name = (_lower(node[key]) for key in ("catalog_name", "schema_name", "table_name"))
        if not catalog and not schema and name in names:
            return
        full = f"{schema}.{name}" if schema else name
        standard = not catalog and schema == "information_schema" and name in STANDARD_VIEWS
        # A name with a dot or a slash DuckDB would look for among files.
        is_path_like = not re.fullmatch(r"\w+", name, re.ASCII)
        if not standard and (catalog not in LAKE_NAMES or schema not in LAYERS or is_path_like):
            raise QuestionRefused(f"the schemas {', '.join(LAYERS)} have no table {full}", near(full, self.known))
        self.tables.add(full)
