"""What the host notes while kernels record: launches, and ranges of its own time."""

from __future__ import annotations

from types import TracebackType

from lanescope.capture.host_log import LAUNCH_NUMBERS, HostLogWriter
from lanescope.cuda.handle import Handle


def launch_handle(log: HostLogWriter, handle: Handle, name: str = "") -> int:
    """Return the argument for the kernels of a new launch."""
    return handle.of_launch((log.call(name) - 1) % LAUNCH_NUMBERS + 1)


class HostRange:
    """A range of the host's time, from the begin of a `with` to its end."""

    def __init__(self, log: HostLogWriter, name: str) -> None:
        self._log, self._name = log, name
        self._open: list[int] = []

    def __enter__(self) -> HostRange:
        self._open.append(self._log.begin(self._name))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._log.end(self._open.pop())
