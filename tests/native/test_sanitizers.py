"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer, on hostile input."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.stress
def test_no_input_makes_the_library_touch_foreign_memory(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    library = tmp_path / "liblanescope.so"
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
    found = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    )
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "sanitized.py"), str(library), "60", "1"],
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
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) > 1000
