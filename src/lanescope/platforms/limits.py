"""What machines of threads and of CTAs can have: schedulers, and tasks held in advance."""

from __future__ import annotations

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.render.cells import many_text


def up_to(most: int) -> str:
    """The numbers from 1 to `most`, for a message: 1 to 3; 1 where that is all."""
    return "1" if most == 1 else f"1 to {most}"


def check_schedulers(schedulers: int, workers: int, thing: str) -> None:
    """Refuse more schedulers than workers, which are called `thing`, and none."""
    if not 1 <= schedulers <= workers:
        needed = f"{up_to(workers)} scheduler{'' if workers == 1 else 's'}"
        raise UsageError(
            f"{many_text(workers, thing)} need{'s' if workers == 1 else ''} {needed}, "
            f"not {schedulers}"
        )


def check_pre_dispatch(tasks: int) -> None:
    """Refuse a pre-dispatch that no core has."""
    most = constant("LS_PRE_DISPATCH_MAX")
    if not 0 <= tasks <= most:
        raise UsageError(f"a core can hold 0 to {most} tasks in advance, not {tasks}")
