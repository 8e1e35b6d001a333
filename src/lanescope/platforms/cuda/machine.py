"""A GPU as a machine for task graphs: how many SMs run tasks, and how many schedule."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.platforms.limits import check_pre_dispatch, check_schedulers, up_to
from lanescope.render.cells import many_text

CORE_KIND = "sm"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuMachine:
    """Workers and schedulers, each a CTA on an SM of its own.

    Scheduler c % schedulers serves core c.
    """

    workers: int
    schedulers: int = 1
    pre_dispatch: int = 1
    """How many tasks a worker may hold beside the one it runs."""
    limit_s: float = 120.0
    """Seconds after which a kernel that is not done gives up."""

    def __post_init__(self) -> None:
        check_schedulers(self.schedulers, self.workers, "worker")
        check_pre_dispatch(self.pre_dispatch)

    @property
    def ctas(self) -> int:
        """Schedulers and workers together."""
        return self.schedulers + self.workers

    def shared_bytes(self) -> int:
        """Return the bytes of shared memory that a CTA needs, as a worker or as a scheduler."""
        seats = -(-self.workers // self.schedulers)
        return max(constant("LS_MEGA_WORKER_BYTES"), seats * constant("LS_MEGA_SEAT_BYTES"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuRequest:
    """What the user asked for; the GPU decides the rest."""

    cores: tuple[str, ...] | None = None
    schedulers: int = 1
    pre_dispatch: int = 1

    def machine(self, multiprocessors: int) -> GpuMachine:
        """Return the machine on a GPU with that many SMs.

        All SMs that do not schedule run tasks, unless fewer were asked for.
        """
        half = multiprocessors // 2
        if not half:
            raise UsageError(f"a GPU needs 2 SMs or more, this one has {multiprocessors}")
        if not 1 <= self.schedulers <= half:
            raise UsageError(
                f"the GPU has {multiprocessors} SMs, so {up_to(half)} can schedule, "
                f"not {self.schedulers}"
            )
        most = multiprocessors - self.schedulers
        if self.cores is not None and set(self.cores) != {CORE_KIND}:
            other = next(kind for kind in self.cores if kind != CORE_KIND)
            raise UsageError(
                f"the cores of a GPU are of kind {CORE_KIND}, not {other}: --cores {CORE_KIND}=N"
            )
        workers = most if self.cores is None else len(self.cores)
        if not 1 <= workers <= most:
            raise UsageError(
                f"the GPU has {multiprocessors} SMs, so beside "
                f"{many_text(self.schedulers, 'scheduler')} {up_to(most)} can work, not {workers}"
            )
        return GpuMachine(
            workers=workers, schedulers=self.schedulers, pre_dispatch=self.pre_dispatch
        )
