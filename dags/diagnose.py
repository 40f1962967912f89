"""From bronze to findings, whenever `ingest` has announced a change of any of its tables."""

from importlib.resources import files
from typing import Any

from airflow.sdk import Asset, AssetAny, dag, task
from tapescope_build import build, build_part, plan_build
from tapescope_tasks import EACH_DAG, POOL, call

CONTRACTS = files("schemas").joinpath("bronze").iterdir()
BRONZE = sorted(f"bronze.{one.name.removesuffix('.toml')}" for one in CONTRACTS if one.name.endswith(".toml"))


@task(pool=POOL)
def detect() -> dict[str, Any]:
    return call("detect")


@task(pool=POOL)
def forecast() -> dict[str, Any]:
    return call("forecast")


@dag(schedule=AssetAny(*map(Asset, BRONZE)), doc_md=__doc__, **EACH_DAG)
def diagnose() -> None:
    build_part.expand_kwargs(plan_build()) >> build() >> detect() >> forecast()


diagnose()
