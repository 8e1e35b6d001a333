"""Traces that 0.1.0 stored: it kept in `extra` what `recording` and `work` hold today."""

from __future__ import annotations

from typing import Any

import msgspec

from lanescope.trace.meta import BufferSize, Meta, RecordingFacts, WorkFacts

_RENAMED = {"record_costs": "record_costs_ns"}
"""Key of 0.1.0 → field of RecordingFacts, where the two differ."""


def with_typed_facts(meta: Meta) -> Meta:
    """Move the facts of a 0.1.0 meta to the fields that hold them today.

    Other keys stay in `extra`. A fact of the wrong type is a msgspec.ValidationError.
    """
    extra = dict(meta.extra)
    work = msgspec.convert(extra.pop("work"), WorkFacts) if "work" in extra else None
    facts: dict[str, Any] = {}
    for key, value in meta.extra.items():
        field = _RENAMED.get(key, key)
        if field in RecordingFacts.__struct_fields__ and not _is_one_cores_clock(key, value):
            facts[field] = extra.pop(key)
    if "buffers" in facts:
        pairs = msgspec.convert(facts["buffers"], dict[str, tuple[int, int]])
        facts["buffers"] = {kind: BufferSize(*pair) for kind, pair in pairs.items()}
    recording = msgspec.convert(facts, RecordingFacts) if facts else None
    return msgspec.structs.replace(meta, recording=recording, work=work, extra=extra)


def _is_one_cores_clock(key: str, value: object) -> bool:
    """A raw chunk stream stated the rate of its only core, and not the core's kind."""
    return key == "core_hz" and isinstance(value, int)
