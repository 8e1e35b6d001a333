"""Dependencies that come from tensors, from the workload to the exported deps.json."""

from __future__ import annotations

import json
from pathlib import Path

import lanescope
from lanescope.cli import main


def test_edges_from_tensors_are_stored_and_exported(tmp_path: Path) -> None:
    target, folder = tmp_path / "a.lanes", tmp_path / "a.simpler"
    small = ("--set", "rows=1", "--set", "columns=2")
    assert main(["run", "matmul_add", *small, "--platform", "a2a3", "-o", str(target)]) == 0
    trace = lanescope.load(target)
    assert trace.text("edges", "kind") == ["tensormap"] * 4
    assert trace.edges["arg"].tolist() == [0, 2, 0, 2]
    assert main(["export", str(target), "--to", "simpler", "-o", str(folder)]) == 0
    written = json.loads((folder / "deps.json").read_text())["edges"]
    assert written == [
        {"pred": pred, "succ": succ, "arg": arg, "source": "tensormap", "flags": ["wait"]}
        for pred, succ, arg in [("0", "1", 0), ("0", "1", 2), ("2", "3", 0), ("2", "3", 2)]
    ]
    assert main(["import", str(folder), "-o", str(tmp_path / "b.lanes")]) == 0
    back = lanescope.load(tmp_path / "b.lanes")
    assert back.text("edges", "kind") == trace.text("edges", "kind")
    assert back.edges["arg"].tolist() == trace.edges["arg"].tolist()
