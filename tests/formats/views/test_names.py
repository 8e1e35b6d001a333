"""Names of bars: by function or by word, and what is shown where there is none."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace, task

from lanescope.formats.views.names import function_names, word_names
from lanescope.trace import NO_WORD


def test_a_task_has_the_name_of_its_function() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 5, None, func=func) for func in (7, 3, 9, 3)],
        functions=[{"func": 3, "name": "softmax"}, {"func": 7}],
    )
    place, names = function_names(trace, np.array([0, 1, 2]))
    assert [names[k] for k in place.tolist()] == ["task", "softmax", "task"]


def test_a_row_without_a_word_has_the_last_name() -> None:
    place, names = word_names(np.array([1, NO_WORD, 0]), ("a", "b"), "phase")
    assert names == ("a", "b", "phase")
    assert place.tolist() == [1, 2, 0]
