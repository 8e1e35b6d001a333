"""The recording header: it compiles everywhere, costs nothing when off, and each step is right.

Single steps are C functions in header_units.c; what "off" leaves in a program is off_loop.c.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
INCLUDE = ["-I", str(ROOT / "native/include"), "-I", str(ROOT / "native/src")]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

UNITS = re.findall(r"^TEST\((\w+)\)", (HERE / "header_units.c").read_text(), re.MULTILINE)


def tool(*names: str) -> str:
    """The first of the tools that is installed; the test is skipped where none is."""
    for name in names:
        if found := shutil.which(name):
            return found
    pytest.skip(f"{names[0]} is not installed")


def compiled(*words: str | Path) -> None:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- One header for C, C++ and CUDA ---------------------------------------------------------

USER = """
#include "lanescope/file.h"
#include "lanescope/lanescope.h"

int main(void)
{
    ls_config config = ls_default_config();
    uint8_t *region = ls_region_from_environment(config);
    ls_core core;
    ls_channel channel;
    ls_writer phases;
    ls_scheduler_phase phase;
    ls_core_open(&core, region, 0);
    ls_channel_open(&channel, region, 0);
    ls_writer_open(&phases, region, LS_SCHEDULER_PHASE, 0);
    ls_scheduler_begin(&phases, &phase, LS_PHASE_DISPATCH);
    if (ls_channel_admit(&channel))
        ls_channel_dispatch(&channel);
    ls_core_receive(&core);
    ls_core_begin(&core);
    ls_core_end(&core, ls_task_word(1, 2), 0);
    ls_channel_finish(&channel, 0, ls_task_word(1, 2), 1);
    ls_scheduler_end(&phases, &phase);
    ls_core_close(&core);
    ls_channel_close(&channel);
    ls_writer_flush(&phases);
    ls_region_stopped(region);
    return 0;
}
"""

KERNEL = """
#include "lanescope/lanescope.h"

__global__ void cores(uint8_t *region, uint32_t tasks)
{
    ls_core core;
    ls_core_open(&core, region, blockIdx.x);
    for (uint32_t token = 0; token < tasks; token++) {
        ls_core_receive(&core);
        ls_core_begin(&core);
        ls_core_end(&core, token, token);
    }
    ls_core_close(&core);
}

__global__ void controllers(uint8_t *region, uint32_t tasks)
{
    ls_channel channel;
    ls_channel_open(&channel, region, blockIdx.x);
    for (uint32_t token = 0; token < tasks; token++) {
        while (!ls_channel_admit(&channel)) {
        }
        ls_channel_dispatch(&channel);
        ls_channel_finish(&channel, token, token, 0);
    }
    ls_channel_close(&channel);
}
"""


@pytest.mark.parametrize("recording", [0, 1])
@pytest.mark.parametrize(
    ("compilers", "standard", "suffix"),
    [(("cc", "gcc"), "c11", ".c"), (("c++", "g++"), "c++17", ".cpp")],
    ids=["C11", "C++17"],
)
def test_the_header_compiles_without_a_warning(
    tmp_path: Path, compilers: tuple[str, ...], standard: str, suffix: str, recording: int
) -> None:
    source = tmp_path / f"user{suffix}"
    source.write_text(USER)
    words = [f"-std={standard}", "-D_GNU_SOURCE", f"-DLS_RECORDING={recording}", "-O2"]
    compiled(tool(*compilers), *words, *STRICT, *INCLUDE, source, "-o", tmp_path / "user")
    compiled(tmp_path / "user")  # and runs, with nothing to record


def test_the_header_compiles_for_cuda(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(KERNEL)
    words = ["-arch=sm_90", "-c", "-Werror", "all-warnings", *INCLUDE]
    compiled(tool("nvcc"), *words, source, "-o", tmp_path / "kernel.o")


# ---- Off costs nothing ----------------------------------------------------------------------


def instructions(listing: str, function: str) -> list[str]:
    """The function's instructions, without addresses and padding."""
    body = re.search(rf"<{function}>:\n(.*?)(?:\n\n|\Z)", listing, re.DOTALL)
    assert body is not None, listing
    lines = [line.split("\t", 1)[1] for line in body[1].splitlines() if "\t" in line]
    lines = [re.sub(r"[0-9a-f]+ (<\w+)", r"\1", line.strip()) for line in lines]
    lines = [line.replace(f"<{function}", "<") for line in lines]
    while lines and lines[-1].startswith(("nop", "xchg", "data16", "cs nop")):
        lines.pop()
    return lines


def test_compiled_out_leaves_the_same_instructions_as_no_calls(tmp_path: Path) -> None:
    objdump, built = tool("objdump"), tmp_path / "off_loop.o"
    words = ["-std=c11", "-O2", "-DLS_RECORDING=0", "-DWITHOUT_MAIN", "-c", *INCLUDE]
    compiled(tool("cc", "gcc"), *words, HERE / "off_loop.c", "-o", built)
    listing = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", str(built)],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    plain = instructions(listing, "plain")
    assert len(plain) > 5
    assert instructions(listing, "recorded") == plain
    assert instructions(listing, "phases") == plain
    assert "<ls_" not in listing


