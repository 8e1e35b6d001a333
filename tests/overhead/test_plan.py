"""Which configurations are measured, and in which order."""

from __future__ import annotations

import pytest

from lanescope.errors import UsageError
from lanescope.overhead.plan import Configuration, configurations, require_rounds, rounds_of


def test_level_zero_comes_once_and_every_other_level_with_every_protocol() -> None:
    found = configurations(["0", "1", "4"], ["staging", "producer-rotated"])
    assert [one.name for one in found] == [
        "off",
        "1 staging",
        "1 producer-rotated",
        "4 staging",
        "4 producer-rotated",
    ]


def test_what_is_named_twice_is_measured_once() -> None:
    found = configurations(["1", "1"], ["staging", "staging"])
    assert found == (Configuration(1, "staging"),)


def test_every_round_runs_every_configuration_once() -> None:
    found = configurations(["0", "1", "2"], ["staging", "controller-rotated"])
    rounds = rounds_of(found, 15, seed=1)
    assert len(rounds) == 15
    assert all(sorted(order, key=str) == sorted(found, key=str) for order in rounds)


def test_rounds_have_orders_of_their_own_that_the_seed_decides() -> None:
    found = configurations(["0", "1", "2"], ["staging", "controller-rotated"])
    rounds = rounds_of(found, 15, seed=1)
    assert len(set(rounds)) > 10
    assert {order[0] for order in rounds} == set(found)
    assert rounds == rounds_of(found, 15, seed=1)
    assert rounds != rounds_of(found, 15, seed=2)


def test_one_round_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^expected at least 2 rounds, .* found 1$"):
        rounds_of(configurations(["0"], []), 1, seed=1)


def test_unknown_level_and_protocol_are_refused() -> None:
    with pytest.raises(UsageError, match="expected a chip-swimlane level, found '7'"):
        configurations(["7"], ["staging"])
    with pytest.raises(UsageError, match=r"expected a protocol \(staging, .*\), found 'fast'"):
        configurations(["1"], ["fast"])


def test_what_is_refused_is_told_with_what_there_is() -> None:
    protocols = "staging, controller-rotated, producer-rotated, after-finish"
    with pytest.raises(UsageError) as refused:
        configurations(["1"], ["staging", "fast"])
    assert str(refused.value) == f"expected a protocol ({protocols}), found 'fast'"
    with pytest.raises(UsageError) as refused:
        require_rounds(1)
    assert str(refused.value) == "expected at least 2 rounds, for a spread to be seen, found 1"
    require_rounds(2)


def test_levels_are_numbers_or_words_and_level_zero_needs_no_protocol() -> None:
    assert configurations([0, "0"], []) == (Configuration(0, "off"),)
    assert configurations([2, "0"], ["after-finish"]) == (
        Configuration(2, "after-finish"),
        Configuration(0, "off"),
    )
    assert (Configuration(0, "staging").name, Configuration(3, "x").name) == ("off", "3 x")
