"""Real PyTorch traces: figures of a reading that is not ours, and HTA's critical path."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.formats.streams.measures import DATA, expected

from lanescope.analyze.streams.basis import StreamBasis, stream_basis
from lanescope.analyze.streams.breakdown import breakdown
from lanescope.analyze.streams.copies import copies
from lanescope.analyze.streams.host import host
from lanescope.analyze.streams.idle import idle
from lanescope.analyze.streams.kernels import kernels
from lanescope.analyze.streams.launches import Delay, launches
from lanescope.analyze.streams.path_time import critical_time
from lanescope.analyze.streams.steps import steps
from lanescope.formats import import_trace

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")

FILES = ("event_sync_trace", "mi250_minitoy_train_ROCm6_2_kineto", "nccl_data", "triton_example")
CASES = [*FILES, *(f"rank{k}" for k in range(8))]
Case = tuple[StreamBasis, dict[str, Any]]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """What questions share, and the reference answers, by name of the file or rank."""
    found = {}
    for name in FILES:
        answer = expected(f"kineto-{name}")["plain"]
        trace = import_trace(DATA / f"kineto/{name}.json.gz")
        found[name] = stream_basis(trace), next(iter(answer.values()))
    folder = tmp_path_factory.mktemp("dlrm")
    with tarfile.open(DATA / "kineto-dlrm-8rank/dlrm_kineto.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    whole = expected("kineto-dlrm-8rank")
    for rank, member in whole["members_of_the_archive"].items():
        trace = import_trace(Path(folder / member))
        found[rank] = stream_basis(trace), whole["plain"][rank]
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_time_of_the_device(case: str, cases: dict[str, Case]) -> None:
    basis, answer = cases[case]
    (device,) = breakdown(basis.work).devices
    wanted = answer["gpu"]["decomposition_ns"]
    assert {
        "compute": device.compute_ns,
        "exposed_communication": device.exposed_communication_ns,
        "exposed_memory": device.exposed_memory_ns,
        "idle": device.idle_ns,
        "span": device.span_ns,
        "compute_under_communication": device.overlap_ns,
        "communication_total": device.communication_ns,
    } == {key: wanted[key] for key in wanted if key != "rule"}


@pytest.mark.parametrize("case", CASES)
def test_the_streams(case: str, cases: dict[str, Case]) -> None:
    basis, answer = cases[case]
    found = breakdown(basis.work).streams
    assert [
        (one.rows, one.kernels, one.sum_ns, one.busy_ns, one.span_ns, one.idle_ns, one.overlapping)
        for one in found
    ] == [
        (
            *(lane["rows"], lane["kernel"], lane["sum_ns"], lane["busy_union_ns"]),
            *(lane["span_ns"], lane["idle_in_span_ns"]),
            lane["rows_starting_before_a_previous_end"],
        )
        for lane in answer["gpu"]["lanes"]
    ]


@pytest.mark.parametrize("case", CASES)
def test_kernels_and_copies(case: str, cases: dict[str, Case]) -> None:
    basis, answer = cases[case]
    by_name = {one.name: one for one in kernels(basis)}
    assert len(by_name) == answer["gpu"]["kernels"]["distinct_names"]
    for wanted in answer["gpu"]["kernels"]["top"]:
        one = by_name[wanted["name"]]
        figures = (one.count, one.total_ns, one.min_ns, one.max_ns)
        assert figures == tuple(wanted[key] for key in ("count", "sum_ns", "min_ns", "max_ns"))
        assert one.mean_ns == pytest.approx(wanted["mean_ns"], abs=1e-3)
    moved = {
        one.name: (one.count, one.total_ns, one.bytes, one.without_bytes) for one in copies(basis)
    }
    assert moved == {
        row["name"]: (row["count"], row["sum_ns"], row["bytes"], row["rows_without_bytes"])
        for row in answer["gpu"]["memory_rows"]
    }


@pytest.mark.parametrize("case", CASES)
def test_launches_and_steps(case: str, cases: dict[str, Case]) -> None:
    basis, answer = cases[case]
    found, links = launches(basis.work), answer["links"]
    assert found.with_call == links["gpu_rows_matched_to_one_runtime_or_driver_call"]
    assert found.without_call == links["gpu_rows_without_a_call"]
    assert found.early == links["gpu_rows_that_start_before_their_call_starts"]
    assert found.graph_launches == links["correlations_shared_by_several_gpu_rows"]
    assert _told(found.from_call_start) == pytest.approx(links["delay_from_call_start_ns"])
    assert _told(found.from_call_end) == pytest.approx(links["delay_from_call_end_ns"])
    assert [(one.name, one.length_ns, one.rows, one.busy_ns) for one in steps(basis).steps] == [
        (step["name"], step["dur_ns"], *(step[key] for key in _LAUNCHED))
        for step in answer["profiler_steps"]
    ]


_LAUNCHED = ("gpu_rows_launched_inside", "gpu_busy_union_of_those_ns")


def _told(delay: Delay | None) -> dict[str, float]:
    assert delay is not None
    mean = round(delay.mean_ns, 3)
    return {
        "n": delay.count, "min": delay.min_ns, "median": delay.median_ns, "mean": mean,
        "max": delay.max_ns,
    }  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_idle_nanosecond_has_a_reason(case: str, cases: dict[str, Case]) -> None:
    basis, answer = cases[case]
    found = idle(basis)
    assert [one.idle_ns for one in found.devices] == [answer["gpu"]["decomposition_ns"]["idle"]]
    for one in (*found.devices, *found.streams):
        assert sum(reason.ns for reason in one.reasons) == one.idle_ns


@pytest.mark.parametrize("case", CASES)
def test_what_the_reference_calls_a_wait_for_the_host_is_ours_or_not_recorded(
    case: str, cases: dict[str, Case]
) -> None:
    """The reference knows two causes: the launch call starts after the last row has ended
    (`host_wait`), or before it. It gives a gap whole to one of them; a gap before a row whose call
    is not in the file is a `host_wait`, too. Where times are whole microseconds, many calls start
    in the microsecond in which the last row ends: then the call is what we see, and the reference
    does not."""
    basis, answer = cases[case]
    late = ("host_busy", "host_waiting", "host_unseen", "call", "launch", "not_recorded", "event")
    coarse = answer["trace"]["ts_written_as"] == ["integer"]
    for lane, one in zip(answer["gpu"]["lanes"], idle(basis).streams, strict=True):
        before_its_span = one.window_ns - lane["span_ns"] - one.ns("nothing")
        ours = sum(one.ns(what) for what in late) - before_its_span
        causes = lane["idle_by_cause_ns"]
        most = sum(causes.values()) if coarse else causes["host_wait"]
        assert causes["host_wait"] <= ours <= most


@pytest.mark.parametrize("case", CASES)
def test_the_path_adds_up(case: str, cases: dict[str, Case]) -> None:
    path = critical_time(cases[case][0])
    assert path is not None
    assert sum(part.ns for part in path.parts) == path.length_ns


def test_the_path_beside_that_of_hta(cases: dict[str, Case]) -> None:
    """Both end with the last kernel, which 123 µs ran. They differ in three things.

    HTA's 1,178 µs hold no time in which the host has no row: here that is 18,723 µs of 19,930.
    HTA reaches the kernel through the fill before it, 1 µs, and 15 µs between the two. But the fill
    had ended when the call that launched the kernel began, so it held nothing up: the call did,
    and ended 1 µs before the kernel started. HTA stops at the end of the kernel; the program waited
    for it in a call that returned 13 µs later.
    """
    path = critical_time(cases["event_sync_trace"][0])
    assert path is not None
    hta = expected("kineto-event_sync_trace")["hta"]["runs"][0]["critical_path[,None]"]
    last = hta["gpu_events_on_path"][-1]
    assert [(one.name, one.ns) for one in path.kernels] == [(last["name"], last["dur_us"] * 1000)]
    assert path.end_ns == (hta["critical_path_last_ts_rel_us"] + 13) * 1000
    assert (path.ns("launch"), path.ns("start"), path.ns("memory")) == (1000, 0, 0)
    without_rows = path.length_ns - path.ns("host_unseen")
    between = hta["critical_weight_by_type_us"]["critical_path_kernel_kernel_delay"]
    assert without_rows == 1_207_000
    assert between == 15.0


def test_the_host_is_busy_no_longer_than_its_threads(cases: dict[str, Case]) -> None:
    basis, _ = cases["nccl_data"]
    threads = host(basis)
    assert [one.rows for one in threads] == [10885, 12159, 42]
    for one in threads:
        assert one.busy_ns == sum(row.own_ns for row in one.work) or one.names > len(one.work)