def counted(valgrind: str, program: Path, loop: str, tasks: int) -> int:
    """Instructions the loop executes, as callgrind counts them."""
    done = subprocess.run(
        [valgrind, "--tool=callgrind", f"--toggle-collect={loop}",
         f"--callgrind-out-file={program.parent / 'callgrind.out'}", program, loop, str(tasks)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        pytest.skip(f"callgrind does not run here: {done.stderr[-200:]}")
    return int(found[1])


@pytest.mark.parametrize(
    ("loop", "calls", "most"),
    [
        ("recorded", 6, 2),  # neighbours on one handle share their test
        ("phases", 2, 3),  # a load, a test, a branch
    ],
)
def test_a_call_that_is_off_executes_a_test_and_no_more(
    tmp_path: Path, loop: str, calls: int, most: int
) -> None:
    valgrind, program = tool("valgrind"), tmp_path / "off_loop"
    compiled(tool("cc", "gcc"), "-std=c11", "-O2", *INCLUDE, HERE / "off_loop.c", "-o", program)
    plain, off = (
        (counted(valgrind, program, name, 2000) - counted(valgrind, program, name, 1000)) / 1000
        for name in ("plain", loop)
    )
    message = (
        f"{plain:g} instructions per task plain, {off:g} with {calls} calls that are off: "
        f"{(off - plain) / calls:.2f} more per call"
    )
    print(message)
    assert 0 <= off - plain <= most * calls, message


# ---- Single steps ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("header") / "header_units"
    sources = [HERE / "header_units.c", ROOT / "native/src/drain.c"]
    words = ["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror", *INCLUDE]
    compiled(tool("cc", "gcc"), *words, *sources, "-o", built)
    return built


@pytest.mark.parametrize("name", UNITS)
def test_step(units: Path, name: str) -> None:
    done = subprocess.run([units, name], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, f"{name}: {done.stderr or done.returncode}"


# ---- Shared words: the table in layout.h is what the code does --------------------------------

ORDERS = {"release / acquire": ("release", "acquire"), "relaxed": ("relaxed", "relaxed")}
OWN = {
    "published": "ls_writer_open",  # the producer reads what it wrote itself
    "recorded": "ls_writer_open",
    "released": "ls_release",  # so does the host
}
"""Word to the function that may read it relaxed, because its own side wrote it."""


def shared_words() -> dict[str, str]:
    """Word to the order of its accesses, as the table at the top of layout.h states it."""
    text = (ROOT / "native/include/lanescope/layout.h").read_text()
    row = re.compile(r"^ \*   ((?:lane|header)\..+?)  +\S+ +\S+ +(release / acquire|relaxed)", re.M)
    return {
        word.strip().removesuffix("[]").split(".")[-1]: order
        for words, order in row.findall(text)
        for word in words.split(",")
    }


def accesses(word: str, *patterns: str) -> list[tuple[str, str, str]]:
    """Function, `load`, `store` or `add`, and order of each access to a shared word."""
    native = ROOT / "native"
    patterns = patterns or ("include/lanescope/*.h", "src/**/*.[ch]")
    files = sorted(file for pattern in patterns for file in native.glob(pattern))
    function = re.compile(r"^(?:LS_FN|LS_SLOW|static|void|int64_t) .*?(\w+)\(")
    access = re.compile(rf"ls_(load|store|add)_(\w+)\(&[^,;]*?->{word}\b")
    found, now = [], ""
    for file in files:
        for line in file.read_text().splitlines():
            opens = function.match(line)
            now = opens[1] if opens else now
            found += [(now, *hit) for hit in access.findall(line)]
    return found


def test_every_access_to_a_shared_word_has_the_order_that_the_table_states() -> None:
    words = shared_words()
    assert {"published", "released", "recorded", "opened", "segment", "state"} <= words.keys()
    for word, order in words.items():
        store, load = ORDERS[order]
        expected = {"store": {store, "recorded"}, "load": {load}, "add": {store}}
        for function, kind, used in accesses(word):
            if kind == "load" and OWN.get(word) == function:
                continue
            assert used in expected[kind], f"{function}: {kind} of {word} is {used}"
    assert {kind for _, kind, _ in accesses("segment")} == {"load", "store"}


def test_every_access_to_a_word_of_the_threads_has_the_order_that_their_table_states() -> None:
    text = (ROOT / "native/src/threads_platform.h").read_text()
    rows = re.findall(r"^ \*   (\w+(?:, \w+)*)  .* release / acquire\b", text, re.MULTILINE)
    words = [word for row in rows for word in row.split(", ")]
    assert words == ["posted", "status", "over", "opened", "gate"]
    for word in words:
        used = {(kind, order) for _, kind, order in accesses(word, "src/threads*.c")}
        stored = set() if word == "opened" else {("store", "release")}  # it is added to
        assert used == stored | {("load", "acquire")}, word


def test_the_cuda_example_compiles(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    source = ROOT / "examples" / "cuda" / "persistent.cu"
    include = ["-I", str(ROOT / "native/include")]
    command = [nvcc, "-std=c++17", "-arch=sm_90", "-cubin", *include, str(source)]
    subprocess.run([*command, "-o", str(tmp_path / "persistent.cubin")], check=True)
