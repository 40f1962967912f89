"""The coverage gate: whose logs count for whom, which hours can be missing, and what site.toml may say of it."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from pipelines.analysis import findings
from pipelines.analysis.findings.coverage_gate import Gate, Kin
from pipelines.build.fingerprint import settings_hash
from pipelines.catalog.contracts import Rule
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.engine import transaction
from support.memory_lake import memory_lake

pytestmark = pytest.mark.usefixtures("plain_store")

DAY = date(2010, 3, 10)
PERIOD = findings.Period(DAY, DAY, "UTC")
RULES = load_catalog().rules


@pytest.fixture(scope="module")
def lake() -> Iterator[Connection]:
    """Two systems, two stations with a link each: of system `a` and link `l1` half of the day was covered."""
    with memory_lake() as connection:
        with transaction(connection):
            for drive, system in (("D1", "a"), ("D2", "b")):
                connection.execute(f"INSERT INTO {LAKE}.site.drive (drive, system) VALUES (?, ?)", [drive, system])
            for link, station in (("l1", "n1"), ("l2", "n2")):
                connection.execute(f"INSERT INTO {LAKE}.site.link (link, station) VALUES (?, ?)", [link, station])
            for source, host, n_seen in (
                ("enstore_log", "a", 12),
                ("enstore_log", "b", 24),
                ("mrtg_log", "l1", 12),
                ("mrtg_log", "l2", 24),
                ("vmstat", "n1.example.org", 12),
            ):
                for hour in range(24):
                    connection.execute(
                        f"INSERT INTO {LAKE}.ops.coverage VALUES (?, ?, ?, 3600, ?)",
                        [source, host, datetime(2010, 3, 10, hour), 3600.0 * (hour < n_seen)],
                    )
        yield connection


def gate(lake: Connection, rule: str, site: Site | None = None) -> Gate:
    return Gate(site or Site(name="case"), Kin(lake), RULES[rule], PERIOD)


@pytest.mark.parametrize(
    ("rule", "entity", "host"),
    [
        ("long_gap", "n2/D1", "a"),  # the drive's system
        ("long_gap", "n2/D2", None),
        ("duty_low", "n1", "l1"),  # the station's link
        ("duty_low", "n2", None),
        ("host_saturated", "n1", "n1.example.org"),  # a full name
        ("changed_rate", "b/read/LTO-4", None),  # the system itself
        ("bad_tape", "VOL001", None),  # it may have been in any drive: 36 of 48 hours are just enough
        ("drive_down", "D1", None),  # an outage that was logged was one
    ],
)
def test_whose_logs_count(lake: Connection, rule: str, entity: str, host: str | None) -> None:
    missing = gate(lake, rule).missing(entity)
    assert (missing.host if missing else None) == host
    if missing:
        assert (missing.share, missing.expected_s) == (0.5, 86_400)


def test_all_logs_of_a_kind_count_where_none_is_the_entitys_own(lake: Connection) -> None:
    strict = Site(name="case", min_coverage={"bad_tape": 0.8})
    missing = gate(lake, "bad_tape", strict).missing("VOL001")
    assert missing is not None and (missing.host, missing.share) == ("a, b", 0.75)


def test_of_several_programs_that_watch_a_host_one_is_enough(lake: Connection) -> None:
    """vmstat has half of n1's day. With all of it by sar, n1 is judged; n3 has a quarter by sar, and nothing else."""
    lake.execute("BEGIN TRANSACTION")
    for host, n_hours in (("n1", 24), ("n3", 6)):
        for hour in range(24):
            lake.execute(
                f"INSERT INTO {LAKE}.ops.coverage VALUES ('sar', ?, ?, 3600, ?)",
                [host, datetime(2010, 3, 10, hour), 3600.0 * (hour < n_hours)],
            )
    found = gate(lake, "host_saturated")
    missing = found.missing("n3")
    assert found.missing("n1") is None
    assert missing is not None and (missing.source, missing.share) == ("sar", 0.25)
    assert [(log.source, log.host) for log in found.short] == [("sar", "n3")]
    lake.execute("ROLLBACK")


def test_a_rule_may_need_several_kinds_of_log(lake: Connection) -> None:
    both = Rule(**vars(RULES["long_gap"]) | {"params": {"source": ["drives", "mrtg_log"]}})
    missing = Gate(Site(name="case"), Kin(lake), both, PERIOD).missing("n1/D2")
    assert missing is not None and (missing.source, missing.host) == ("mrtg_log", "l1")


def test_hours_after_the_newest_file_was_written_are_not_missing(lake: Connection) -> None:
    """A night at noon: half of the day is not over, and all that could be logged was covered."""
    noon = datetime(2010, 3, 10, 12, tzinfo=UTC)
    lake.execute("BEGIN TRANSACTION")
    for hours, share in ((0, None), (6, 12 / 18)):
        written = int((noon + timedelta(hours=hours)).timestamp() * 1e9)
        lake.execute(f"INSERT INTO {LAKE}.ops.file (modified_ns) VALUES (?)", [written])
        missing = gate(lake, "long_gap").missing("D1")
        assert (missing.share if missing else None) == share
    lake.execute("ROLLBACK")


def test_the_coverage_that_a_rule_needs_decides_verdicts() -> None:
    """Changed, it makes verdicts outdated; a lock's wait does not."""
    site = Site(name="a")
    assert settings_hash(site) != settings_hash(site.model_copy(update={"min_coverage": {"long_gap": 0.5}}))
    assert settings_hash(site) == settings_hash(site.model_copy(update={"lock_wait_s": 7}))


def test_a_rule_that_does_not_exist_is_refused(lake: Connection) -> None:
    with pytest.raises(ConfigError, match="long_gaps"):
        findings.detect(lake, Site(name="case", min_coverage={"long_gaps": 0.5}), load_catalog(), DAY, DAY)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_every_rule_says_what_it_needs(rule: Rule) -> None:
    """Only what is about absence itself rests on no log."""
    assert bool(rule.sources) == (rule.metric != "gold.source_silence") and 0 <= rule.min_coverage <= 1
