"""MRTG's configuration: the values of a target, and that no community ever gets out."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.catalog.files import load_catalog
from pipelines.sources import all_sources, choose
from pipelines.sources.blocks import frame_of
from pipelines.sources.mrtg_cfg.targets import members, polled_side
from pipelines.sources.packing import read_head
from pipelines.sources.protocol import Origin
from pipelines.warehouse.connection import Warehouse
from support.archive import make, make_site, put
from support.parsing import CASES, origin_of, parse_chunks, read_lines

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("plain_store")]

FIXTURES = [path for path in CASES if path.parent.name == "mrtg_cfg"]
# what the fixtures hide: communities, parts of them that a careless reading would let through, and a password
FIXTURE_SECRETS = ("hush-reading", "qu1et", "w0rd", "qu1et:w0rd", "n0t-this", "n0t@this", "l00se-lips")


def everything(path: Path) -> str:
    """All that parsing a file gives out, as text: rows, the text of rejects, carry and claims."""
    source, lines = all_sources()["mrtg_cfg"], read_lines(path)
    parsed = source.parse(lines, origin_of(path), None)
    parts = [
        json.dumps([rows.to_dicts() for rows in parsed.tables.values()], default=str),
        json.dumps(parsed.rejects["text"].to_list()),
        json.dumps(parsed.carry),
        repr(choose(read_head(path))),
        path.with_suffix(".expected.json").read_text() if path in FIXTURES else "",
    ]
    return "\n".join(parts)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_no_community_of_a_fixture_gets_out(path: Path) -> None:
    assert any(secret in path.read_text() for secret in FIXTURE_SECRETS)
    output = everything(path)
    assert not [secret for secret in FIXTURE_SECRETS if secret in output]


def test_no_community_of_a_real_file_gets_out(realdata: Path) -> None:
    paths = sorted((realdata / "mrtg").rglob("*.cfg"))
    assert len(paths) >= 5
    for path in paths:
        text = path.read_text(errors="replace")
        secrets = set(re.findall(r":([^:@\s]+)@", text)) | set(re.findall(r"localhost (\w+)`", text))
        output = everything(path)
        assert not [secret for secret in secrets if re.search(rf"\b{re.escape(secret)}\b", output)], path.name


def test_no_community_gets_into_the_warehouse(tmp_path: Path) -> None:
    """Not by rejects, nor by a last line without an end, nor by one too long, nor by a file that is not read."""
    site = make_site(tmp_path, 'name = "case"\n[[input]]\nglob = "logs/*.cfg"\n')
    targets = "WorkDir: /srv/mrtg\nTarget[a]: 2:l00se-lips@stage-sw\nTarget[b]: l00se-lips@stage-sw\n"
    long = f"Title[a]: 2:l00se-lips@stage-sw {'x' * 2**20}\n"
    put(site, "torn.cfg", f"{targets}{long}Target[c]: 3:l00se-lips@stage-sw")
    put(site, "nobodys.cfg", "2:l00se-lips@stage-sw\nl00se-lips\n")
    make(site)
    with Warehouse(site).read() as connection:
        counts = connection.execute("SELECT reason, count(*) FROM ops.reject GROUP BY ALL ORDER BY ALL").fetchall()
        assert counts == [("bad_syntax", 1), ("too_long", 1)]
        for relation in load_catalog().relations.values():
            rows = connection.execute(f"SELECT * FROM {relation.full_name}").fetchall()
            assert "l00se-lips" not in repr(rows), relation.full_name


# --- the value of a Target --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2:public@gw", [("index", "2", "gw", False, None)]),
        ("-2:public@gw.example.org:161:2:5:1:2", [("index", "2", "gw.example.org", True, "2")]),
        ("#Gi1/0/3:p@gw:::::3", [("name", "Gi1/0/3", "gw", False, "3")]),
        (r"\Port\ channel\:1:p@gw", [("description", "Port channel:1", "gw", False, None)]),
        ("1:a@b@gw+-2:a@b@gw", [("index", "1", "gw", False, None), ("index", "2", "gw", True, None)]),
        ("(1:p@gw + 2:p@gw)", [("index", "1", "gw", False, None), ("index", "2", "gw", False, None)]),
        ("/10.0.0.1:p@[2001:db8::1]:161::::2", [("address", "10.0.0.1", "2001:db8::1", False, "2")]),
        ("%24:p@gw", [("type", "24", "gw", False, None)]),
        ("`/bin/count -c 'a@b'`", [("script", None, None, False, None)]),
        ("-`/bin/count`", [("script", None, None, True, None)]),
    ],
)
def test_what_a_target_polls(value: str, expected: list[tuple[str, str | None, str | None, bool, str | None]]) -> None:
    read = members(value)
    assert read is not None
    assert [(m.kind, m.interface, m.host, m.is_turned, m.snmp_version) for m in read[0]] == expected


def test_two_counters_on_two_hosts() -> None:
    read = members("ifHCInOctets.3:one@gw&ifHCInOctets.4:two@sw")
    assert read is not None
    assert [(m.in_oid, m.host, m.measures) for m in read[0]] == [
        ("ifHCInOctets.3", "gw", "octets"),
        ("ifHCInOctets.4", "sw", "octets"),
    ]


@pytest.mark.parametrize("value", ["words that say nothing", "2:public", "public@gw", "2:two words@gw", "`open", "a b"])
def test_what_is_not_understood_is_refused(value: str) -> None:
    assert members(value) is None


words = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\`"), min_size=3, max_size=12)


@settings(max_examples=15, deadline=None)
@given(words.filter(lambda word: not re.fullmatch(r"[\w.]{0,3}", word)), st.integers(1, 99))
def test_any_community_is_left_out(word: str, port: int) -> None:
    secret = f"~{word}~"  # so that it cannot be part of another word by chance
    line = f"Target[a]: {port}:{secret}@gw + {port}:{secret}@gw\n"
    source = all_sources()["mrtg_cfg"]
    parsed = source.parse(frame_of(line.encode()), Origin(), None)
    output = json.dumps(
        [parsed.tables["mrtg_cfg"].to_dicts(), parsed.rejects.to_dicts()], default=str, ensure_ascii=False
    )
    assert secret not in output


@pytest.mark.parametrize(
    ("port", "side"),
    [
        ("eth0", "host"),
        ("bond1", "host"),
        ("ens3f0", "host"),
        ("GigabitEthernet1/0/3", "switch"),
        ("TenGigabitEthernet2/3", "switch"),
        ("Te1/1", "switch"),
        ("Port-channel12", "switch"),
        ("uplink to stage07", None),
    ],
)
def test_whose_port_it_is(port: str, side: str | None) -> None:
    assert polled_side(port) == side


# --- real files -------------------------------------------------------------------------------------------------


def test_real_files_by_another_way(realdata: Path) -> None:
    """Targets and limits, counted in the text with a plain pattern."""
    for path in sorted((realdata / "mrtg").rglob("*.cfg")):
        text = path.read_text(errors="replace")
        targets = [name.lower() for name in re.findall(r"(?im)^target\[([^]]+)\]", text)]
        limits = {
            name.lower(): float(number) for name, number in re.findall(r"(?im)^maxbytes\[([^]]+)\]:\s*(\S+)", text)
        }
        rows = parse_chunks("mrtg_cfg", [read_lines(path)], Origin())["tables"]["mrtg_cfg"]
        assert [row["target"] for row in rows if row["keyword"] == "target"] == targets
        assert {row["target"]: row["number"] for row in rows if row["keyword"] == "maxbytes"} == limits
