"""The drawing of a site: a box a station and kind of drive, a line for what passed."""

from typing import Any

from dashboards.charts.schematic import LEFT, MIDDLE, RIGHT, schematic

NOTHING = dict.fromkeys(
    ("station", "role", "spool", "links", "facts", "mode", "kind", "n_drives", "n_hosts", "moved_gb")
)


def data_of(rows: list[dict[str, Any]]) -> tuple[dict[tuple[str, str], Any], list[Any]]:
    drawn = schematic(rows).to_dict()
    sets = drawn["datasets"].values()
    boxes = next(rows for rows in sets if "text" in rows[0])
    lines = next((rows for rows in sets if "width" in rows[0]), [])
    return {(box["column"], box["name"]): box for box in boxes}, lines


def test_a_migration_station_between_two_kinds_of_drives() -> None:
    """M01, E04. Two stations are at 3/4 and 1/4 of the height; 150 GB is the thickest line, 75 half of it."""
    station = NOTHING | {"station": "dm8", "role": "migration", "spool": "1070 GB", "links": "p8 250 MB/s"}
    boxes, lines = data_of(
        [
            station | {"mode": "read", "kind": "LTO-2", "n_drives": 2, "n_hosts": 1, "moved_gb": 150.0},
            station | {"mode": "write", "kind": "LTO-4", "n_drives": 1, "n_hosts": None, "moved_gb": 75.0},
            NOTHING | {"station": "dm5", "role": "migration"},
            NOTHING | {"kind": "9940B", "n_drives": 7},
        ]
    )
    assert {name: (box["y"], box["text"]) for name, box in boxes.items()} == {
        (LEFT, "9940B"): (0.75, "7 drives"),
        (LEFT, "LTO-2"): (0.25, "2 drives on 1 host"),
        (MIDDLE, "dm5"): (0.75, "migration"),
        (MIDDLE, "dm8"): (0.25, "migration; 1070 GB; p8 250 MB/s"),
        (RIGHT, "LTO-4"): (0.5, "1 drive"),
    }
    assert [(line["way"], line["y"], line["y2"], line["width"]) for line in lines] == [
        ("read", 0.25, 0.25, 9.5),
        ("written", 0.25, 0.5, 5.5),
    ]


def test_what_logs_name_is_drawn_as_text_and_cut() -> None:
    hostile = "<img src=x onerror=alert(1)>" * 9
    boxes, lines = data_of([NOTHING | {"station": hostile, "facts": hostile}])
    box = boxes[MIDDLE, hostile]
    assert box["text"] == hostile and len(box["short"]) <= 42 and box["short"][-1] == "…" and not lines
