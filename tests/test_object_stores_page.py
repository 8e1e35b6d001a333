"""docs/object-stores.md: its commands and its Python run against an S3 server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import page, require_commands_print_what_is_shown, require_links_lead_somewhere
from tests.s3_store import Proxy

from lanescope.trace import stores
from lanescope.trace.places import place_of

PAGE = page("object-stores.md")


def test_its_commands_print_what_is_shown(
    store: Proxy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address = f"http://127.0.0.1:{store.server_port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "name")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    stores._opened.cache_clear()
    place = place_of("s3://traces/runs")
    assert place.store is not None
    place.store.filesystem.delete_dir_contents(place.store.path(place.key), missing_dir_ok=True)
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 3
    blocks = re.findall(r"^```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block.replace("http://127.0.0.1:5000", address), names)
    stores._opened.cache_clear()
    assert len(blocks) == 2
    assert len(names["edges"]) == 127  # type: ignore[arg-type]
    assert "PUT copies/small_run.lanes/meta.json" in store.asked()


def test_its_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
