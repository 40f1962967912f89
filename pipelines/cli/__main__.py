"""`python -m pipelines.cli` is the command `tapescope`."""

from pipelines.cli import main

main()
