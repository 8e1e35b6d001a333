"""The report of a predicted trace has the bound of its prediction: same name, share and cycles."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.model.cost.plena_data import DATA, needs_data

from lanescope import predict
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.units.program import unit_program
from lanescope.render.cells import percent_text
from lanescope.reports import build_report
from lanescope.trace import load, save

PROGRAMS = ("fa_gqa_m64_b4", "ffn_m64_b4", "rms_norm_m64_b4", "linear_m64_b4", "direct_loop")
CASES = [(name, board) for name in PROGRAMS for board in ("nexys_video", "v80", "nexys_a7")]


@pytest.mark.parametrize(("name", "board"), CASES)
def test_the_verdict_is_the_bound_of_the_prediction(name: str, board: str, tmp_path: Path) -> None:
    file = DATA / "programs" / f"{name}.asm"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    settings = file.with_suffix(".settings.toml")
    prediction = predict(file, board=board, settings=settings if settings.is_file() else None)
    save(prediction.trace(), tmp_path / "out.lanes")
    bound = prediction.bound_by()
    for trace in (prediction.trace(), load(tmp_path / "out.lanes")):
        answer = unit_program(trace, makespan(trace))
        assert (answer.bound, answer.bound_share) == (bound.name, bound.share)
        assert (answer.cycles, answer.serial_cycles) == (prediction.best, prediction.serial)
        assert prediction.overlapped is not None
        waits = {wait.name: wait.cycles for wait in answer.waits}
        assert waits == {n: cycles for n, cycles in prediction.overlapped.waits.items() if cycles}
        text = build_report(trace).text()
        assert f"Bound by {bound.name}, {percent_text(bound.share)} of" in text
        assert "scheduler" not in text and "dispatched" not in text


@needs_data
@pytest.mark.parametrize("model", ["host-stream", "layer-swap", "auto"])
def test_the_verdict_is_the_bound_with_every_memory_model(model: str) -> None:
    name = "clm60m_1L_m256_b64_s256"
    prediction = predict(
        DATA / "programs" / f"{name}.asm",
        board="nexys_video",
        settings=DATA / "programs" / f"{name}.settings.toml",
        memory_model=model,
        weight_manifest=DATA / "manifests" / f"{name}.nexys_video.manifest.json",
    )
    trace, bound = prediction.trace(), prediction.bound_by()
    answer = unit_program(trace, makespan(trace))
    assert (answer.bound, answer.bound_share) == (bound.name, bound.share)
    assert answer.cycles == prediction.best
    assert bound.name == "link" or model != "host-stream"


def test_short_programs_are_bound_by_their_dependencies(tmp_path: Path) -> None:
    """Each line takes the result of the one before it, on another unit in turn."""
    file = tmp_path / "chain.asm"
    pair = "V_EXP_V gp1, gp1, 0\nV_RED_SUM f1, gp1, 0, 0\nS_EXP_FP f1, f1\nS_ST_FP f1, gp0, 0\n"
    file.write_text(pair * 8)
    prediction = predict(file, board="nexys_video")
    trace = prediction.trace()
    answer = unit_program(trace, makespan(trace))
    assert answer.bound == prediction.bound_by().name


def test_pc_counts_instructions_and_line_counts_lines(tmp_path: Path) -> None:
    file = tmp_path / "loop.asm"
    file.write_text("; a comment\nC_LOOP_START gp3, 2\n\nV_EXP_V gp1, gp1, 0\nC_LOOP_END gp3\n")
    tasks = predict(file, board="nexys_video").trace().tasks
    order = tasks["task"].argsort()
    assert tasks["pc"][order].tolist() == [0, 1, 2, 1, 2]
    assert tasks["line"][order].tolist() == [2, 4, 5, 4, 5]


def test_a_line_nobody_can_read_is_an_instruction_of_the_program(tmp_path: Path) -> None:
    file = tmp_path / "odd.asm"
    file.write_text("X_UNKNOWN gp1\nV_EXP_V gp1, gp1, 0\n")
    tasks = predict(file, board="nexys_video", ignore_unknown=True).trace().tasks
    assert (tasks["pc"].tolist(), tasks["line"].tolist()) == ([1], [2])
