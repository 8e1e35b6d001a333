"""What each call of a kernel becomes, asked of the functions themselves: nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.triton.on_cpu import NO_TRITON

triton = pytest.importorskip("triton", reason=NO_TRITON)

from triton.language import core  # noqa: E402

import lanescope.triton as ls  # noqa: E402
from lanescope.triton import calls  # noqa: E402

NONE, WORD, LONG = core.constexpr(None), core.uint32, core.uint64


class Semantic:
    """As much of a compilation as a call needs; a value that is cast is a pair with its type."""

    def __init__(self, *, backend: str = "cuda", libraries: Any = (("lanescope", "a"),)) -> None:
        options = SimpleNamespace(backend_name=backend, extern_libs=libraries, num_warps=4)
        self.builder = SimpleNamespace(options=options)

    def to_tensor(self, value: Any) -> Any:
        block = isinstance(value, list)
        return SimpleNamespace(value=value, type=Kind(block))

    def cast(self, tensor: Any, kind: Any) -> tuple[Any, Any]:
        return tensor.value, kind


class Kind:
    """The type of a value."""

    def __init__(self, block: bool) -> None:
        self._block = block

    def is_block(self) -> bool:
        return self._block

    def __str__(self) -> str:
        return "<['16'], int32>"


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Calls of the library: name, returned type, arguments, and whether it has no effect."""
    every: list[Any] = []

    def noted(
        library: str, path: str, given: Any, symbols: Any, *, is_pure: bool, _semantic: Any
    ) -> str:
        [(kinds, (name, returns))] = symbols.items()
        assert (library, path) == ("lanescope", "")
        assert kinds == tuple(kind for _, kind in given)
        every.append((name, returns, given, is_pure))
        return "called"

    monkeypatch.setattr(core, "extern_elementwise", noted)
    return every


@pytest.mark.parametrize(
    ("call", "name", "arguments"),
    [
        (lambda **own: ls.begin(7, 8, 9, **own), "begin", [(7, WORD), (8, WORD), (9, WORD)]),
        (lambda **own: ls.end(7, **own), "end", [(7, WORD)]),
        (lambda **own: ls.done(7, 8, **own), "done", [(7, WORD), (8, LONG)]),
        (lambda **own: ls.send(7, 8, **own), "send", [(7, WORD), (8, WORD)]),
        (lambda **own: ls.receive(7, 8, **own), "receive", [(7, WORD), (8, WORD)]),
        (lambda **own: ls.close(7, **own), "close", [(7, WORD)]),
    ],
)
def test_a_call_on_a_lane_is_one_call_of_the_library(
    call: Callable[..., Any], name: str, arguments: list[Any], called: list[Any]
) -> None:
    """It has an effect, so that it is not left out."""
    assert call(_semantic=Semantic()) is None
    assert called == [(f"lanescope_{name}", WORD, arguments, False)]


def test_a_mark_is_returned(called: list[Any]) -> None:
    assert ls.mark(7, core.constexpr(8), _semantic=Semantic()) == "called"
    assert called == [("lanescope_mark", LONG, [(7, WORD), (8, WORD)], False)]


@pytest.mark.parametrize("lane", [None, NONE])
def test_without_a_lane_nothing_is_called(lane: Any, called: list[Any]) -> None:
    own = {"_semantic": Semantic(libraries=())}
    ls.begin(lane, 8, 9, **own)
    for call in (ls.end, ls.close):
        call(lane, **own)
    for call in (ls.done, ls.send, ls.receive):
        call(lane, 8, **own)
    assert ls.mark(lane, 8, **own) == NONE
    assert called == []


def tensor() -> Any:
    """An argument of a kernel that is no constant."""
    return object.__new__(core.tensor)


def test_a_lane_is_opened_with_the_warps_that_make_the_call(called: list[Any]) -> None:
    """Those of the partition, where the call is in one."""
    handle, partition = tensor(), SimpleNamespace(caller_context=SimpleNamespace(num_warps=2))
    own = {"_semantic": Semantic()}
    assert ls.per_block(handle, **own) == "called"
    assert ls.per_block(handle, **own, _generator=partition) == "called"
    assert ls.per_partition(handle, 3, **own) == "called"
    assert ls.per_partition(handle, 3, **own, _generator=partition) == "called"
    assert ls.per_partition(handle, 3, **own, _generator=SimpleNamespace()) == "called"
    name, kinds = "lanescope_per_partition", (LONG, WORD, WORD)
    assert called == [
        (name, WORD, list(zip((handle, pipe, warps), kinds, strict=True)), False)
        for pipe, warps in ((0, 4), (0, 2), (3, 4), (3, 2), (3, 4))
    ]


def test_each_warp_may_have_its_lane(called: list[Any]) -> None:
    handle = tensor()
    assert ls.per_warp(handle, _semantic=Semantic()) == "called"
    assert called == [("lanescope_per_warp", WORD, [(handle, LONG)], False)]


OPENINGS = [
    lambda handle, own: ls.per_block(handle, _semantic=own),
    lambda handle, own: ls.per_partition(handle, 1, _semantic=own),
    lambda handle, own: ls.per_warp(handle, _semantic=own),
]


@pytest.mark.parametrize("opened", OPENINGS)
@pytest.mark.parametrize("handle", [None, NONE, 0, core.constexpr(0)])
def test_no_handle_or_0_opens_no_lane(
    opened: Callable[..., Any], handle: Any, called: list[Any]
) -> None:
    assert opened(handle, Semantic(libraries=(), backend="hip")) == NONE
    assert called == []


@pytest.mark.parametrize("opened", OPENINGS)
@pytest.mark.parametrize("handle", [1, -1, core.constexpr(1 << 48)])
def test_a_constant_that_is_a_handle_is_refused(
    opened: Callable[..., Any], handle: Any, called: list[Any]
) -> None:
    found = getattr(handle, "value", handle)
    with pytest.raises(ValueError, match="handle") as refused:
        opened(handle, Semantic())
    assert str(refused.value) == (
        "a handle is rec.handle of lanescope.cuda.record, as an argument that is no constexpr, "
        f"0 or None; found {found}"
    )
    assert called == []


@pytest.mark.parametrize(
    ("own", "value", "sentence"),
    [
        ({"backend": "hip"}, 7, "lanescope records on NVIDIA's GPUs, found the backend hip"),
        (
            {"libraries": (("libdevice", "a"),)},
            7,
            "launch the kernel with extern_libs=lanescope.triton.extern_libs()",
        ),
        ({}, [7] * 16, "numbers that are recorded are scalars, found <['16'], int32>"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    own: dict[str, Any], value: Any, sentence: str, called: list[Any]
) -> None:
    with pytest.raises(ValueError, match=r"record|launch") as refused:
        ls.send(7, value, _semantic=Semantic(**own))
    assert str(refused.value) == sentence
    assert called == []


@pytest.mark.parametrize("interpret", [True, False])
def test_in_the_interpreter_a_call_does_nothing(
    interpret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", str(int(interpret)))
    made = calls._in_kernels(lambda lane, _semantic=None: (lane, _semantic))
    if interpret:
        assert (made(7), made(7, 8, 9), made()) == (None, None, None)
        return
    assert made(7, _semantic="own") == (7, "own")
    with pytest.raises(ValueError, match=r"triton\.jit"):
        made(7)
