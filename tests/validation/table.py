"""Tables of published points, made by hand."""

from __future__ import annotations

import csv
from pathlib import Path

from validation.points import Point
from validation.reading import COLUMNS, read_points


def points(tmp_path: Path, *rows: dict[str, object]) -> list[Point]:
    file = tmp_path / "points.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for number, row in enumerate(rows):
            base: dict[str, object] = dict.fromkeys(COLUMNS, "")
            base |= {"id": f"P{number}", "system": "box", "model": "M-1B fp16", "weights_GB": 100}
            base |= {"resident_GB": 0, "batch": 10, "measured": 1, "kind": "weight-stream"}
            writer.writerow({**base, **row})
    return read_points(file)


def point(tmp_path: Path, **row: object) -> Point:
    return points(tmp_path, row)[0]
