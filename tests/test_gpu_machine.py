"""On a machine with a GPU and few packages, the GPU tests are collected: nothing more is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
ABSENT = (
    *("argcomplete", "boto3", "dask", "dask_jobqueue", "distributed", "duckdb", "flask"),
    *("ipykernel", "jsonschema", "moto", "mypy", "nbclient", "pandas", "playwright", "pyperclip"),
    *("ruff", "setuptools", "viztracer", "xdist"),
)
"""Packages that other tests need."""
COLLECT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
import pytest
options = ["-m", "gpu", "--collect-only", "--no-summary", "-p", "no:cacheprovider"]
sys.exit(pytest.main(options + {folders}))
"""


def test_gpu_tests_are_collected_with_few_packages() -> None:
    marked = [file for file in TESTS.rglob("test_*.py") if "mark.gpu" in file.read_text()]
    files = {str(file.relative_to(TESTS.parent)) for file in marked if file != Path(__file__)}
    folders = sorted({str(Path(file).parent) for file in files})
    assert {"tests/cuda", "tests/triton"} < {*folders}
    done = subprocess.run(
        [sys.executable, "-c", COLLECT.format(names=ABSENT, folders=folders)],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line} == files
