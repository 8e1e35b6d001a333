"""The protocols' real code under ThreadSanitizer, and under AddressSanitizer with UBSan.

`make sanitize` runs these. ThreadSanitizer is what says that the release and acquire operations are
enough; the model in tests/protocols/ takes that for granted.
"""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

pytestmark = pytest.mark.sanitize

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SANITIZERS = {
    "thread": ("libtsan.so", ["-fsanitize=thread"]),
    "address": ("libasan.so", ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
}
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
DRAIN = ROOT / "native/src/drain.c"
PLATFORM = sorted((ROOT / "native/src").glob("threads*.c"))


def build(
    program: Path,
    sanitizer: str,
    *sources: Path,
    include: Path = ROOT / "native/include",
    define: str = "NOTHING_MORE",
) -> Path:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    library, flags = SANITIZERS[sanitizer]
    found = subprocess.run(
        [compiler, f"-print-file-name={library}"], check=True, capture_output=True, text=True
    )
    if not Path(found.stdout.strip()).is_absolute():
        pytest.skip(f"gcc comes without {library}")
    words = ["-std=gnu11", "-g", "-O1", "-pthread", *flags, f"-D{define}", "-I", include]
    words += ["-I", ROOT / "native/src", *sources, "-o", program]
    subprocess.run([compiler, *map(str, words)], check=True)
    return program


def run(program: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Runs it; once more at fixed addresses where the kernel's random ones do not suit TSan."""
    command = [str(program), *map(str, words)]
    for prefix in ([], ["setarch", "-R"]):
        done = subprocess.run(
            [*prefix, *command], capture_output=True, text=True, check=False, timeout=300
        )
        if "unexpected memory mapping" not in done.stderr:
            return done
    pytest.skip(f"the sanitizer does not start here: {done.stderr[-200:]}")


def expect_clean(program: Path, *words: object) -> None:
    done = run(program, *words)
    assert done.returncode == 0 and "Sanitizer" not in done.stderr, (
        f"{' '.join(map(str, words))}\n{done.stderr[:4000]}"
    )


@pytest.fixture(scope="module", params=SANITIZERS)
def sanitizer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def stress(sanitizer: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(sanitizer)
    return build(folder / "stress", sanitizer, HERE / "stress.c", DRAIN)


@pytest.fixture(scope="module")
def platform(sanitizer: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(sanitizer)
    return build(folder / "platform", sanitizer, HERE / "threads_stress.c", DRAIN, *PLATFORM)


@pytest.mark.parametrize("on_full", ["block", "drop"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_protocols_are_clean(stress: Path, protocol: str, on_full: str) -> None:
    shapes = product((0, 1, 2), ((1, 1, 3000), (3, 2, 10000), (16, 4, 20000)))
    for seed, (pre_dispatch, (records, buffers, tasks)) in enumerate(shapes, 1):
        words: dict[str, object] = {
            "--protocol": protocol,
            "--on-full": on_full,
            "--pre-dispatch": pre_dispatch,
            "--records": records,
            "--buffers": buffers,
            "--tasks-per-core": tasks,
            "--cores": 3,
            "--controllers": 2,
            "--level": 4,
            "--pause-us": 200,
            "--seed": seed,
            "--first-token": 2**32 - 1000,
        }
        expect_clean(stress, *(word for pair in words.items() for word in pair))


def test_the_words_of_the_region_order_a_buffers_reuse_by_themselves(tmp_path: Path) -> None:
    """The dispatch orders nothing, so `segment` alone tells a core that its buffer is free."""
    program = build(tmp_path / "loose", "thread", HERE / "stress.c", DRAIN, define="LOOSE_DISPATCH")
    for records, buffers in ((1, 1), (3, 2)):
        expect_clean(
            program, "--protocol", "controller-rotated", "--pre-dispatch", 1, "--records", records,
            "--buffers", buffers, "--tasks-per-core", 2000, "--cores", 3, "--controllers", 2,
            "--level", 4, "--pause-us", 200,
        )  # fmt: skip


def test_cores_that_rotate_alone_are_clean(stress: Path) -> None:
    for on_full in ("block", "drop"):
        expect_clean(
            stress, "--controllers", 0, "--cores", 4, "--tasks-per-core", 100_000, "--level", 1,
            "--on-full", on_full, "--pause-us", 100,
        )  # fmt: skip


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_giving_up_on_the_host_is_clean(stress: Path, protocol: str) -> None:
    expect_clean(
        stress, "--protocol", protocol, "--records", 4, "--buffers", 1, "--host-lost-ms", 0,
        "--tasks-per-core", 10_000, "--pause-us", 500,
    )  # fmt: skip


@pytest.mark.parametrize("protocol", range(4), ids=PROTOCOLS)
@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
def test_the_thread_platform_is_clean(platform: Path, protocol: int, pre_dispatch: int) -> None:
    for seed, (level, (records, buffers)) in enumerate(product((1, 4), ((1, 1), (3, 2), (64, 4)))):
        expect_clean(platform, protocol, level, pre_dispatch, 4, 2, 20_000, records, buffers, seed)


def test_single_steps_touch_no_foreign_memory(tmp_path: Path) -> None:
    program = build(tmp_path / "units", "address", HERE / "header_units.c", DRAIN)
    source = (HERE / "header_units.c").read_text().splitlines()
    names = [line[5:-1] for line in source if line.startswith("TEST(")]
    assert names
    for name in names:
        expect_clean(program, name)


FAULTS = {
    "a missing release": ("portable.h", "value, __ATOMIC_RELEASE)", "value, __ATOMIC_RELAXED)"),
    "a missing acquire": ("portable.h", "(word, __ATOMIC_ACQUIRE)", "(word, __ATOMIC_RELAXED)"),
    "publishing before writing": (
        "core.h",
        "    record->start = c->start;\n",
        "    if (c->mode == LS_CORE_PRODUCER && c->out.cursor + 32 == c->out.limit)\n"
        "        ls_store_release(&c->lane->published, c->out.published + 1);\n"
        "    record->start = c->start;\n",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(tmp_path: Path, fault: str) -> None:
    include = tmp_path / "include"
    shutil.copytree(ROOT / "native/include", include)
    name, right, wrong = FAULTS[fault]
    header = include / "lanescope" / name
    text = header.read_text()
    assert text.count(right) == 1
    header.write_text(text.replace(right, wrong))
    program = build(tmp_path / "broken", "thread", HERE / "stress.c", DRAIN, include=include)
    # A race is reported only if the threads meet in it, so one run may see nothing: many small
    # buffers, and several runs.
    small = ("--tasks-per-core", 20_000, "--records", 4, "--buffers", 4)
    reports = [run(program, *small, "--seed", seed).stderr for seed in range(6)]
    assert any("ThreadSanitizer: data race" in report for report in reports)
