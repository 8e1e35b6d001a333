"""Every device can compile the headers: all that they do to memory goes through a hook."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
INCLUDE = ROOT / "native" / "include"
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
RECORDING = (
    "portable",
    "flags",
    "kinds",
    "layout",
    "lanes",
    "writer",
    "core",
    "controller",
    "region",
)
"""Headers that a device compiles, or that touch a region; all but file.h, which maps one."""

SEPARATE = ["-std=gnu11", "-DLS_GM=volatile __seg_gs", "-DLS_HAS_ATOMICS=0"]
"""The region is an address space of its own: a pointer without the mark does not convert to one
with it. `volatile` only lets gcc see that a declaration begins."""


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def problems(include: Path, source: str, *words: str, language: str = "c") -> str:
    """What the compiler says about a source text; "": nothing."""
    command = [tool("gcc"), "-x", language, "-fsyntax-only", *STRICT, "-I", str(include), *words]
    return subprocess.run(
        [*command, "-"], input=source, capture_output=True, text=True, check=False
    ).stderr


def all_headers(clock: str = "") -> str:
    return f'{clock}\n#include "lanescope/lanescope.h"\n#include "lanescope/clock.h"\n'


# ---- LS_GM: the address space of the region ------------------------------------------------------


def test_every_pointer_into_the_region_is_marked() -> None:
    assert problems(INCLUDE, all_headers(), *SEPARATE, "-D_GNU_SOURCE") == ""


def marked_declarations() -> list[tuple[str, int]]:
    """Header and line of everything that a header declares with LS_GM, in functions and structs."""
    found = []
    for name in RECORDING:
        text = (INCLUDE / "lanescope" / f"{name}.h").read_text()
        body = text[text.index("#ifndef") :].splitlines()
        before = len(text.splitlines()) - len(body)
        found += [
            (f"{name}.h", before + at)
            for at, line in enumerate(body)
            if re.search(r"LS_GM (?:const |volatile )*\w+ \*", line)
        ]
    return found


def without_mark(folder: Path, header: str, line: int) -> str:
    """What the compiler says where the marks of one line are missing."""
    include = folder / "include"
    shutil.copytree(INCLUDE, include, dirs_exist_ok=True)
    file = include / "lanescope" / header
    lines = file.read_text().splitlines(keepends=True)
    lines[line] = lines[line].replace("LS_GM ", "")
    file.write_text("".join(lines))
    return problems(include, all_headers(), *SEPARATE, "-D_GNU_SOURCE")


@pytest.mark.parametrize(("header", "line"), marked_declarations()[::9])
def test_a_missing_mark_is_found(tmp_path: Path, header: str, line: int) -> None:
    assert "address space" in without_mark(tmp_path, header, line)


@pytest.mark.stress
def test_every_missing_mark_is_found(tmp_path: Path) -> None:
    unfound = [place for place in marked_declarations() if not without_mark(tmp_path, *place)]
    assert unfound == []


# ---- Ready sets ----------------------------------------------------------------------------------

AICORE = f'#include "{HERE / "aicore_stand_ins.h"}"\n#include "lanescope/lanescope.h"\n'
CALLS = """
void task(ls_core *core, __gm__ uint8_t *region)
{
    ls_core_open(core, region, 3);
    ls_core_receive(core);
    ls_core_begin(core);
    ls_core_end(core, 7, 0);
    ls_core_close(core);
}
"""


def test_the_headers_compile_for_an_aicore() -> None:
    assert problems(INCLUDE, AICORE + CALLS, "-std=c++17", language="c++") == ""


def test_an_aicore_gets_no_system_header_but_two() -> None:
    command = [tool("gcc"), "-x", "c++", "-std=c++17", "-E", "-I", str(INCLUDE), "-"]
    text = subprocess.run(command, input=AICORE, capture_output=True, text=True, check=True).stdout
    files = set(re.findall(r'^# \d+ "(/usr/[^"]+)"', text, re.MULTILINE))
    outermost = {Path(file).name for file in files if "/bits/" not in file and "/gnu/" not in file}
    assert outermost <= {"stddef.h", "stdint.h", "stdc-predef.h", "features.h", "cdefs.h",
                         "features-time64.h", "wordsize.h"}  # fmt: skip


OFFERED = (
    "ls_core_open",
    "ls_counting_start",
    "ls_engine_start",
    "ls_region_init",
    "ls_call_apply",
)
"""A function of records, counters, engines, regions and configurations."""


@pytest.mark.parametrize(
    ("device", "offered"),
    [
        ('#include "lanescope/lanescope.h"\n', OFFERED),
        ('#define LS_NO_SYSTEM_HEADERS\n#include "lanescope/lanescope.h"\n', OFFERED[:3]),
        (AICORE, OFFERED[:1]),
    ],
    ids=["a controller", "without system headers", "an AI core"],
)
def test_a_device_is_offered_what_it_can_call(device: str, offered: tuple[str, ...]) -> None:
    command = [tool("gcc"), "-x", "c++", "-std=c++17", "-E", "-I", str(INCLUDE), "-"]
    text = subprocess.run(command, input=device, capture_output=True, text=True, check=True).stdout
    assert tuple(name for name in OFFERED if re.search(rf"\b{name}\(", text)) == offered


NVRTC = """
#define __CUDACC_RTC__
#define __host__
#define __device__
#include "lanescope/devices/cuda.h"
static_assert(UINT64_MAX == 0xFFFFFFFFFFFFFFFFull && UINT32_MAX == 0xFFFFFFFFu, "");
static_assert(sizeof(int16_t) == 2 && sizeof(int32_t) == 4 && sizeof(int64_t) == 8, "");
static_assert(sizeof(uint8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(uint32_t) == 4, "");
static_assert(sizeof(UINT64_C(1)) == 8 && sizeof(uint64_t) == 8 && UINT64_C(0) - 1 > 0, "");
static_assert(int16_t(-1) < 0 && int32_t(-1) < 0 && int64_t(-1) < 0 && uint8_t(-1) > 0, "");
static_assert(uint16_t(-1) > 0 && uint32_t(-1) > 0 && uint64_t(-1) > 0 && NULL == 0, "");
#if !LS_NO_SYSTEM_HEADERS
#error "there are none"
#endif
"""


def test_a_kernel_without_system_headers_has_the_same_types_and_limits() -> None:
    words = ("-std=c++17", "-nostdinc", "-Wno-unused-function")
    assert problems(INCLUDE, NVRTC, *words, language="c++") == ""


@pytest.mark.parametrize("coherent", [0, 1])
def test_the_headers_compile_for_an_aicpu(coherent: int) -> None:
    words = ["-std=c++17", "-DLS_AICPU", f"-DLS_AICPU_HOST_COHERENT={coherent}"]
    text = '#include "lanescope/lanescope.h"\nint main() { return 0; }\n'
    assert problems(INCLUDE, text, *words, language="c++") == ""


@pytest.mark.parametrize(
    ("hook", "meaning"),
    [
        ("LS_FN", "static inline __attribute__((always_inline))"),
        ("LS_SLOW", "static inline __attribute__((always_inline))"),
        ("LS_YIELD()", "((void)0)"),
        ("LS_PAUSE()", "((void)0)"),
        ("LS_CLOCK()", "UINT64_C(7)"),
    ],
)
def test_a_program_may_define_a_hook_itself(hook: str, meaning: str) -> None:
    text = f'#define {hook} {meaning}\n#include "lanescope/lanescope.h"\n'
    assert problems(INCLUDE, text, "-std=c11", "-D_GNU_SOURCE", "-Wno-unused-function") == ""
