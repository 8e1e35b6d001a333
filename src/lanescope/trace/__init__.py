"""The Trace: what every producer makes and every reader takes. Imports nothing else of ours."""

from lanescope.trace.lazy import open_lazily
from lanescope.trace.meta import HostClock, LedgerEntry, Meta, Source
from lanescope.trace.schema import MISSING, MISSING32, NO_WORD, SCHEMA_VERSION
from lanescope.trace.selection import select
from lanescope.trace.store import load, save
from lanescope.trace.table import Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words

__all__ = [
    "MISSING",
    "MISSING32",
    "NO_WORD",
    "SCHEMA",
    "SCHEMA_VERSION",
    "HostClock",
    "LedgerEntry",
    "Meta",
    "Source",
    "Table",
    "Trace",
    "Words",
    "load",
    "open_lazily",
    "save",
    "select",
]
