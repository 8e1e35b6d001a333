"""Sessions over transports: memory that is shared or copied, torn copies, and devices that go away.

The device is the thread platform, which records in C while the host reads.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.capture.runs import MACHINE, graph
from tests.capture.test_session import require_whole
from tests.device.copies import copier_of, wait_until

import lanescope
from lanescope.device.head import PROTOCOLS, Core
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig, clock_hz
from lanescope.device.shadow import ShadowCopy
from lanescope.device.transport import Transport, require_host_word
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import run_graph
from lanescope.platforms.threads.recorded import region_config

Array = npt.NDArray[Any]
TASKS = 400
WORK = graph(TASKS)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures that are kept lie in the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def config(**options: Any) -> RegionConfig:
    settings = {"host_lost_s": 5.0, "buffer_records": 5, "buffers": 2, **options}
    return region_config(WORK, MACHINE, Recording(**settings))


def memory_for(region: RegionConfig) -> Array:
    return np.frombuffer(mmap.mmap(-1, region.region_bytes()), np.uint8)


def run_on(memory: Array) -> None:
    address = int(memory.ctypes.data)
    run_graph(WORK, MACHINE, region_address=address, clock_hz=clock_hz())
    Region(Path("memory"), memory).mark_stopped()


def require_all(trace: lanescope.Trace) -> None:
    """Every task once; there is no plan, so tasks that have not run are not rows."""
    require_whole(trace, TASKS)
    assert trace.meta.notes == ()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("reach", [lanescope.SharedMapping, copier_of])
def test_a_region_is_made_in_memory_that_the_program_has(
    protocol: str, reach: Callable[[Array], Transport]
) -> None:
    region = config(protocol=protocol)
    memory = memory_for(region)
    memory[:] = 0xEE
    with lanescope.Session(region=region, transport=reach(memory), name="mine") as session:
        assert session.path is None
        assert not session.has_stopped()
        run_on(memory)
        assert session.has_stopped()
    trace = session.trace()
    require_all(trace)
    assert trace.meta.name == "mine"
    assert not session.directory.exists()


def test_without_a_transport_the_region_is_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "a.capture"
    with lanescope.Session(region=config(), directory=folder) as session:
        assert session.path == folder / "region"
        run_graph(WORK, MACHINE, region_address=session.pointer, clock_hz=clock_hz())
    assert session.records > 0
    assert len(session.trace().tasks) == TASKS
    assert folder.exists()


def test_a_region_that_is_there_already_is_found(tmp_path: Path) -> None:
    region = config()
    memory = memory_for(region)
    made = lanescope.SharedMapping(memory)
    lanescope.Session(region=region, transport=made, directory=tmp_path / "first")
    with lanescope.Session(transport=copier_of(memory)) as session:
        run_on(memory)
    require_all(session.trace())


class TornCopy(ShadowCopy):
    """Words of 8 bytes arrive in random order, and a line may be as old as the last fence.

    `pushed` has what was written since the region was made.
    """

    def __init__(self, device: Array, seed: int) -> None:
        self._device, self._random = device.view(np.uint64), np.random.default_rng(seed)
        self._old = self._device.copy()
        self.pushed: list[tuple[int, int]] = []
        super().__init__(self._tear, self._put, size=len(device))

    def _tear(self, offset: int, target: memoryview) -> None:
        words = np.frombuffer(target, np.uint64)
        place = slice(offset // 8, offset // 8 + len(words))
        order = self._random.permutation(len(words))
        words[order] = self._device[place][order]
        lines = self._random.random((len(words) + 7) // 8) < 0.5
        stale = np.repeat(lines, 8)[: len(words)]
        words[stale] = self._old[place][stale]

    def _put(self, offset: int, data: memoryview) -> None:
        self._device[offset // 8 : (offset + len(data)) // 8] = np.frombuffer(data, np.uint64)
        if self._header is not None:
            self.pushed.append((offset, len(data)))

    def fence(self) -> None:
        super().fence()
        self._old = self._device.copy()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_torn_copies_lose_nothing_and_double_nothing(protocol: str, seed: int) -> None:
    region = config(protocol=protocol)
    memory = memory_for(region)
    transport = TornCopy(memory, seed)
    with lanescope.Session(region=region, transport=transport) as session:
        run_on(memory)
    require_all(session.trace())
    assert {size for _, size in transport.pushed} == {8}
    for offset, _ in transport.pushed:
        require_host_word(offset, transport._header)


def test_several_threads_share_a_transport() -> None:
    region = config()
    memory = memory_for(region)
    with lanescope.Session(region=region, transport=copier_of(memory), collectors=3) as session:
        run_on(memory)
    require_all(session.trace())


def test_a_round_brings_no_more_than_it_can_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanescope.capture.drain.ROOM", 1000)
    region = config()
    memory = memory_for(region)
    transport = copier_of(memory)
    sizes = []
    read = transport.read

    def counted(*ranges: tuple[int, int]) -> None:
        sizes.append([size for _, size in ranges])
        read(*ranges)

    transport.read = counted  # type: ignore[method-assign]
    with lanescope.Session(region=region, transport=transport) as session:
        run_on(memory)
        brought = [sum(one) for one in sizes[1:]]
    require_all(session.trace())
    assert max(brought) <= max(1000, int(session._capture.region.head.lane_bytes))


@pytest.mark.parametrize("reads", [2, 3, 20, 60])
def test_what_was_drained_before_a_transport_died_is_kept(reads: int, tmp_path: Path) -> None:
    region = config(host_lost_s=0.2)
    memory = memory_for(region)
    transport = copier_of(memory)
    pull, left = transport._pull, [reads]

    def dying(offset: int, target: memoryview) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise lanescope.TransportError("the bus is gone")
        pull(offset, target)

    transport._pull = dying
    folder = tmp_path / "a.capture"
    with lanescope.Session(region=region, transport=transport, directory=folder) as session:
        run_on(memory)
    assert str(session.error) == "the bus is gone"
    trace = session.trace()
    assert trace.meta.notes[:2] == (
        "Capturing stopped early: the bus is gone.",
        "The region is gone or out of reach, so what came after the end of the spool is not known.",
    )
    assert all(entry.unknown and entry.closes for entry in trace.meta.ledger)
    assert session.records == sum(entry.total for entry in trace.meta.ledger)
    again = lanescope.recover(folder)
    assert again.trace.tasks["task"].tolist() == trace.tasks["task"].tolist()


def test_a_device_that_is_gone_at_the_first_beat_is_an_error_of_the_session() -> None:
    region = config(host_lost_s=0.2)
    transport = copier_of(memory_for(region))
    session = lanescope.Session(region=region, transport=transport)

    def gone(offset: int, data: memoryview) -> None:
        raise lanescope.TransportError("the bus is gone")

    transport._push = gone
    with session:
        pass
    assert str(session.error) == "the bus is gone"
    assert "Capturing stopped early: the bus is gone." in session.trace().meta.notes


def test_a_capture_in_a_temporary_folder_is_kept_when_something_is_unknown() -> None:
    region = config(host_lost_s=0.2)
    memory = memory_for(region)
    transport = copier_of(memory)
    with lanescope.Session(region=region, transport=transport) as session:

        def gone(offset: int, target: memoryview) -> None:
            raise lanescope.TransportError("the bus is gone")

        transport._pull = gone
    assert session.trace().meta.notes[-1] == f"The capture is kept in {session.directory}."
    assert lanescope.recover(session.directory).buffers == 0


@pytest.mark.parametrize("reach", [lanescope.SharedMapping, copier_of])
def test_a_device_that_wrecks_the_head_costs_only_the_account(
    reach: Callable[[Array], Transport],
) -> None:
    region = config()
    memory = memory_for(region)
    with lanescope.Session(region=region, transport=reach(memory)) as session:
        run_on(memory)
        wait_until(lambda: session.records >= TASKS)
        memory[: 5 * 64] = 0x5A
    trace = session.trace()
    assert len(trace.tasks) > 0
    assert all(entry.unknown for entry in trace.meta.ledger)
    assert "expected a region, but the first 8 bytes are not L_REGION" in trace.meta.notes[0]


@pytest.mark.parametrize("reach", [lanescope.SharedMapping, copier_of])
def test_records_of_a_buffer_that_is_still_open_arrive(reach: Callable[[Array], Transport]) -> None:
    """A device that is stopped in its tasks leaves a buffer with 2 of 4 records."""
    region = RegionConfig(flags=lanescope.level_features(1), cores=(Core(),), buffer_records=4)
    memory = memory_for(region)
    with lanescope.Session(region=region, transport=reach(memory)) as session:
        made = Region(Path("memory"), memory)
        at = int(made.head.lanes["buffers"][0])
        tasks = memory[at + 64 : at + 64 + 2 * 32].view(layout("ls_core_task"))
        now = int(made.head.header["clock_cycles"])
        tasks["start"], tasks["end"] = [now + 100, now + 300], [now + 200, now + 400]
        tasks["token"] = [0, 1]
        made.lanes["recorded"], made.lanes["opened"] = 2, 1
    trace = session.trace()
    assert trace.tasks["end_cycles"].tolist() == [now + 200, now + 400]
    assert [(entry.total, entry.delivered) for entry in trace.meta.ledger] == [(2, 2)]
    assert trace.meta.notes == (
        "The recorded program did not stop by itself; its last tasks may be cut off.",
    )


@pytest.mark.parametrize("reach", [lanescope.SharedMapping, copier_of])
def test_a_wild_counter_at_the_end_is_called_unknown(reach: Callable[[Array], Transport]) -> None:
    region = config(host_lost_s=0.2)
    memory = memory_for(region)
    with lanescope.Session(region=region, transport=reach(memory)) as session:
        run_on(memory)
        made = Region(Path("memory"), memory)
        made.lanes["opened"][0] = 1 << 50
    trace = session.trace()
    assert [entry.unknown for entry in trace.meta.ledger].count(True) == 1
    assert "the counters of its lane contradict each other" in trace.meta.notes[0]


@pytest.mark.parametrize(
    ("bytes_", "sentence"),
    [
        (b"\0" * 4096, "expected a region, but the first 8 bytes are not L_REGION"),
        (b"", "expected a region, but the first 8 bytes are not L_REGION"),
        (b"L_REGION" + b"\xff" * 4088, "the region is of version 4294967295"),
    ],
)
def test_memory_without_a_region_is_one_sentence(bytes_: bytes, sentence: str) -> None:
    device = np.frombuffer(bytearray(bytes_), np.uint8)
    with pytest.raises(lanescope.InputError, match=sentence) as error:
        lanescope.Session(transport=copier_of(device))
    assert str(error.value).startswith(f"copied memory of {len(bytes_):,} bytes: ")


@pytest.mark.parametrize("reach", [lanescope.SharedMapping, copier_of])
def test_too_little_memory_is_refused(reach: Callable[[Array], Transport]) -> None:
    memory = memory_for(config())[:-64]
    with pytest.raises(lanescope.UsageError, match="take more memory, or fewer or smaller buffers"):
        lanescope.Session(region=config(), transport=reach(memory))


def test_memory_off_the_line_or_read_only_is_refused() -> None:
    memory = memory_for(config())
    with pytest.raises(lanescope.UsageError, match="at a multiple of 64, found it 8 bytes behind"):
        lanescope.SharedMapping(memory[8:])
    memory.flags.writeable = False
    with pytest.raises(lanescope.UsageError, match="expected memory that can be written"):
        lanescope.SharedMapping(memory)
