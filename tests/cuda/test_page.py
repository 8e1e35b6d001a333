"""docs/cuda.md: the kernel in it compiles, the files it names exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cuda.test_header import compiled

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cuda.md").read_text()


def test_the_kernel_compiles(tmp_path: Path) -> None:
    found = re.search(r"```cpp\n(.*?)```", PAGE, re.DOTALL)
    assert found
    include, kernel = found[1].split("\n", 1)
    own = "__device__ void fetch(const float *, int) {}\n__device__ void compute(float *, int) {}\n"
    source = tmp_path / "page.cu"
    source.write_text(f"{include}\n{own}{kernel}")
    compiled(source, tmp_path / "page.cubin")


def test_the_python_is_python() -> None:
    found = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(found) == 2
    for each in found:
        compile(each, "cuda.md", "exec")


def test_the_examples_exist() -> None:
    for name in re.findall(r"^\| `(\w+\.py)` \|", PAGE, re.MULTILINE):
        assert (ROOT / "examples/cuda" / name).exists()
