"""What a launch hands to Triton's compiler, without a GPU: types of arguments, and the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.triton.on_cpu import NO_TRITON

triton = pytest.importorskip("triton", reason=NO_TRITON)

from tests.triton import kernels  # noqa: E402
from tests.triton.compiling import example  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.runtime.driver import driver  # noqa: E402

import lanescope.triton  # noqa: E402


class Sm90:
    """As much of a driver as compiling needs."""

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return device


class Matrix:
    """As much of a tensor as compiling needs."""

    def __init__(self, *shape: int, dtype: str = "float16") -> None:
        self.dtype, self.shape = np.dtype(dtype), shape

    def data_ptr(self) -> int:
        return 0

    def stride(self) -> tuple[int, ...]:
        return (self.shape[1], 1)


@pytest.fixture(autouse=True)
def sm_90(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_active", Sm90())


def ready(kernel: Any, *given: Any, **options: Any) -> Any:
    """The kernel that a launch with these arguments would run."""
    libraries = lanescope.triton.extern_libs()
    return kernel.warmup(*given, grid=(1,), extern_libs=libraries, enable_fp_fusion=True, **options)


def test_every_handle_of_a_recording_runs_the_same_code() -> None:
    module, matrices = example("matmul"), [Matrix(256, 256) for _ in range(3)]
    off, zero, on, other = (
        ready(module.matmul, *matrices, 256, 256, 256, 0, 1, 2, handle, **module.SHAPE)
        for handle in (None, 0, 1 << 40, (1 << 41) + 8)
    )
    assert [each.src.signature["handle"] for each in (off, zero, on)] == ["constexpr", "i32", "i64"]
    assert ["places" in each.asm["ptx"] for each in (off, zero, on)] == [False, True, True]
    assert on.hash == other.hash


def test_a_handle_that_triton_makes_a_constant_is_refused() -> None:
    with pytest.raises(triton.CompilationError, match=r"no constexpr, 0 or None; found 1"):
        ready(kernels.work, Matrix(1, 7, dtype="int32"), 7, 0, 1, 2, 1)


def test_the_other_examples_are_launched_as_they_are_compiled_ahead() -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor

    module = example("persistent")
    blocks = (
        (module.ROWS, module.DEPTH),
        (module.DEPTH, module.COLUMNS),
        (module.ROWS, module.COLUMNS),
    )
    given = [TensorDescriptor.from_tensor(Matrix(256, 256), [*block]) for block in blocks]
    sizes = (module.ROWS, module.COLUMNS, module.DEPTH)
    found = ready(module.persistent, *given, 256, 256, 256, 0, 1, 2, 1 << 40, *sizes)
    assert "cp.async.bulk.tensor" in found.asm["ptx"]
    module = example("attention")
    given = [Matrix(1024, module.WIDTH) for _ in range(4)]
    sizes = (module.QUERIES, module.KEYS, module.WIDTH)
    found = ready(module.attention, *given, 2, 512, 0.1, 0, 1, 2, 1 << 40, *sizes)
    assert "places" in found.asm["ptx"]
