"""Run statistics, stage profiles and memory profiles: sums of a run, by stage and opcode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.plena.made import LOG, SCOREBOARD, STATS, read, totals

from lanescope.errors import InputError, LanescopeError
from lanescope.formats import import_paths, import_trace
from lanescope.reports import build_report

STAGE = {"instructions": 3, "seconds": 1.31e-07, "hbm_bytes_read": 0, "hbm_bytes_written": 4}
V1 = {
    "schema_version": 1, "total_instructions_executed": 3, "total_profiled_seconds": 1.31e-07,
    "total_hbm_bytes_read": 0, "total_hbm_bytes_written": 4,
    "stages": {"gather": STAGE, "other": {"instructions": 0, "seconds": 0.0}},
    "pairs": {"7": {**STAGE, "stages": {"gather": STAGE, "other": {"instructions": 0}}}},
}  # fmt: skip
MEMORY = {
    "schema_version": 1, "profile_level": "memory", "program_total_picos": 64000,
    "hbm_bytes_read": 5,
    "categories": {"matrix_compute": {"count": 2, "total_picos": 64000, "max_picos": 60000}},
    "opcodes": {"M_MM": {"category": "matrix_compute", "count": 2, "total_picos": 64000}},
}  # fmt: skip


def test_run_statistics(tmp_path: Path) -> None:
    more = {"emu_mlen": 64, "behavior_config": {"HLEN": 16, "MLEN": 1}, "hbm_bytes_read": 9}
    trace = read({**STATS, **more}, tmp_path, "stats.json")
    assert trace.tasks["end_ns"].tolist() == [2]
    assert totals(trace) == {"read bytes": 9, "HBM size bytes": 7, "mlen": 64, "hlen": 16}


def test_a_run_that_failed_is_told(tmp_path: Path) -> None:
    lost = {key: value for key, value in STATS.items() if key != "sim_latency_ns"}
    trace = read({**lost, "return_code": 101}, tmp_path, "stats.json")
    assert len(trace.tasks) == 0
    assert trace.meta.notes[-2:] == (
        "The statistics have no latency: the run did not end.",
        "The emulator ended with return code 101.",
    )


def test_stages_are_sums_and_no_timeline(tmp_path: Path) -> None:
    trace = read(V1, tmp_path, "stages.json")
    assert trace.tasks["end_cycles"].tolist() == [131]
    assert totals(trace, "gather") == {
        "instructions": 3, "cycles": 131, "read bytes": 0, "written bytes": 4,
    }  # fmt: skip
    assert totals(trace, "pair 7, gather") == totals(trace, "pair 7") == totals(trace, "gather")
    assert totals(trace, "pair 7, other") == {}
    assert "when a stage ran is not known" in trace.meta.notes[-1]


def test_later_versions_say_cycles_units_and_their_period(tmp_path: Path) -> None:
    second = {**V1, "schema_version": 2, "stages": {"gather": {**STAGE, "cycles": 132}}}
    assert totals(read(second, tmp_path, "a.json"), "gather")["cycles"] == 132
    stage = {**STAGE, "wall_cycles": 53, "resource_proxy_cycles": {"matrix": 53}}
    fourth = {
        **V1, "schema_version": 4, "stages": {"gather": stage}, "period_picos": 2500,
        "total_simulation_picos": 132500, "total_simulation_cycles": 53,
        "total_resource_proxy_cycles": {"matrix": 53},
        "cycle_accounting_status": "profiled_time_does_not_match_total",
    }  # fmt: skip
    trace = read(fourth, tmp_path, "b.json")
    assert trace.tasks["end_cycles"].tolist() == [53]
    assert totals(trace)["matrix cycles"] == totals(trace, "gather")["matrix cycles"] == 53
    assert "does not add up to the run's" in trace.meta.notes[-1]


def test_memory_profiles_are_sums_by_category_and_opcode(tmp_path: Path) -> None:
    trace = read(MEMORY, tmp_path, "memory.json")
    assert trace.tasks["end_cycles"].tolist() == [64]
    assert totals(trace, "matrix_compute") == {"instructions": 2, "cycles": 64, "most cycles": 60}
    assert totals(trace, "M_MM") == {"instructions": 2, "cycles": 64}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({**STATS, "sim_latency_ns": -1}, "run statistics is not what it should be"),
        ({**STATS, "sim_latency_ns": 1e20}, "expected a run below"),
        ({**STATS, "hbm_bytes_read": "many"}, "Expected `int | null`, got `str`"),
        ({**V1, "stages": []}, "a stage profile is not what it should be"),
        ({**V1, "period_picos": 0}, "Expected `int` >= 1"),
        ({**MEMORY, "opcodes": {"M_MM": 3}}, "a memory profile is not what it should be"),
    ],
)
def test_what_it_should_not_be_is_one_sentence(
    content: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(content, tmp_path, "bad.json")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_of_others_stay_theirs(tmp_path: Path) -> None:
    trace = read({"traceEvents": []}, tmp_path, "chrome.json")
    assert trace.meta.sources[0].format == "chrome"
    for name, text in {"note.log": "nothing of it\n", "rows.jsonl": '{"a": 1}\n{"a": 2}\n'}.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match="is not a file lanescope knows"):
            import_trace(tmp_path / name)


def test_of_a_folder_the_best_file_is_read(tmp_path: Path) -> None:
    read(SCOREBOARD, tmp_path, "board.jsonl")
    read(LOG, tmp_path, "run.log")
    (tmp_path / "empty.txt").touch()
    (trace,) = import_paths([tmp_path])
    assert [source.format for source in trace.meta.sources] == ["scoreboard"]


@settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_changed_bytes_give_a_trace_or_one_sentence(data: st.DataObject, tmp_path: Path) -> None:
    content = data.draw(st.sampled_from([STATS, V1, MEMORY]))
    whole = bytearray(json.dumps(content).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        trace = read(bytes(whole), tmp_path, "changed.json")
    except LanescopeError as error:
        assert "\n" not in str(error)
    else:
        assert build_report(trace).text()


def test_a_version_that_is_not_known_is_told(tmp_path: Path) -> None:
    notes = read({**V1, "schema_version": 9}, tmp_path, "stages.json").meta.notes
    assert "Version 9 of a stage profile is not known; it is read like version 4." in notes
    assert not any("not known; it" in note for note in read(V1, tmp_path, "v1.json").meta.notes)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("ttft.csv", "board,preset,case,phase,latency_ns,cycles\n", "a table of TTFT and TPOT"),
        ("tax.csv", "tax_name,base_run_id,routing_tax_cycles\n", "a summary of MoE timing"),
        (
            "moe.json",
            '{"runs": [], "routing_tax": [], "stage_stack": [], "bytes_validation": []}',
            "a summary of MoE timing",
        ),
        ("route.json", '{"workload": {}, "routing": {}, "replay": {}}', "a route trace"),
        ("llama.json", '{"ttft_seconds": 1, "tps": 2, "device_num": 1}', "an analytic estimate"),
    ],
)
def test_tables_over_runs_are_refused_as_such(
    name: str, content: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"is {what} of PLENA's tools, which holds no run"):
        import_trace(tmp_path / name)


@pytest.mark.parametrize("version", [1, 2, 4])
def test_versions_that_are_known_are_not_told(tmp_path: Path, version: int) -> None:
    notes = read({**V1, "schema_version": version}, tmp_path, "stages.json").meta.notes
    assert notes[1:] == ("Sums by stage: when a stage ran is not known, so it has no lane.",)


def test_stages_that_do_not_add_up_are_told(tmp_path: Path) -> None:
    notes = read({**V1, "cycle_accounting_status": "overlap"}, tmp_path, "a.json").meta.notes
    assert notes[-1] == (
        "The stages' time does not add up to the run's (overlap): instructions overlap, or some "
        "have no stage."
    )


BARE = {"schema_version": 4, "total_instructions_executed": 1, "stages": {}}


@pytest.mark.parametrize(
    ("more", "end_cycles"),
    [
        ({}, []),
        ({"total_profiled_seconds": 0}, [0]),
        ({"total_profiled_seconds": 1.31e-07}, [131]),
        ({"total_profiled_seconds": 1, "total_profiled_picos": 5000}, [5]),
        ({"total_profiled_picos": 5000, "total_simulation_picos": 7000}, [7]),
        ({"total_profiled_picos": 5000, "total_simulation_picos": 0}, [5]),
    ],
)
def test_the_length_of_a_profiled_run_is_the_most_exact_one(
    tmp_path: Path, more: dict[str, Any], end_cycles: list[int]
) -> None:
    trace = read({**BARE, **more}, tmp_path, "stages.json")
    assert trace.tasks["end_cycles"].tolist() == end_cycles


@pytest.mark.parametrize(
    ("stage", "cycles"),
    [
        ({"seconds": 1e-8}, 10.0),
        ({"seconds": 1e-8, "cycles": 0}, 0.0),
        ({"seconds": 1e-8, "cycles": 5}, 5.0),
        ({"cycles": 5, "wall_cycles": 0}, 0.0),
        ({}, None),
    ],
)
def test_the_cycles_of_a_stage_are_its_own_or_else_of_its_time(
    tmp_path: Path, stage: dict[str, Any], cycles: float | None
) -> None:
    trace = read({**BARE, "stages": {"s": stage}}, tmp_path, "stages.json")
    assert totals(trace, "s").get("cycles") == cycles


def test_a_stage_of_a_pair_counts_where_it_ran_anything(tmp_path: Path) -> None:
    pair = {"instructions": 2, "stages": {"a": {"instructions": 1}, "b": {"cycles": 9}}}
    trace = read({**BARE, "pairs": {"3": pair}}, tmp_path, "stages.json")
    assert totals(trace, "pair 3")["instructions"] == 2
    assert totals(trace, "pair 3, a")["instructions"] == 1
    assert totals(trace, "pair 3, b") == {}


def memory_profile(count: int) -> dict[str, Any]:
    categories = {f"c{k}": {} for k in range(count - 1)}
    return {**MEMORY, "categories": categories, "opcodes": {"o": {"max_picos": 2999}}}


def test_a_memory_profile_has_at_most_65536_parts(tmp_path: Path) -> None:
    assert totals(read(memory_profile(1 << 16), tmp_path, "most.json"), "o") == {
        "instructions": 0,
        "most cycles": 2,
    }
    with pytest.raises(InputError) as caught:
        read(memory_profile((1 << 16) + 1), tmp_path, "more.json")
    assert caught.value.problem == "has more than 65,536 categories and opcodes"


@pytest.mark.parametrize("field", ["total_simulation_picos", "total_profiled_picos"])
def test_a_run_is_shorter_than_27_days(tmp_path: Path, field: str) -> None:
    most = (1 << 61) - 1
    assert len(read({**BARE, field: most}, tmp_path, "most.json").tasks) == 1
    with pytest.raises(InputError) as caught:
        read({**BARE, "total_profiled_seconds": 2305843.1}, tmp_path, "more.json")
    assert caught.value.problem.startswith(
        "expected a run below 2,305,843,009,213,693,952 ps, found 2,305,843,1"
    )
