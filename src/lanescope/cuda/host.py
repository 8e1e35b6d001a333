"""The host's side of a recording on a GPU: memory that both reach, and the host's clock."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lanescope.cuda import driver
from lanescope.cuda.clock import ClockAnchor
from lanescope.device.layouts import layout
from lanescope.device.region import Region
from lanescope.errors import LanescopeError
from lanescope.trace import HostClock, Meta

MEMORY_FOLDER = Path("/dev/shm")
"""A folder whose files are in memory, so that a GPU can write into them."""


def own_folder() -> Path:
    """Make a folder in which a GPU can write; the caller removes it."""
    parent = str(MEMORY_FOLDER) if MEMORY_FOLDER.is_dir() else None
    return Path(tempfile.mkdtemp(prefix="lanescope-", dir=parent))


@contextmanager
def folder_of_own(name: str) -> Iterator[Path]:
    """A folder for a capture in one of `own_folder`, which goes where the block fails."""
    parent = own_folder()
    try:
        yield parent / f"{name}.capture"
    except BaseException:
        shutil.rmtree(parent, ignore_errors=True)
        raise


def map_region(region: Region) -> int:
    """Let the GPU write into a region; return its address there.

    Raises:
        LanescopeError: the GPU cannot write into it.
    """
    try:
        return driver.map_host(region.address, len(region.memory))
    except LanescopeError as error:
        raise LanescopeError(
            f"{region.path}: the GPU cannot write there ({error}); choose a directory in memory, "
            f"such as {MEMORY_FOLDER}"
        ) from error


def anchor(region: Region, fit: ClockAnchor) -> None:
    """Write into the region a moment that is known on both clocks."""
    header = region.memory[: layout("ls_header").itemsize].view(layout("ls_header"))
    header["clock_cycles"] = fit.device_ns
    header["clock_unix_ns"] = fit.unix_ns
    header["clock_error_ns"] = fit.error_ns


def host_clock(meta: Meta, first: ClockAnchor, last: ClockAnchor | None) -> HostClock | None:
    """Return the host's clock as a line through two moments that are known on both clocks.

    Without the second moment it is what `meta` says already.
    """
    if last is None or meta.host_clock is None or last.device_ns <= first.device_ns:
        return meta.host_clock
    passed = last.device_ns - first.device_ns
    ahead = (last.unix_ns - first.unix_ns) - passed
    base = meta.base_cycles or first.device_ns
    drift = ahead / passed
    return HostClock(
        host_ns=first.unix_ns + round((base - first.device_ns) * (1 + drift)),
        drift_ppb=round(drift * 1e9),
        error_ns=max(first.error_ns, last.error_ns),
        status="calibrated",
    )
