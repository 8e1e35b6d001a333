"""Device code on this machine's processor: LLVM IR for a GPU is compiled for it, with stand_ins.c.

So what runs is the shipped record.ll itself, also inside a kernel that Triton compiled. Threads run
one after the other; code whose threads wait for each other cannot run so.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.build_triton_ir import CLANG, ZIG, library

import lanescope.cuda
from lanescope.cuda import driver, recorder
from lanescope.cuda.clock import ClockAnchor

HERE = Path(__file__).parent
NO_TRITON = "Triton is not installed; `make .venv/installed-triton` installs it"
NO_CLANG = "clang 18 is not there; `make .venv/installed-triton` installs it"
STAND_INS = {
    "mov.u64 $0, %clock64;": "i64 @clock64()",
    "mov.u64 $0, %globaltimer;": "i64 @globaltimer()",
    "mov.u32 $0, %smid;": "i32 @smid()",
    "mov.b32 $0, $1;": "i32 @copy(i32)",
    "": "i32 @copy(i32)",
    "{ .reg .pred p; setp.ne.u32 p, $0, 0; selp.u32 $0, 1, 0, p; }": "i32 @is_any(i32)",
    "nanosleep.u32 $0;": "void @nanosleep_(i32)",
    "atom.exch.b32 $0, [$1], $2;": "i32 @exchange(ptr, i32)",
    "atom.add.u64 $0, [$1], $2;": "i64 @add(ptr, i64)",
    "ld.acquire.sys.u64 $0, [$1];": "i64 @load_acquire(ptr)",
    "ld.global.u64 $0, [$1];": "i64 @load_long(ptr)",
    "ld.global.u32 $0, [$1];": "i32 @load_word(ptr)",
    "st.relaxed.sys.u64 [$0], $1;": "void @store_relaxed(ptr, i64)",
    "st.release.sys.u64 [$0], $1;": "void @store_release(ptr, i64)",
    "st.v2.u64 [$0], {$1, $2};": "void @store_pair(ptr, i64, i64)",
    "st.global.v4.u32 [$0], {$1, $2, $3, $4};": "void @store_four(ptr, i32, i32, i32, i32)",
    "st.global.v4.u32 [$0+-16], {$1, $2, $3, $4};": "void @store_before(ptr, i32, i32, i32, i32)",
    "st.global.b32 [$0], $1;": "void @spend_at(ptr, i32)",
    "@$2 st.global.b32 [ $1 + 0 ], { $0 };": "void @spend(i32, ptr addrspace(1), i1)",
}
"""PTX in the IR, and the function of stand_ins.c that does it."""
NEWER = (
    (r" (captures|range)\([^()]*(\([^()]*\))?[^()]*\)", ""),
    (r"\b(getelementptr inbounds|getelementptr|trunc|icmp)(?: (?:nuw|nsw|nusw|samesign))+", r"\1"),
    (r"(, )?![\w.]+ !\d+", ""),
    (r"^(target|!|attributes #).*\n| #\d+\b", ""),
    (r"\bptx_kernel ", ""),
    (r"@llvm\.nvvm\.([\w.]+)", lambda found: "@" + found[1].replace(".", "_")),
)
"""What clang 18 does not know, or what is about the GPU, and what stands there instead."""
SHARED_BYTES = 1 << 16


@cache
def shared_memory() -> int:
    """Address of memory whose addresses have 32 bits, as those of shared memory have."""
    system = ctypes.CDLL(None)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    read_write, private_anonymous_low = 3, 0x02 | 0x20 | 0x40
    address = system.mmap(None, SHARED_BYTES, read_write, private_anonymous_low, -1, 0)
    assert 0 < address < 1 << 32
    return int(address)


def for_this_machine(ir: str) -> str:
    """IR with stand-ins for everything that only a GPU has."""

    def stand_in(found: re.Match[str]) -> str:
        assert found[1] in STAND_INS, f"no stand-in for {found[1]}"
        return re.search(r"@\w+", STAND_INS[found[1]])[0]  # type: ignore[index]

    text = re.sub(r'asm sideeffect "([^"]*)", "[^"]*"', stand_in, ir)
    for pattern, instead in NEWER:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    text = re.sub(r"^@_ZN9lanescopeL6placesE = .*\n", "", text, flags=re.MULTILINE)
    there = f"inttoptr (i64 {shared_memory()} to ptr addrspace(3))"
    text = text.replace("@_ZN9lanescopeL6placesE", there)
    return text + "\n".join(f"declare {each}" for each in sorted(set(STAND_INS.values())))


def loaded(ir: str) -> ctypes.CDLL:
    """The functions of an IR, compiled for this machine."""
    if not ZIG.exists():
        pytest.skip(NO_CLANG)
    with tempfile.TemporaryDirectory() as folder:
        source, code, target = (Path(folder, f"device.{ending}") for ending in ("ll", "o", "so"))
        source.write_text(for_this_machine(ir))
        clang = (*CLANG, "--target=x86_64-linux-gnu", "-O1")
        _built(*clang, "-fPIC", "-Wno-override-module", "-c", source, "-o", code)
        _built("cc", "-O1", "-shared", "-fPIC", HERE / "stand_ins.c", code, "-o", target)
        return ctypes.CDLL(str(target))


def compiled_calls() -> ctypes.CDLL:
    """The library's functions as the headers make them today, for one thread at a time.

    The shipped file is the same: test_library.py compares them.
    """
    if not ZIG.exists():
        pytest.skip(NO_CLANG)
    return loaded(library())


def _built(*command: object) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class HostDriver:
    """The driver's functions that a recording calls, on memory of this process."""

    def __init__(self) -> None:
        self.blocks: dict[int, Any] = {}

    def allocate(self, size: int) -> int:
        block = np.zeros(size + 128, np.uint8)
        address = -(-int(block.ctypes.data) // 128) * 128
        self.blocks[address] = block
        return address

    def install(self, patch: pytest.MonkeyPatch) -> None:
        anchor = ClockAnchor(device_ns=1000, unix_ns=10**18, error_ns=1)
        patch.setattr(driver, "use_context", lambda: driver.Gpu("this processor", 2))
        patch.setattr(driver, "allocate", self.allocate)
        patch.setattr(driver, "free", self.blocks.pop)
        patch.setattr(driver, "write_device", lambda to, data: ctypes.memmove(to, data, len(data)))
        patch.setattr(driver, "read_device", ctypes.string_at)
        patch.setattr(driver, "map_host", lambda address, size: address)
        patch.setattr(driver, "unmap_host", lambda address: None)
        patch.setattr(driver, "synchronize", lambda: None)
        patch.setattr(recorder, "fit_clock", lambda: anchor)


@contextmanager
def recording(**options: Any) -> Iterator[lanescope.cuda.Recorder]:
    """`lanescope.cuda.record` without a GPU."""
    with pytest.MonkeyPatch.context() as patch:
        HostDriver().install(patch)
        with lanescope.cuda.record(**options) as rec:
            yield rec
