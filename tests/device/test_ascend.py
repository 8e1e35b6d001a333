"""The Ascend transport against a stand-in for the vendor's libraries: it was never on hardware.

The stand-in (ascend_stand_in.c) refuses misuse with the vendor's codes, and runs a device thread
that records through the real header into memory that the host cannot load from.
"""

from __future__ import annotations

import ctypes
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.capture.programs import built
from tests.device.copies import wait_until

import lanescope
from lanescope.device.ascend import transport as ascend
from lanescope.device.ascend.codes import ACL_CODES, HAL_CODES, code_sentence
from lanescope.device.head import Array
from lanescope.device.region import create_region
from lanescope.device.transport import word_offset

TASKS = 3000
REGION = lanescope.RegionConfig(
    flags=lanescope.level_features(1),
    cores=(lanescope.Core("aic"),) * 3,
    schedulers=0,
    orchestrators=0,
    buffer_records=16,
    buffers=4,
    host_lost_s=2.0,
)
NAME = "Ascend device 0 (untested on hardware)"


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures that are kept lie in the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    source = Path(__file__).with_name("ascend_stand_in.c")
    target = tmp_path_factory.mktemp("ascend") / "libstandin.so"
    return str(built(source, target, flags=("-shared", "-fPIC")))


class StandIn:
    """The libraries, and what their calls were."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.library = ctypes.CDLL(path)
        self.library.stand_in_log.restype = ctypes.c_char_p
        self.library.stand_in_launch.argtypes = (ctypes.c_uint64, ctypes.c_uint64)
        self.reset()

    def reset(self, *, maps: bool = True, devices: int = 1, driver: int = 0) -> None:
        self.library.stand_in_reset(int(maps), devices, driver)

    def fail(self, function: str, code: int) -> None:
        self.library.stand_in_fail(function.encode(), code)

    def calls(self) -> list[str]:
        return str(self.library.stand_in_log().decode()).splitlines()

    def names(self) -> list[str]:
        """The names of the calls, without repeated copies."""
        names = [call.split()[0] for call in self.calls()]
        return [name for name, before in zip(names, ["", *names], strict=False) if name != before]

    def transport(self, **options: int) -> lanescope.UntestedAscend:
        return lanescope.UntestedAscend(acl=self.path, hal=self.path, **options)

    def run_on(self, session: lanescope.Session, tasks: int = TASKS) -> None:
        assert self.library.stand_in_launch(session.pointer, tasks) == 0
        self.library.stand_in_join()


@pytest.fixture
def vendor(path: str) -> Iterator[StandIn]:
    stand_in = StandIn(path)
    yield stand_in
    stand_in.reset()


def require_all_tasks(session: lanescope.Session, device: int = 0) -> None:
    trace = session.trace()
    assert sorted(trace.tasks["task"].tolist()) == list(range(TASKS))
    assert not trace.tasks["flags"].any()
    [note] = trace.meta.notes
    assert note.startswith(f"Recorded through {NAME.replace('0', str(device))}; its memory was ")
    assert all(entry.total == entry.delivered for entry in trace.meta.ledger)


def test_mapped_memory_is_drained_while_the_device_runs(vendor: StandIn) -> None:
    transport = vendor.transport()
    with lanescope.Session(region=REGION, transport=transport) as session:
        assert transport.how == "mapped"
        assert not transport.copies
        vendor.run_on(session)
        assert session.has_stopped()
    require_all_tasks(session)
    [allocated] = [call for call in vendor.calls() if call.startswith("aclrtMalloc")]
    size = int(allocated.split()[1])
    assert size >= REGION.region_bytes() + 32
    assert f"halHostRegister {size} 2 0" in vendor.calls()
    assert vendor.names() == [
        *("aclInit", "aclrtGetCurrentContext", "aclrtSetDevice", "aclrtGetCurrentContext"),
        *("aclrtGetDevice", "aclrtMalloc", "aclrtMemset", "aclrtMemcpy"),
        *("halHostRegister", "halHostUnregister", "aclrtFree"),
    ]


def test_memory_that_cannot_be_mapped_is_copied(vendor: StandIn) -> None:
    vendor.reset(maps=False)
    transport = vendor.transport()
    with lanescope.Session(region=REGION, transport=transport) as session:
        assert transport.how == (
            f"copied, because {NAME}: halHostRegister failed with 3: a value is invalid; the "
            "driver may not know this mapping"
        )
        vendor.run_on(session)
        # The thread that drains, and the one that beats.
        wait_until(lambda: vendor.names().count("aclrtSetCurrentContext") == 2)
    require_all_tasks(session)
    names = vendor.names()
    assert names[-1] == "aclrtFree"
    assert "halHostUnregister" not in names
    assert names.count("aclrtSetCurrentContext") == 2, "once in each thread"


def test_after_the_region_is_made_only_words_are_written(vendor: StandIn) -> None:
    vendor.reset(maps=False)
    with lanescope.Session(region=REGION, transport=vendor.transport()) as session:
        made = len(vendor.calls())
        vendor.run_on(session)
    written = [call for call in vendor.calls()[made:] if call.endswith(" 1")]
    assert {call for call in written if call.startswith("aclrtMemcpy")} == {"aclrtMemcpy 8 1"}


def test_nothing_is_reset_or_finalised(vendor: StandIn) -> None:
    """Others in the process may use the device, also where it was first set here."""
    with lanescope.Session(region=REGION, transport=vendor.transport()):
        pass
    with lanescope.Session(region=REGION, transport=vendor.transport()):
        pass
    names = vendor.names()
    assert names.count("aclInit") == 2, "the second gets 100002, which is harmless"
    assert names.count("aclrtSetDevice") == 1, "the second finds the context of the thread"
    assert not {"aclrtResetDevice", "aclFinalize"} & set(names)


def test_a_thread_that_uses_another_device_is_left_alone(vendor: StandIn) -> None:
    vendor.reset(devices=4)
    vendor.library.aclInit(None)
    vendor.library.stand_in_set_context(2)
    with pytest.raises(lanescope.UsageError, match="this thread uses device 2 already"):
        vendor.transport()
    assert "aclrtSetDevice" not in vendor.names()


def test_the_driver_counts_devices_in_its_own_way(vendor: StandIn) -> None:
    vendor.reset(devices=2, driver=7)
    transport = vendor.transport(device=1, driver_device=7)
    with lanescope.Session(region=REGION, transport=transport) as session:
        assert transport.how == "mapped"
        vendor.run_on(session)
    require_all_tasks(session, device=1)
    assert [call for call in vendor.calls() if call.startswith("halHostU")] == [
        "halHostUnregister 7"
    ]


def test_a_wrong_driver_number_is_told(vendor: StandIn) -> None:
    vendor.reset(driver=7)
    transport = vendor.transport()
    with lanescope.Session(region=REGION, transport=transport):
        assert (
            "halHostRegister failed with 42: the device id is invalid; acl counts" in transport.how
        )


@pytest.mark.parametrize(("bytes_", "how"), [(64, "copied, because the memory does not begin at")])
def test_memory_that_is_no_page_is_copied(vendor: StandIn, bytes_: int, how: str) -> None:
    vendor.library.stand_in_misalign(bytes_)
    transport = vendor.transport()
    with lanescope.Session(region=REGION, transport=transport) as session:
        assert transport.how.startswith(how)
        vendor.run_on(session)
    require_all_tasks(session)
    assert "halHostRegister" not in vendor.names()


def test_memory_off_a_line_is_refused_and_freed(vendor: StandIn) -> None:
    vendor.library.stand_in_misalign(32)
    with pytest.raises(lanescope.UsageError, match="at a multiple of 64, found it 32 bytes behind"):
        lanescope.Session(region=REGION, transport=vendor.transport())
    assert vendor.names()[-1] == "aclrtFree"


@pytest.mark.parametrize("code", sorted(set(ACL_CODES) - {100002}))
def test_every_code_of_the_runtime_is_a_sentence(vendor: StandIn, code: int) -> None:
    vendor.fail("aclInit", code)
    with pytest.raises(lanescope.TransportError) as error:
        vendor.transport()
    meaning, advice = ACL_CODES[code]
    assert str(error.value) == f"{NAME}: aclInit failed with {code}: {meaning}; {advice}"


@pytest.mark.parametrize("code", sorted(HAL_CODES))
def test_every_code_of_the_driver_is_a_sentence(vendor: StandIn, code: int) -> None:
    vendor.fail("halHostRegister", code)
    transport = vendor.transport()
    with lanescope.Session(region=REGION, transport=transport) as session:
        vendor.run_on(session)
    meaning, advice = HAL_CODES[code]
    assert transport.how == (
        f"copied, because {NAME}: halHostRegister failed with {code}: {meaning}; {advice}"
    )
    require_all_tasks(session)


@pytest.mark.parametrize(
    "function", ["aclrtSetDevice", "aclrtGetDevice", "aclrtMalloc", "aclrtMemset", "aclrtMemcpy"]
)
def test_every_call_that_makes_the_region_is_checked(
    vendor: StandIn, function: str, tmp_path: Path
) -> None:
    vendor.fail(function, 12345)
    with pytest.raises(lanescope.TransportError) as error:
        lanescope.Session(region=REGION, transport=vendor.transport(), directory=tmp_path / "a")
    assert str(error.value) == (
        f"{NAME}: {function} failed with 12345: lanescope does not know this code; the manual of "
        "CANN may have it"
    )
    assert not (tmp_path / "a").exists()
    assert ("aclrtFree" in vendor.names()) == (function in ("aclrtMemset", "aclrtMemcpy"))


@pytest.mark.parametrize("code", [507901, 507015, 107019])
def test_a_device_that_is_lost_costs_only_what_came_after(
    vendor: StandIn, code: int, tmp_path: Path
) -> None:
    vendor.reset(maps=False)
    folder = tmp_path / "a.capture"
    session = lanescope.Session(region=REGION, transport=vendor.transport(), directory=folder)
    with session:
        vendor.run_on(session)
        wait_until(lambda: session.records >= 1000)
        vendor.fail("aclrtMemcpy", code)
    assert f"aclrtMemcpy failed with {code}: {ACL_CODES[code][0]}" in str(session.error)
    trace = session.trace()
    assert len(trace.tasks) == session.records >= 1000
    assert all(entry.unknown and entry.closes for entry in trace.meta.ledger)
    assert len(lanescope.recover(folder).trace.tasks) == len(trace.tasks)


@pytest.mark.parametrize("maps", [True, False])
def test_a_lane_gone_wild_on_the_device_leaves_the_others_alone(
    vendor: StandIn, maps: bool
) -> None:
    vendor.reset(maps=maps)
    with lanescope.Session(region=REGION, transport=vendor.transport()) as session:
        vendor.run_on(session)
        wait_until(lambda: session.records >= 2900)
        head = session._capture.region.head
        at = int(head.header["lanes"]) + word_offset("ls_lane", "published")
        wild = ctypes.c_uint64(1 << 60)
        arguments = (ctypes.c_void_p(session.pointer + at), ctypes.c_size_t(8), ctypes.byref(wild))
        assert vendor.library.aclrtMemcpy(*arguments, ctypes.c_size_t(8), 1) == 0
    trace = session.trace()
    assert session.error is None
    assert [entry.unknown for entry in trace.meta.ledger] == [True, False, False]
    assert "lane 0 (core 0, kind 0) is damaged" in trace.meta.notes[1]
    assert len(trace.tasks) >= 2900


def test_a_mapping_that_stays_keeps_its_memory(vendor: StandIn) -> None:
    vendor.fail("halHostUnregister", 13)
    with lanescope.Session(region=REGION, transport=vendor.transport()) as session:
        vendor.run_on(session)
    assert "halHostUnregister failed with 13: the driver is busy" in str(session.error)
    assert vendor.names()[-1] == "halHostUnregister", "memory that is mapped is never freed"
    assert len(session.trace().tasks) == TASKS


def test_a_machine_without_the_libraries_is_told(vendor: StandIn) -> None:
    with pytest.raises(lanescope.UsageError) as error:
        lanescope.UntestedAscend(acl="libascendcl-of-nobody.so")
    assert str(error.value).startswith(
        f"{NAME}: needs the vendor's libascendcl-of-nobody.so, which cannot be loaded"
    )
    assert "install CANN" in str(error.value)
    transport = lanescope.UntestedAscend(acl=vendor.path, hal="libascend_hal-of-nobody.so")
    with lanescope.Session(region=REGION, transport=transport) as session:
        vendor.run_on(session)
    assert transport.how.startswith("copied, because libascend_hal-of-nobody.so cannot map memory")
    require_all_tasks(session)


def test_the_codes_are_those_of_the_vendors_headers() -> None:
    """acl_base.h, rt_error_codes.h and ascend_hal_error.h; see codes.py."""
    invalid = [107000, 107001, 107002, 107008, 107016, 107017, 107019]
    lacking = [207000, 207001, 207002, 207004, 207006]
    inside = [507000, 507014, 507015, 507017, 507018, 507899, 507901]
    assert list(ACL_CODES) == [100000, 100001, 100002, *invalid, *lacking, *inside]
    assert list(HAL_CODES) == [*range(1, 12), 13, 14, 16, 17, 42]


def test_memory_of_another_program_cannot_be_opened(vendor: StandIn) -> None:
    with pytest.raises(lanescope.UsageError, match=r"expected a region to make \(region=…\)"):
        lanescope.Session(transport=vendor.transport())


def test_sessions_of_two_threads_have_their_own_contexts(vendor: StandIn) -> None:
    done: list[int] = []

    def record() -> None:
        with lanescope.Session(region=REGION, transport=vendor.transport()) as session:
            done.append(session.pointer)

    threads = [threading.Thread(target=record) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(done)) == 2
    assert vendor.names().count("aclrtSetDevice") == 2


class Memory:
    """A device whose memory is the host's, at an address that is a multiple of 4096 or not."""

    def __init__(self, device: int, **options: str) -> None:
        self.device, self.options = device, options
        self.calls: list[tuple[Any, ...]] = []
        self.behind = 0
        self.maps = True
        self.memory = np.zeros(1 << 20, np.uint8)

    def allocate(self, size: int) -> int:
        self.calls.append(("allocate", size))
        return int(self.memory.ctypes.data) // 4096 * 4096 + 4096 + self.behind

    def clear(self, pointer: int, size: int) -> None:
        self.calls.append(("clear", size))

    def copy_out(self, target: int, pointer: int, size: int) -> None:
        ctypes.memmove(target, pointer, size)

    def copy_in(self, pointer: int, source: int, size: int) -> None:
        ctypes.memmove(pointer, source, size)

    def map(self, pointer: int, size: int, driver_device: int) -> int:
        self.calls.append(("map", size, driver_device))
        if not self.maps:
            raise lanescope.TransportError("it does not map")
        return pointer

    def unmap(self, pointer: int, driver_device: int) -> None:
        self.calls.append(("unmap", driver_device))

    def free(self, pointer: int) -> None:
        self.calls.append(("free",))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transports have a device without the vendor's libraries."""
    monkeypatch.setattr(ascend, "AscendDevice", Memory)


