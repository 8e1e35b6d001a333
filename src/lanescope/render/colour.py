"""Whether a stream gets colours: NO_COLOR (no-color.org) and FORCE_COLOR go before what it is."""

from __future__ import annotations

import os
from typing import TextIO


def is_drawn(stream: TextIO) -> bool:
    """Whether tables are drawn as on a terminal: it is one, or FORCE_COLOR says so."""
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def has_colour(stream: TextIO) -> bool:
    """Whether words may be coloured there."""
    return not os.environ.get("NO_COLOR") and is_drawn(stream)
