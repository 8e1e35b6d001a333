"""Records inside the user's own Triton kernels. A handle comes from `lanescope.cuda.record`."""

try:
    from lanescope.triton.calls import (
        begin,
        close,
        done,
        end,
        mark,
        per_block,
        per_partition,
        per_warp,
        receive,
        send,
    )
    from lanescope.triton.library import extern_libs
except ModuleNotFoundError as error:
    from lanescope.errors import UsageError

    if error.name != "triton":
        raise
    raise UsageError(
        "lanescope.triton needs Triton 3.4 or newer: pip install 'lanescope[triton]'"
    ) from error

__all__ = [
    "begin",
    "close",
    "done",
    "end",
    "extern_libs",
    "mark",
    "per_block",
    "per_partition",
    "per_warp",
    "receive",
    "send",
]
