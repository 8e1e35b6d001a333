"""The shipped IR: made of the sources that are there, and in a form that every Triton takes."""

from __future__ import annotations

import re

import pytest
from tests.triton.on_cpu import NO_CLANG, NO_TRITON

from tools import build_triton_ir

SHIPPED = build_triton_ir.TARGET.read_text()


def test_it_is_made_of_the_sources_that_are_there() -> None:
    first, _ = SHIPPED.split("\n", 1)
    stale = "a header changed: run `make triton-ir`"
    assert first == f"; sources {build_triton_ir.fingerprint()}", stale


def test_its_sources_are_all_that_the_header_includes() -> None:
    names = [file.name for file in build_triton_ir.sources()]
    assert names[0] == "record.cpp"
    assert {"cuda.cuh", "buffers.cuh", "handle.h", "layout.h", "kinds.h", "portable.h"} < {*names}
    assert len(names) == len(set(names))


def test_made_again_it_is_the_same() -> None:
    if not build_triton_ir.ZIG.exists():
        pytest.skip(NO_CLANG)
    assert build_triton_ir.library() == SHIPPED


def test_its_shared_memory_leaves_tritons_where_it_was() -> None:
    (found,) = re.findall(
        r"^@\w+ = .*addrspace\(3\) global \[(\d+) x i8\] undef, align (\d+)", SHIPPED, re.M
    )
    assert (int(found[0]) % 1024, int(found[1])) == (0, 1024)


def test_it_names_no_gpu() -> None:
    assert not re.search(r"target-(cpu|features)|sm_\d\d|clang version", SHIPPED)


def test_an_old_triton_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    triton = pytest.importorskip("triton", reason=NO_TRITON)
    import lanescope.triton
    from lanescope.errors import UsageError

    (name,) = lanescope.triton.extern_libs().items()
    assert name == ("lanescope", str(build_triton_ir.TARGET))
    monkeypatch.setattr(triton, "__version__", "3.3.1")
    with pytest.raises(UsageError) as found:
        lanescope.triton.extern_libs()
    assert str(found.value) == "recording needs Triton 3.4 or newer, found 3.3.1"


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        *(("3.4.0", True), ("3.4", True), ("3.4.0+git1", True), ("3.10.1", True), ("4.0.0", True)),
        *(("3.3.99", False), ("2.9.0", False), ("3.3", False)),
    ],
)
def test_versions_are_compared_by_their_first_two_numbers(
    version: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    triton = pytest.importorskip("triton", reason=NO_TRITON)
    from lanescope.errors import UsageError
    from lanescope.triton.library import extern_libs

    monkeypatch.setattr(triton, "__version__", version)
    if fits:
        assert list(extern_libs()) == ["lanescope"]
        return
    with pytest.raises(UsageError) as found:
        extern_libs()
    assert str(found.value) == f"recording needs Triton 3.4 or newer, found {version}"
