"""Which address reaches a buffer: spaces in turn, until one does or the experiment is disturbed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.probe.test_capture import GOOD, MOVED, Repeating, capture

from lanescope.device.perfmon import Buffer
from lanescope.probe.addresses import find_address
from lanescope.probe.capture import PATTERN

MISSED = capture(PATTERN)


class Offering(Repeating):
    """Offers addresses of these spaces beside the virtual one."""

    spaces: tuple[str, ...] = ()

    def offers(self, space: str) -> bool:
        return space in self.spaces


class Both(Offering):
    spaces = ("engine", "physical")


def test_the_first_space_that_reaches_a_buffer_is_the_answer() -> None:
    mapped = Buffer(0x5000, None, GOOD.size, 0x7000)
    bench = Both(MISSED, replace(GOOD, address="engine", buffer=mapped, base_after=0x7000), GOOD)
    found = find_address(bench, ())
    assert (found.address.answer, found.stream.answer, found.space) == ("virtual", "own", "engine")
    assert found.address.evidence == (
        "virtual 0x5000: 1 written, its pattern is untouched",
        "engine 0x7000: 1 written, its pattern changed",
    )
    assert found.address.confidence == "high"
    assert len(bench.left) == 1


def test_after_an_experiment_that_is_disturbed_no_other_space_is_tried() -> None:
    bench = Both(MISSED, MOVED, MOVED, MOVED, GOOD)
    found = find_address(bench, ())
    assert (found.address.answer, found.space, len(bench.left)) == ("cannot tell", None, 1)
    assert found.address.evidence == (
        "virtual 0x5000: 1 written, its pattern is untouched",
        "engine: the base address did not stay as it was set",
    )


def test_spaces_that_are_not_offered_are_told_and_passed_over() -> None:
    found = find_address(Offering(MISSED), ())
    assert found.stream.evidence == (
        "virtual 0x5000: 1 written, its pattern is untouched",
        "engine: this chip offers no address of a stream of the engine's own",
        "physical: this chip offers no physical address",
    )


@pytest.mark.parametrize(
    ("physical", "answer", "sure"),
    [(0x5000, "cannot tell", "none"), (0x9000, "virtual", "high"), (None, "virtual", "medium")],
)
def test_a_virtual_address_is_sure_where_the_physical_one_is_another(
    physical: int | None, answer: str, sure: str
) -> None:
    reached = replace(GOOD, buffer=Buffer(0x5000, physical, GOOD.size))
    found = find_address(Offering(reached), ())
    assert (found.address.answer, found.address.confidence) == (answer, sure)
    assert found.space == "virtual"
