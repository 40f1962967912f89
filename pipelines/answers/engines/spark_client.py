"""Reads a snapshot of a tapescope warehouse with Spark 4: silver.transfer is the view `silver_transfer`.

Run it in a session (`exec(open("lake.py").read()); register(spark)`). Data in object storage need Hadoop's S3 connector
on the class path and its keys in the session's settings (fs.s3a.access.key, fs.s3a.secret.key, fs.s3a.endpoint).
"""

from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

RELATIONS: dict[str, Any] = {}
TYPES = {
    "VARCHAR": "STRING",
    "BOOLEAN": "BOOLEAN",
    "INTEGER": "INT",
    "BIGINT": "BIGINT",
    "UBIGINT": "DECIMAL(20, 0)",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
}


def register(spark: SparkSession) -> None:
    """Make the views; instants are UTC without a zone."""
    for relation in RELATIONS:
        read(spark, relation).createOrReplaceTempView(relation.replace(".", "_"))


def read(spark: SparkSession, relation: str) -> DataFrame:
    """All rows of a relation."""
    columns = RELATIONS[relation]["columns"]
    parts = [spark.createDataFrame([], _schema(columns))]
    for group in RELATIONS[relation]["groups"]:
        stored = {new: old for old, new in group["renamed"].items()}
        rows = spark.read.schema(_schema({stored.get(name, name): kind for name, kind in columns.items()}))
        files = [_address(file) for file, _ in group["files"]]
        if group["of_folders"]:  # those below the table's folder are read as columns
            found = rows.option("basePath", files[0].rsplit("/", 1 + len(group["of_folders"]))[0]).parquet(*files)
        else:
            found = rows.option("recursiveFileLookup", "true").parquet(*files)
        deleted = [(_address(file), _address(places)) for file, places in group["files"] if places]
        if deleted:
            found = _without(spark, found, deleted)
        parts.append(found.withColumnsRenamed(group["renamed"]).select(*columns))
    return reduce(DataFrame.unionByName, parts)


def _schema(columns: dict[str, str]) -> str:
    return ", ".join(f"`{name}` {TYPES[kind]}" for name, kind in columns.items())


def _address(file: str) -> str:
    return "s3a://" + file.removeprefix("s3://") if file.startswith("s3://") else file


def _without(spark: SparkSession, rows: DataFrame, deleted: list[tuple[str, str]]) -> DataFrame:
    """Rows that are not deleted. A file's name is unique within a warehouse."""
    gone = None
    for file, places in deleted:
        one = spark.read.parquet(places).select(
            F.lit(file.rsplit("/", 1)[-1]).alias("in_file"), F.col("pos").cast("bigint").alias("row_at")
        )
        gone = gone.unionByName(one) if gone is not None else one
    at = rows.select("*", F.col("_metadata.file_name").alias("in_file"), F.col("_metadata.row_index").alias("row_at"))
    return at.join(gone, ["in_file", "row_at"], "left_anti").drop("in_file", "row_at")
