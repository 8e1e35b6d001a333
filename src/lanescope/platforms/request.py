"""What a user asks for, before anything runs: the machine, the recording, a dump, a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lanescope.dump.write import DumpRequest
from lanescope.errors import UsageError, did_you_mean
from lanescope.platforms.cuda.machine import GpuRequest
from lanescope.platforms.limits import check_pre_dispatch
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import built_in_chips
from lanescope.platforms.threads.machine import ThreadMachine, parse_cores

DEFAULT_CORES = "aic=1,aiv=2"
"""Cores of the thread platform where the user names none."""
REAL = ("threads", "cuda")
"""Platforms that run tasks for real. All others are simulated chips."""


def is_simulated(platform: str) -> bool:
    """Say whether the platform is a simulated chip; refuse one that does not exist."""
    if platform in REAL:
        return False
    if platform in built_in_chips() or Path(platform).exists():
        return True
    known = (*REAL, *built_in_chips())
    raise UsageError(
        f"expected a platform ({', '.join(known)}, or a chip's file), found {platform!r}"
        f"{did_you_mean(platform, known)}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineRequest:
    """Where a graph runs. Each field is the option of the same name on the command line."""

    platform: str = "a2a3"
    """A simulated chip's name, a chip's file, `threads` or `cuda`."""
    cores: str | None = None
    """Cores of each kind, such as "aic=1,aiv=2" (threads) or "sm=8" (cuda). None: the usual."""
    schedulers: int | None = None
    """Scheduler threads or CTAs. None: one."""
    pre_dispatch: int = 1
    """How many tasks a core may hold beside the one it runs."""
    pin: bool = False
    """Tie each thread to one processor; threads only."""

    def check(self) -> None:
        """Refuse options that the platform does not have, and a pre-dispatch that no core has."""
        asked = self.cores is not None or self.schedulers is not None or self.pin
        if is_simulated(self.platform) and asked:
            raise UsageError(
                "--cores and --schedulers are for --platform threads and cuda, --pin for threads; "
                f"what {self.platform} has stands in its file (see 'lanescope platforms')"
            )
        if self.platform == "cuda" and self.pin:
            raise UsageError("--pin is for --platform threads; CTAs stay on their SM anyway")
        check_pre_dispatch(self.pre_dispatch)

    def threads(self) -> ThreadMachine:
        """Return the machine of threads that was asked for."""
        return ThreadMachine(
            cores=parse_cores(self.cores or DEFAULT_CORES),
            schedulers=1 if self.schedulers is None else self.schedulers,
            pre_dispatch=self.pre_dispatch,
            pin=self.pin,
        )

    def gpu(self) -> GpuRequest:
        """Return what was asked of the GPU; the GPU decides the rest."""
        return GpuRequest(
            cores=parse_cores(self.cores) if self.cores else None,
            schedulers=1 if self.schedulers is None else self.schedulers,
            pre_dispatch=self.pre_dispatch,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run: where, what is recorded, and what is written beside the trace."""

    machine: MachineRequest = field(default_factory=MachineRequest)
    recording: Recording = field(default_factory=Recording)
    dump: DumpRequest | None = None
    """Which tensors are dumped. None: none."""
    budget: str | None = None
    """The most that recording may cost, such as "2%,64MB". None: no limit."""
    seed: int | None = None
    """Decides the lengths that vary; simulated chips only. None: 0."""
    rounds: int = 1
    """How many runs, each with lengths of its own; the trace is that of the median makespan."""
