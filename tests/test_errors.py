"""Every error has an exit code and a sentence; a refusal names the nearest word that is known."""

from __future__ import annotations

import pytest

from lanescope.errors import (
    InputError,
    LanescopeError,
    OutputError,
    PluginError,
    TransportError,
    UsageError,
    did_you_mean,
)


@pytest.mark.parametrize("error", [LanescopeError, OutputError, PluginError, TransportError])
def test_what_failed_ends_with_1_and_what_was_asked_wrongly_with_2(
    error: type[LanescopeError],
) -> None:
    assert (error.exit_code, InputError.exit_code, UsageError.exit_code) == (1, 1, 2)


def test_a_file_that_is_not_what_it_should_be_has_its_path_and_its_problem() -> None:
    error = InputError("a.lanes", "is torn")
    assert (str(error), error.path, error.problem) == ("a.lanes: is torn", "a.lanes", "is torn")


@pytest.mark.parametrize(
    ("found", "end"),
    [
        ("chrom", "; did you mean Chrome?"),
        ("PERFETO", "; did you mean perfetto?"),
        ("perfettos", "; did you mean perfetto?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_the_nearest_known_word_is_named_as_it_is_written(found: str, end: str) -> None:
    assert did_you_mean(found, ["Chrome", "perfetto", "perfect"]) == end
    assert did_you_mean(found, []) == ""
