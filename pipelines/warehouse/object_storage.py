"""Object storage: how DuckDB gets at a warehouse whose `data_path` is s3://BUCKET/FOLDER.

Keys and address come from the environment, under the names that Amazon's own tools read; nothing of them is written
anywhere. `AWS_ENDPOINT_URL` names a server that is not Amazon's.
"""

import os
from urllib.parse import urlsplit

from pipelines.catalog.sql_inspect import quote
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.engine import Connection, connect

SCHEME = "s3://"
EXTENSION = "httpfs"
ENVIRONMENT = "AWS_"  # beginning of the names it reads
_MEMORY = "100MB"


def is_object_storage(data_path: str) -> bool:
    """Whether a `data_path` is no folder."""
    return data_path.startswith(SCHEME)


def connection(data_path: str) -> Connection:
    """DuckDB that writes files below a path, and knows no lake."""
    writer = connect((EXTENSION,))
    writer.execute(f"SET TimeZone = 'UTC'; SET threads = 1; SET memory_limit = '{_MEMORY}'; {secret_sql(data_path)}")
    return writer


def secret_sql(data_path: str) -> str:
    """The statement that gives DuckDB the keys of this path alone. Raises ConfigError where they are not set."""
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not key or not secret:
        raise ConfigError(
            f"there are no access keys for {data_path}",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
        )
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    settings = {"KEY_ID": key, "SECRET": secret, "REGION": region, "SCOPE": data_path}
    if token := os.environ.get("AWS_SESSION_TOKEN"):
        settings["SESSION_TOKEN"] = token
    parts = [f"{name} {quote(value)}" for name, value in settings.items()]
    return f"CREATE SECRET (TYPE s3, {', '.join(parts + _address())})"


def _address() -> list[str]:
    """A server that is not Amazon's: its buckets are the first folders of its paths."""
    given = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if not given:
        return []
    url = urlsplit(given)
    if url.scheme not in ("http", "https") or not url.netloc:
        raise ConfigError(
            f"AWS_ENDPOINT_URL is not an address: {given}", "write an address such as http://storage.example.org:9000"
        )
    return [f"ENDPOINT {quote(url.netloc)}", "URL_STYLE 'path'", f"USE_SSL {str(url.scheme == 'https').lower()}"]
