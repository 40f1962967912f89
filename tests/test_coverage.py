"""The count of intervals that hold the truth: by hand, printed, the same for a seed; no model makes its own data."""

import ast
import inspect

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import coverage, truths
from benchmarks.coverage import LTO4, MODELS, QuantityCount, TrialResult, main, measure, table, tally
from pipelines.primitives.estimate import Estimate, NoEstimate


def test_counts_by_hand() -> None:
    """Truth 10: 8 to 12 holds it, 10 to 13 too, 11 to 17 does not, one is refused: 2 of 3; widths 40, 30 and 60 %."""
    ends = [(8, 12), (10, 13), (11, 17)]
    answers = [TrialResult("q", Estimate(low, low, high), 10.0) for low, high in ends]
    nothing = [TrialResult("z", Estimate(0, -1, 1), 0.0)]
    rows = tally("m", [*answers, TrialResult("q", NoEstimate("why", "more"), 10.0), *nothing])
    assert rows == [QuantityCount("m", "q", 4, 1, 2, 0.4), QuantityCount("m", "z", 1, 0, 1, None)]
    assert (rows[0].share, rows[0].verdict) == (2 / 3, "too narrow")
    assert QuantityCount("m", "q", 3, 3, 0, None).verdict == "no interval"
    verdicts = {n: QuantityCount("m", "q", 100, 0, n, None).verdict for n in (84, 85, 95, 96)}
    assert verdicts == {84: "too narrow", 85: "yes", 95: "yes", 96: "too wide"}
    printed = table(rows).splitlines()
    assert printed[2].split() == ["m", "q", "4", "1", "2", "66.7%", "40.0%", "too", "narrow"]
    assert printed[3].split() == ["m", "z", "1", "0", "1", "100.0%", "-", "too", "wide"]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_asked_and_a_seed_draws_the_same(name: str) -> None:
    rows = measure(name, 2, seed=3)
    assert rows and all((row.n_trials, row.model) == (2, name) for row in rows)
    assert rows == measure(name, 2, seed=3)
    assert any(row.share is not None for row in rows)


def test_the_command_prints_the_counts() -> None:
    words = ["--trials", "30", "--seed", "1", "--only", "drives-needed", "--only", "gain-of-a-tenth"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    rows = [row for name in ("drives-needed", "gain-of-a-tenth") for row in measure(name, 30, seed=1)]
    assert done.stdout.startswith(table(rows))
    assert [row.n_trials for row in rows] == [30, 30]
    # for a seed no luck is in it; an interval that seldom held the truth would show
    assert all(20 < row.n_covered <= 30 for row in rows)
    within = sum(row.verdict == "yes" for row in rows)
    assert (
        f"{within} of 2 quantities meet the aim: 85% to 95% of their 90 % intervals contain the true value (30 trials"
        in done.stdout
    )


def test_truths_are_drawn_without_the_library() -> None:
    tree = ast.parse(inspect.getsource(truths))
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert named and not [name for name in named if name.split(".")[0] not in ("dataclasses", "numpy")]


def test_the_published_cost_is_written_twice_and_agrees() -> None:
    """By hand: 0 to 12 of a wrap's 14.29 GB are 688.8 m, in the other half: 4.29 - 6.04 + 0.086 x 688.8 = 57.49 s."""
    assert truths.way_s(np.array([0.0]), np.array([12.0])) == pytest.approx(57.49, abs=0.01)
    a, b = np.random.default_rng(1).uniform(0, 800, (2, 2000))
    assert truths.way_s(a, b) == pytest.approx(LTO4.prior_s(a, b), abs=1e-6)


def test_truth_of_a_site_is_what_its_mounts_show() -> None:
    """Of 4000 mounts the parts come back: MB / s moving, seconds a file of searching, and the rate's arithmetic."""
    site = truths.served(np.random.default_rng(2), 4000)
    assert site.moved_mb.sum() / site.moving_s.sum() == pytest.approx(site.mb_s, rel=0.02)
    assert site.position_s.sum() / site.n_files.sum() == pytest.approx(site.a_search_s, rel=0.02)
    seconds = site.a_mount_s + 50 * (site.a_file_s + site.a_search_s) + 25_000 / site.mb_s
    assert site.rate_mb_s(50, 500) == pytest.approx(25_000 / seconds)
    years = truths.grown(np.random.default_rng(4), 20 * 364, 7)
    halves = years.written_gb[: 10 * 364].sum(), years.written_gb[10 * 364 :].sum()
    assert halves[1] / halves[0] == pytest.approx(years.factor ** (3640 / 365.25), rel=0.05)
    life = truths.lived(np.random.default_rng(3), 20_000, has_weeks=True)
    assert life.moved_gb.mean() == pytest.approx(life.gb_day, rel=0.02)
    assert len(coverage.MODELS) == 13
