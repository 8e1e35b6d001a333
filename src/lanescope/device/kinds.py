"""Kinds of record, as the C library lists them (LS_RECORD_KINDS in native/include)."""

from __future__ import annotations

from lanescope.native.tables import RecordKind, record_kinds

RECORD_KINDS: tuple[RecordKind, ...] = record_kinds()
"""By code."""
KINDS: tuple[str, ...] = tuple(kind.name for kind in RECORD_KINDS)
"""Names by code; the struct of a kind is ls_<kind>."""
