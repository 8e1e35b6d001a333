"""Functions for Triton and Gluon kernels. Each becomes a call of lanescope/calls.cuh, inlined.

Triton runs this Python while it compiles a kernel, and shows the line that was refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triton import knobs
from triton.language import core

from lanescope.triton.library import NAME

_WORD, _LONG = core.uint32, core.uint64


def _in_kernels(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels call a function. In Triton's interpreter it does nothing."""
    if knobs.runtime.interpret:
        return lambda *given: None
    called: Callable[..., Any] = core.extern(function)
    return called


@_in_kernels
def per_block(handle: Any, _semantic: Any = None, _generator: Any = None) -> Any:
    """Return the CTA's lane: core = its number in the grid.

    Args:
        handle: `rec.handle` of `lanescope.cuda.record`. 0 records nothing; with None the kernel is
            compiled without recording.
    """
    return _open(handle, 0, _semantic, _generator)


@_in_kernels
def per_partition(handle: Any, pipe: Any, _semantic: Any = None, _generator: Any = None) -> Any:
    """Return the lane of the warps that make the call: a partition of a warp-specialised kernel.

    Call it inside the partition. `pipe` counts the names of `record(pipes=(…))`.
    """
    return _open(handle, pipe, _semantic, _generator)


@_in_kernels
def per_warp(handle: Any, _semantic: Any = None) -> Any:
    """Return the warp's lane: core = the CTA's number, pipe = the warp's number in it."""
    if _no_lane(handle):
        return core.constexpr(None)
    return _call("per_warp", _WORD, _semantic, (handle, _LONG))


@_in_kernels
def begin(lane: Any, task: Any, func: Any, _semantic: Any = None) -> None:
    """Begin a task: its number, and the number of its function, which is that of `rec.function`."""
    _on_lane("begin", lane, _semantic, (task, _WORD), (func, _WORD))


@_in_kernels
def end(lane: Any, _semantic: Any = None) -> None:
    """End the task that began last."""
    _on_lane("end", lane, _semantic)


@_in_kernels
def mark(lane: Any, id: Any, _semantic: Any = None) -> Any:
    """Begin a mark and return it, for `done`. Its id is that of `rec.mark`."""
    if _plain(lane) is None:
        return core.constexpr(None)
    return _call("mark", _LONG, _semantic, (lane, _WORD), (id, _WORD))


@_in_kernels
def done(lane: Any, mark: Any, _semantic: Any = None) -> None:
    """End a mark, also in a later iteration of a loop."""
    _on_lane("done", lane, _semantic, (mark, _LONG))


@_in_kernels
def send(lane: Any, number: Any, _semantic: Any = None) -> None:
    """Say that a task with a `receive` of this number waits for the task that began last here."""
    _on_lane("send", lane, _semantic, (number, _WORD))


@_in_kernels
def receive(lane: Any, number: Any, _semantic: Any = None) -> None:
    """Say that the task which began last waited for the one that sent this number."""
    _on_lane("receive", lane, _semantic, (number, _WORD))


@_in_kernels
def close(lane: Any, _semantic: Any = None) -> None:
    """Publish what is left on the lane; without it the last records of a kernel are missing."""
    _on_lane("close", lane, _semantic)


def _open(handle: Any, pipe: Any, semantic: Any, generator: Any) -> Any:
    """Open a lane whose elected thread is one of all warps that make the call."""
    if _no_lane(handle):
        return core.constexpr(None)
    partition = getattr(generator, "caller_context", None)
    warps = getattr(partition, "num_warps", semantic.builder.options.num_warps)
    given = ((handle, _LONG), (pipe, _WORD), (warps, _WORD))
    return _call("per_partition", _WORD, semantic, *given)


def _no_lane(handle: Any) -> bool:
    """Return whether the handle is None or a constant 0: nothing is compiled for recording."""
    known = _plain(handle)
    if known is None or isinstance(known, core.tensor):
        return known is None
    if known == 0:
        return True
    raise ValueError(
        "a handle is rec.handle of lanescope.cuda.record, as an argument that is no constexpr, "
        f"0 or None; found {known}"
    )


def _on_lane(name: str, lane: Any, semantic: Any, *given: tuple[Any, core.dtype]) -> None:
    """Call a function that returns nothing."""
    if _plain(lane) is not None:
        _call(name, _WORD, semantic, (lane, _WORD), *given)


def _call(name: str, returns: core.dtype, semantic: Any, *given: tuple[Any, core.dtype]) -> Any:
    """Call `lanescope_NAME`; every argument is cast, whatever Triton made of it."""
    options = semantic.builder.options
    if options.backend_name != "cuda":
        raise ValueError(
            f"lanescope records on NVIDIA's GPUs, found the backend {options.backend_name}"
        )
    if NAME not in dict(options.extern_libs):
        raise ValueError("launch the kernel with extern_libs=lanescope.triton.extern_libs()")
    arguments = [_scalar(value, kind, semantic) for value, kind in given]
    symbols = {tuple(kind for _, kind in given): (f"lanescope_{name}", returns)}
    return core.extern_elementwise(NAME, "", arguments, symbols, is_pure=False, _semantic=semantic)


def _scalar(value: Any, kind: core.dtype, semantic: Any) -> Any:
    tensor = semantic.to_tensor(_plain(value))
    if tensor.type.is_block():
        raise ValueError(f"numbers that are recorded are scalars, found {tensor.type}")
    return semantic.cast(tensor, kind)


def _plain(value: Any) -> Any:
    """Return what a constexpr holds; everything else as it is."""
    return value.value if isinstance(value, core.constexpr) else value
