"""The vendor's calls one by one, with libraries made by hand: arguments, codes and contexts."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import pytest

from lanescope.device.ascend import library
from lanescope.device.ascend.library import AscendDevice
from lanescope.errors import TransportError, UsageError

NAME = "Ascend device 1"


class Library:
    """Notes every call, and answers with 0 where nothing else was asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.codes: dict[str, int] = {}
        self.context: int | None = 70
        self.device: int | None = 1
        self.address: int | None = 1 << 40

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith(("acl", "hal")):
            raise AttributeError(name)

        def called(*arguments: Any) -> int:
            self.calls.append((name, *(one for one in arguments if not hasattr(one, "_obj"))))
            if name == "aclrtSetDevice":
                self.context = 71
            answers = {"aclrtGetCurrentContext": self.context, "aclrtGetDevice": self.device}
            for one in arguments:
                value = answers.get(name, self.address)
                if hasattr(one, "_obj") and value is not None:
                    one._obj.value = value
            return self.codes.get(name, 0)

        return called

    def names(self) -> list[str]:
        return [name for name, *_ in self.calls]


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Library:
    own = Library()
    monkeypatch.setattr(library, "_loaded", lambda name, functions: own)
    return own


def device() -> AscendDevice:
    return AscendDevice(1, acl="acl.so", hal="hal.so", name=NAME)


def test_a_thread_that_has_a_context_keeps_it(vendor: Library) -> None:
    own = device()
    assert vendor.calls == [*(("aclInit", None), ("aclrtGetCurrentContext",), ("aclrtGetDevice",))]
    vendor.calls.clear()
    own.use_context()
    assert (vendor.calls, own._context) == ([], 70)


