"""One folder of inputs for the tests of all commands; nobody writes into it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks for colours, as CI does."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one of everything that commands read."""
    from tests.cli.ground import make_ground

    return make_ground(tmp_path_factory.mktemp("ground"))
