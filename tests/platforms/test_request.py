"""What a user asks for: which platforms there are, and which options belong to which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.platforms.cuda.machine import GpuMachine, GpuRequest
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, RunRequest, is_simulated
from lanescope.platforms.threads.machine import ThreadMachine


def test_a_chip_or_a_file_is_simulated_and_threads_and_gpus_are_not(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("")
    names = ["a2a3", "a2a3-hbg", "a5", str(tmp_path / "own.toml"), "threads", "cuda"]
    assert [is_simulated(name) for name in names] == [True] * 4 + [False] * 2


def test_another_platform_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        is_simulated("thread")
    assert str(refused.value) == (
        "expected a platform (threads, cuda, a2a3, a2a3-hbg, a5, or a chip's file), found "
        "'thread'; did you mean threads?"
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"platform": "threads", "cores": "aic=1", "schedulers": 1, "pin": True},
        {"platform": "cuda", "cores": "sm=2", "schedulers": 3},
        {"pre_dispatch": 0},
        {"pre_dispatch": 2},
    ],
)
def test_options_that_the_platform_has_pass(options: dict[str, Any]) -> None:
    MachineRequest(**options).check()


NOT_FOR_CHIPS = (
    "--cores and --schedulers are for --platform threads and cuda, --pin for threads; what a5 has "
    "stands in its file (see 'lanescope platforms')"
)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"platform": "a5", "cores": "aic=1"}, NOT_FOR_CHIPS),
        ({"platform": "a5", "schedulers": 1}, NOT_FOR_CHIPS),
        ({"platform": "a5", "schedulers": 0}, NOT_FOR_CHIPS),
        ({"platform": "a5", "pin": True}, NOT_FOR_CHIPS),
        (
            {"platform": "cuda", "pin": True},
            "--pin is for --platform threads; CTAs stay on their SM anyway",
        ),
        ({"pre_dispatch": -1}, "a core can hold 0 to 2 tasks in advance, not -1"),
        ({"pre_dispatch": 3}, "a core can hold 0 to 2 tasks in advance, not 3"),
    ],
)
def test_options_that_it_has_not_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        MachineRequest(**options).check()
    assert str(refused.value) == sentence


def test_a_request_runs_once_on_a2a3_and_records_everything() -> None:
    assert RunRequest() == RunRequest(
        machine=MachineRequest(
            platform="a2a3", cores=None, schedulers=None, pre_dispatch=1, pin=False
        ),
        recording=Recording(
            chip_swimlane=4,
            pmu=None,
            core_swimlane=False,
            core_source="perfmon",
            protocol="producer-rotated",
            on_full="block",
            buffer_records=1024,
            buffers=8,
            host_lost_s=30.0,
            first_token=0,
        ),
        dump=None,
        budget=None,
        seed=None,
        rounds=1,
    )


def test_a_machine_of_threads_has_three_cores_and_one_scheduler_unless_told_otherwise() -> None:
    assert MachineRequest().threads() == ThreadMachine(
        ("aic", "aiv", "aiv"), schedulers=1, pre_dispatch=1, pin=False
    )
    asked = MachineRequest(cores="aiv=3", schedulers=2, pre_dispatch=0, pin=True)
    assert asked.threads() == ThreadMachine(("aiv",) * 3, schedulers=2, pre_dispatch=0, pin=True)
    with pytest.raises(UsageError, match=r"^3 cores need 1 to 3 schedulers, not 0$"):
        MachineRequest(schedulers=0).threads()


def test_a_gpu_decides_what_was_not_asked_for() -> None:
    assert MachineRequest().gpu() == GpuRequest(cores=None, schedulers=1, pre_dispatch=1)
    asked = MachineRequest(cores="sm=2", schedulers=0, pre_dispatch=2)
    assert asked.gpu() == GpuRequest(cores=("sm", "sm"), schedulers=0, pre_dispatch=2)


# ---- a GPU's machine -------------------------------------------------------------------------


def gpu_refusal(request: GpuRequest, multiprocessors: int) -> str:
    with pytest.raises(UsageError) as refused:
        request.machine(multiprocessors)
    return str(refused.value)


def test_a_gpu_shares_its_sms_between_schedulers_and_workers() -> None:
    assert GpuRequest().machine(2) == GpuMachine(workers=1, schedulers=1, pre_dispatch=1)
    assert GpuRequest(schedulers=2).machine(132) == GpuMachine(workers=130, schedulers=2)
    assert GpuRequest(schedulers=2).machine(4) == GpuMachine(workers=2, schedulers=2)
    assert GpuRequest(cores=("sm",) * 3).machine(132).workers == 3
    asked = GpuRequest(cores=("sm",) * 4, schedulers=2, pre_dispatch=0)
    assert asked.machine(6) == GpuMachine(workers=4, schedulers=2, pre_dispatch=0, limit_s=120.0)
    assert asked.machine(6).ctas == 6


@pytest.mark.parametrize(
    ("request_", "multiprocessors", "sentence"),
    [
        (GpuRequest(schedulers=0), 4, "the GPU has 4 SMs, so 1 to 2 can schedule, not 0"),
        (GpuRequest(schedulers=3), 4, "the GPU has 4 SMs, so 1 to 2 can schedule, not 3"),
        (GpuRequest(schedulers=3), 5, "the GPU has 5 SMs, so 1 to 2 can schedule, not 3"),
        (GpuRequest(schedulers=2), 3, "the GPU has 3 SMs, so 1 can schedule, not 2"),
        (GpuRequest(), 1, "a GPU needs 2 SMs or more, this one has 1"),
        (
            GpuRequest(cores=("sm",) * 132),
            132,
            "the GPU has 132 SMs, so beside 1 scheduler 1 to 131 can work, not 132",
        ),
        (
            GpuRequest(cores=("sm",) * 2),
            2,
            "the GPU has 2 SMs, so beside 1 scheduler 1 can work, not 2",
        ),
        (
            GpuRequest(cores=("sm", "aic", "aiv")),
            9,
            "the cores of a GPU are of kind sm, not aic: --cores sm=N",
        ),
        (
            GpuRequest(cores=("sm",) * 4, schedulers=2),
            5,
            "the GPU has 5 SMs, so beside 2 schedulers 1 to 3 can work, not 4",
        ),
        (
            GpuRequest(cores=("sm",), schedulers=2),
            5,
            "1 worker needs 1 scheduler, not 2",
        ),
        (GpuRequest(pre_dispatch=3), 5, "a core can hold 0 to 2 tasks in advance, not 3"),
        (GpuRequest(pre_dispatch=-1), 5, "a core can hold 0 to 2 tasks in advance, not -1"),
    ],
)
def test_what_a_gpu_has_not_is_refused(
    request_: GpuRequest, multiprocessors: int, sentence: str
) -> None:
    assert gpu_refusal(request_, multiprocessors) == sentence


def test_a_machine_has_a_worker_for_each_scheduler() -> None:
    GpuMachine(workers=2, schedulers=2, pre_dispatch=2)
    GpuMachine(workers=1, pre_dispatch=0)
    with pytest.raises(UsageError, match=r"^2 workers need 1 to 2 schedulers, not 0$"):
        GpuMachine(workers=2, schedulers=0)


def test_a_cta_has_memory_for_a_worker_or_for_all_seats_of_a_scheduler() -> None:
    least = constant("LS_MEGA_WORKER_BYTES")
    seat = constant("LS_MEGA_SEAT_BYTES")
    seats = least // seat + 1
    assert GpuMachine(workers=1).shared_bytes() == least
    assert GpuMachine(workers=seats).shared_bytes() == seats * seat
    assert GpuMachine(workers=2 * seats - 1, schedulers=2).shared_bytes() == seats * seat