@pytest.mark.parametrize(("code", "context"), [(107002, 70), (0, None), (107002, None)])
def test_a_thread_without_a_context_sets_the_device(
    code: int, context: int | None, vendor: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking for the context fails the first time, or gives none."""
    codes = iter([code, 0])
    plain = vendor.aclrtGetCurrentContext

    def current(box: Any) -> int:
        plain(box)
        return next(codes)

    vendor.context = context
    monkeypatch.setattr(vendor, "aclrtGetCurrentContext", current, raising=False)
    own = device()
    assert vendor.calls == [
        *(("aclInit", None), ("aclrtGetCurrentContext",), ("aclrtSetDevice", 1)),
        *(("aclrtGetCurrentContext",), ("aclrtGetDevice",)),
    ]
    assert own._context == 71


@pytest.mark.parametrize(("found", "shown"), [(0, 0), (2, 2), (None, -1)])
def test_another_device_of_the_thread_is_left_alone(
    found: int | None, shown: int, vendor: Library
) -> None:
    vendor.device = found
    with pytest.raises(UsageError) as refused:
        device()
    assert str(refused.value) == (
        f"{NAME}: this thread uses device {shown} already; make the session in a thread of its "
        "own, or for that device"
    )
    assert "aclrtSetDevice" not in vendor.names()


@pytest.mark.parametrize("code", [0, 100002])
def test_a_library_that_is_initialised_already_is_as_good(code: int, vendor: Library) -> None:
    vendor.codes["aclInit"] = code
    device()


@pytest.mark.parametrize("code", [1, -1, 100001, 100003])
def test_every_other_code_is_a_failure(code: int, vendor: Library) -> None:
    own = device()
    vendor.codes = {"aclrtFree": code, "aclInit": code}
    for call in (lambda: own.free(5), device):
        with pytest.raises(TransportError, match=f"failed with {code}: "):
            call()


def test_a_code_that_is_harmless_at_the_beginning_is_none_later(vendor: Library) -> None:
    own = device()
    vendor.codes["aclrtFree"] = 100002
    with pytest.raises(TransportError) as found:
        own.free(5)
    assert str(found.value) == (
        f"{NAME}: aclrtFree failed with 100002: acl is initialised already; this is harmless at "
        "aclInit"
    )


def test_every_call_has_the_arguments_of_the_vendors_header(vendor: Library) -> None:
    own = device()
    vendor.calls.clear()
    assert own.allocate(4096) == 1 << 40
    own.clear(64, 128)
    own.copy_out(1000, 64, 8)
    own.copy_in(64, 1000, 16)
    assert own.map(64, 4096, 7) == 1 << 40
    own.unmap(64, 7)
    own.free(64)
    assert vendor.calls == [
        ("aclrtMalloc", 4096, 0),
        ("aclrtMemset", 64, 128, 0, 128),
        ("aclrtMemcpy", 1000, 8, 64, 8, 2),
        ("aclrtMemcpy", 64, 16, 1000, 16, 1),
        ("halHostRegister", 64, 4096, 2, 7),
        ("halHostUnregister", 64, 7),
        ("aclrtFree", 64),
    ]


def test_memory_that_has_no_address_is_at_0(vendor: Library) -> None:
    own = device()
    vendor.address = None
    assert (own.allocate(4096), own.map(64, 4096, 7)) == (0, 0)


CALLS: dict[str, Callable[[AscendDevice], object]] = {
    "aclrtMalloc": lambda own: own.allocate(1),
    "aclrtMemset": lambda own: own.clear(1, 1),
    "aclrtMemcpy": lambda own: (own.copy_out(1, 1, 1), own.copy_in(1, 1, 1)),
    "halHostRegister": lambda own: own.map(1, 1, 1),
    "aclrtFree": lambda own: own.free(1),
}


@pytest.mark.parametrize("name", CALLS)
def test_another_thread_gets_the_context_once_before_its_first_call(
    name: str, vendor: Library
) -> None:
    own = device()
    vendor.calls.clear()

    def twice() -> None:
        CALLS[name](own)
        CALLS[name](own)

    thread = threading.Thread(target=twice)
    thread.start()
    thread.join()
    count = 4 if name == "aclrtMemcpy" else 2
    assert vendor.calls[0] == ("aclrtSetCurrentContext", 70)
    assert vendor.names()[1:] == [name] * count


def test_a_copy_to_the_device_and_the_end_of_a_mapping_get_the_context_too(
    vendor: Library,
) -> None:
    own = device()
    own.map(1, 1, 1)
    for call, arguments, name in (
        (own.copy_in, (1, 1, 1), "aclrtMemcpy"),
        (own.unmap, (1, 1), "halHostUnregister"),
    ):
        vendor.calls.clear()
        thread = threading.Thread(target=call, args=arguments)
        thread.start()
        thread.join()
        assert vendor.names() == ["aclrtSetCurrentContext", name]


def test_the_drivers_library_is_loaded_when_it_is_needed_and_once(
    vendor: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def load(name: str, functions: dict[str, Any]) -> Library:
        loaded.append(f"{name} {len(functions)}")
        return vendor

    monkeypatch.setattr(library, "_loaded", load)
    own = device()
    assert loaded == ["acl.so 9"]
    own.map(1, 1, 1)
    own.map(1, 1, 1)
    assert loaded == ["acl.so 9", "hal.so 2"]


@pytest.mark.parametrize("error", [OSError("no such file"), AttributeError("no aclInit in it")])
def test_a_library_that_lacks_something_is_one_sentence(
    error: Exception, vendor: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = device()

    def fails(name: str, functions: object) -> None:
        raise error

    monkeypatch.setattr(library, "_loaded", fails)
    with pytest.raises(UsageError) as refused:
        device()
    assert str(refused.value) == (
        f"{NAME}: needs the vendor's acl.so, which cannot be loaded ({error}); install CANN and "
        "source its set_env.sh, or take another transport"
    )
    with pytest.raises(TransportError, match=r"^hal\.so cannot map memory \(no "):
        own.map(1, 1, 1)


def test_functions_of_a_library_are_told_what_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: ctypes.PyDLL(None))
    takes = (ctypes.c_size_t, ctypes.c_void_p)
    found = library._loaded("any", {"strlen": takes})
    assert (found.strlen.argtypes, found.strlen.restype) == (takes, ctypes.c_int)
    with pytest.raises(AttributeError):
        library._loaded("any", {"no_such_function": ()})
