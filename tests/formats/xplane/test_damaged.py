"""Damaged XSpace files: one sentence or a trace, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.formats.xplane.spaces import space
from tests.formats.xplane.test_read import gpu, host, tpu

from lanescope.errors import InputError
from lanescope.formats import import_trace

GOOD = space(tpu(), gpu(), host(), host="h")


def outcome(path: Path, data: bytes) -> str:
    """Empty where the file is read; else why it is refused."""
    path.write_bytes(data)
    try:
        import_trace(path)
    except InputError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
        return error.problem
    return ""


@pytest.mark.parametrize("cut", range(1, len(GOOD), 61))
def test_a_file_that_is_cut_off_is_refused_or_read_up_to_a_field(tmp_path: Path, cut: int) -> None:
    problem = outcome(tmp_path / "a.xplane.pb", GOOD[:cut])
    assert not problem or "byte" in problem or "without planes" in problem


def test_no_mutation_makes_the_reader_crash(tmp_path: Path) -> None:
    rng = random.Random(3)
    refused = 0
    for _ in range(400):
        data = bytearray(GOOD)
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        refused += bool(outcome(tmp_path / "a.xplane.pb", bytes(data)))
    assert refused > 20
