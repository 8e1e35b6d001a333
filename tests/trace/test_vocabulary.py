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
    ],
)
def test_words_follow_the_lanes(lanes: list[str | None], words: Vocabulary) -> None:
    rows = [{"core": k} | ({"lane": lane} if lane else {}) for k, lane in enumerate(lanes)]
    assert vocabulary(make_trace(cores=rows)) == words
