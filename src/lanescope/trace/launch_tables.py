"""The tables of recorded kernels: their launches, and the CTAs of each.

`tasks.launch` and `marks.task` continue the tree: launch, CTA, task, mark. `tables.py` has SCHEMA,
which holds all tables.
"""

from __future__ import annotations

from lanescope.trace.schema import Column, TableSchema


def _span(start: str, end: str) -> tuple[Column, ...]:
    return (
        Column("start_ns", "i64", f"{start}, ns from the trace's base"),
        Column("end_ns", "i64", f"{end}, ns from the trace's base"),
        Column("start_cycles", "i64", "the same start as the device counted it"),
        Column("end_cycles", "i64", "the same end as the device counted it"),
    )


LAUNCHES = TableSchema(
    "launches",
    "One row per launch of a recorded kernel, by start. A kernel that wrote no record has none.",
    (
        Column(
            "launch", "i64", "number of the launch; its tasks and its rows in `blocks` share it"
        ),
        Column("name", "word", "the name that the program gave it"),
        Column(
            "call",
            "i64",
            "number of the handle's use, which is `launch` of its row in `phases`; launches of one "
            "handle, as those of a CUDA graph, share it",
        ),
        Column("func", "i32", "function of its tasks, where all have the same"),
        Column("blocks", "i32", "number of CTAs that recorded"),
        *_span("the first of its CTAs took a lane", "the last one gave its lane back"),
        Column("rank", "i32", "rank it belongs to; null where the trace has one rank only"),
    ),
    since="0.2.0",
)

BLOCKS = TableSchema(
    "blocks",
    "One row per CTA of a launch that recorded, by launch and core.",
    (
        Column("launch", "i64", "the launch that it is part of, see `launches`"),
        Column("core", "i32", "core whose lanes it had: the number of the CTA"),
        Column("physical_core", "i32", "number of the SM that it ran on"),
        *_span("it took its first lane", "it gave its last lane back"),
    ),
    since="0.2.0",
)
