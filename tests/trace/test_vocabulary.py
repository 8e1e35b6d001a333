"""Which words a trace is described with, by the kinds of its lanes."""

from __future__ import annotations

import pytest
from tests.analyze.hand import make_trace

from lanescope.trace.vocabulary import CORES, Vocabulary, vocabulary


@pytest.mark.parametrize(
    ("lanes", "words"),
    [
        ([], CORES),
        ([None, None], CORES),
        (["core", "stream"], CORES),
        (["stream", "stream"], Vocabulary("streams", "stream", "kernel", "kernel")),
        (["queue"], Vocabulary("streams", "queue", "kernel", "kernel")),
        (["stream", "communicator"], Vocabulary("streams", "lane", "kernel", "kernel")),
        (["track"], Vocabulary("tracks", "track", "slice", "name")),
        (["track", "stream"], Vocabulary("streams", "lane", "kernel", "kernel")),
        (["unit"], Vocabulary("units", "unit", "instruction", "opcode")),
        (["program"], Vocabulary("units", "program", "run", "program")),
        (["unit", "program"], Vocabulary("streams", "lane", "kernel", "kernel")),
    ],
)
def test_words_follow_the_lanes(lanes: list[str | None], words: Vocabulary) -> None:
    rows = [{"core": k} | ({"lane": lane} if lane else {}) for k, lane in enumerate(lanes)]
    assert vocabulary(make_trace(cores=rows)) == words


def test_a_profile_of_the_host_alone_speaks_of_streams() -> None:
    """Its phases have categories; the word of the first has number 0."""
    named = make_trace(phases=[{"category": "api", "start_ns": 0}])
    assert named.phases["category"].tolist() == [0]
    assert vocabulary(named).family == "streams"
    assert vocabulary(make_trace(phases=[{"start_ns": 0}])) == CORES
    beside = make_trace(phases=[{"category": "api", "start_ns": 0}], cores=[{"core": 0}])
    assert vocabulary(beside) == CORES