def memory_of(transport: lanescope.UntestedAscend) -> Memory:
    memory = transport._device
    assert isinstance(memory, Memory)
    return memory


@pytest.fixture
def region(tmp_path: Path) -> Array:
    return create_region(tmp_path / "region", REGION).memory


def placed(transport: lanescope.UntestedAscend, region: Array) -> list[tuple[Any, ...]]:
    """The calls of the device for one region."""
    memory = memory_of(transport)
    memory.calls.clear()
    transport.place(region[: int(region[24:32].view(np.uint64)[0])].copy(), len(region))
    return memory.calls


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("given", "device", "driver"),
    [
        ({}, 0, 0),
        ({"device": 3}, 3, 3),
        ({"device": 3, "driver_device": 0}, 3, 0),
        ({"driver_device": 5}, 0, 5),
    ],
)
def test_without_another_number_the_driver_counts_the_same(
    given: dict[str, int], device: int, driver: int, region: Array
) -> None:
    transport = lanescope.UntestedAscend(**given)  # type: ignore[arg-type]
    assert (transport.how, transport.copies, transport.pointer) == ("not placed yet", True, 0)
    assert transport.name == f"Ascend device {device} (untested on hardware)"
    assert memory_of(transport).device == device
    assert memory_of(transport).options == {
        "acl": "libascendcl.so",
        "hal": "libascend_hal.so",
        "name": transport.name,
    }
    assert placed(transport, region)[-1][-1] == driver


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("size", "whole"),
    [(4064, 4096), (4065, 8192), (8159, 8192), (8160, 8192), (8161, 12288), (1, 4096)],
)
def test_whole_pages_are_taken_and_32_bytes_are_left(
    size: int, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ascend.ShadowCopy, "place", lambda own, first_bytes, size: None)
    transport = lanescope.UntestedAscend()
    transport.place(np.zeros(0, np.uint8), size)
    assert memory_of(transport).calls == [("allocate", whole), ("map", whole, 0)]
    assert transport.size == whole
    assert len(transport.image) == size


