"""What is said where Triton is not installed, and where it lacks a part."""

from __future__ import annotations

import subprocess
import sys

import pytest


def imported(before: str) -> str:
    """The last line of what goes wrong when lanescope.triton is imported."""
    code = f"import sys, types\n{before}\nimport lanescope.triton"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "before",
    [
        "sys.modules['triton'] = None",
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'triton':\n"
        "            raise ModuleNotFoundError(\"No module named 'triton'\", name=name)\n"
        "sys.meta_path.insert(0, Finder)",
    ],
)
def test_without_triton_one_sentence_says_so(before: str) -> None:
    assert imported(before) == (
        "lanescope.errors.UsageError: lanescope.triton needs Triton 3.4 or newer: "
        "pip install 'lanescope[triton]'"
    )


def test_a_triton_that_lacks_a_part_is_told_as_it_is() -> None:
    """It is installed, and installing it again would not help."""
    lacking = "sys.modules['triton'] = types.SimpleNamespace(knobs=None)"
    assert imported(lacking) == (
        "ModuleNotFoundError: No module named 'triton.language'; 'triton' is not a package"
    )
