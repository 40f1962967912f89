"""Bytes, MB, MiB and Mb/s: conversion. MB = 10^6 bytes everywhere."""

MB = 1_000_000
GB = 1_000_000_000
TB = 1_000_000_000_000
KIB = 1_024
MIB = 1_048_576


def mbit_s_to_mb_s(mbit_s: float) -> float:
    """Network megabits per second as megabytes per second.

    >>> mbit_s_to_mb_s(450)
    56.25
    """
    return mbit_s / 8


def mib_to_bytes(mib: float) -> float:
    """Enstore prints MiB and calls them MB.

    >>> mib_to_bytes(1.0)
    1048576.0
    """
    return mib * MIB
