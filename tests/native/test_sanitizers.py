"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer, on hostile input."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stress

ROOT = Path(__file__).parents[2]
SECONDS = "60"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole library, built with both sanitizers."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    library = tmp_path_factory.mktemp("sanitized") / "liblanescope.so"
    sources = sorted(str(file) for file in (ROOT / "native/src").rglob("*.c"))
    flags = ["-g", "-O1", "-shared", "-fPIC", "-fsanitize=address,undefined"]
    flags += [
        "-fno-sanitize-recover=all",
        "-I",
        str(ROOT / "native/include"),
        "-I",
        str(ROOT / "native/src"),
    ]
    subprocess.run([compiler, *flags, *sources, "-o", str(library)], check=True)
    return library


def run_with(library: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Run a module of the tests with the library, in a process of its own."""
    found = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    )
    return subprocess.run(
        [sys.executable, "-m", module, str(library), SECONDS, "1"],
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": found.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_input_makes_the_library_touch_foreign_memory(library: Path) -> None:
    done = run_with(library, "tests.native.sanitized")
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) > 300


def test_no_simulated_run_touches_foreign_memory_or_breaks_a_rule(library: Path) -> None:
    done = run_with(library, "tests.native.sanitized_machine")
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) > 50
