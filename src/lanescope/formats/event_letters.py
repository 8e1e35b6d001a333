"""The letter of each event of the Trace Event Format: what kind of event it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_rows import Rows
from lanescope.render.names import clean
from lanescope.trace.table import Array


def event_letters(path: Path, rows: Rows) -> Array:
    """One letter per event.

    Raises:
        InputError: `ph` of an event is not one letter.
    """
    values = rows.values["ph"]
    for code, value in enumerate(values):
        if len(value) != 1:
            row = int(np.argmax(rows["ph"] == code))
            found = repr(clean(value))
            raise InputError(path, f"event {row}, 'ph': one letter was expected, found {found}")
    return np.array(values or ["X"], "U1")[rows["ph"]]