@pytest.mark.usefixtures("plain")
def test_a_transport_may_be_placed_again_after_it_was_closed(region: Array) -> None:
    """At first it is mapped; then the memory begins at no page, and nothing is given back twice."""
    transport = lanescope.UntestedAscend()
    placed(transport, region)
    assert (transport.how, transport.copies) == ("mapped", False)
    assert transport.note == f"Recorded through {NAME}; its memory was mapped."
    transport.close()
    assert (transport.pointer, len(transport.image)) == (0, 384)
    assert memory_of(transport).calls[-2:] == [("unmap", 0), ("free",)]
    calls = len(memory_of(transport).calls)
    transport.close()
    assert len(memory_of(transport).calls) == calls, "it is closed already"
    memory_of(transport).behind = 64
    placed(transport, region)
    assert transport.how == "copied, because the memory does not begin at a page of 4096 bytes"
    assert transport.copies
    transport.close()
    assert [name for name, *_ in memory_of(transport).calls] == ["allocate", "clear", "free"]


@pytest.mark.usefixtures("plain")
def test_before_it_is_placed_and_after_it_was_closed_nothing_can_be_opened(region: Array) -> None:
    transport = lanescope.UntestedAscend()
    transport.close()
    assert memory_of(transport).calls == []
    for _ in range(2):
        with pytest.raises(lanescope.UsageError) as found:
            transport.open()
        assert str(found.value) == (
            f"{NAME}: expected a region to make (region=…), found none; the memory of another "
            "program cannot be opened"
        )
        placed(transport, region)
        transport.open()
        transport.close()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("maps", [True, False])
