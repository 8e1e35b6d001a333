"""`collect`: what is left of a program that records nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.capture.collect import collect
from lanescope.capture.directory import SessionNote
from lanescope.device.call_config import CallConfig
from lanescope.errors import LanescopeError, UsageError


@pytest.mark.parametrize(
    ("program", "error", "text"),
    [
        ("/nowhere/program", UsageError, "/nowhere/program could not be started: No such file"),
        ("true", LanescopeError, "true ended with exit code 0 and made no region"),
    ],
)
def test_a_program_that_records_nothing_leaves_no_directory(
    tmp_path: Path, program: str, error: type[LanescopeError], text: str
) -> None:
    folder = tmp_path / "a.capture"
    with pytest.raises(error, match=text):
        collect(
            [program, "argument"],
            directory=folder,
            call=CallConfig(chip_swimlane=1),
            note=SessionNote("a"),
        )
    assert not folder.exists()
