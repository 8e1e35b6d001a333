"""The PLENA programs and answers under ../shared/data, for tests that need them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "../shared/data/plena"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
PROGRAMS = sorted((DATA / "programs").glob("*.asm"))
EDGE = DATA / "edge"


def answers(program: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(program.with_suffix(".golden.json").read_text())
    return found


def settings_of(program: Path) -> Path:
    own = program.with_suffix(".settings.toml")
    return own if own.exists() else DATA / "settings" / "main_plena_settings.toml"
