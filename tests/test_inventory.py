"""Facts by date in site.toml: what is taken, what is refused, and what questions then know."""

import re
from datetime import date
from pathlib import Path

import pytest

from pipelines import steps
from pipelines.config import facts
from pipelines.config.site import load_site
from pipelines.primitives.errors import ConfigError
from support.archive import make_site

pytestmark = pytest.mark.usefixtures("plain_store")

FACTS = """
[[fact]]
of = ["p1", "p2"]
raid = "RAID-5"
disks = 12
is_shared = true

[[fact]]
of = ["p1", "p1"]
from = 2010-03-05
raid = "RAID-5"                        # as it was: no change

[[fact]]
of = "p1"
from = 2010-03-09
raid = "RAID-6"
disks = ""
"""


def test_a_fact_holds_until_it_is_stated_anew_or_taken_back(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "case"' + FACTS)
    day = date(2010, 3, 9)
    assert facts.rows(load_site(tmp_path).fact) == [
        ("p1", "disks", "12", 12.0, None, day),
        ("p1", "is_shared", "yes", None, None, None),
        ("p1", "raid", "RAID-5", None, None, day),
        ("p1", "raid", "RAID-6", None, day, None),
        ("p2", "disks", "12", 12.0, None, None),
        ("p2", "is_shared", "yes", None, None, None),
        ("p2", "raid", "RAID-5", None, None, None),
    ]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ('of = "p1"', "give a fact"),
        ('of = ""\nraid = "x"', "`of` must name the host"),
        ('raid = "x"', "add this key"),
        ('of = "p1"\n"two words" = 1', "not a valid name of a fact"),
        (f'of = "p1"\nraid = "{"x" * 201}"', "longer than 200"),
        ('of = "p1"\nraid = ["x"]', "valid string"),
        ('of = "p1"\nraid = "x"\n[[fact]]\nof = "p1"\nraid = "y"', "raid of 'p1' has two different values"),
    ],
)
def test_what_is_no_fact_is_refused_with_a_reason(entry: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(f'name = "case"\n[[fact]]\n{entry}\n')
    with pytest.raises(ConfigError, match=re.escape(why)):
        load_site(tmp_path)


def test_drives_come_and_go(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text('name = "case"\n[[drive]]\nname = "D1"\nfrom = 2010-03-02\nto = 2010-03-01\n')
    with pytest.raises(ConfigError, match="'from' must be before 'to'"):
        load_site(tmp_path)


def test_facts_and_inventory_are_asked_of_a_built_site(tmp_path: Path) -> None:
    drives = (
        '[[drive]]\nname = "D1"\ngeneration = "LTO-4"\nto = 2010-03-09\n[[drive]]\nname = "D2"\ngeneration = "LTO4"\n'
    )
    site = make_site(tmp_path, 'name = "case"\n' + drives + FACTS)
    steps.build(site)

    def ask(question: str, **params: str) -> list[tuple[object, ...]]:
        return steps.ask(site, question, params).rows

    assert ask("configuration", last_day="2010-03-08", entity="p1")[0][:3] == ("p1", "disks", "12")
    changed = ask("configuration_changes", first_day="2010-03-08", last_day="2010-03-09")
    assert [row[:4] for row in changed] == [("p1", "disks", "12", None), ("p1", "raid", "RAID-5", "RAID-6")]
    assert [ask("drive_inventory", last_day=day)[0][1:3] for day in ("2010-03-08", "2010-03-09")] == [
        ("LTO-4", 2),
        ("LTO-4", 1),
    ]
