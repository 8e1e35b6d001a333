"""What the fuzzer begins with: inputs in the repository, and how they are chosen."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tests.fuzz import corpus


def test_what_is_kept_is_small() -> None:
    assert 0 < corpus.KEPT.stat().st_size <= corpus.MOST_BYTES
    with zipfile.ZipFile(corpus.KEPT) as file:
        assert file.testzip() is None
        assert len(file.namelist()) > 100


def test_the_shortest_inputs_of_a_target_are_kept_as_long_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "_MOST_OF_A_TARGET", 10)
    monkeypatch.setattr(corpus, "KEPT", tmp_path / "corpus.zip")
    assert corpus.kept_inputs("one") == []
    many = {"two": [b"abc"], "one": [b"4444", b"55555", b"22", b"333", b""]}
    assert corpus.keep(many, corpus.KEPT) == 5
    assert corpus.kept_inputs("one") == [b"", b"22", b"333", b"4444"]
    assert corpus.kept_inputs("two") == [b"abc"]
    assert corpus.kept_inputs("on") == []
    before = corpus.KEPT.read_bytes()
    corpus.keep({name: inputs[::-1] for name, inputs in many.items()}, corpus.KEPT)
    assert corpus.KEPT.read_bytes() == before
