"""docs/triton.md: its kernel compiles, and what it names exists. Its figures: test_compiled.py."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from tests.triton.on_cpu import NO_TRITON

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "triton.md").read_text()


def test_the_kernel_compiles(tmp_path: Path) -> None:
    pytest.importorskip("triton", reason=NO_TRITON)
    from tests.triton.compiling import compiled

    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "page.py").write_text(code)
    spec = importlib.util.spec_from_file_location("page", tmp_path / "page.py")
    assert spec and spec.loader
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    given = {"x": "*fp32", "out": "*fp32", "blocks": "i32", "func": "i32", "handle": "i64"}
    assert "places" in compiled(page.scale, {**given, "BLOCK": 1024}).asm["ptx"]


def test_every_call_is_in_the_table_and_no_other() -> None:
    pytest.importorskip("triton", reason=NO_TRITON)
    import lanescope.triton

    rows = "".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
    assert {*re.findall(r"(\w+)\(", rows)} == {*lanescope.triton.__all__} - {"extern_libs"}


def test_the_files_exist() -> None:
    for name in re.findall(r"`(\w+\.py)`", PAGE):
        assert any((ROOT / "examples" / each / name).exists() for each in ("triton", "languages"))
    assert (ROOT / "benchmarks" / "cuda_triton.py").exists()
