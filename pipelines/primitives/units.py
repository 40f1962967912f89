"""Bytes, MB, MiB, Mb/s, percent: conversion and formatting. MB = 10^6 bytes everywhere."""

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


def format_bytes(value: float) -> str:
    """Bytes for people, in decimal units.

    >>> format_bytes(2_119_773_696)
    '2.12 GB'
    """
    for size, name in ((TB, "TB"), (GB, "GB"), (MB, "MB"), (1000, "kB")):
        if abs(value) >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.0f} B"


def format_seconds(value: float) -> str:
    """A duration for people.

    >>> format_seconds(7325)
    '2 h 02 min'
    """
    if value < 120:
        return f"{value:.3g} s"
    minutes = round(value / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"