def test_only_copied_memory_is_read_and_written(maps: bool, region: Array) -> None:
    transport = lanescope.UntestedAscend()
    memory = memory_of(transport)
    memory.maps = maps
    placed(transport, region)
    assert transport.how == ("mapped" if maps else "copied, because it does not map")
    assert transport.image.ctypes.data == transport.pointer or not maps
    beat = word_offset("ls_header", "host_beat")
    device = (ctypes.c_uint8 * len(region)).from_address(transport.pointer)
    device[beat] = 7
    assert transport.image[beat] == (7 if maps else 0)
    transport.read((beat, 8))
    assert transport.image[beat] == 7
    transport.image[beat] = 9
    assert device[beat] == (9 if maps else 7)
    transport.write(beat)
    assert device[beat] == 9


def test_a_code_is_looked_up_in_the_table_of_its_library() -> None:
    assert code_sentence("halHostRegister", 6).startswith(
        "halHostRegister failed with 6: there is too little memory; take fewer"
    )
    for function, code in (("aclrtMalloc", 6), ("halHostRegister", 107000)):
        assert code_sentence(function, code) == (
            f"{function} failed with {code}: lanescope does not know this code; the manual of CANN "
            "may have it"
        )
    assert code_sentence("aclrtFree", 107017) == (
        "aclrtFree failed with 107017: a handle is invalid; the device may have been reset by "
        "somebody else meanwhile"
    )
