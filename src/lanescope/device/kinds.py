"""The kinds of record, from the list LS_RECORD_KINDS of the C headers."""

from __future__ import annotations

from lanescope.native.tables import RecordKind, record_kinds

RECORD_KINDS: tuple[RecordKind, ...] = record_kinds()
"""All kinds of record; the index is the code of a kind."""
KINDS: tuple[str, ...] = tuple(kind.name for kind in RECORD_KINDS)
"""Names of the kinds; the index is the code. The struct of a kind is ls_<kind>."""
