"""Values of counter tracks: sums of differences, multiples of a unit, and what is no number."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from lanescope.formats.perfetto.read import COUNTER, _counters


def test_differences_are_summed_up_and_values_multiplied() -> None:
    """Track 5 is not described; track 9 has a value that is no number, which is left out."""
    tracks = {
        6: SimpleNamespace(incremental=False, multiplier=2),
        7: SimpleNamespace(incremental=True, multiplier=1),
        8: SimpleNamespace(incremental=True, multiplier=10),
        9: SimpleNamespace(incremental=False, multiplier=1),
    }
    rows = [
        *((COUNTER, 6, 1, 3.0), (COUNTER, 7, 2, 1.0), (COUNTER, 8, 3, 4.0), (0, 6, 4, 99.0)),
        *((COUNTER, 5, 5, 7.5), (COUNTER, 7, 6, 2.0), (COUNTER, 8, 7, -1.0)),
        *((COUNTER, 9, 8, float("nan")), (COUNTER, 9, 9, 6.0), (COUNTER, 6, 10, 5.0)),
    ]
    kind, track, time, value = (np.array(column) for column in zip(*rows, strict=True))
    about = SimpleNamespace(tracks=tracks, track=lambda uuid: SimpleNamespace(name=f"track {uuid}"))
    events = SimpleNamespace(type=kind, track=track, time=time, value=value)
    found = _counters(cast(Any, events), cast(Any, about))
    assert found.names == [f"track {uuid}" for uuid in range(5, 10)]
    assert list(
        zip(found.time.tolist(), found.name.tolist(), found.value.tolist(), strict=True)
    ) == [
        *((1, 1, 6.0), (2, 2, 1.0), (3, 3, 40.0), (5, 0, 7.5), (6, 2, 3.0)),
        *((7, 3, 30.0), (9, 4, 6.0), (10, 1, 10.0)),
    ]
    assert value[0] == 3.0
