"""What tests share: small archives, processes, servers and browsers. No test module imports another."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
REPO = TESTS.parent
