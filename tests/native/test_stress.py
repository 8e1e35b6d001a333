"""The recording header under real threads (stress.c): every record verified, every loss counted."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    built = tmp_path_factory.mktemp("stress") / "stress"
    sources = [ROOT / "tests/native/stress.c", ROOT / "native/src/drain.c"]
    include = ["-I", str(ROOT / "native/include"), "-I", str(ROOT / "native/src")]
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", *include]
    subprocess.run([compiler, *flags, *map(str, sources), "-o", str(built)], check=True)
    return built


def run(program: Path, *, timeout_s: float = 60, **options: object) -> dict[str, float]:
    """What the run prints; a violation fails with its sentence and the command."""
    words = [
        word
        for key, value in options.items()
        for word in (f"--{key.replace('_', '-')}", str(value))
    ]
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, check=False, timeout=timeout_s
    )
    assert done.returncode == 0, f"{done.stderr}{' '.join(words)}"
    result: dict[str, float] = json.loads(done.stdout)
    return result


# Three buffers' worth of tasks and a few more, so that the last buffer is partly filled.
TASKS = {1: 200, 2: 301, 3: 301, 1000: 3007, 1024: 3080}


@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
@pytest.mark.parametrize("on_full", ["block", "drop"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_record_arrives_once_or_is_counted(
    program: Path, protocol: str, on_full: str, pre_dispatch: int
) -> None:
    for seed, (records, buffers) in enumerate(product(TASKS, (1, 2, 8)), 1):
        result = run(
            program,
            protocol=protocol,
            on_full=on_full,
            pre_dispatch=pre_dispatch,
            records=records,
            buffers=buffers,
            tasks_per_core=TASKS[records],
            pause_us=200,
            seed=seed,
        )
        assert result["records"] + result["dropped"] == 2 * 2 * TASKS[records]
        assert on_full == "drop" or result["dropped"] == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_every_level_delivers_its_lanes(program: Path, protocol: str, level: int) -> None:
    result = run(
        program, protocol=protocol, level=level, tasks_per_core=2000, controllers=2, cores=3,
        records=7, pause_us=100,
    )  # fmt: skip
    tasks = 3 * 2000
    least = {1: tasks, 2: 2 * tasks, 3: 2 * tasks + 1, 4: 2 * tasks + 2}[level]
    assert result["records"] == least if level < 3 else result["records"] >= least


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("records", [3, 1000])
def test_tokens_wrap_at_two_to_the_32(program: Path, protocol: str, records: int) -> None:
    result = run(
        program, protocol=protocol, records=records, first_token=2**32 - 1500, level=2,
        tasks_per_core=3001, pre_dispatch=2,
    )  # fmt: skip
    assert result["records"] == 2 * 2 * 3001


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_producer_that_gives_up_on_the_host_counts_what_it_drops(
    program: Path, protocol: str
) -> None:
    result = run(
        program, protocol=protocol, records=4, buffers=1, tasks_per_core=3000, host_lost_ms=0,
        pause_us=500,
    )  # fmt: skip
    assert result["dropped"] > 0
    assert result["records"] + result["dropped"] == 2 * 2 * 3000


# ---- Long runs ------------------------------------------------------------------------------

LONG = {
    "protocol": "producer-rotated", "controllers": 0, "cores": 4, "tasks_per_core": 25_000_000,
    "records": 16, "buffers": 4, "level": 1, "pause_us": 200,
}  # fmt: skip


@pytest.mark.stress
@pytest.mark.parametrize("on_full", ["block", "drop"])
def test_a_hundred_million_records_in_flat_memory(program: Path, on_full: str) -> None:
    result = run(program, timeout_s=900, on_full=on_full, **LONG)
    grown_mb = (result["rss_after_kb"] - result["rss_before_kb"]) / 1024
    print(f"{on_full}: {result}, memory grew by {grown_mb:.1f} MB")
    assert result["records"] + result["dropped"] == 100_000_000
    assert on_full == "drop" or result["dropped"] == 0
    assert result["rss_before_kb"] > 0
    assert grown_mb < 16


@pytest.mark.stress
@pytest.mark.parametrize("on_full", ["block", "drop"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_two_million_tasks_through_controllers(program: Path, protocol: str, on_full: str) -> None:
    result = run(
        program, timeout_s=900, protocol=protocol, on_full=on_full, cores=4, controllers=2,
        tasks_per_core=500_000, records=16, buffers=4, pre_dispatch=2, level=4, pause_us=200,
        first_token=2**32 - 250_000,
    )  # fmt: skip
    print(f"{protocol}, {on_full}: {result}")
    assert on_full == "drop" or result["dropped"] == 0
