"""Runs in the environment of Spark: SQL of DuckDB from standard input, translated, over the views of a printed program.

Input: JSON of `macros` (SQL of DuckDB) and `jobs`, each a `program` and its `questions` (name to SQL).
Output: JSON, for each job name to rows.
"""

import json
import sys
from decimal import Decimal
from typing import Any

import sqlglot
from pyspark.sql import SparkSession
from sqlglot import exp


def macros_of(text: str) -> dict[str, tuple[list[str], exp.Expression]]:
    """Each macro's parameters and its text."""
    known = {}
    for made in sqlglot.parse(text, read="duckdb"):
        if isinstance(made, exp.Create) and isinstance(made.this, exp.UserDefinedFunction):
            function = made.this
            known[function.this.name.lower()] = ([one.name.lower() for one in function.expressions], made.expression)
    return known


def expand(tree: exp.Expression, macros: dict[str, tuple[list[str], exp.Expression]]) -> exp.Expression:
    """The tree with each call of a macro replaced by the macro's text, until no call is left."""
    while True:
        call = next((one for one in tree.find_all(exp.Func) if name_of(one) in macros), None)
        if call is None:
            return tree
        names, body = macros[name_of(call)]
        values = dict(zip(names, call.expressions, strict=True))
        standing = exp.paren(body.copy()).transform(
            lambda node, values=values: (
                exp.paren(values[node.name.lower()].copy())
                if isinstance(node, exp.Column) and not node.table and node.name.lower() in values
                else node
            )
        )
        if call is tree:
            return standing
        call.replace(standing)


def name_of(call: exp.Func) -> str:
    return call.name.lower() if isinstance(call, exp.Anonymous) else ""


def translate(sql: str, macros: dict[str, tuple[list[str], exp.Expression]]) -> str:
    tree = expand(sqlglot.parse_one(sql, read="duckdb"), macros)
    for table in tree.find_all(exp.Table):
        if table.db:
            table.set("this", exp.to_identifier(f"{table.db}_{table.name}"))
            table.set("db", None)
    return zones_converted(tree).sql(dialect="spark")


def zones_converted(tree: exp.Expression) -> exp.Expression:
    """DuckDB's timezone(to, timezone(from, at)), from one clock to another, as Spark's function of the three."""

    def converted(node: exp.Expression) -> exp.Expression:
        if not (isinstance(node, exp.Anonymous) and name_of(node) == "timezone"):
            return node
        to, inner = (one.unnest() for one in node.expressions)
        start, at = inner.expressions
        return exp.func("CONVERT_TIMEZONE", start, to, at)

    return tree.transform(converted)


def plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def main() -> None:
    given = json.load(sys.stdin)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    macros = macros_of(given["macros"])
    answers = []
    for job in given["jobs"]:
        client: dict[str, Any] = {}
        exec(compile(job["program"], "lake.py", "exec"), client)
        client["register"](spark)
        rows = {}
        for name, sql in job["questions"].items():
            found = spark.sql(translate(sql, macros))
            rows[name] = [dict(zip(found.columns, map(plain, row), strict=True)) for row in found.collect()]
        answers.append(rows)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
