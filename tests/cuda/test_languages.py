"""Kernels of Numba CUDA, TileLang and CuTe DSL, compiled to record where these are installed."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.cuda.test_header import sections

import lanescope

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "languages"


def example(name: str, package: str) -> ModuleType:
    """A file of examples/languages; the test is skipped where its language is missing."""
    pytest.importorskip(package, reason=f"{package} is not installed")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanescope, "include_directory", lambda: ROOT / "native" / "include")
        spec.loader.exec_module(module)
    return module


def require_recording(cubin: bytes) -> None:
    """The lanes' shared memory is there, and the calls are inlined."""
    found = sections(cubin)
    assert max(size for name, (_, size) in found.items() if ".nv.shared." in name) >= 2048
    assert b"lanescope_begin" not in cubin


@pytest.mark.filterwarnings("default")
def test_numba_links_the_functions_and_inlines_them() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    pytest.importorskip("cuda.core", reason="cuda-core is not installed")
    require_recording(example("with_numba", "numba").machine_code())


@pytest.mark.filterwarnings("default")
def test_cute_links_the_functions_and_inlines_them() -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    require_recording(example("with_cute", "cutlass.cute").machine_code())


@pytest.mark.filterwarnings("default")
def test_tilelang_keeps_the_calls_in_their_order_and_the_code_compiles(tmp_path: Path) -> None:
    module = example("with_tilelang", "tilelang")
    source = tmp_path / "kernel.cu"
    source.write_text(module.cuda_source(1024))
    calls = re.findall(r"(lanescope_\w+|wgmma_ss|(?<=; )half2)(?=[(<])", source.read_text())
    wanted = ["per_block", "begin", "mark", "wgmma", "done", "mark", "done", "end", "close"]
    found = [call.removeprefix("lanescope_").removesuffix("_ss") for call in calls]
    shown = [call for at, call in enumerate(found) if found[at - 1 : at] != [call]]
    assert shown == wanted
    folder = Path(module.tilelang.__file__).parent
    nvcc, target = shutil.which("nvcc"), tmp_path / "kernel.cubin"
    if nvcc is None:
        pytest.skip("the calls are in their order; nvcc is not installed")
    include = (ROOT / "native/include", folder / "src", folder / "3rdparty/cutlass/include")
    command = [nvcc, "-std=c++17", "-arch=sm_90a", "-w", *(f"-I{each}" for each in include)]
    subprocess.run([*command, "-cubin", str(source), "-o", str(target)], check=True)
    require_recording(target.read_bytes())


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "package", "line"),
    [
        ("numba", "numba_cuda", "10000 of 10000 tasks"),
        ("cute", "cutlass.cute", "10000 of 10000 tasks"),
        ("tilelang", "tilelang", "256 of 256 tiles, 512 marks"),
    ],
)
def test_the_example_records_every_task(name: str, package: str, line: str, tmp_path: Path) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    target = tmp_path / f"{name}.lanes"
    command = [sys.executable, EXAMPLES / f"with_{name}.py", "-o", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{target}: {line}\n"), done.stderr


def test_without_a_language_the_example_is_python() -> None:
    for file in sorted(EXAMPLES.glob("*.py")):
        subprocess.run([sys.executable, "-m", "py_compile", str(file)], check=True)
