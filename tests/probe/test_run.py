"""Questions of the probe whose answer rests on several runs: the cache, and another owner."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.probe.test_capture import EMPTY, GOOD, MOVED, Repeating, capture

from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.engine import Behaviour
from lanescope.probe import run
from lanescope.probe.capture import PATTERN, Look, ProbeBench, ProbeCapture
from lanescope.probe.device import Step
from lanescope.probe.result import ProbeVerdict, cannot_tell
from lanescope.probe.run import ProbeOptions, _buffer, _cache, _fixp_code, _owner, ladder, shape
from lanescope.trace.pipes import PIPES


def test_the_cache_is_judged_by_a_run_that_was_not_disturbed_and_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "shape", lambda device: ())
    verdict = _cache(Repeating(MOVED, EMPTY, GOOD), "virtual")
    assert (verdict.answer, verdict.confidence) == ("coherent", "medium")
    verdict = _cache(Repeating(MOVED, EMPTY, MOVED, GOOD), "virtual")
    assert verdict.evidence == ("nothing was captured undisturbed",)
    verdict = _cache(Repeating(capture(PATTERN)), "virtual")
    assert verdict.evidence == (
        "the old bytes were read again, although 1 chunks were written",
        "there is no way to invalidate the cache here",
    )


def bench_of(owner_period: int) -> ProbeBench:
    around = Surroundings(owner_period=owner_period)
    return ProbeBench(SimulatedCore(load_chip("a5"), Behaviour(), around))


def test_looks_at_the_base_address_are_counted() -> None:
    bench = bench_of(0)
    assert _owner(bench).evidence == ("it stayed as it was set in 6 looks",)
    bench.captures += [GOOD, GOOD]
    assert _owner(bench).evidence == ("it stayed as it was set in 8 looks",)


def test_a_base_address_that_another_sets_is_told_once() -> None:
    bench = bench_of(2)
    found = _owner(bench)
    assert found.answer == "contended"
    assert found.evidence[0].endswith("which was not set here (1 times)")
    bench.captures += [MOVED, GOOD]
    assert _owner(bench).evidence == (
        "base address became 0x6000, which was not set here (2 times)",
    )


def test_kernels_have_steps_of_different_lengths_on_pipes_of_the_core() -> None:
    def on(*pipes: str) -> list[Step]:
        return shape(cast(Any, SimpleNamespace(pipes=pipes)))

    steps = [Step("scalar", 400, 1), Step("mte2", 1500, 2), Step("fixp", 900, 3)]
    assert on("fixp", "mte2", "scalar") == steps
    assert on("scalar", "cube", "fixp") == [steps[0], steps[2]]
    assert ladder(3) == [Step("scalar", 100, 4), Step("mte2", 110, 5), Step("scalar", 120, 6)]


def trial(*marks: tuple[str, int]) -> Any:
    """Marks by their pipe and code."""
    pipe = np.array([PIPES.index(name) for name, _ in marks])
    ctrl = np.array([code for _, code in marks])
    decoded = SimpleNamespace(marks=SimpleNamespace(pipe=pipe, ctrl=ctrl))
    return SimpleNamespace(form="chip6", decoded=decoded)


def test_the_code_of_fixp_is_the_only_one_of_its_marks() -> None:
    core = cast(Any, SimpleNamespace(pipes=("scalar", "fixp")))
    found = _fixp_code(core, trial(("fixp", 10), ("mte2", 3), ("fixp", 10)))
    assert found == ProbeVerdict("fixp_code", "10", ("every mark on fixp has code 10",), "high")


@pytest.mark.parametrize(
    ("pipes", "marks", "why"),
    [
        (("scalar",), [("fixp", 10)], "no kernel can use fixp on this core; try a cube core"),
        (("fixp",), None, "the form of chunks is not known"),
        (("fixp",), [("mte2", 3)], "marks on fixp have the codes []"),
        (("fixp",), [("fixp", 10), ("fixp", 6)], "marks on fixp have the codes [6, 10]"),
    ],
)
def test_a_code_that_cannot_be_told_has_a_reason(
    pipes: tuple[str, ...], marks: list[tuple[str, int]] | None, why: str
) -> None:
    core = cast(Any, SimpleNamespace(pipes=pipes))
    found = _fixp_code(core, None if marks is None else trial(*marks))
    assert found == cannot_tell("fixp_code", why)


class Ringing(Repeating):
    """Gives captures of a buffer of three bursts, and notes how many steps each run had."""

    def __init__(self, *captures: ProbeCapture) -> None:
        super().__init__(*captures)
        counters = {"write": lambda offset, value: None, "read": lambda offset: 0}
        self.device = cast(Any, SimpleNamespace(**counters))
        self.steps: list[int] = []

    def run(self, *given: object, **more: object) -> ProbeCapture:
        self.steps.append(len(cast(Any, given[1])))
        return super().run()


def filled(created: int, pointer: int, written: int) -> ProbeCapture:
    seen = Look(pointer=pointer, created=created, written=written)
    return replace(capture(bytes(96)), running=seen)


def asked(bench: Repeating, form: str | None = "chip6", *, wrap: bool = True) -> ProbeVerdict:
    known = None if form is None else cast(Any, SimpleNamespace(form=form))
    return _buffer(bench, "virtual", known, ProbeOptions(wrap=wrap))


CLEAR = "both counters clear as published"
SEEN = "0 steps into 96 bytes: {} created, {} written, write pointer {}"
RING = [filled(23, 64, 16), filled(32, 128, 32), filled(40, 160, 40), filled(48, 192, 48)]


def test_a_buffers_end_is_told_by_runs_of_four_lengths() -> None:
    bench = Ringing(*RING)
    assert asked(bench) == ProbeVerdict(
        "buffer",
        "ring, byte_count",
        (
            *(SEEN.format(23, 16, 64), SEEN.format(32, 32, 128), SEEN.format(40, 40, 160)),
            *(SEEN.format(48, 48, 192), CLEAR),
        ),
        "high",
    )
    assert bench.steps == [8, 13, 18, 23]
    assert asked(Ringing(), wrap=False) == cannot_tell(
        "buffer", "no experiment was allowed to run past a buffer's end"
    )


def test_two_runs_go_past_the_end_or_nothing_is_told() -> None:
    """Runs that were disturbed three times count for nothing."""
    short = [filled(8, 32, 8), filled(8, 32, 8)]
    assert asked(Ringing(*short, *RING[1:3])).answer == "ring, byte_count"
    assert asked(Ringing(*short, *[MOVED] * 3, RING[1])).evidence[-1] == "no explanation fits"
    assert asked(Ringing(*[MOVED] * 6, *RING[1:3])).answer == "ring, byte_count"


def test_explanations_that_do_not_agree_tell_nothing() -> None:
    """With twelve chunks more the pointer is where it was: both kinds of ring say so."""
    same = [filled(96, 0, 96), filled(96, 0, 96), filled(192, 0, 192), filled(192, 0, 192)]
    assert asked(Ringing(*same)).evidence[-1] == "2 explanations fit"
    wrong = [replace(one, running=one.running._replace(written=1)) for one in RING]
    assert asked(Ringing(*wrong)) == cannot_tell(
        "buffer",
        *(SEEN.format(created, 1, pointer) for created, pointer in
          ((23, 64), (32, 128), (40, 160), (48, 192))),
        *(CLEAR, "no explanation fits"),
    )  # fmt: skip


def test_without_a_form_every_number_of_chunks_in_a_burst_is_tried() -> None:
    assert asked(Ringing(*RING), None).answer == "ring, byte_count"
    halves = [filled(12, 96, 12), filled(16, 128, 16), filled(20, 160, 20), filled(24, 192, 24)]
    assert asked(Ringing(*halves), None).answer == "ring, byte_count"
    assert asked(Ringing(*halves), "eight_byte").answer == "ring, byte_count"
    assert asked(Ringing(*halves), "chip6").answer == "cannot tell"


def test_bytes_outside_of_one_buffer_are_enough_to_stop() -> None:
    spilt = replace(RING[2], data=b"\x00" * len(RING[2].data))
    assert asked(Ringing(*RING[:2], spilt, RING[3])) == cannot_tell(
        "buffer", "bytes outside the buffer changed: do not use this engine"
    )
