"""A bench on a GPU: one that is made of threads, with the kernel's own code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.platforms.cuda.emulator import Emulator
from tests.platforms.cuda.test_compile import GPU

from lanescope.cli import main
from lanescope.errors import LanescopeError
from lanescope.overhead import BenchReport, bench
from lanescope.overhead import on_gpu as module
from lanescope.platforms.cuda import repeated
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.program import Check

WORDS = ("chain", "--set", "tasks=12", "--platform", "cuda", "--cores", "sm=2", "--rounds", "2")


class Loaded(Emulator):
    """A GPU that counts how often its kernel was loaded and unloaded."""

    count = 0
    closed = 0

    def __init__(self, machine: GpuMachine) -> None:
        super().__init__(machine)
        Loaded.count += 1

    def close(self) -> None:
        Loaded.closed += 1
        assert self.memory.blocks == {}


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where captures lie meanwhile."""
    place = tmp_path / "memory"

    def made() -> Path:
        place.mkdir()
        return place

    monkeypatch.setattr(Loaded, "count", 0)
    monkeypatch.setattr(Loaded, "closed", 0)
    monkeypatch.setattr(repeated, "find_gpu", lambda: GPU)
    monkeypatch.setattr(repeated, "GpuEngine", Loaded)
    monkeypatch.setattr(repeated, "own_folder", made)
    return place


def benched() -> BenchReport:
    return bench(
        "chain",
        settings={"tasks": 12},
        platform="cuda",
        cores="sm=2",
        levels=(0, 1, 4),
        rounds=2,
    )


def test_levels_take_turns_on_one_kernel(folder: Path) -> None:
    report = benched()
    assert (Loaded.count, Loaded.closed) == (1, 1)
    assert not folder.exists()
    names = [result.configuration.name for result in report.results]
    assert names == ["off", "1 producer-rotated", "4 producer-rotated"]
    assert all(result.makespan_ns.min > 0 for result in report.results)
    assert [result.records_per_run for result in report.results][:2] == [0, 12]
    assert report.results[2].records_per_run > 3 * 12
    assert [result.to_off_ns is None for result in report.results] == [True, False, False]
    assert report.setting.cores == ("sm", "sm")
    assert (report.setting.device, report.setting.schedulers) == ("emulated", 1)


def test_the_heading_says_which_gpu_and_whose_clock() -> None:
    heading = benched().text().splitlines()[:3]
    assert heading == [
        "chain on cuda (emulated): 12 tasks on 2 cores and 1 scheduler, 2 rounds after one to "
        "warm up",
        "8 buffers of 1,024 records per lane, on-full block",
        "makespans on the GPU's own clock, inside the kernel, at level 0, too",
    ]


def test_the_command_prints_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *WORDS, "--levels", "0,3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "urn:lanescope:bench:1"
    assert (told["platform"], told["device"]) == ("cuda", "emulated")
    assert [len(result["samples"]) for result in told["results"]] == [2, 2]
    assert "pin" not in told and "clock_hz" not in told


def test_wrong_numbers_are_no_measurement(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    wrong = Check(1, 1.0, "results wrong: 1 of 1 values")
    monkeypatch.setattr("lanescope.platforms.cuda.job.MegakernelJob.check", lambda job: wrong)
    for level in (0, 2):
        with pytest.raises(LanescopeError, match="results wrong: 1 of 1 values"):
            bench("chain", platform="cuda", settings={"tasks": 3}, cores="sm=1", levels=[level])
        assert not folder.exists()


def test_a_run_that_was_interrupted_ends_the_bench() -> None:
    with pytest.raises(KeyboardInterrupt):
        module._require_right(None)
