"""A server that speaks S3 over HTTP on this machine alone; it comes as a wheel, in an environment of its own."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

from support.ports import free_port

PYTHON = Path(sys.prefix) / "s3" / "bin" / "python"
DEADLINE_S = 120
BUCKET, KEY, SECRET = "tape-archive", "AKIDEXAMPLE", "correct-horse-2718"


@contextmanager
def s3_server() -> Iterator[str]:
    """Its address, which the environment has with the keys; the bucket is made."""
    if not PYTHON.exists():
        pytest.skip("no server that speaks S3 here: make .venv/done-s3")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"):
            patch.delenv(name, raising=False)
        patch.setenv("AWS_ACCESS_KEY_ID", KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        command = [PYTHON, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as own:
            try:
                _make_bucket(own, address)
                patch.setenv("AWS_ENDPOINT_URL", address)
                yield address
            finally:
                own.kill()


def _make_bucket(own: subprocess.Popen[bytes], address: str) -> None:
    """As soon as the server listens."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end and own.poll() is None:
        with suppress(requests.ConnectionError):
            assert requests.put(f"{address}/{BUCKET}", timeout=30).ok
            return
        time.sleep(0.1)
    raise AssertionError("the server does not listen")


def objects(server: str, prefix: str = "") -> list[str]:
    """Names of what the bucket holds, the first thousand."""
    found = requests.get(f"{server}/{BUCKET}?list-type=2&prefix={prefix}", timeout=30).text
    return [part.split("</Key>")[0] for part in found.split("<Key>")[1:]]
