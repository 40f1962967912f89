"""Colours of pages and report for people who confuse some: no two of a set may look alike, neighbours least of all.

Colours without one kind of cone are those of Machado, Oliveira and Fernandes (2009), table 1, severity 1.0, applied to
linear light. Differences are distances in CIELAB (CIE 1976): about 2.3 is just noticed, and black is 100 from white.
"""

from itertools import combinations, pairwise

import duckdb
import numpy as np
import pytest

from dashboards.charts import finding_charts, gap_charts, looks, model_charts, mount_charts
from pipelines.catalog.files import load_catalog

NEIGHBOURS, ANY_TWO = 15.0, 10.0  # least difference of what touches in a stack, and of any two of a set
CONES = {
    "all": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ @ np.ones(3)


def lab(colour: str, cones: str = "all") -> np.ndarray:
    """A colour in CIELAB, as people with these cones see it."""
    part = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    share = TO_XYZ @ np.clip(CONES[cones] @ light, 0, 1) / WHITE
    x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: str, other: str) -> float:
    """The least that people with any of these cones see."""
    return min(float(np.linalg.norm(lab(one, cones) - lab(other, cones))) for cones in CONES)


def taxonomy() -> list[str]:
    """The colours of groups of drive time, in the order in which they are stacked."""
    rows = duckdb.connect().execute(load_catalog().relations["gold.drive_time_bucket"].sql)
    names = [column[0] for column in rows.description]
    groups = {row[names.index("group_number")]: row[names.index("colour")] for row in rows.fetchall()}
    return [groups[number] for number in sorted(groups)]


SETS = {
    "stacked names": looks.COLOURS,
    "groups of drive time": taxonomy(),
    "gaps": [*gap_charts.slow_colours()[:3], looks.GREY],
    "runs": list(model_charts.RUNS.values()),
    "modes": [colour for colour, _ in mount_charts.MODES.values()],
    "nights": [colour for colour, _ in finding_charts.OUTCOMES.values()],
}


def test_differences_are_those_of_the_literature() -> None:
    """White is L 100, black 0; pure red and green are 170.6 apart (CIE 1976), and far less without cones for green."""
    assert lab("#FFFFFF") == pytest.approx([100, 0, 0], abs=0.01) and lab("#000000") == pytest.approx([0, 0, 0])
    assert lab("#FF0000") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert np.linalg.norm(lab("#FF0000") - lab("#00FF00")) == pytest.approx(170.58, abs=0.1)
    assert np.linalg.norm(lab("#7A9A01", "deuteranopia") - lab("#D07A01", "deuteranopia")) < 15


@pytest.mark.parametrize("name", SETS)
def test_no_two_colours_look_alike(name: str) -> None:
    colours = SETS[name]
    assert len(set(colours)) == len(colours) >= 3
    near = {pair: difference(*pair) for pair in pairwise(colours)}
    assert not {pair: round(value, 1) for pair, value in near.items() if value < NEIGHBOURS}
    every = {pair: difference(*pair) for pair in combinations(colours, 2)}
    assert not {pair: round(value, 1) for pair, value in every.items() if value < ANY_TWO}


def test_more_names_than_colours_differ_all_the_same() -> None:
    """Twenty lines or points: no two have both the colour and the dash or shape, and neighbours share neither."""
    names = [f"drive{n}" for n in range(20)]
    for encoded, other in (
        (looks.by_colour_and_dash("drive", names), "strokeDash"),
        (looks.by_colour_and_shape("drive", names), "shape"),
    ):
        colours, marks = (encoded[channel].to_dict()["scale"]["range"] for channel in ("color", other))
        pairs = list(zip(colours, map(str, marks), strict=True))
        assert len(pairs) == len(set(pairs)) == 20
        assert all(one[0] != two[0] and one[1] != two[1] for one, two in pairwise(pairs))
