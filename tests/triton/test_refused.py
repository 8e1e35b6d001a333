"""What goes wrong with Triton without a word, refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from tests.triton.on_cpu import NO_TRITON, recording

triton = pytest.importorskip("triton", reason=NO_TRITON)

from tests.triton import kernels  # noqa: E402
from tests.triton.compiling import WORK, compiled  # noqa: E402

import lanescope.triton  # noqa: E402
from lanescope.errors import UsageError  # noqa: E402


def refusal(kernel: Any, arguments: dict[str, Any], **options: Any) -> str:
    """The last line of the error, and the kernel's line above it."""
    with pytest.raises(triton.CompilationError) as found:
        compiled(kernel, arguments, **options)
    *_, code, _, sentence = str(found.value).splitlines()
    assert "ls." in code
    return sentence


def test_a_launch_without_the_library() -> None:
    said = refusal(kernels.work, WORK, extern_libs=None)
    assert said == "launch the kernel with extern_libs=lanescope.triton.extern_libs()"


@pytest.mark.parametrize("handle", [1, 1 << 40])
def test_a_handle_that_is_a_constant(handle: int) -> None:
    assert refusal(kernels.work, {**WORK, "handle": handle}) == (
        "a handle is rec.handle of lanescope.cuda.record, as an argument that is no constexpr, "
        f"0 or None; found {handle}"
    )


def test_many_numbers_at_once() -> None:
    said = refusal(kernels.block_of_tasks, {"handle": "u64"})
    assert said == "numbers that are recorded are scalars, found <['16'], int32>"


def test_a_constant_0_is_compiled_without_recording() -> None:
    assert (
        "places" not in compiled(kernels.work, {**WORK, "handle": 0}, extern_libs=None).asm["ptx"]
    )


def test_the_handle_of_a_recording_that_has_ended() -> None:
    with recording(cores=1) as rec:
        assert rec.handle > 1
    with pytest.raises(UsageError) as found:
        rec.handle  # noqa: B018
    assert str(found.value) == "the recording has ended; launch kernels inside its `with`"


def test_a_tuned_kernel_records_its_best_configuration_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launches: list[tuple[int, int]] = []
    times = {1: 3.0, 2: 1.0, 4: 2.0}

    def run(*given: Any, **options: Any) -> None:
        assert options["extern_libs"] == lanescope.triton.extern_libs()
        launches.append((given[5], options["num_warps"]))

    def bench(call: Any, quantiles: Any) -> list[float]:
        call()
        return [times[launches[-1][1]]] * 3

    configs = [triton.Config({}, num_warps=warps) for warps in times]
    tuned = triton.autotune(configs, key=["tasks"], do_bench=bench)(kernels.work)
    monkeypatch.setattr(kernels.work, "run", run)
    for handle in (0, 1 << 40):
        tuned[(1,)](None, 7, 0, 1, 2, handle, extern_libs=lanescope.triton.extern_libs())
    assert launches == [(0, 1), (0, 2), (0, 4), (0, 2), (1 << 40, 2)]
