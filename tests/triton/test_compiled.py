"""Kernels compiled for GPUs that are not there: what recording adds, and what it leaves alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.triton.on_cpu import NO_TRITON

triton = pytest.importorskip("triton", reason=NO_TRITON)

from tests.triton import kernels  # noqa: E402
from tests.triton.compiling import compiled, example  # noqa: E402

PAGE = (Path(__file__).parents[2] / "docs" / "triton.md").read_text()
PLACES = 2048


def needs(name: str, arch: int, handle: str | None) -> tuple[Any, Any]:
    """A kernel of the examples, compiled, and what it needs."""
    module = example(name)
    arguments = {**module.ARGUMENTS, "handle": handle}
    binary = compiled(getattr(module, name), arguments, arch, **module.OPTIONS)
    return binary, example("ahead").needs(binary)


@pytest.mark.parametrize(
    ("name", "arch", "products", "copies"),
    [
        ("matmul", 80, "HMMA", "LDGSTS"),
        ("matmul", 90, "HGMMA", "LDGSTS"),
        ("attention", 80, "HMMA", "LDGSTS"),
        ("attention", 90, "HGMMA", "LDGSTS"),
        ("persistent", 90, "HGMMA", "UTMALDG"),
    ],
)
def test_loads_still_run_ahead_and_nothing_is_spilled(
    name: str, arch: int, products: str, copies: str
) -> None:
    _, off = needs(name, arch, None)
    binary, on = needs(name, arch, "u64")
    assert off.counts[products] > 0
    assert off.counts[copies] > 0
    assert (off.stack_bytes, off.counts["STL"], off.counts["LDL"]) == (0, 0, 0)
    assert on == replace(off, registers=on.registers, shared_bytes=off.shared_bytes + PLACES)
    _require_inlined(binary.asm["ptx"])
    if f"By Triton {triton.__version__}, off → on" in PAGE:
        row = rf"^\| `{name}` \| sm_{arch} \| {off.registers} → {on.registers} \|"
        assert re.search(row, PAGE, re.MULTILINE), f"{row} is not in docs/triton.md"


def _require_inlined(ptx: str) -> None:
    assert not re.search(r"^\s*(call|\.func|\.visible \.func|\.extern \.func)\b", ptx, re.MULTILINE)
    (places,) = re.findall(r"\.shared \.align (\d+) \.b8 \w*places\w*\[(\d+)\]", ptx)
    assert places == ("1024", str(PLACES))


def _code(binary: Any) -> list[str]:
    said = example("ahead")._cuobjdump(binary, "-sass")
    return re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?);", said)


def test_with_no_handle_it_is_the_machine_code_of_a_kernel_without_calls() -> None:
    given = {"x": "*fp32:16", "out": "*fp32:16", "n": "i32", "BLOCK": 1024}
    plain = _code(compiled(kernels.plain_sum, given))
    off = _code(compiled(kernels.recorded_sum, {**given, "handle": None}))
    on = _code(compiled(kernels.recorded_sum, {**given, "handle": "u64"}))
    assert len(plain) > 20
    assert off == plain
    assert len(on) > 2 * len(plain)


@pytest.mark.parametrize("kind", ["i32", "i64", "u64"])
def test_a_handle_may_have_any_type_that_triton_gives_it(kind: str) -> None:
    given = {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": 1024, "handle": kind}
    assert "places" in compiled(kernels.recorded_sum, given).asm["ptx"]


def test_partitions_with_registers_of_their_own_record() -> None:
    from tests.triton.gluon_kernels import specialised
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource

    import lanescope.triton

    types = {"out": "*i32", "tasks": "i32", "func": "i32", "handle": "u64"}
    options = {"num_warps": 4, "enable_fp_fusion": True}
    binary = triton.compile(
        GluonASTSource(specialised, types, constexprs={}),
        target=GPUTarget("cuda", 90, 32),
        options={**options, "extern_libs": lanescope.triton.extern_libs()},
    )
    ptx = binary.asm["ptx"]
    _require_inlined(ptx)
    assert "setmaxnreg.dec.sync.aligned.u32 \t48;" in ptx
    assert example("ahead").needs(binary).stack_bytes == 0
    lanes = r"%c(\d)_i32\w*, %c(\d)_i32\w* \{.*lanescope_per_partition"
    pipes_and_warps = {*re.findall(lanes, binary.asm["ttgir"])}
    assert pipes_and_warps == {("0", "4"), ("1", "1"), ("2", "2")}
