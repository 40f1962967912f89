"""The warehouse's data in object storage: the same rows as in a folder, upkeep included, and no key shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from pipelines import steps
from pipelines.build import apart
from pipelines.build.part import cut
from pipelines.config.site import Site
from pipelines.ingest import rows, workers
from pipelines.primitives.errors import ConfigError, QuestionRefused, TapescopeError
from pipelines.warehouse.connection import Warehouse
from support.archive import SITE, all_rows, bronze, differences, make, make_site, query
from support.s3_server import BUCKET, SECRET, objects, s3_server
from support.two_days import FIRST, SECOND, arrive


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


def site_in(folder: Path, data: str = f"s3://{BUCKET}/lake") -> Site:
    return make_site(folder, SITE.replace('name = "case"', f'name = "case"\ndata_path = "{data}"\nretention_days = 1'))


def test_the_same_rows_as_in_a_folder(server: str, tmp_path: Path) -> None:
    site, plain = site_in(tmp_path / "site"), site_in(tmp_path / "plain", "data")
    for one in (site, plain):
        arrive(one, FIRST)
        arrive(one, SECOND)
        make(one)
        steps.detect(one)
    assert differences(all_rows(plain), all_rows(site)) == []
    assert not list((tmp_path / "site").rglob("*.parquet"))
    assert objects(server) and all(name.startswith("lake/") for name in objects(server))
    asked = steps.ask_sql(site, "SELECT count(*) FROM silver.transfer").rows
    assert asked == [tuple(row) for row in query(plain, "SELECT count(*) FROM silver.transfer")] != [(0,)]
    orphan = f"{server}/{BUCKET}/lake/silver/transfer/ducklake-left.parquet"
    assert requests.put(orphan, data=b"half a file", timeout=30).ok
    done, expected = steps.maintain(site).as_dict(), steps.maintain(plain).as_dict()
    assert done == expected and done["rows_dropped"] > 0, "an orphan of today may be a living writer's"
    assert differences(all_rows(plain), all_rows(site)) == []
    kept = [path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert not [text for text in kept if SECRET.encode() in text]
    assert SECRET not in Warehouse(site).client_sql()


def test_free_sql_reaches_no_other_object(server: str, tmp_path: Path) -> None:
    site = site_in(tmp_path / "site", f"s3://{BUCKET}/other")
    steps.ingest(site)
    assert requests.put(f"{server}/{BUCKET}/private.csv", data=b"a,b\n1,2\n", timeout=30).ok
    for name in (f"s3://{BUCKET}/private.csv", f"{server}/{BUCKET}/private.csv"):
        with pytest.raises(QuestionRefused):
            steps.ask_sql(site, f"SELECT * FROM read_csv('{name}')")
        with pytest.raises(QuestionRefused):
            steps.ask_sql(site, f"SELECT * FROM '{name}'")
    with pytest.raises(QuestionRefused):
        steps.ask_sql(site, "SELECT * FROM duckdb_secrets()")


@pytest.mark.usefixtures("server")
def test_what_is_wrong_is_reported_without_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = site_in(tmp_path / "missing", "s3://no-such-bucket/lake")
    arrive(missing, FIRST)
    with pytest.raises(TapescopeError, match=r"object storage refused .*'s3://no-such-bucket/lake") as failed:
        make(missing)
    assert "bucket exist" in failed.value.hint and SECRET not in str(failed.value)
    site = site_in(tmp_path / "site")
    for name, value, message in (
        ("AWS_ENDPOINT_URL", "storage:9000", "AWS_ENDPOINT_URL is not an address"),
        ("AWS_SECRET_ACCESS_KEY", "", "there are no access keys for s3://"),
    ):
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigError, match=message), Warehouse(site).write("test"):
            pass
    with pytest.raises(ConfigError, match="data_path must be a folder, or s3://BUCKET/FOLDER"):
        site_in(tmp_path / "web", "https://storage.example.org/lake")


@pytest.mark.usefixtures("server")
def test_what_is_read_apart_lies_there_until_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Final files, rows that files share and the manifest; taken once, although nothing there is removed."""
    monkeypatch.setattr(rows, "FINAL_ROWS", 100)
    monkeypatch.setattr(workers, "PAYING_BYTES", 0)
    site, plain = site_in(tmp_path / "site", f"s3://{BUCKET}/apart"), site_in(tmp_path / "plain", "data")
    for one in (site, plain):
        arrive(one, FIRST)
    steps.ingest(plain)
    steps.read_files(site)
    assert steps.commit(site).as_dict()["loaded"] == 3 and steps.commit(site).as_dict()["files"] == 0
    for one, n in ((site, 2), (plain, 1)):
        arrive(one, SECOND)
        steps.ingest(one, workers=n)
    assert differences(bronze(plain), bronze(site)) == []
    for own in cut(dict.fromkeys((FIRST, SECOND), 1), 2):
        apart.make_part(site, own)
    built, expected = steps.build(site, is_apart=True), steps.build(plain)
    assert (built.n_rows, built.days) == (expected.n_rows, expected.days)
    assert differences(all_rows(plain), all_rows(site)) == []
    with Warehouse(site).write("test") as connection:
        assert apart.Left(connection, site.data_path).are_empty
