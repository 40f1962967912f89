"""Sizes of the units that logs print. MB = 10^6 bytes everywhere."""

MB = 1_000_000
GB = 1_000_000_000
TB = 1_000_000_000_000
KIB = 1_024
MIB = 1_048_576
